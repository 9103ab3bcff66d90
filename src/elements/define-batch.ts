/** The approval of several calls at once, loaded when there are several. */
import { fullEnglish } from '../i18n/en.js';
import { defineOnce } from './define-once.js';
import { ToolChatBatch } from './tool-chat-approval/tool-chat-batch.js';

fullEnglish();

/** Registers the element. It can be called again, also on a page with another version. */
export function defineBatch(): void {
  defineOnce('tool-chat-batch', ToolChatBatch);
}
