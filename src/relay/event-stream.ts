/** Numbered events as the body of a response: server-sent events with pings between them. */
import type { StreamEvent } from './store.js';
import type { Ticks } from './write-ticks.js';
import { createClock } from './within.js';

/** Where the events of one response come from: the model itself (`answer.ts`), or the store (`replay.ts`). */
export interface EventSource {
  /** The part of each event's id before the dot. */
  readonly id: string;
  /** The next events. `ended`: nothing follows. Never rejects. */
  next(): Promise<{ events: readonly StreamEvent[]; ended: boolean }>;
  /** Nobody reads any more. Called at least once when the reader left before the end. */
  leave(): void;
}

export interface EventStreamOptions {
  /** Aborted when the client has left. */
  client: AbortSignal;
  pingInterval: number;
  /** When pieces behind the first one are written. */
  ticks: Ticks;
  /** Milliseconds a client may leave an event unread before it is given up. */
  timeout: number;
  /** The client left events unread for so long that it was given up. */
  onStall?: (() => void) | undefined;
  /** Closes the client's connection, where the platform lets us. */
  hangUp?: (() => void) | undefined;
  /** Nothing more is sent. */
  onClose?: (() => void) | undefined;
}

/** UTF-16 units that do not wait for a tick. */
const MAX_WAITING = 65_536;

/**
 * Asks its source only when the client reads, and is one piece ahead of it at most, so a slow client costs no memory. Every end but a proper
 * one is an `error` event: a stream that closes without `done` or `error` means that this process died, or that the client came back on
 * another connection.
 */
export function createEventStream(source: EventSource, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { client, pingInterval, timeout, ticks, onStall, hangUp, onClose } = options;
  const encoder = new TextEncoder();
  let over = false;
  let reading = false;
  let written = false;
  let isLate = false;
  /** What the source gave and the client has not got. */
  let frames = '';
  /** The client reads, and gets the next frames by this. */
  let give: (() => void) | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const pings = createClock(pingInterval, () => controller.enqueue(encoder.encode(': ping\n\n')));
  const unread = createClock(timeout, giveUp);

  function finish() {
    over = true;
    pings.stop();
    unread.stop();
    onClose?.();
  }

  function leave() {
    if (over) return;
    finish();
    source.leave();
  }

  function giveUp() {
    leave();
    onStall?.();
    if (hangUp) return hangUp(); // and the server cancels
    // Servers print an error of a stream, unless it says that its client is to blame.
    controller.error(Object.assign(new Error('The client stopped reading.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }));
  }

  function write() {
    isLate = false;
    if (over || !give || frames === '') return;
    controller.enqueue(encoder.encode(frames));
    frames = '';
    written = true;
    pings.pause();
    unread.start();
    give();
    give = undefined;
  }

  /** The first piece at once, and each where few answers are sent; else all that comes until the next tick. */
  function writeInTime() {
    if (!written || !ticks.busy || frames.length > MAX_WAITING) return write();
    if (isLate) return;
    isLate = true;
    ticks.next(write);
  }

  async function read() {
    reading = true;
    while (give) {
      const { events, ended } = await source.next();
      if (over) return; // cancelled meanwhile
      if (client.aborted) {
        leave();
        return controller.close();
      }
      for (const { seq, event, data } of events) frames += `id: ${source.id}.${seq}\nevent: ${event}\ndata: ${data}\n\n`;
      if (ended) return end();
      if (frames !== '') writeInTime();
    }
    reading = false;
  }

  function end() {
    if (frames !== '') controller.enqueue(encoder.encode(frames));
    finish();
    controller.close();
    give?.();
  }

  return new ReadableStream<Uint8Array>(
    {
      start(made) {
        controller = made;
      },
      pull() {
        unread.pause();
        pings.start();
        return new Promise<void>((resolve) => {
          give = resolve;
          if (frames !== '') writeInTime();
          if (!reading) void read();
        });
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
