/** What a request for a reply is made of, and what it comes to. */
import type { Failure, RetryClass } from './failure.js';
import type { SetTimer } from './watch.js';
import type { RequestSource } from './prepare-request.js';
import type { Finish, WireEvent } from './wire.js';

export type ReplyOutcome =
  /** The wire's own end mark came. Finish `error`, `aborted`, `content-filter`: nothing of the reply may run. */
  | { type: 'ended'; finish: Finish; proof: 'proved' | 'unproved' }
  /** Part of a reply came, and then no end: keep the text, run nothing of it by itself. */
  | { type: 'cut'; error: Failure }
  | {
      type: 'failed';
      error: Failure;
      afterFirstEvent: boolean;
      /** `none` whenever an event came before it. */
      retry: RetryClass;
      retryAfterMs?: number;
      shouldRetry?: false;
    }
  /** `signal` said so. */
  | { type: 'aborted' };

export interface ReplyRequest extends RequestSource {
  /** The wire was not named: its reader changes when the response turns out to be of another kind. The request never does. */
  auto?: boolean;
  /** Not asked by a wire that has a `fetch` of its own. */
  fetch: typeof globalThis.fetch;
  /** The person's stop button. */
  signal: AbortSignal;
  /**
   * Milliseconds to wait for the first event, and between two events that carry anything. 0 = no limit. Signs of life extend the wait for the
   * first event, up to ten times.
   */
  requestTimeout: number;
  /** Milliseconds without a byte of any kind, once headers are there; twice as many before the first event. 0 = no limit. */
  heartbeat: number;
  /** UTF-16 units of one line of the stream; 4,194,304 by default. */
  lineChars?: number;
  /** The clock, for tests; `setTimeout` by default. */
  setTimer?: SetTimer;
  /** Whether another page reads on what ends here: then the service is not told that nobody wants it. Default: never. */
  handedOn?(): boolean;
}

/** Hears what arrives, while it arrives. Nothing is called after the outcome. */
export interface ReplySink {
  /** The endpoint has accepted the request and answers in a form that can be read. */
  opened?(): void;
  /** `text`, `reasoning`, `tool`, `usage` and `progress`. How it finished, and what went wrong, is in the outcome. */
  event(event: WireEvent): void;
  /** Something in the stream made no sense and was left out, or the address is one that should not be used. */
  warn?(message: string): void;
  /** A piece of the reply could not be read: it stood between the events before and those that follow. */
  missing?(): void;
  /**
   * How far the reply has been read, where another page could go on from there (`resume-from.ts`): told once all that belongs to this
   * frame and those before it has been.
   */
  place?(lastEventId: string): void;
  /** The connection is lost, and the rest is being asked for: until more comes, silence is not the model's. */
  lost?(): void;
  /** The headers of an answer, before anything of it. */
  answered?(headers: Headers): void;
  /** Each frame as it came, or the value of a body; absent where nobody looks. Under `auto` it is told once more when another wire reads it. */
  heard?(data: unknown, name?: string): void;
  /** Under `auto`: another wire than that of the request reads the response. */
  chose?(wireId: string, why: string): void;
}

/** How far a reply has been read, over all the connections it took. */
export interface Trail {
  /** Something of the reply has come. */
  begun: boolean;
  /** The last frame that was read, where frames have ids that lead to the rest. */
  lastId?: string;
  /** Whether a frame with this id is to be read. */
  take(id: string | undefined): boolean;
}
