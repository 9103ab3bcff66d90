/** Registers what people write in: it is there before all else, and messages follow with the conversation (`start-conversation.ts`). */
import { defineOnce } from './define-once.js';
import { ToolChatComposer } from './tool-chat-composer/tool-chat-composer.js';
import { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** Safe to call again, and beside another version. */
export function defineFrame(): void {
  defineOnce('tool-chat-composer', ToolChatComposer);
  defineOnce('tool-chat-panel', ToolChatPanel);
}
