/** Registers `<tool-chat-inspector>` and its pages: the door `tool-chat/inspector`. Safe to load twice. */
import { defineInspector } from './define-inspector.js';

export { closeInspector, openInspector } from './beside.js';
export { ToolChatInspector } from './tool-chat-inspector.js';

defineInspector();
