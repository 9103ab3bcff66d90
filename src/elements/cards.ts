/** The part of the UI that only tool calls need, loaded with the first call. */
import { defineOnce } from './define-once.js';
import { ToolChatApproval } from './tool-chat-approval/tool-chat-approval.js';
import { addCallTexts } from '../i18n/en-calls.js';
import { ToolChatCall } from './tool-chat-call/tool-chat-call.js';

addCallTexts();

/** Registers the card elements. It can be called again, also on a page with another version. */
export function defineCards(): void {
  defineOnce('tool-chat-approval', ToolChatApproval);
  defineOnce('tool-chat-call', ToolChatCall);
}
