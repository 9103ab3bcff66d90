/** Sends numbered events as the body of a response: server-sent events with pings between them. */
import type { StreamEvent } from './store.js';
import { createIdleTimer } from './timeouts.js';
import type { ActiveReplies } from './active-replies.js';

/** The source of the events of one response: the model (`reply-stream.ts`) or the store (`replay.ts`). */
export interface EventSource {
  /** The part of each event's id that precedes the dot. */
  readonly id: string;
  /** Returns the next events. `ended`: no more follow. Never rejects. */
  next(): Promise<{ events: readonly StreamEvent[]; ended: boolean }>;
  /** Tells the source that it is no longer read. Called at least once if the reader left before the end. */
  leave(): void;
}

export interface EventStreamOptions {
  /** Aborted when the client has left. */
  client: AbortSignal;
  pingInterval: number;
  /** Decides when pieces after the first one are written. */
  ticks: WriteBatches;
  /** Milliseconds after which a client that does not read an event is disconnected. */
  timeout: number;
  /** Called when the client is disconnected because it did not read. */
  onStall?: (() => void) | undefined;
  /** Closes the client's connection, if the platform allows it. */
  closeConnection?: (() => void) | undefined;
  /** Called when nothing more is sent. */
  onClose?: (() => void) | undefined;
}

/** Number of buffered UTF-16 units above which a write does not wait for a tick. */
const MAX_WAITING = 65_536;

/**
 * Creates the body. It pulls from its source only when the client reads, and buffers at most one piece, so a slow client costs no memory.
 * Every end but a proper one is an `error` event: a stream that closes without `done` or `error` means that this process died, or that the
 * client reconnected elsewhere.
 */
export function createEventStream(source: EventSource, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { client, pingInterval, timeout, ticks, onStall, closeConnection, onClose } = options;
  const encoder = new TextEncoder();
  let over = false;
  let reading = false;
  let written = false;
  let isLate = false;
  /** Text from the source that has not been sent yet. */
  let frames = '';
  /** Resolves the client's pending read. Set while it waits. */
  let give: (() => void) | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const pings = createIdleTimer(pingInterval, () => controller.enqueue(encoder.encode(': ping\n\n')));
  const unread = createIdleTimer(timeout, giveUp);

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
    if (closeConnection) return closeConnection(); // and the server cancels
    // Servers log the error of a stream unless its code says that the client closed the connection.
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

  /** Writes the first piece at once, and every piece while few answers are sent. Otherwise collects text until the next tick. */
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

/** Batches the writes of many answers that are sent at once, because a write costs more than its bytes. */
export interface WriteBatches {
  /** True if so many answers are being sent that pieces wait for the next tick. */
  readonly busy: boolean;
  /** Calls `write` once, at the next tick, which all answers share. */
  next(write: () => void): void;
}

/** Number of answers being sent from which pieces wait. */
const MANY = 32;
/** Maximum milliseconds that a piece waits: three pieces of a model with 50 tokens per second, too short to notice. */
const TICK_MS = 60;

export function createWriteBatches(running: ActiveReplies): WriteBatches {
  let waiting: (() => void)[] = [];

  function tick() {
    const writes = waiting;
    waiting = [];
    for (const write of writes) write();
  }
  return {
    get busy() {
      return running.sending >= MANY;
    },
    next(write) {
      if (waiting.push(write) === 1) setTimeout(tick, TICK_MS);
    },
  };
}
