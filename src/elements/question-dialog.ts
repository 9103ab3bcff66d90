/** The dialog for approvals with `approval-ui="dialog"`, loaded with the first approval. */
import { defineOnce } from './define-once.js';
import { wholeEnglish } from '../i18n/en.js';
import { ToolChatDialog } from './tool-chat-dialog/tool-chat-dialog.js';

wholeEnglish();

/** Registers the element. It can be called again, also on a page with another version. */
export function defineQuestionDialog(): void {
  defineOnce('tool-chat-dialog', ToolChatDialog);
}
