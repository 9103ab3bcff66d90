/** The list of conversations; loaded when a person wants to see it. */
import { defineOnce } from './define-once.js';
import { wholeEnglish } from '../i18n/en.js';
import { ToolChatHistory } from './tool-chat-history/tool-chat-history.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineHistory(): void {
  defineOnce('tool-chat-history', ToolChatHistory);
}
