/**
 * Registers the elements of a panel with messages, for panels that are created without the launcher. Cards follow with the first call
 * (`cards.ts`).
 */
import { defineFrame } from './define-frame.js';
import { defineMessage } from './define-message.js';

/** Registers the elements. It can be called again, also on a page with another version. */
export function defineParts(): void {
  defineFrame();
  defineMessage();
}
