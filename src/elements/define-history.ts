/** The list of conversations, loaded when the user opens it. */
import { defineOnce } from './define-once.js';
import { fullEnglish } from '../i18n/en.js';
import { ToolChatHistory } from './tool-chat-history/tool-chat-history.js';

fullEnglish();

/** Registers the element. It can be called again, also on a page with another version. */
export function defineHistory(): void {
  defineOnce('tool-chat-history', ToolChatHistory);
}
