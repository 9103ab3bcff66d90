/**
 * Decides which of several tabs may act on a conversation. With `storage="session"` it is this tab, because its storage is its own, unless
 * the tab was duplicated: then both tabs have the same open approvals, and the copy leaves them to the original.
 */
import { sessionArea } from '../../storage/session-area.js';
import { joinTabs, lockManager, type Tabs as AllTabs, type TabsOptions } from '../../storage/tabs.js';
import type { Lease } from '../../storage/lease.js';
import { createId } from '../../base/ids.js';
import { load } from '../../base/load.js';
import { messageOf } from '../../base/plain.js';

export interface SessionTabs extends Pick<AllTabs, 'isLeader' | 'tell' | 'request' | 'takeOver' | 'leave'> {
  /** True if the storage here is a copy of one that another tab works on. */
  readonly isCopy: boolean;
}

/** Opens a lease for a conversation in the database on a page without Web Locks. Returns undefined if none is needed. */
export function openLease(sessionId: string, area: 'session' | 'indexeddb'): Promise<Lease> | undefined {
  if (area === 'session' || lockManager()) return undefined;
  const lease = load(() => import('../../storage/lease.js')).then(({ createLease }) => createLease(sessionId));
  lease.catch(() => undefined); // those who use it handle the error
  return lease;
}

export function joinConversation(area: 'session' | 'indexeddb', options: TabsOptions, lease?: Promise<Lease>): SessionTabs {
  if (area === 'session') return alone(options);
  const locks: TabsOptions['locks'] = lease && {
    async request(...args) {
      const to = await lease.catch((error: unknown) => {
        throw new DOMException(messageOf(error), 'SecurityError'); // this page has no storage either
      });
      return to.request(...args);
    },
  };
  return Object.assign(joinTabs({ ...options, ...(locks && { locks }) }), { isCopy: false });
}

/** Time that the previous page may take to release its lock, in milliseconds. */
const RELEASE = 1000;
const KEY = 'tool-chat:tab';

function alone({ sessionId, onLeader, onRequest }: TabsOptions): SessionTabs {
  const left = new AbortController();
  /** Aborted when the page enters the back/forward cache. */
  let hidden = new AbortController();
  let isLeader = false;
  let isCopy = false;

  function lead(copy: boolean, visit: AbortController): void {
    if (left.signal.aborted || visit.signal.aborted || isLeader) return;
    isCopy = copy;
    isLeader = true;
    onLeader?.(true);
  }

  /** Resolves with `true` if this tab has got the lock, which it then holds until it leaves. */
  function own(name: string, visit: AbortController): Promise<boolean> {
    const locks = lockManager();
    if (!locks) return Promise.resolve(true); // without Web Locks there is no way to tell
    return new Promise((resolve) => {
      const over = AbortSignal.any([left.signal, visit.signal]);
      const limit = AbortSignal.any([over, AbortSignal.timeout(RELEASE)]);
      locks
        .request(name, { signal: limit }, () => {
          resolve(true);
          return new Promise<void>((release) => {
            if (over.aborted) release();
            over.addEventListener('abort', () => release());
          });
        })
        .catch((error: unknown) => resolve((error as { name?: unknown }).name === 'SecurityError'));
    });
  }

  async function begin(): Promise<void> {
    const visit = hidden;
    const area = sessionArea();
    const nameOf = (tab: string) => `tool-chat:tab:${tab}:${sessionId}`;
    let tab: string | null = null;
    try {
      tab = area.get(KEY);
      if (tab === null) area.set(KEY, (tab = createId('tab')));
    } catch {} // the store reports the problem
    if (tab === null || (await own(nameOf(tab), visit))) return lead(false, visit);
    if (visit.signal.aborted) return;
    const mine = createId('tab');
    try {
      area.set(KEY, mine);
    } catch {} // the next page has to wait again
    void own(nameOf(mine), visit);
    lead(true, visit);
  }

  // While a page is in the back/forward cache, the next page of the tab continues the conversation. When it is shown again, it has to read
  // what is stored.
  const onHide = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    hidden.abort();
    if (!isLeader) return;
    isLeader = false;
    onLeader?.(false);
  };
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (!persisted || !hidden.signal.aborted) return;
    hidden = new AbortController();
    void begin();
  };
  globalThis.addEventListener?.('pagehide', onHide);
  globalThis.addEventListener?.('pageshow', onShow);

  void begin();

  return {
    get isLeader() {
      return isLeader;
    },
    get isCopy() {
      return isCopy;
    },
    tell() {},
    request: async (name, body) => onRequest?.(name, body),
    takeOver: () => Promise.resolve(isLeader),
    leave() {
      isLeader = false;
      left.abort();
      globalThis.removeEventListener?.('pagehide', onHide);
      globalThis.removeEventListener?.('pageshow', onShow);
    },
  };
}
