/** Names of the members that `<tool-chat>` has of its conversation. Types alone: tables define them on the prototype. */
import type { settingsTable } from '../../conversation/options/option-table.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';

/** Methods that answer with a promise: they load the rest first. */
export type Method =
  | 'sendMessage'
  | 'sendMessageWithTools'
  | 'executeToolManually'
  | 'retryLastMessage'
  | 'regenerate'
  | 'editMessage'
  | 'generatePrompt'
  | 'getToolDescriptions'
  | 'undo'
  | 'revoke'
  | 'exportSession'
  | 'importSession'
  | 'clear'
  | 'clearCache'
  | 'forget'
  | 'listConversations'
  | 'newConversation'
  | 'openConversation'
  | 'renameConversation'
  | 'deleteConversation';

/** Methods that register something, now or as soon as they can, and return the function that takes it back. */
export type Registration = 'registerTool' | 'registerTools' | 'registerProtocol' | 'registerWire' | 'registerMacro' | 'use';

export type SharedOption = Exclude<keyof typeof settingsTable, 'fetch'>;

export type SnapshotField = Exclude<keyof ConversationSnapshot, 'activities'>;
