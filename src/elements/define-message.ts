import { defineOnce } from './define-once.js';
import { defineBanners } from './tool-chat-panel/lazy-banners.js';
import { ToolChatMessage } from './tool-chat-message/tool-chat-message.js';

export const defineMessage = (): void => {
  defineOnce('tool-chat-message', ToolChatMessage);
  defineBanners();
};
