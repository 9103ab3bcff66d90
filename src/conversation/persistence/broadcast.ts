/** Sends what the leading tab shows to the others, a few times a second while any of them listens. */
import { activitiesIn, phaseOf } from '../chart/phase.js';
import type { Log } from '../../base/logging.js';
import type { StoredConversation } from '../../storage/stored-conversation.js';
import type { Chart } from '../chart/services.js';
import { createNoteWriter, type Note } from './tab-mirror.js';
import type { OwnTabs } from './join-tabs.js';

/** Minimum time between two notes, in milliseconds. */
const EVERY = 150;

export interface TellingHost {
  chart: Chart;
  log: Log;
  tabs(): OwnTabs | undefined;
  leads(): boolean;
  now(): StoredConversation;
}

export interface Telling {
  tell(name: string, body?: () => unknown): void;
  /** Returns the whole state, for a tab that begins to listen. From then on, changes are sent. */
  whole(): Note;
  changed(): void;
  stop(): void;
}

export function createTelling({ chart, log, tabs, leads, now }: TellingHost): Telling {
  const noteOf = createNoteWriter();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let watched = false;

  function note(whole: boolean): Note {
    const snapshot = chart.getSnapshot();
    // Users recognize a tab by its title.
    const title = typeof document === 'undefined' ? '' : document.title;
    return { ...noteOf(now(), phaseOf(snapshot.value), activitiesIn(snapshot), whole), title };
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
      }, EVERY);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
