/** The list of what is remembered; loaded when there is something. */
import { defineOnce } from './define-once.js';
import { wholeEnglish } from '../i18n/en.js';
import { ToolChatMemory } from './tool-chat-memory/tool-chat-memory.js';

wholeEnglish();

/** Safe to call again, and beside another version. */
export function defineMemory(): void {
  defineOnce('tool-chat-memory', ToolChatMemory);
}
