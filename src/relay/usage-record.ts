/** The record of an answer that has ended. */
import type { RelayErrorCode } from './errors.js';

export type ReplyOutcome = 'done' | 'fault' | 'client-left' | 'stopped';

/** One answer that has ended. Contains no text of the conversation, only figures and names. */
export interface UsageRecord {
  /** The first 8 characters of the stream's id. */
  id: string;
  route: 'stream' | 'whole';
  /** The origin of the page that sent the request; '' if it came from no page. */
  origin: string;
  /** The id that the host's `authorise` returned. */
  tenant?: string;
  model?: string;
  /** Number of messages in the request. */
  messages: number;
  outcome: ReplyOutcome;
  /** Milliseconds from the request to the end. */
  ms: number;
  /** Milliseconds from the request to the first event. */
  firstMs?: number;
  pieces: number;
  tokens?: { input: number; output: number };
  /** The code of the error that ended the answer. */
  code?: RelayErrorCode;
}
