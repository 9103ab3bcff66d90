/** The details of an error bar, loaded with the first error. */
import { defineOnce } from './define-once.js';
import { ToolChatErrorDetails } from './tool-chat-error-details/tool-chat-error-details.js';

/** Registers the element. It can be called again, also on a page with another version. */
export function defineErrorDetails(): void {
  defineOnce('tool-chat-error-details', ToolChatErrorDetails);
}
