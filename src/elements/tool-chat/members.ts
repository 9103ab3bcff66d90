/** Names of the members that `<tool-chat>` has of its conversation. Types alone: tables define them on the prototype. */
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
  | 'forget';

/** Methods that register something, now or as soon as they can, and return the function that takes it back. */
export type Registration = 'registerTool' | 'registerTools' | 'registerProtocol' | 'registerWire' | 'registerMacro' | 'use';

export type SharedOption =
  | ('endpoint' | 'wire' | 'stream' | 'protocol' | 'tools' | 'model' | 'systemPrompt' | 'context' | 'headers' | 'sessionId')
  | ('maxTokens' | 'maxIterations' | 'repeatLimit' | 'toolTimeout' | 'requestTimeout' | 'heartbeat' | 'blockTimeout' | 'maxAccumulator')
  | (
      | 'approval'
      | 'callsPerTurn'
      | 'resultLoop'
      | 'onDeny'
      | 'coercion'
      | 'memory'
      | 'confirmVia'
      | 'approvalUi'
      | 'planning'
      | 'orchestration'
      | 'degrade'
      | 'composerWhileBusy'
      | 'storage'
      | 'tokenBudget'
      | 'temperature'
      | 'contextSize'
      | 'constrain'
      | 'accept'
      | 'dispatch'
      | 'afterCall'
      | 'execution'
      | 'parseMode'
      | 'onBrokenCall'
      | 'resultRole'
    )
  | ('promptInjection' | 'promptOptions' | 'promptTemplates' | 'protocolByModel' | 'beforeSend' | 'errorStrategies')
  | ('planningOptions' | 'memoryOptions' | 'memoryStore' | 'embed' | 'answerCache' | 'confirmKeywords');

export type State = Exclude<keyof ConversationSnapshot, 'activities'>;
