/** The menu; loaded when a person opens it. */
import { wholeEnglish } from '../i18n/en.js';
import { defineOnce } from './define-once.js';
import { ToolChatMenu } from './tool-chat-menu/tool-chat-menu.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineMenu(): void {
  defineOnce('tool-chat-menu', ToolChatMenu);
}
