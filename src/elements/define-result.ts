/** The result of a tool call, loaded when the user unfolds the first one. */
import { defineOnce } from './define-once.js';
import { fullEnglish } from '../i18n/en.js';
import { ToolChatResult } from './tool-chat-result/tool-chat-result.js';

fullEnglish();

/** Registers the element. It can be called again, also on a page with another version. */
export function defineResult(): void {
  defineOnce('tool-chat-result', ToolChatResult);
}
