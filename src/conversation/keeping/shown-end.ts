/**
 * A long conversation that comes back: its end is shown at once, and only looked at. All of it is read at the next quiet moment, or as soon as
 * somebody needs it or scrolls up, and is taken up from there like any other. Nothing of the end alone goes into the chart, or back.
 */
import { asStorageError } from '../../storage/read-storage-error.js';
import type { ConversationEnd } from '../../storage/conversation-end.js';
import type { ConversationStore } from '../../storage/conversation-store.js';
import type { StorageError } from '../../storage/storage-error.js';
import type { StoredConversation } from '../../storage/stored-conversation.js';
import type { Texts } from '../../i18n/en.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { Services } from '../chart/services.js';
import { plainRecord, shelfOf } from './restored.js';
import type { TabState } from './tab-machine.js';

/** Milliseconds after which nobody waits any longer for a quiet moment. */
const QUIET = 500;

/** Milliseconds after which everything is asked for instead: the storage takes its time, and its end would be no gain. */
const LATE = 300;

export interface ShownEnd {
  /** What is shown; undefined once everything is there. */
  readonly context: ConversationContext | undefined;
  /** Everything that is stored, after its end was shown where that is a gain. `isOver`: nobody waits for it any more. */
  readAll(isOver: () => boolean): Promise<StoredConversation | undefined>;
  /** The rest is looked for. */
  readOn(): void;
  /** Nothing goes on without it. */
  need(): void;
  /** Nobody looks at it any more. */
  drop(): void;
}

export function createShownEnd(
  { notices, happens }: Pick<Services, 'notices' | 'happens'>,
  store: Pick<ConversationStore, 'load' | 'read' | 'end'>,
  tab: TabState,
  report: (problem: StorageError) => void,
): ShownEnd {
  let context: ConversationContext | undefined;
  let isNeeded = false;
  let goOn = nothing;

  function show({ messages, parts, calls, ...rest }: ConversationEnd): void {
    context = {
      ...{ messages, parts, calls: calls.map(plainRecord), toolHistory: [], turn: null, failure: null, retry: null },
      ...shelfOf(rest),
    };
    tab.send('end.read');
    happens('view');
  }

  /** Resolves when the rest is to be read; with `isQuiet`, at the latest when the page has nothing else to do. */
  const wanted = (isQuiet: boolean) =>
    new Promise<void>((resolve) => {
      goOn = resolve;
      if (isNeeded) resolve();
      else if (!isQuiet) return;
      else if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: QUIET });
      else setTimeout(resolve, 50);
    });

  async function readAll(isOver: () => boolean): Promise<StoredConversation | undefined> {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, LATE));
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
        // What was set aside is not there to be read once more.
        if (isNeeded || problem.reason === 'damaged' || problem.reason === 'newer') {
          report(problem);
          return undefined;
        }
        const action = { label: ({ retry }: Texts) => retry, run: () => goOn() };
        notices.add({ id: 'earlier', text: ({ earlierUnread }) => earlierUnread, action });
      }
    }
  }

  return {
    get context() {
      return tab.showsEnd ? context : undefined;
    },
    readAll: (isOver) => readAll(isOver).finally(() => (isNeeded = false)),
    readOn: () => goOn(),
    need() {
      isNeeded = true;
      goOn();
    },
    drop() {
      context = undefined;
      notices.remove('earlier');
      goOn();
    },
  };
}

function nothing() {}
