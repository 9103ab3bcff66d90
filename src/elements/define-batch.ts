/** What decides on several calls at once, and the list of what is allowed from now on; loaded when there is either. */
import { wholeEnglish } from '../i18n/en.js';
import { defineOnce } from './define-once.js';
import { ToolChatBatch } from './tool-chat-approval/tool-chat-batch.js';
import { ToolChatGrants } from './tool-chat-grants/tool-chat-grants.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineBatch(): void {
  defineOnce('tool-chat-batch', ToolChatBatch);
  defineOnce('tool-chat-grants', ToolChatGrants);
}
