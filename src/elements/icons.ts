/** Line icons on a 16-pixel grid, drawn in the text color. */
import { html } from 'lit';

/** @param path the `d` attribute of the path; all icons share one template */
export const icon = (path: string) =>
  html`<svg
    viewBox="0 0 16 16"
    width="16"
    height="16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d=${path}></path>
  </svg>`;

export const icons = {
  send: icon('M8 13V3.5M3.5 8 8 3.5 12.5 8'),
  stop: html`<svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
    <rect x="4" y="4" width="8" height="8" rx="1.5"></rect>
  </svg>`,
  close: icon('m4 4 8 8M12 4l-8 8'),
  down: icon('M8 3v9.5M3.5 8.5 8 13l4.5-4.5'),
  chevron: icon('m6 4 4 4-4 4'),
  tool: icon('M13.3 4.2 11 6.5 9.5 5l2.3-2.3a3.4 3.4 0 0 0-4.5 4.3L2.9 11.4a1.2 1.2 0 0 0 1.7 1.7L9 8.7a3.4 3.4 0 0 0 4.3-4.5Z'),
  template: icon('M3 3.5h10M3 8h4M3 12.5h10M10 6.2v3.6M12.8 6.2v3.6'),
  attach: icon('M8 3v10M3 8h10'),
  voice: icon('M6 4a2 2 0 0 1 4 0v3a2 2 0 0 1-4 0zM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5'),
  copy: icon(
    'M7.3 5.5h4.4a1.8 1.8 0 0 1 1.8 1.8v4.4a1.8 1.8 0 0 1-1.8 1.8h-4.4a1.8 1.8 0 0 1-1.8-1.8v-4.4a1.8 1.8 0 0 1 1.8-1.8zM10.5 5.5V4.3a1.8 1.8 0 0 0-1.8-1.8H4.3a1.8 1.8 0 0 0-1.8 1.8v4.4a1.8 1.8 0 0 0 1.8 1.8h1.2',
  ),
  check: icon('m3.5 8.5 3 3 6-7'),
  warning: icon('M7 2.9 1.9 11.7a1.2 1.2 0 0 0 1 1.8h10.2a1.2 1.2 0 0 0 1-1.8L9 2.9a1.2 1.2 0 0 0-2 0ZM8 6.2v3M8 11.4h.01'),
  mark: icon('M3.2 2.8h9.6a1.2 1.2 0 0 1 1.2 1.2v6a1.2 1.2 0 0 1-1.2 1.2H8.4L5 13.9v-2.7H3.2A1.2 1.2 0 0 1 2 10V4a1.2 1.2 0 0 1 1.2-1.2Z'),
};
