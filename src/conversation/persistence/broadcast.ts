/** Sends what the leading tab shows to the others, a few times a second while any of them listens. */
import { activitiesIn, phaseOf } from '../chart/phase.js';
import type { Log } from '../../base/logging.js';
import type { StoredConversation } from '../../storage/stored-conversation.js';
import type { UndoState } from '../calls/undo.js';
import type { CallRecord } from '../chart/chart-context.js';
import type { Chart } from '../chart/services.js';
import { createSnapshotWriter, type TabSnapshot } from './tab-mirror.js';
import type { SessionTabs } from './join-tabs.js';

/** Minimum time between two notes, in milliseconds. */
const INTERVAL_MS = 150;

export interface BroadcastHost {
  chart: Chart;
  log: Log;
  tabs(): SessionTabs | undefined;
  leads(): boolean;
  now(): StoredConversation;
  /** Returns the state of undoing a call. */
  undo(record: CallRecord): UndoState | undefined;
}

export interface Broadcaster {
  tell(name: string, body?: () => unknown): void;
  /** Returns the whole state, for a tab that begins to listen. From then on, changes are sent. */
  whole(): TabSnapshot;
  changed(): void;
  stop(): void;
}

export function createBroadcaster({ chart, log, tabs, leads, now, undo }: BroadcastHost): Broadcaster {
  const noteOf = createSnapshotWriter();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let watched = false;

  function note(whole: boolean): TabSnapshot {
    const snapshot = chart.getSnapshot();
    // Users recognize a tab by its title.
    const title = typeof document === 'undefined' ? '' : document.title;
    const undos = Object.fromEntries(
      snapshot.context.calls.flatMap((record) => {
        const state = undo(record);
        return state ? [[record.requestId, state]] : [];
      }),
    );
    return { ...noteOf(now(), phaseOf(snapshot.value), activitiesIn(snapshot), whole), undos, title };
  }

  function tell(name: string, body?: () => unknown): void {
    try {
      tabs()?.tell(name, body?.());
    } catch (error) {
      log.error('storage.tabs', 'The other tabs could not be told', { name }, { error });
    }
  }

  return {
    tell,
    whole() {
      watched = true;
      return note(true);
    },
    changed() {
      if (!watched) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        if (leads()) tell('state', () => note(false));
      }, INTERVAL_MS);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
