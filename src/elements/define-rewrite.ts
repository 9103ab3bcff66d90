/** Registers the field in which a person says something otherwise. */
import { defineOnce } from './define-once.js';
import { ToolChatRewrite } from './tool-chat-rewrite/tool-chat-rewrite.js';

export function defineRewrite(): void {
  defineOnce('tool-chat-rewrite', ToolChatRewrite);
}
