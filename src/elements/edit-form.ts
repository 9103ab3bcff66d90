/** The form for arguments, loaded when the user wants to change some. */
import { defineOnce } from './define-once.js';
import { fullEnglish } from '../i18n/en.js';
import { ToolChatEdit } from './tool-chat-edit/tool-chat-edit.js';

fullEnglish();

/** Registers the element. It can be called again, also on a page with another version. */
export function defineEditForm(): void {
  defineOnce('tool-chat-edit', ToolChatEdit);
}
