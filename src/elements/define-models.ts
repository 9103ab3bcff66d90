/** Registers the menu of models. */
import { defineOnce } from './define-once.js';
import { ToolChatModels } from './tool-chat-models/tool-chat-models.js';

export function defineModels(): void {
  defineOnce('tool-chat-models', ToolChatModels);
}
