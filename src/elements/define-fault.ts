/** What an error bar has beside its sentence; loaded with the first error. */
import { defineOnce } from './define-once.js';
import { ToolChatFault } from './tool-chat-fault/tool-chat-fault.js';

/** Safe to call again, and beside another version. */
export function defineFault(): void {
  defineOnce('tool-chat-fault', ToolChatFault);
}
