/**
 * Shows the end of a restored long conversation at once, for display only. The whole conversation is read when the page is idle, or as soon
 * as it is needed or the user scrolls up, and is then restored like any other. The end alone is never put into the chart, nor stored.
 */
import { asStorageError, type StorageError } from '../../storage/storage-error.js';
import type { ConversationTail } from '../../storage/conversation-tail.js';
import type { ConversationStore } from '../../storage/conversation-store.js';
import type { StoredConversation } from '../../storage/stored-conversation.js';
import type { Texts } from '../../i18n/en.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { ConversationServices } from '../chart/services.js';
import { plainRecord, storedBranchesOf } from './rehydrate.js';
import type { TabState } from './tab-machine.js';

/** Maximum time to wait for an idle page, in milliseconds. */
const IDLE_MS = 500;

/** Milliseconds after which everything is read instead: if the storage is that slow, showing the end first gains nothing. */
const MAX_DELAY_MS = 300;

export interface TailPreview {
  /** The end to show; undefined once everything is there. */
  readonly context: ConversationContext | undefined;
  /**
   * Reads everything that is stored, after showing its end if that is a gain. `isOver` returns true once the result is no longer needed.
   */
  readAll(isOver: () => boolean): Promise<StoredConversation | undefined>;
  /** Starts reading the rest. */
  readOn(): void;
  /** Starts reading the rest, because nothing can continue without it. */
  need(): void;
  /** Stops showing the end. */
  drop(): void;
}

export function createTailPreview(
  { notices, emit }: Pick<ConversationServices, 'notices' | 'emit'>,
  store: Pick<ConversationStore, 'load' | 'read' | 'end'>,
  tab: TabState,
  report: (problem: StorageError) => void,
): TailPreview {
  let context: ConversationContext | undefined;
  let isNeeded = false;
  let resume = nothing;

  function show({ messages, parts, calls, ...rest }: ConversationTail): void {
    context = {
      ...{ messages, parts, calls: calls.map(plainRecord), toolHistory: [], turn: null, failure: null, retry: null },
      ...storedBranchesOf(rest),
    };
    tab.send('end.read');
    emit('view');
  }

  /** Resolves when the rest is to be read. With `isQuiet`, that is no later than when the page is idle. */
  const wanted = (isQuiet: boolean) =>
    new Promise<void>((resolve) => {
      resume = resolve;
      if (isNeeded) resolve();
      else if (!isQuiet) return;
      else if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: IDLE_MS });
      else setTimeout(resolve, 50);
    });

  async function readAll(isOver: () => boolean): Promise<StoredConversation | undefined> {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, MAX_DELAY_MS));
    const end = tab.is('joining') ? await Promise.race([store.end(), late]) : undefined;
    if (!end || isOver()) return store.load();
    show(end);
    for (let isQuiet = true; ; isQuiet = false) {
      await wanted(isQuiet);
      if (isOver()) return undefined;
      try {
        return await store.read();
      } catch (error) {
        if (isOver()) return undefined;
        const problem = asStorageError(error, 'unavailable');
        // Data that was set aside cannot be read again.
        if (isNeeded || problem.reason === 'damaged' || problem.reason === 'newer') {
          report(problem);
          return undefined;
        }
        const action = { label: ({ retry }: Texts) => retry, run: () => resume() };
        notices.add({ id: 'earlier', text: ({ earlierUnread }) => earlierUnread, action });
      }
    }
  }

  return {
    get context() {
      return tab.showsEnd ? context : undefined;
    },
    readAll: (isOver) => readAll(isOver).finally(() => (isNeeded = false)),
    readOn: () => resume(),
    need() {
      isNeeded = true;
      resume();
    },
    drop() {
      context = undefined;
      notices.remove('earlier');
      resume();
    },
  };
}

function nothing() {}
