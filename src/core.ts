/** The conversation without any DOM: the door `tool-chat/core`. Runs in Node, Deno, Bun and workers. */
export type * from './calls.js';
export { createConversation } from './conversation/conversation.js';
export type { Conversation, ConversationOptions, SendOptions } from './conversation/conversation.js';
export { conversationMachine } from './conversation/conversation-machine.js';
export type { HostEvent, ToolCallCycleResult } from './conversation/hooks.js';
export type { Limits, Settings } from './conversation/settings.js';
export type { Activity, ConversationSnapshot, Grant, Phase, SessionState } from './conversation/snapshot.js';
export { toolCallMachine } from './conversation/tool-call-machine.js';
export { ToolError } from './errors.js';
export type { ChatError, ChatErrorCode, ErrorCode, ErrorLayer, ErrorType } from './errors.js';
export type * from './log.js';
export type * from './messages.js';
export { createMemoryJournal } from './storage/journal.js';
export type { Journal, JournalEntry, JournalIntent } from './storage/journal.js';
export type { StandardSchema, ToolContext, ToolDefinition } from './tools/tool.js';
export type * from './transports/wire.js';
