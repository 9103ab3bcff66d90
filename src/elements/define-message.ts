import { defineOnce } from './define-once.js';
import { defineBars } from './tool-chat-panel/more-bars.js';
import { ToolChatMessage } from './tool-chat-message/tool-chat-message.js';

export const defineMessage = (): void => {
  defineOnce('tool-chat-message', ToolChatMessage);
  defineBars();
};
