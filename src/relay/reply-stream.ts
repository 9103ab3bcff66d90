/**
 * One answer of the model on its way to a client. Its events are numbered and stored for a client that loses its connection; in that case
 * the model is read on for a while.
 */
import type { EventSource } from './event-stream.js';
import { errorBody, relayErrors, RelayError } from './errors.js';
import type { ReplyTracker } from './gate/relay-gate.js';
import { sizeOf, type StreamEvent, type StreamStore } from './store.js';
import type { WireEvent, Finish } from '../transports/wire.js';
import type { UpstreamReply } from './upstream.js';
import { inTurn } from './time-slices.js';
import { unref } from './timeouts.js';
import type { Yield } from '../tools/yield-to-main.js';
import type { ReplyOutcome } from './usage-record.js';
import { contextLengthOf } from './upstream-error.js';

/** The figures of an answer that its log line contains. */
export interface ReplyFigures {
  /** Milliseconds from the request to the first event; absent if none came. */
  firstMs?: number;
  /** Number of events with text. */
  pieces: number;
  end?: ReplyEnd;
}

export interface ReplyStreamOptions {
  id: string;
  /** The origin of the page that sent the request; '' if it came from no page. */
  origin: string;
  holder: string;
  reply: UpstreamReply;
  /** Awaited before the request to the model is closed, because thousands of clients may leave at once. */
  breathe: Yield;
  streams: StreamStore;
  /** The requested model. If the upstream names another one, that name is reported. */
  model: string | undefined;
  /** Milliseconds for which the model is read on after the client has left. At 0 it is not read on, and no events are stored. */
  resumeWindow: number;
  /** Bytes of unread events at which reading on pauses while the client is away. */
  aheadBytes: number;
  /** Follows the reply in gated mode. */
  watch?: ReplyTracker | undefined;
  /** Called once at the end. `fault` is absent if the answer was completed or stopped, or if the client left. */
  onEnd(outcome: ReplyOutcome, figures: ReplyFigures, fault?: RelayError): void;
}

export interface ReplyStream extends EventSource {
  /** The origin of the page that sent the request; '' if it came from no page. */
  readonly origin: string;
  readonly holder: string;
  /** Ends the answer at once. Every reader, in this process or another, gets the error. */
  stop(fault: RelayError): void;
}

interface Piece {
  events: readonly StreamEvent[];
  ended: boolean;
}

const NOTHING: Piece = { events: [], ended: true };

/** Interval in milliseconds at which a relay that is too far ahead checks whether its reader has caught up. */
const CATCH_UP_MS = 50;

/** Creates an answer. It reads the model only when `next` is called, or for `resumeWindow` after the client has left. */
export function createReplyStream({
  id,
  origin,
  holder,
  reply,
  breathe,
  streams,
  model,
  resumeWindow,
  aheadBytes,
  watch,
  onEnd,
}: ReplyStreamOptions): ReplyStream {
  const readEnd = createReplyEndReader(model);
  const asked = Date.now();
  const figures: ReplyFigures = { pieces: 0 };
  let seq = 0;
  let left = false;
  /** The last piece. Set once the answer has ended. */
  let last: Piece | undefined;
  let reading: Promise<Piece> | undefined;
  /** The sequence numbers and sizes of the events that came since the client left and that no reader has fetched yet. */
  const unread: { seq: number; size: number }[] = [];
  let ahead = 0;

  function keep(event: StreamEvent['event'], data: string): StreamEvent {
    const numbered: StreamEvent = { seq: ++seq, event, data };
    figures.firstMs ??= Date.now() - asked;
    if (left) {
      const size = sizeOf(numbered);
      unread.push({ seq, size });
      ahead += size;
    }
    return numbered;
  }

  function end(outcome: ReplyOutcome, fault?: RelayError, before: readonly StreamEvent[] = []): Piece {
    if (last) return last;
    const began = seq > 0;
    const events = fault ? [...before, keep('error', JSON.stringify(errorBody(fault)))] : before;
    last = { events, ended: true };
    if (outcome !== 'done') {
      reply.abort();
      if (!began) void watch?.abandon();
    }
    store(events);
    onEnd(outcome, figures, outcome === 'fault' ? fault : undefined);
    return last;
  }

  function store(events: readonly StreamEvent[]) {
    if (resumeWindow === 0) return;
    if (events[0]?.seq === 1) streams.begin(id, origin, { stop: () => stop(relayErrors.stopped()), resume: leave }, holder);
    streams.append(id, events);
  }

  /** Reads the next events. Any error that is not a `RelayError` is our own mistake, and is sent as an `error` event too. */
  async function read(): Promise<Piece> {
    const events: StreamEvent[] = [];
    try {
      while (events.length === 0) {
        const found = await reply.next();
        if (last) return last;
        if (!found) throw relayErrors.broken();
        if (watch) await letThrough(watch, found);
        if (last) return last;
        for (const event of found) {
          if (event.type === 'text' || event.type === 'reasoning') {
            events.push(keep('message', `{"type":"${event.type}","content":${JSON.stringify(event.text)}}`));
            figures.pieces += 1;
            continue;
          }
          const done = readEnd(event);
          if (!done) continue;
          await watch?.end(done.finish_reason);
          if (last) return last;
          figures.end = done;
          return end('done', undefined, [...events, keep('done', JSON.stringify({ type: 'done', ...done }))]);
        }
      }
    } catch (error) {
      // Undo the admission before the client sees the error and retries.
      if (seq === 0) await watch?.abandon();
      return end('fault', error instanceof RelayError ? error : relayErrors.internal(error), events);
    } finally {
      reading = undefined;
    }
    store(events);
    return { events, ended: false };
  }

  /** Saves the calls in the gate's state before their text is sent, so that a result cannot arrive earlier. */
  async function letThrough(watch: ReplyTracker, found: readonly WireEvent[]) {
    for (const event of found) if (event.type === 'text') watch.push(event.text);
    await watch.settle();
  }

  /** Allows one read at a time. A read that a leaving client has started is finished and stored for the client that returns. */
  const step = (): Promise<Piece> => (reading ??= read());

  function leave() {
    if (left || last) return;
    left = true;
    inTurn(breathe, goOn);
  }

  function goOn() {
    if (last) return;
    // A client that has received nothing has no id to resume with.
    if (resumeWindow > 0 && seq > 0) void readOn();
    else end('client-left', relayErrors.connectionLost('the client left'));
  }

  async function readOn() {
    let deadline = Date.now() + resumeWindow;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function look() {
      const position = await streams.position(id).catch(() => undefined);
      if (last) return;
      const now = Date.now();
      if (position !== undefined) {
        deadline = now + resumeWindow;
        while (unread[0] && unread[0].seq <= position) ahead -= unread.shift()!.size;
      }
      if (now >= deadline) inTurn(breathe, () => void end('client-left', relayErrors.connectionLost('the client left')));
      else wait(Math.min(resumeWindow, deadline - now));
    }
    function wait(ms: number) {
      clearTimeout(timer);
      timer = setTimeout(() => void look(), ms);
      unref(timer);
    }

    wait(resumeWindow);
    while (!last) {
      if (ahead <= aheadBytes) await step();
      else {
        await look();
        if (ahead > aheadBytes) await new Promise((resolve) => setTimeout(resolve, CATCH_UP_MS));
      }
    }
    clearTimeout(timer);
  }

  function stop(fault: RelayError) {
    end('stopped', fault);
  }

  return { id, origin, holder, next: () => (last ? Promise.resolve(last) : left ? Promise.resolve(NOTHING) : step()), leave, stop };
}

/** The result data of a reply that has ended. */
export interface ReplyEnd {
  finish_reason: string;
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  model?: string;
  /** `false` if the upstream sent `[DONE]` without a finish reason. */
  proved?: false;
}

const finishReasons: Readonly<Partial<Record<Finish, string>>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  unknown: 'unknown',
};

/** Creates a function that follows a reply's events and returns its end when it arrives. @throws RelayError for an error event */
export function createReplyEndReader(model: string | undefined) {
  const end: Partial<ReplyEnd> = model === undefined ? {} : { model };

  return (event: WireEvent): ReplyEnd | undefined => {
    if (event.type === 'usage') {
      end.usage = { prompt_tokens: event.input, completion_tokens: event.output, total_tokens: event.input + event.output };
      if (event.model !== undefined) end.model = event.model.slice(0, 200);
    }
    if (event.type === 'error') throw errorOfEvent(event);
    if (event.type !== 'finish') return undefined;
    const finish_reason = finishReasons[event.finish];
    if (finish_reason === undefined) throw relayErrors.reported({ finish: event.finish }, true);
    return { finish_reason, ...end, ...(!event.proved && { proved: false as const }) };
  };
}

function errorOfEvent({ code = '', message, retryable }: WireEvent & { type: 'error' }): RelayError {
  if (code === 'TOO_LARGE') return relayErrors.replyTooLong();
  if (code === 'BAD_RESPONSE') return relayErrors.notAModel('unreadable body');
  const detail = { code: code.slice(0, 80) };
  const long = contextLengthOf(code, message);
  if (long) return relayErrors.contextTooLong(long.contextSize, detail);
  // Routers put an HTTP status here. A 4xx other than 408, 409 and 429 fails again if it is repeated.
  return relayErrors.reported(detail, retryable ?? !/^4(?!08|09|29)\d\d$/.test(code));
}
