/** The menu and the elements of its pages, loaded when the user opens it. */
import { fullEnglish } from '../i18n/en.js';
import { defineOnce } from './define-once.js';
import { ToolChatGrants } from './tool-chat-grants/tool-chat-grants.js';
import { ToolChatMemory } from './tool-chat-memory/tool-chat-memory.js';
import { ToolChatMenu } from './tool-chat-menu/tool-chat-menu.js';

fullEnglish();

/** Registers the elements. It can be called again, also on a page with another version. */
export function defineMenu(): void {
  defineOnce('tool-chat-grants', ToolChatGrants);
  defineOnce('tool-chat-memory', ToolChatMemory);
  defineOnce('tool-chat-menu', ToolChatMenu);
}
