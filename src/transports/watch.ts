/** Who may end a request early: the person, and two clocks. */

/** Calls back once after `ms`; the returned function calls it off. */
export interface SetTimer {
  (callback: () => void, ms: number): () => void;
  /** The time that it goes by, in milliseconds. Without it a wait that begins anew is a new timer each time. */
  now?: () => number;
}

/** Rejects a `race` that was stopped; `watch.stopped` says by whom. */
export const STOPPED = Symbol('stopped');

export interface Watch {
  /** For `fetch`. */
  readonly signal: AbortSignal;
  /** `progress`: nothing that carries anything for too long; `bytes`: nothing at all. */
  readonly stopped: 'signal' | 'progress' | 'bytes' | undefined;
  /** Settles with the work, or rejects with `STOPPED`; a result that comes too late goes to `late`. */
  race<T>(work: Promise<T>, late?: (result: T) => void): Promise<T>;
  /** An event that carries something has come. */
  progress(): void;
  /** A sign of life of a server that has not begun to answer: it may take longer, up to ten times as long. */
  waiting(): void;
  /** A byte has come; the first call starts this clock. `begun`: so has an event; until then it has twice the time. */
  bytes(begun: boolean): void;
  /** What else to close: a stream that came from a host's own `fetch` may not listen to the signal. */
  attach(close: () => void): void;
  /** One more clock by the same timer. */
  timer: SetTimer;
  /**
   * Ends the request, stops the clocks, lets go of the signal. Safe to call twice. `rest`: the end of an answer that is complete, which has a
   * moment to arrive before the connection is closed. Browsers report a connection that the page closes as an error of the network.
   */
  release(rest?: Promise<unknown>): void;
}

const realTimer: SetTimer = (callback, ms) => {
  const id = setTimeout(callback, ms);
  return () => clearTimeout(id);
};
realTimer.now = () => performance.now();

/** A timer that rings this much too late, in milliseconds, rings in a page that was frozen or busy. */
const LATE = 1000;

/**
 * A limit on silence must not ring before what waits to be read: a page that was frozen or busy meanwhile runs its timers first. One that
 * rings late is given another second, once.
 */
export const afterWaking =
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

/** Signs of life extend the wait for the first event up to this many times `requestTimeout`. */
const MOST_WAITS = 10;
/** Servers that read a long prompt give a sign every 30 s or so, which is what `heartbeat` is. */
const PATIENCE = 2;

/** The end of the connection follows the end of the answer at once, or the server keeps it open. */
export const LAST_MS = 500;

const LONGEST_TIMER = 2 ** 31 - 1; // above, and below 1, `setTimeout` fires at once

export function createWatch(options: { signal: AbortSignal; requestTimeout: number; heartbeat: number; setTimer?: SetTimer }): Watch {
  const given = options.setTimer ?? realTimer;
  const { now } = given;
  const setTimer = afterWaking(given);
  const controller = new AbortController();
  let stopped: Watch['stopped'];
  let close = () => {};
  let rejectRaces = () => {};
  const stop = new Promise<never>((_, reject) => {
    rejectRaces = () => reject(STOPPED);
  });
  stop.catch(() => {}); // most requests are never raced against it to the end

  const progressClock = createClock(() => halt('progress'), options.requestTimeout);
  const bytesClock = createClock(() => halt('bytes'), options.heartbeat);
  let patient = true;
  const lastWait = createClock(() => (patient = false), options.requestTimeout * (MOST_WAITS - 1));

  /** Begins anew with every piece of an answer: its timer stays until it rings, and is set once more for what is left then. */
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

  function halt(why: NonNullable<Watch['stopped']>) {
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
    bytes: (begun) => bytesClock.restart(begun ? 1 : PATIENCE),
    attach(next) {
      close = next;
    },
    timer,
    release,
  };
}
