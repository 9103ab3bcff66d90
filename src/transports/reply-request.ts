/** The input and the outcome of a request for a reply. */
import type { Failure, RetryClass } from './failure.js';
import type { SetTimer } from './request-deadline.js';
import type { RequestSource } from './prepare-request.js';
import type { Finish, WireEvent } from './wire.js';

export type ReplyOutcome =
  /** The wire's own end marker came. Finish `error`, `aborted`, `content-filter`: no call of the reply may run. */
  | { type: 'ended'; finish: Finish; proof: 'proved' | 'unproved' }
  /** Part of a reply came, but no end: keep the text, and run none of its calls automatically. */
  | { type: 'cut'; error: Failure }
  | {
      type: 'failed';
      error: Failure;
      afterFirstEvent: boolean;
      /** `none` whenever an event came before the failure. */
      retry: RetryClass;
      retryAfterMs?: number;
      shouldRetry?: false;
    }
  /** `signal` was aborted. */
  | { type: 'aborted' };

export interface ReplyRequest extends RequestSource {
  /** True if the wire was not named: its reader changes if the response turns out to be of another kind. The request never changes. */
  auto?: boolean;
  /** Not used by a wire that has its own `fetch`. */
  fetch: typeof globalThis.fetch;
  /** Aborted by the user's Stop button. */
  signal: AbortSignal;
  /**
   * Milliseconds to wait for the first event, and between two events with content. 0 = no limit. Keep-alives extend the wait for the first
   * event, up to ten times.
   */
  requestTimeout: number;
  /** Milliseconds without any byte after the headers; twice as many before the first event. 0 = no limit. */
  heartbeat: number;
  /** Maximum length of one line of the stream, in UTF-16 units; 4,194,304 by default. */
  lineChars?: number;
  /** The timer, for tests; `setTimeout` by default. */
  setTimer?: SetTimer;
  /** Checks whether another page continues to read this reply. The service is then not told to stop. Default: never. */
  handedOn?(): boolean;
}

/** Receives events as they arrive. Nothing is called after the outcome. */
export interface ReplySink {
  /** The endpoint has accepted the request and answers in a readable format. */
  opened?(): void;
  /** Receives `text`, `reasoning`, `tool`, `usage` and `progress`. The finish and any failure are in the outcome. */
  event(event: WireEvent): void;
  /** Something in the stream made no sense and was skipped, or the address is one that should not be used. */
  warn?(message: string): void;
  /** A piece of the reply could not be read. Called at its position among the events. */
  missing?(): void;
  /**
   * Reports how far the reply has been read, if another page could continue from there (`resume-from.ts`). Called once everything in this
   * frame and the frames before it has been emitted.
   */
  place?(lastEventId: string): void;
  /** The connection was lost, and the rest is being requested. Until more comes, silence is not the model's fault. */
  lost?(): void;
  /** Receives the headers of an answer, before any of its content. */
  answered?(headers: Headers): void;
  /**
   * Receives each frame as it came, or the value of a body; omit it if it is not needed. Under `auto`, frames are repeated if another wire
   * reads them.
   */
  heard?(data: unknown, name?: string): void;
  /** Under `auto`: another wire than that of the request reads the response. */
  chose?(wireId: string, why: string): void;
}

/** The progress of reading a reply, over all its connections. */
export interface ResumeState {
  /** True if a part of the reply has come. */
  begun: boolean;
  /** The id of the last frame that was read, if frames have ids that allow resuming. */
  lastId?: string;
  /** Checks whether a frame with this id should be read. */
  take(id: string | undefined): boolean;
}
