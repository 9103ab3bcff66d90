/** Registers the panel and the composer. They are loaded first; messages follow with the conversation (`start-conversation.ts`). */
import { defineOnce } from './define-once.js';
import { ToolChatComposer } from './tool-chat-composer/tool-chat-composer.js';
import { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** Registers the elements. It can be called again, also on a page with another version. */
export function defineFrame(): void {
  defineOnce('tool-chat-composer', ToolChatComposer);
  defineOnce('tool-chat-panel', ToolChatPanel);
}
