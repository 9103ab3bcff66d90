/** Events that a conversation sends to its host. The element dispatches them as DOM events; none of them can approve a call. */
import type { Call, PublishedResult, ToolUse } from '../../model/calls.js';
import type { ChatError } from '../../base/errors.js';
import type { LogEntry } from '../../base/log.js';
import type { Log } from '../../base/logging.js';
import type { TurnReason } from '../../model/messages.js';
import type { Phase } from '../../model/snapshot.js';

/** A summary of one round of calls, in the shape of the design that the `vcp` protocol comes from. */
export interface ToolCallCycleResult {
  parsedRequests: { requestId: string; toolName: string; rawBlock: string; args: object }[];
  executionResults: PublishedResult[];
  hasToolRequests: boolean;
}

export type HostEvent =
  /** Cancelled if the host returns `false`. */
  | { type: 'send'; text: string }
  | { type: 'stream-start'; message: string }
  | { type: 'stream-chunk'; text: string }
  | { type: 'tool-detected'; tool: ToolUse; requestId: string }
  | { type: 'approval-request'; calls: readonly Call[] }
  /** Vetoed if the host returns `false`: the call ends as denied. */
  | { type: 'tool-execute'; tool: ToolUse; requestId: string }
  | { type: 'tool-progress'; requestId: string; progress: { fraction?: number; message?: string } }
  | { type: 'tool-complete'; result: PublishedResult; requestId: string }
  | { type: 'cycle'; cycle: ToolCallCycleResult }
  | { type: 'state-change'; state: Phase; previous: Phase; reason: string }
  | { type: 'error'; error: ChatError }
  /** The user gives feedback on this error. */
  | { type: 'feedback'; error: ChatError }
  /** The user's rating of an answer; `null` removes it. */
  | { type: 'feedback'; messageId: string; value: 'up' | 'down' | null; reason: string }
  | { type: 'stream-end'; success: boolean; reason: TurnReason }
  | { type: 'log'; entry: LogEntry };

export type HostListener = (event: HostEvent) => boolean;

/**
 * Calls the host's listener and logs what it throws, so that a host's error never ends a turn. A listener that throws for `tool-execute`
 * vetoes the call.
 */
export const notifyHostSafely =
  (host: { onEvent?: HostListener }, log: Log): HostListener =>
  (event) => {
    try {
      return host.onEvent?.(event) ?? true;
    } catch (error) {
      log.error('host.failed', `A listener for ${event.type} failed`, { type: event.type }, { error });
      return event.type !== 'tool-execute';
    }
  };
