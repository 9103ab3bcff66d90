/** The details of an error bar, loaded with the first error. */
import { defineOnce } from './define-once.js';
import { ToolChatFault } from './tool-chat-fault/tool-chat-fault.js';

/** Registers the element. It can be called again, also on a page with another version. */
export function defineFault(): void {
  defineOnce('tool-chat-fault', ToolChatFault);
}
