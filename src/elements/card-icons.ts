/** Icons that only cards need. */
import { html } from 'lit';
import type { CardStatus } from '../model/calls.js';
import { icon, icons } from './icons.js';

export const cardIcons = {
  check: icon('m4 8.4 2.8 2.8L12 5.4'),
  cross: icon('m5 5 6 6M11 5l-6 6'),
  wait: icon('M6 4.5v7M10 4.5v7'),
  minus: icon('M4.5 8h7'),
  back: icon('M6 4 3 7l3 3M3.5 7H9a3.5 3.5 0 0 1 0 7H7'),
  question: icon('M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.3M8 11.6h.01'),
  clock: icon('M2.8 8a5.2 5.2 0 1 0 10.4 0 5.2 5.2 0 1 0-10.4 0zM8 5v3.2l2 1.2'),
  eye: icon('M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8ZM6.2 8a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0z'),
  pencil: icon('m10.4 3.2 2.4 2.4L6 12.4l-3 .6.6-3 6.8-6.8Z'),
  warning: icons.warning,
  shield: icon('M8 1.9 3 3.7v3.8c0 3 2.1 5.4 5 6.6 2.9-1.2 5-3.6 5-6.6V3.7L8 1.9ZM8 5.4v3M8 10.6h.01'),
};

export function statusIcon(status: CardStatus): unknown {
  if (status === 'pending' || status === 'executing') return html`<span class="spinner"></span>`;
  return {
    queued: cardIcons.clock,
    awaiting_approval: cardIcons.question,
    success: cardIcons.check,
    error: cardIcons.cross,
    denied: cardIcons.minus,
    cancelled: cardIcons.minus,
    interrupted: cardIcons.wait,
    undone: cardIcons.back,
  }[status];
}
