/** What a conversation tells its host while it works. The element makes its DOM events of these; nothing here can approve. */
import type { Call, PublishedResult, ToolUse } from '../../model/calls.js';
import type { ChatError } from '../../base/errors.js';
import type { LogEntry } from '../../base/log.js';
import type { Log } from '../../base/logging.js';
import type { TurnReason } from '../../model/messages.js';
import type { Phase } from '../../model/snapshot.js';

/** Seed 002's account of one round. */
export interface ToolCallCycleResult {
  parsedRequests: { requestId: string; toolName: string; rawBlock: string; args: object }[];
  executionResults: PublishedResult[];
  hasToolRequests: boolean;
}

export type HostEvent =
  /** Answering `false` cancels. */
  | { type: 'send'; text: string }
  | { type: 'stream-start'; message: string }
  | { type: 'stream-chunk'; text: string }
  | { type: 'tool-detected'; tool: ToolUse; requestId: string }
  | { type: 'approval-request'; calls: readonly Call[] }
  /** Answering `false` vetoes: the call ends as denied. */
  | { type: 'tool-execute'; tool: ToolUse; requestId: string }
  | { type: 'tool-progress'; requestId: string; progress: { fraction?: number; message?: string } }
  | { type: 'tool-complete'; result: PublishedResult; requestId: string }
  | { type: 'cycle'; cycle: ToolCallCycleResult }
  | { type: 'state-change'; state: Phase; previous: Phase; reason: string }
  | { type: 'error'; error: ChatError }
  /** The person has something to say about this error. */
  | { type: 'feedback'; error: ChatError }
  /** What the person thinks of an answer; `null` takes it back. */
  | { type: 'feedback'; messageId: string; value: 'up' | 'down' | null; reason: string }
  | { type: 'stream-end'; success: boolean; reason: TurnReason }
  | { type: 'log'; entry: LogEntry };

export type TellHost = (event: HostEvent) => boolean;

/** What the host does with what it hears must not take a turn down; what it was asked and did not answer, it did not allow. */
export const tellSafely =
  (host: { onEvent?: TellHost }, log: Log): TellHost =>
  (event) => {
    try {
      return host.onEvent?.(event) ?? true;
    } catch (error) {
      log.error('host.failed', `A listener for ${event.type} failed`, { type: event.type }, { error });
      return event.type !== 'tool-execute';
    }
  };
