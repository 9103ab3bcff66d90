/** The names of the members of `<tool-chat>`: its options, and what it takes from its conversation. */
import type { settingsTable } from '../../conversation/options/option-table.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';

/**
 * The names of all options as properties. They are one string to save bytes, because every page loads the launcher. The allowed values are
 * in the table of options (`option-table.ts`), which is loaded with the engine. A test compares the names.
 */
export const optionNames: readonly string[] = (
  'endpoint wire stream protocol tools model systemPrompt maxTokens maxIterations repeatLimit toolTimeout requestTimeout heartbeat ' +
  'blockTimeout maxAccumulator sessionId approval callsPerTurn dispatch afterCall execution accept parseMode onBrokenCall resultRole ' +
  'promptInjection resultLoop onDeny coercion memory confirmVia rehearse approvalUi planning orchestration degrade composerWhileBusy ' +
  'storage tokenBudget temperature contextSize constrain context headers fetch beforeSend privateValues protocolByModel promptOptions ' +
  'promptTemplates errorStrategies planningOptions memoryOptions memoryStore embed answerCache confirmKeywords preset feedbackUrl layout ' +
  'position open heading placeholder theme lang quickCommands models attachments settings inspect toolPicker helpUrl logLevel mcp ' +
  'sandboxUrl texts suggest textRules plugins logger'
).split(' ');

/**
 * The attributes of all options, including those with objects and functions: setting such an attribute is a mistake that causes a warning.
 */
export const attributes: readonly string[] = optionNames.map((name) => name.replace(/[A-Z]/g, '-$&').toLowerCase());

export const propertyOf = (attribute: string): string => attribute.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Parses a boolean attribute. Some frameworks write `open="false"` for false. */
export const isOn = (value: unknown): boolean => value === '' || (!!value && !/^(false|null|undefined)$/.test(value as string));

/** Returns the public state before there is a conversation. */
export const initialState = (): Record<string, unknown> => ({
  messages: [],
  isLoading: false,
  error: null,
  currentTool: null,
  toolHistory: [],
  streamingText: '',
  isToolExecuting: false,
  session: { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null },
  grants: [],
  state: 'idle',
});

export const methods = (
  'sendMessage sendMessageWithTools executeToolManually retryLastMessage regenerate editMessage generatePrompt getToolDescriptions ' +
  'undo revoke exportSession importSession clear clearCache forget ' +
  'listConversations newConversation openConversation renameConversation deleteConversation registerTool registerTools registerProtocol registerWire registerMacro use'
).split(' ') as (Method | Registration)[];

// Types only: tables define these members on the prototype.

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
