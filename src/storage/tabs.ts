/**
 * Coordinates tabs that show one conversation. One of them is the leader: only it may act, while it holds the conversation's lock. The
 * others show what it sends, and send it requests. The lock passes on when its tab is closed, killed, or enters the back/forward cache.
 *
 * Every script of the origin can write to the channel. So no message may decide anything: an approval counts only in the tab where the user
 * gave it, and that tab must become the leader for it (`takeOver`).
 */
import { own, readField } from '../base/objects.js';
import { messageOf } from '../base/plain.js';
import { isFrozen } from './page-lifecycle.js';
import { StorageError } from './storage-error.js';

export interface TabsOptions {
  sessionId: string;
  /** Receives a message of another tab (`tell`). The data is untrusted and unchecked. */
  onNote?(name: string, body: unknown): void;
  /**
   * Handles a request as the leader. Its result or error is sent back. The data is untrusted and unchecked: never let it approve anything.
   */
  onRequest?(name: string, body: unknown): unknown;
  /**
   * Called when this tab becomes the leader or stops being it. Then running work must stop, and the stored data may be newer than the
   * display.
   */
  onLeader?(isLeader: boolean): void;
  /** Called when another tab wants to lead. Return true once everything is written and nothing runs. Default: never. */
  mayYield?(): boolean | Promise<boolean>;
  /** Time limit of a request. Default 5,000 ms. */
  limitMs?: number;
  /** Default: those of the browser. `null`: treat them as missing. */
  locks?: Locks | null;
  channel?: typeof BroadcastChannel | null;
}

/** The part of `LockManager` that is needed. */
export interface Locks {
  request(name: string, options: { signal: AbortSignal }, work: () => Promise<void> | undefined): Promise<unknown>;
}

export interface Tabs {
  /** True if this tab may act. */
  readonly isLeader: boolean;
  /** The missing browser features. Without locks this tab always leads, and so do other tabs. */
  readonly missing: readonly ('locks' | 'channel')[];
  /** Resolves when this tab leads. Rejects with an `AbortError` if it leaves before. */
  whenLeader(): Promise<void>;
  /** Sends a message to all other tabs. The body must be plain data. */
  tell(name: string, body?: unknown): void;
  /**
   * Sends a request to the leader, which may be this tab. Rejects with the leader's error, or with a `StorageError`: `slow` if no tab took
   * it in time, and none will; `lost` if a tab took it and did not answer (it may have done it); `unavailable` without a channel. `waitMs`
   * overrides `limitMs`.
   */
  request(name: string, body?: unknown, waitMs?: number, watch?: RequestWatch): Promise<unknown>;
  /** Asks the leader to let this tab lead. Resolves with true if it does. */
  takeOver(): Promise<boolean>;
  /** Gives up the lead and stops listening. */
  leave(): void;
}

export interface RequestWatch {
  /** Withdraws the request, unless the leader has taken it. Then it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called when the leader is about to act. From here on the request cannot be withdrawn. */
  taken?(): void;
}

/**
 * A frozen or blocked page (suspended, behind an `alert`) receives a request when it resumes, perhaps minutes later. So it does not act on
 * an `ask` that `waits`: it sends an `offer`, and acts when the other tab says `go`. A withdrawn request gets no `go`. Tabs of earlier
 * versions know neither and act on the `ask`.
 */
type Message = { from: string } & (
  | { type: 'note'; id: string; name: string; body: unknown }
  | { type: 'ask'; id: string; name: string; body: unknown; waits?: boolean }
  | { type: 'offer' | 'go'; to: string; id: string }
  | { type: 'answer'; to: string; id: string; ok: boolean; body: unknown }
  | { type: 'leads' }
  | { type: 'yields'; to: string }
);

/** A position in the queue for the lock; with `release`, the lock itself. */
interface Place {
  cancel: AbortController;
  release?: () => void;
}

/** Name of the internal request for the lead. It does not reach `onRequest`. */
const YIELD_TIMEOUT_MS = 'tool-chat:yield';

/** Maximum number of pending requests of one tab. */
const MAX_PENDING_REQUESTS = 100;

export function joinTabs(options: TabsOptions): Tabs {
  const { sessionId, limitMs = 5000 } = options;
  const name = `tool-chat:${sessionId}`;
  const me = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
  const locks = options.locks === undefined ? lockManager() : options.locks;
  const channel = openChannel(name, options.channel === undefined ? globalThis.BroadcastChannel : options.channel);
  const asks = new Map<string, { isTaken: boolean; take(): void; resolve(body: unknown): void; reject(error: unknown): void }>();
  /** Requests of other tabs that wait for their `go`. */
  const offers = new Map<string, Message & { type: 'ask' }>();
  const wanting = new Set<{ resolve(): void; reject(error: unknown): void }>();
  const missing: ('locks' | 'channel')[] = [];
  let isLeader = false;
  let hasLeft = false;
  let count = 0;
  let place = undefined as Place | undefined;

  if (!locks) missing.push('locks');
  if (!channel) missing.push('channel');

  // ——— Leader election

  function lead(leads: boolean): void {
    if (isLeader === leads) return;
    isLeader = leads;
    offers.clear();
    if (leads) {
      post({ type: 'leads', from: me });
      rejectPendingRequests();
    }
    options.onLeader?.(leads);
    if (!isLeader) return; // a listener may have left
    for (const { resolve } of wanting) resolve();
    wanting.clear();
  }

  function queue(): void {
    if (!locks || place || hasLeft) return;
    const mine: Place = { cancel: new AbortController() };
    place = mine;
    /** Called when the lock was released by `stepBack`, or stolen by a script. Then all work must stop, but the queue is still there. */
    const over = () => {
      if (place !== mine) return;
      place = undefined;
      lead(false);
      if (mine.release) queue();
    };
    locks
      .request(name, { signal: mine.cancel.signal }, () => {
        if (place !== mine) return undefined;
        return new Promise<void>((resolve) => {
          mine.release = resolve;
          lead(true);
        });
      })
      .then(over, (error: unknown) => {
        if (readField(error, 'name') !== 'SecurityError') {
          over();
          return;
        }
        // Frames of an opaque origin have the method but may not use it.
        place = undefined;
        missing.push('locks');
        lead(true);
      });
  }

  /** Leaves the queue and gives up the lead. */
  function stepBack(): void {
    const left = place;
    place = undefined;
    lead(false);
    left?.release?.();
    left?.cancel.abort();
  }

  async function yieldTo(tab: string): Promise<boolean> {
    if (!isLeader || !locks || !channel) return false;
    if ((await options.mayYield?.()) !== true || !isLeader) return false;
    // From here on this tab does not act, even if the other one does not take over.
    lead(false);
    post({ type: 'yields', from: me, to: tab });
    const left = place;
    // Wait until the requesting tab is in the queue, then release the lock to it and queue again behind it.
    setTimeout(() => {
      if (place !== left) return;
      stepBack();
      queue();
    }, 50);
    return true;
  }

  // ——— Messages between tabs

  function post(message: Message): void {
    if (!hasLeft) channel?.postMessage(message);
  }

  function hear(data: unknown): void {
    const message = readMessage(data);
    if (!message || hasLeft) return;
    switch (message.type) {
      case 'note':
        options.onNote?.(message.name, message.body);
        break;
      case 'ask':
        // A frozen leader does not answer; the other tab then takes the lead by itself.
        if (!isLeader || isFrozen()) break;
        if (message.waits) offer(message);
        else void answer(message);
        break;
      case 'offer': {
        const ask = asks.get(message.id);
        if (message.to !== me || !ask || ask.isTaken) break;
        ask.take();
        post({ type: 'go', from: me, to: message.from, id: message.id });
        break;
      }
      case 'go': {
        const key = `${message.from} ${message.id}`;
        const wanted = message.to === me && offers.get(key);
        if (wanted && offers.delete(key)) void answer(wanted);
        break;
      }
      case 'answer': {
        if (message.to !== me) break;
        const ask = asks.get(message.id);
        if (message.ok) ask?.resolve(message.body);
        else ask?.reject(new Error(typeof message.body === 'string' ? message.body : ''));
        break;
      }
      case 'leads':
        rejectPendingRequests();
        break;
      case 'yields':
        if (message.to === me || isLeader) break;
        stepBack();
        queue();
        break;
    }
  }

  function offer(message: Message & { type: 'ask' }): void {
    const [oldest] = offers.keys();
    if (oldest !== undefined && offers.size >= MAX_PENDING_REQUESTS) offers.delete(oldest);
    offers.set(`${message.from} ${message.id}`, message);
    post({ type: 'offer', from: me, to: message.from, id: message.id });
  }

  async function answer({ from, id, name: asked, body }: Message & { type: 'ask' }): Promise<void> {
    let said: { ok: boolean; body: unknown };
    try {
      said = { ok: true, body: asked === YIELD_TIMEOUT_MS ? await yieldTo(from) : await options.onRequest?.(asked, body) };
    } catch (error) {
      said = { ok: false, body: messageOf(error) };
    }
    try {
      post({ type: 'answer', from: me, to: from, id, ...said });
    } catch (error) {
      post({ type: 'answer', from: me, to: from, id, ok: false, body: messageOf(error) });
    }
  }

  function rejectPendingRequests(): void {
    for (const { isTaken, reject } of asks.values()) reject(new StorageError(isTaken ? 'lost' : 'slow', 'Another tab leads now.'));
  }

  function ask(asked: string, body: unknown, waitMs = limitMs, { signal, taken }: RequestWatch = {}): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    if (!channel || asks.size >= MAX_PENDING_REQUESTS || hasLeft)
      return Promise.reject(new StorageError('unavailable', 'There is no way to the other tabs.'));
    const id = `${me}-${String((count += 1))}`;
    let timer: ReturnType<typeof setTimeout>;
    let withdraw = () => {};
    return new Promise((resolve, reject) => {
      const one = {
        isTaken: false,
        take() {
          one.isTaken = true;
          taken?.();
        },
        ...{ resolve, reject },
      };
      withdraw = () => {
        if (!one.isTaken) reject(signal?.reason as Error);
      };
      timer = setTimeout(() => {
        reject(new StorageError(one.isTaken ? 'lost' : 'slow', `No tab answered within ${String(waitMs)} ms.`));
      }, waitMs);
      signal?.addEventListener('abort', withdraw);
      asks.set(id, one);
      post({ type: 'ask', from: me, id, name: asked, body, waits: true });
    }).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', withdraw);
      asks.delete(id);
    });
  }

  // ——— Page lifecycle

  // A page in the back/forward cache would keep the lock without acting, so release it for the next page of the site. Without locks it
  // leads again when it is shown again, and then reads what that page has stored.
  const onHide = ({ persisted }: PageTransitionEvent) => {
    if (locks) stepBack();
    else if (persisted) lead(false);
  };
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (locks) queue();
    else if (persisted) lead(true);
  };

  function leave(): void {
    if (hasLeft) return;
    stepBack();
    hasLeft = true;
    isLeader = false;
    channel?.close();
    globalThis.removeEventListener?.('pagehide', onHide);
    globalThis.removeEventListener?.('pageshow', onShow);
    for (const { reject } of [...asks.values(), ...wanting]) reject(new DOMException('This tab has left the conversation.', 'AbortError'));
    wanting.clear();
  }

  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    hear(data);
  });
  globalThis.addEventListener?.('pagehide', onHide);
  globalThis.addEventListener?.('pageshow', onShow);
  if (locks) queue();
  else queueMicrotask(() => !hasLeft && lead(true));

  return {
    get isLeader() {
      return isLeader;
    },
    get missing() {
      return [...missing];
    },
    whenLeader() {
      if (isLeader) return Promise.resolve();
      return new Promise((resolve, reject) => {
        if (hasLeft) reject(new DOMException('This tab has left the conversation.', 'AbortError'));
        else wanting.add({ resolve, reject });
      });
    },
    tell(note, body) {
      post({ type: 'note', from: me, id: '', name: note, body });
    },
    async request(asked, body, waitMs, watch) {
      if (isLeader) return options.onRequest?.(asked, body);
      return ask(asked, body, waitMs, watch);
    },
    async takeOver() {
      if (isLeader) return true;
      try {
        if ((await ask(YIELD_TIMEOUT_MS, undefined)) !== true) return false;
        await within(this.whenLeader(), limitMs);
      } catch {} // refused, or nobody there: the lock says who leads
      return isLeader;
    },
    leave,
  };
}

/** Waits for the promise, at most `ms` milliseconds. */
async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}

function readMessage(data: unknown): Message | undefined {
  const [from, type, to, id, name] = ['from', 'type', 'to', 'id', 'name'].map((key) => own(data, key));
  if (typeof from !== 'string') return undefined;
  const body = own(data, 'body');
  if (type === 'note' && typeof id === 'string' && typeof name === 'string') return { from, type, id, name, body };
  if (type === 'ask' && typeof id === 'string' && typeof name === 'string')
    return { from, type, id, name, body, waits: own(data, 'waits') === true };
  if ((type === 'offer' || type === 'go') && typeof to === 'string' && typeof id === 'string') return { from, type, to, id };
  if (type === 'answer' && typeof to === 'string' && typeof id === 'string')
    return { from, type, to, id, ok: own(data, 'ok') === true, body };
  if (type === 'leads') return { from, type };
  if (type === 'yields' && typeof to === 'string') return { from, type, to };
  return undefined;
}

/** Returns the lock manager; undefined on pages without HTTPS. */
export function lockManager(): LockManager | undefined {
  return typeof navigator === 'undefined' ? undefined : (navigator as { locks?: LockManager }).locks;
}

function openChannel(name: string, Channel: typeof BroadcastChannel | null | undefined): BroadcastChannel | undefined {
  try {
    return Channel ? new Channel(name) : undefined;
  } catch {
    return undefined; // a frame of an opaque origin
  }
}
