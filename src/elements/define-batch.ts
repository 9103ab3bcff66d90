/** What decides on several calls at once; loaded when there are several. */
import { wholeEnglish } from '../i18n/en.js';
import { defineOnce } from './define-once.js';
import { ToolChatBatch } from './tool-chat-approval/tool-chat-batch.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineBatch(): void {
  defineOnce('tool-chat-batch', ToolChatBatch);
}
