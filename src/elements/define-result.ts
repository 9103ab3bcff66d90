/** What a tool gave back; loaded when a person unfolds the first one. */
import { defineOnce } from './define-once.js';
import { wholeEnglish } from '../i18n/en.js';
import { ToolChatResult } from './tool-chat-result/tool-chat-result.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineResult(): void {
  defineOnce('tool-chat-result', ToolChatResult);
}
