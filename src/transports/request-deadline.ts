/** The causes that may end a request early: the user, and two timeouts. */

/** Calls back once after `ms`; the returned function cancels it. */
export interface SetTimer {
  (callback: () => void, ms: number): () => void;
  /** Returns the timer's current time in milliseconds. Without it, each restart of a wait creates a new timer. */
  now?: () => number;
}

/** The rejection of a `race` that was stopped; `deadline.stopped` holds the cause. */
export const ABORTED = Symbol('stopped');

export interface RequestDeadline {
  /** The abort signal for `fetch`. */
  readonly signal: AbortSignal;
  /** The cause. `progress`: no event with content for too long; `bytes`: no byte at all. */
  readonly stopped: 'signal' | 'progress' | 'bytes' | undefined;
  /** Settles with the work, or rejects with `STOPPED`; a result that comes too late goes to `late`. */
  race<T>(work: Promise<T>, late?: (result: T) => void): Promise<T>;
  /** Notes that an event with content has come. */
  progress(): void;
  /** Notes a keep-alive of a server that has not begun to answer. It may take longer, up to ten times the limit. */
  waiting(): void;
  /** Notes that a byte has come; the first call starts this timeout. `begun`: an event has come, too; until then the limit is doubled. */
  bytes(begun: boolean): void;
  /** Registers another resource to close: a stream from a host's own `fetch` may ignore the signal. */
  attach(close: () => void): void;
  /** Starts another timer with the same implementation. */
  timer: SetTimer;
  /**
   * Ends the request, stops the timers and detaches from the signal. Safe to call twice. `rest`: the end of a complete answer, which gets a
   * moment to arrive before the connection is closed, because browsers report a connection that the page closes as a network error.
   */
  release(rest?: Promise<unknown>): void;
}

const realTimer: SetTimer = (callback, ms) => {
  const id = setTimeout(callback, ms);
  return () => clearTimeout(id);
};
realTimer.now = () => performance.now();

/** Delay, in milliseconds, from which a timer counts as late: the page was frozen or busy. */
const LATE = 1000;

/**
 * Wraps a timer for limits on silence. It must not fire before pending data is read: a page that was frozen or busy runs its timers first.
 * A late timer gets another second, once.
 */
export const graceAfterWaking =
  (setTimer: SetTimer): SetTimer =>
  (callback, ms) => {
    const due = performance.now() + ms;
    let cancel = setTimer(() => {
      if (performance.now() - due > LATE) cancel = setTimer(callback, LATE);
      else callback();
    }, ms);
    return () => {
      cancel();
    };
  };

/** Keep-alives extend the wait for the first event up to this many times `requestTimeout`. */
const MOST_WAITS = 10;
/**
 * The factor for `heartbeat` before the first event: servers that read a long prompt send a keep-alive about every 30 s, which equals
 * `heartbeat`.
 */
const HEADER_FACTOR = 2;

/**
 * Milliseconds to wait for the end of the connection: it follows the end of the answer at once, or the server keeps the connection open.
 */
export const LAST_MS = 500;

const LONGEST_TIMER = 2 ** 31 - 1; // above this, and below 1, `setTimeout` fires at once

export function createDeadline(options: {
  signal: AbortSignal;
  requestTimeout: number;
  heartbeat: number;
  setTimer?: SetTimer;
}): RequestDeadline {
  const given = options.setTimer ?? realTimer;
  const { now } = given;
  const setTimer = graceAfterWaking(given);
  const controller = new AbortController();
  let stopped: RequestDeadline['stopped'];
  let close = () => {};
  let rejectRaces = () => {};
  const stop = new Promise<never>((_, reject) => {
    rejectRaces = () => reject(ABORTED);
  });
  stop.catch(() => {}); // most requests are never raced against it to the end

  const progressClock = createClock(() => halt('progress'), options.requestTimeout);
  const bytesClock = createClock(() => halt('bytes'), options.heartbeat);
  let patient = true;
  const lastWait = createClock(() => (patient = false), options.requestTimeout * (MOST_WAITS - 1));

  /**
   * Creates a timeout that every piece of an answer restarts. The timer runs until it fires, and is then set again for the remaining time.
   */
  function createClock(ring: () => void, ms: number) {
    let cancel = () => {};
    let due = 0;
    let rings = Infinity;
    const set = (wait: number) => {
      cancel();
      rings = due;
      cancel = timer(look, wait);
    };
    const look = () => {
      rings = Infinity;
      const left = now ? due - now() : 0;
      if (left < 1) ring();
      else set(left);
    };
    return {
      restart(times = 1) {
        due = (now?.() ?? 0) + ms * times;
        if (!now || due < rings) set(ms * times);
      },
      stop: () => cancel(),
    };
  }

  function timer(callback: () => void, ms: number) {
    return ms >= 1 && ms <= LONGEST_TIMER ? setTimer(callback, ms) : () => {};
  }

  function halt(why: NonNullable<RequestDeadline['stopped']>) {
    if (stopped) return;
    stopped = why;
    rejectRaces();
    release();
  }

  let isEnding = false;
  function release(rest?: Promise<unknown>) {
    for (const clock of [progressClock, bytesClock, lastWait]) clock.stop();
    options.signal.removeEventListener('abort', onAbort);
    if (isEnding) return;
    const end = () => {
      controller.abort();
      close();
    };
    if (!rest) return end();
    isEnding = true;
    const cancel = timer(end, LAST_MS);
    const endNow = () => {
      cancel();
      end();
    };
    rest.then(endNow, endNow);
  }

  const onAbort = () => halt('signal');
  options.signal.addEventListener('abort', onAbort);
  progressClock.restart();
  let waits = false;

  return {
    signal: controller.signal,
    get stopped() {
      return stopped;
    },
    race(work, late) {
      if (late) work.then((result) => stopped && late(result)).catch(() => {});
      else work.catch(() => {});
      return Promise.race([stop, work]);
    },
    progress: () => progressClock.restart(),
    waiting() {
      if (!waits) lastWait.restart();
      waits = true;
      if (patient) progressClock.restart();
    },
    bytes: (begun) => bytesClock.restart(begun ? 1 : HEADER_FACTOR),
    attach(next) {
      close = next;
    },
    timer,
    release,
  };
}
