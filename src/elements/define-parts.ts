/** Registers what an open panel needs at once. Cards follow with the first call (`cards.ts`). */
import { defineOnce } from './define-once.js';
import { ToolChatComposer } from './tool-chat-composer/tool-chat-composer.js';
import { ToolChatMessage } from './tool-chat-message/tool-chat-message.js';
import { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** Safe to call again, and beside another version. */
export function defineParts(): void {
  defineOnce('tool-chat-composer', ToolChatComposer);
  defineOnce('tool-chat-message', ToolChatMessage);
  defineOnce('tool-chat-panel', ToolChatPanel);
}
