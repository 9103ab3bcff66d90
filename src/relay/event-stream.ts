/** Numbered events as the body of a response: server-sent events with pings between them. */
import type { StreamEvent } from './store.js';
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
  /** Milliseconds a client may leave an event unread before it is given up. */
  timeout: number;
  /** The client left events unread for so long that it was given up. */
  onStall?: (() => void) | undefined;
  /** Closes the client's connection, where the platform lets us. */
  hangUp?: (() => void) | undefined;
  /** Nothing more is sent. */
  onClose?: (() => void) | undefined;
}

/**
 * Asks its source only when the client reads, so a slow client costs no memory. Every end but a proper one is an `error` event: a stream
 * that closes without `done` or `error` means that this process died, or that the client came back on another connection.
 */
export function createEventStream(source: EventSource, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { client, pingInterval, timeout, onStall, hangUp, onClose } = options;
  const encoder = new TextEncoder();
  let over = false;
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

  return new ReadableStream<Uint8Array>(
    {
      start(made) {
        controller = made;
      },
      async pull() {
        unread.pause();
        pings.start();
        const { events, ended } = await source.next();
        pings.pause();
        if (over) return; // cancelled meanwhile
        if (client.aborted) {
          leave();
          controller.close();
          return;
        }
        if (events.length > 0) {
          let frames = '';
          for (const { seq, event, data } of events) frames += `id: ${source.id}.${seq}\nevent: ${event}\ndata: ${data}\n\n`;
          controller.enqueue(encoder.encode(frames));
        }
        if (!ended) return unread.start();
        finish();
        controller.close();
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
