/** The names of the members that `<tool-chat>` takes from its conversation. Only types: tables define the members on the prototype. */
import type { settingsTable } from '../../conversation/options/option-table.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';

/** Methods that return a promise. They load the conversation first. */
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

/** Methods that register something, now or as soon as the conversation has loaded, and return a function that unregisters it. */
export type Registration = 'registerTool' | 'registerTools' | 'registerProtocol' | 'registerWire' | 'registerMacro' | 'use';

export type SharedOption = Exclude<keyof typeof settingsTable, 'fetch'>;

export type SnapshotField = Exclude<keyof ConversationSnapshot, 'activities'>;
