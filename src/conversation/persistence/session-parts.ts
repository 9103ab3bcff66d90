import type { Trace } from '../host/trace.js';
import type { TurnQueue } from '../host/turn-queue.js';
import type { SessionRecords } from '../memory/session-records.js';
import type { CurrentReply } from '../reply/current-reply.js';
import type { Budget } from '../request/token-budget.js';
import type { Persistence } from './persistence-types.js';

/** The parts of a session that are not in the chart. */
export interface SessionParts {
  queue: TurnQueue;
  records: SessionRecords;
  trace: Trace;
  budget: Budget;
  arriving: CurrentReply;
  keeping: Pick<Persistence, 'pending' | 'ready' | 'shown'>;
  /** Ends everything that is running, because another session takes its place. */
  stop(): void;
}
