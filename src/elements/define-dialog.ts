/** The dialog for approvals with `approval-ui="dialog"`, loaded with the first approval. */
import { defineOnce } from './define-once.js';
import { fullEnglish } from '../i18n/en.js';
import { ToolChatDialog } from './tool-chat-dialog/tool-chat-dialog.js';

fullEnglish();

/** Registers the element. It can be called again, also on a page with another version. */
export function defineDialog(): void {
  defineOnce('tool-chat-dialog', ToolChatDialog);
}
