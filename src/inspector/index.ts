/** The entry point `tool-chat/inspector`: registers `<tool-chat-inspector>` and its pages. Safe to load twice. */
import { defineInspector } from './define-inspector.js';

export { closeInspector, openInspector } from './dock-inspector.js';
export { ToolChatInspector } from './tool-chat-inspector.js';

defineInspector();
