/**
 * One answer of the model on its way to a client: numbered, kept for a client that loses its connection, and read on for a while when
 * that happens.
 */
import type { EventSource } from './event-stream.js';
import { faultBody, faults, RelayFault } from './faults.js';
import type { ReplyWatch } from './gate/relay-gate.js';
import { createReplyEndReader } from './reply-end.js';
import type { ReplyEnd } from './reply-end.js';
import { sizeOf } from './store.js';
import type { StreamEvent, StreamStore } from './store.js';
import type { WireEvent } from '../transports/wire.js';
import type { UpstreamReply } from './upstream.js';
import { letGo } from './within.js';
import type { AnswerEnd } from './answer-record.js';

/** What a log line tells of an answer. */
export interface AnswerFigures {
  /** Milliseconds from the request to the first event; absent where none came. */
  firstMs?: number;
  /** Events with text. */
  pieces: number;
  end?: ReplyEnd;
}

export interface AnswerOptions {
  id: string;
  /** The page that asked; '' = no page. */
  origin: string;
  holder: string;
  reply: UpstreamReply;
  streams: StreamStore;
  /** The model that was asked; the upstream's own word for it wins. */
  model: string | undefined;
  /** Milliseconds the model is read on for a client that has gone; 0 = none, and nothing is kept. */
  resumeWindow: number;
  /** Bytes it may get ahead of what has been read, meanwhile. */
  aheadBytes: number;
  /** Reads along, where the order of calls is checked. */
  watch?: ReplyWatch | undefined;
  /** Called once: how it ended. `fault` is absent for a proper end and for a client that left. */
  onEnd(outcome: AnswerEnd, figures: AnswerFigures, fault?: RelayFault): void;
}

export interface Answer extends EventSource {
  /** The page that asked; '' = no page. */
  readonly origin: string;
  readonly holder: string;
  /** Ends it at once; whoever reads it, here or elsewhere, is told so. */
  stop(fault: RelayFault): void;
}

interface Piece {
  events: readonly StreamEvent[];
  ended: boolean;
}

const NOTHING: Piece = { events: [], ended: true };

/** How often a relay that is ahead looks whether its reader has caught up. */
const CATCH_UP_MS = 50;

/** The model is read only while somebody asks for the `next` piece, or for `resumeWindow` after the client has left. */
export function createAnswer({ id, origin, holder, reply, streams, model, resumeWindow, aheadBytes, watch, onEnd }: AnswerOptions): Answer {
  const readEnd = createReplyEndReader(model);
  const asked = Date.now();
  const figures: AnswerFigures = { pieces: 0 };
  let seq = 0;
  let left = false;
  /** What whoever still reads gets to hear last. */
  let last: Piece | undefined;
  let reading: Promise<Piece> | undefined;
  /** The events that came since the client left and that nobody has read yet, and their size. */
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

  function end(outcome: AnswerEnd, fault?: RelayFault, before: readonly StreamEvent[] = []): Piece {
    if (last) return last;
    const began = seq > 0;
    const events = fault ? [...before, keep('error', JSON.stringify(faultBody(fault)))] : before;
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
    if (events[0]?.seq === 1) streams.begin(id, origin, { stop: () => stop(faults.stopped()), resume: leave });
    streams.append(id, events);
  }

  /** Whatever is not a fault by name is a mistake of ours, and still told as an `error` event. */
  async function read(): Promise<Piece> {
    const events: StreamEvent[] = [];
    try {
      while (events.length === 0) {
        const found = await reply.next();
        if (last) return last;
        if (!found) throw faults.broken();
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
      // Before the client hears of it and asks again.
      if (seq === 0) await watch?.abandon();
      return end('fault', error instanceof RelayFault ? error : faults.internal(error), events);
    } finally {
      reading = undefined;
    }
    store(events);
    return { events, ended: false };
  }

  /** A call is written down before anybody can answer it. */
  async function letThrough(watch: ReplyWatch, found: readonly WireEvent[]) {
    for (const event of found) if (event.type === 'text') watch.push(event.text);
    await watch.settle();
  }

  /** One read at a time: that of a client that leaves is finished for whoever comes back. */
  const step = (): Promise<Piece> => (reading ??= read());

  function leave() {
    if (left || last) return;
    left = true;
    // Who has got nothing has no id to come back with.
    if (resumeWindow > 0 && seq > 0) void readOn();
    else end('client-left', faults.connectionLost('the client left'));
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
      if (now >= deadline) end('client-left', faults.connectionLost('the client left'));
      else wait(Math.min(resumeWindow, deadline - now));
    }
    function wait(ms: number) {
      clearTimeout(timer);
      timer = setTimeout(() => void look(), ms);
      letGo(timer);
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

  function stop(fault: RelayFault) {
    end('stopped', fault);
  }

  return { id, origin, holder, next: () => (last ? Promise.resolve(last) : left ? Promise.resolve(NOTHING) : step()), leave, stop };
}
