/** What is told of an answer that has ended. */
import type { RelayErrorCode } from './faults.js';

export type AnswerEnd = 'done' | 'fault' | 'client-left' | 'stopped';

/** One answer that has ended. Nothing of what was said: only how much, of whom, how long. */
export interface AnswerRecord {
  /** The beginning of the stream's id. */
  id: string;
  route: 'stream' | 'whole';
  /** The page that asked; '' = no page. */
  origin: string;
  /** As the host's `authorise` named it. */
  tenant?: string;
  model?: string;
  /** How many were sent. */
  messages: number;
  outcome: AnswerEnd;
  /** From the request to the end. */
  ms: number;
  /** From the request to the first event. */
  firstMs?: number;
  pieces: number;
  tokens?: { input: number; output: number };
  /** Of the fault it ended with. */
  code?: RelayErrorCode;
}
