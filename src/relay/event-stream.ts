/** Numbered events as the body of a response: server-sent events with pings between them (contract §5, wire-formats §1). */
import type { StreamEvent } from './store.js';

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
}

/**
 * Asks its source only when the client reads, so a slow client costs no memory. Every end but a proper one is an `error` event: a stream
 * that closes without `done` or `error` means that this process died, or that the client came back on another connection.
 */
export function createEventStream(source: EventSource, { client, pingInterval, timeout }: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let over = false;
  let pings: ReturnType<typeof setInterval> | undefined;
  let stalled: ReturnType<typeof setTimeout> | undefined;

  function finish() {
    over = true;
    clearInterval(pings);
    clearTimeout(stalled);
  }

  function leave() {
    finish();
    source.leave();
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        pings = setInterval(() => controller.enqueue(encoder.encode(': ping\n\n')), pingInterval);
        const { events, ended } = await source.next();
        clearInterval(pings);
        if (over) return; // cancelled meanwhile
        if (client.aborted) {
          leave();
          controller.close();
          return;
        }
        if (events.length > 0) controller.enqueue(encoder.encode(events.map((event) => frame(source.id, event)).join('')));
        if (!ended) {
          stalled = setTimeout(() => {
            leave();
            controller.error(new Error('The client stopped reading.'));
          }, timeout);
          return;
        }
        finish();
        controller.close();
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}

const frame = (id: string, { seq, event, data }: StreamEvent) => `id: ${id}.${seq}\nevent: ${event}\ndata: ${data}\n\n`;
