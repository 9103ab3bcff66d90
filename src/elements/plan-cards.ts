/** The cards of plans and questions, loaded with the first one. */
import { defineOnce } from './define-once.js';
import { ToolChatClarify } from './tool-chat-clarify/tool-chat-clarify.js';
import { fullEnglish } from '../i18n/en.js';
import { ToolChatPlan } from './tool-chat-plan/tool-chat-plan.js';

fullEnglish();

/** Registers the elements. It can be called again, also on a page with another version. */
export function definePlanCards(): void {
  defineOnce('tool-chat-clarify', ToolChatClarify);
  defineOnce('tool-chat-plan', ToolChatPlan);
}
