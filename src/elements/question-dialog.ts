/** The dialog that questions stand in under `approval-ui="dialog"`; loaded with the first of them. */
import { defineOnce } from './define-once.js';
import { wholeEnglish } from '../i18n/en.js';
import { ToolChatDialog } from './tool-chat-dialog/tool-chat-dialog.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineQuestionDialog(): void {
  defineOnce('tool-chat-dialog', ToolChatDialog);
}
