/** The form for arguments; loaded when a person wants to change some. */
import { defineOnce } from './define-once.js';
import { wholeEnglish } from '../i18n/en.js';
import { ToolChatEdit } from './tool-chat-edit/tool-chat-edit.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineEditForm(): void {
  defineOnce('tool-chat-edit', ToolChatEdit);
}
