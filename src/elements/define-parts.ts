/** Registers what a panel with messages needs; only where a panel is made without the launcher. Cards follow with the first call (`cards.ts`). */
import { defineFrame } from './define-frame.js';
import { defineMessage } from './define-message.js';

/** Safe to call again, and beside another version. */
export function defineParts(): void {
  defineFrame();
  defineMessage();
}
