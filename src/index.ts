/** The entry point `tool-chat`: classes, functions and types. Registers nothing. */
export * from './core.js';
export { ToolChatEvent } from './elements/events.js';
export type { ToolChatEventMap } from './elements/events.js';
export type { ToolChatQueue } from './elements/tool-chat/page-queue.js';
export { ToolChat } from './elements/tool-chat/tool-chat.js';
