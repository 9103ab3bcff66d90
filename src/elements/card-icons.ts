/** Icons that only cards need. */
import { svg } from 'lit';
import { icon } from './icons.js';

export const cardIcons = {
  check: icon(svg`<path d="m4 8.4 2.8 2.8L12 5.4"/>`),
  cross: icon(svg`<path d="m5 5 6 6M11 5l-6 6"/>`),
  wait: icon(svg`<path d="M6 4.5v7M10 4.5v7"/>`),
  minus: icon(svg`<path d="M4.5 8h7"/>`),
  back: icon(svg`<path d="M6 4 3 7l3 3M3.5 7H9a3.5 3.5 0 0 1 0 7H7"/>`),
  question: icon(svg`<path d="M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.3M8 11.6h.01"/>`),
  clock: icon(svg`<circle cx="8" cy="8" r="5.2"/><path d="M8 5v3.2l2 1.2"/>`),
  eye: icon(svg`<path d="M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8Z"/><circle cx="8" cy="8" r="1.8"/>`),
  pencil: icon(svg`<path d="m10.4 3.2 2.4 2.4L6 12.4l-3 .6.6-3 6.8-6.8Z"/>`),
  warning: icon(svg`<path d="M7 2.9 1.9 11.7a1.2 1.2 0 0 0 1 1.8h10.2a1.2 1.2 0 0 0 1-1.8L9 2.9a1.2 1.2 0 0 0-2 0ZM8 6.2v3M8 11.4h.01"/>`),
  shield: icon(svg`<path d="M8 1.9 3 3.7v3.8c0 3 2.1 5.4 5 6.6 2.9-1.2 5-3.6 5-6.6V3.7L8 1.9ZM8 5.4v3M8 10.6h.01"/>`),
};
