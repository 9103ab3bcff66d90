/** Registers the field in which the user edits a message. */
import { defineOnce } from './define-once.js';
import { ToolChatRewrite } from './tool-chat-rewrite/tool-chat-rewrite.js';

export function defineRewrite(): void {
  defineOnce('tool-chat-rewrite', ToolChatRewrite);
}
