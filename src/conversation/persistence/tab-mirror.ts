/**
 * Writes the state that the leading tab sends to the others, and reads it there. It is validated like stored data, because every page of
 * the origin can write to the channel: invalid data is not shown, and nothing of it is ever executed.
 */
import { own } from '../../base/objects.js';
import { list, oneOf, read, record } from '../../base/checks.js';
import { createRowMaker, fromRows, type Rows } from '../../storage/conversation-rows.js';
import type { StoredConversation } from '../../storage/stored-conversation.js';
import { activities, activitiesIn, phaseOf } from '../chart/phase.js';
import { createStreamingReply, type StreamingReply } from '../reply/streaming-reply.js';
import type { DisplayedSession } from './persistence-types.js';
import type { Settings } from '../options/settings.js';
import type { Activity, Phase } from '../../model/snapshot.js';
import type { UndoState } from '../calls/undo.js';
import type { CallRecord } from '../chart/chart-context.js';
import { plainRecord, storedBranchesOf, turnOf } from './rehydrate.js';
import type { Log } from '../../base/logging.js';
import type { Chart } from '../chart/services.js';
import type { SessionTabs } from './join-tabs.js';

/** A state that one tab sends to the others. Rows are omitted if they are the same as in the note before. */
type TabSnapshot = Pick<Rows, 'head'> & Partial<Rows> & { phase: Phase; activities: readonly Activity[]; undos?: Undos; title?: string };

/** The states of undoing calls, by request id. */
export type Undos = Readonly<Record<string, UndoState>>;

function createSnapshotWriter(): (
  stored: StoredConversation,
  phase: Phase,
  activities: readonly Activity[],
  whole: boolean,
) => TabSnapshot {
  const { rowsOf } = createRowMaker();
  let last: StoredConversation | undefined;
  let shelf: Rows['extras'] = [];
  return (stored, phase, activities, whole) => {
    const before = whole ? undefined : last;
    last = stored;
    const { head, messages, calls, results, extras } = rowsOf(stored);
    // Each tab has the data of its own parts, so only branches are sent.
    const versions = extras.filter(({ branch }) => branch !== undefined);
    const same =
      shelf.length === versions.length &&
      versions.every((row, at) => row === shelf[at]) &&
      before?.messages === stored.messages &&
      before.parts === stored.parts &&
      before.toolHistory === stored.toolHistory &&
      before.calls.length === stored.calls.length &&
      before.calls.every((call, at) => call === stored.calls[at]);
    shelf = versions;
    return { head, phase, activities, ...(!same && { messages, calls, results, extras: versions }) };
  };
}

const asPhase = oneOf('idle', 'plan', 'tool_call', 'tool_result', 'decide', 'respond');
const activitiesOf = list(oneOf(...activities), 10);
const asUndos = record(oneOf('offered', 'running', 'failed', 'retry'));

export interface TabMirror {
  readonly shown: DisplayedSession;
  /** Throws `ValidationError`, or any other error, for an invalid note. */
  take(note: unknown): void;
  /** Shows a conversation as it was stored, while no tab answers. */
  show(stored: StoredConversation): void;
}

/** `changed` is called when something other than the text of a reply has changed. */
export function createTabMirror(sessionId: string, settings: () => Settings, changed: () => void): TabMirror {
  const waited = new Set<string>();
  const handled = new Set<string>();
  let rows: Omit<Rows, 'head'> = { messages: [], calls: [], results: [], extras: [] };
  let live: StreamingReply | null = null;
  let shown: DisplayedSession = build(undefined, 'idle', []);

  function build(
    stored: StoredConversation | undefined,
    phase: Phase,
    activities: readonly Activity[],
    undos: Undos = {},
  ): DisplayedSession {
    live = stored ? follow(live, stored.reply, changed) : null;
    const calls = (stored?.calls ?? []).map(plainRecord);
    for (const call of calls) note(call);
    return {
      context: {
        ...{ messages: stored?.messages ?? [], parts: stored?.parts ?? {}, calls, toolHistory: stored?.toolHistory ?? [] },
        turn: stored?.turn ? turnOf(stored.turn, settings()) : null,
        ...{ failure: null, retry: null },
        ...(stored && storedBranchesOf(stored)),
      },
      around: {
        live,
        phase,
        activities,
        queue: stored?.queue ?? [],
        grants: (stored?.grants ?? []) as DisplayedSession['around']['grants'],
        undo: ({ requestId }) => own(undos, requestId) as UndoState | undefined,
      },
      handled,
    };
  }

  function note({ requestId, messageId, status }: CallRecord): void {
    if (status === 'awaiting_approval') waited.add(requestId);
    else if (waited.delete(requestId)) handled.add(messageId);
  }

  return {
    get shown() {
      return shown;
    },
    take(body) {
      const whole = own(body, 'messages') !== undefined;
      const given = whole
        ? // An earlier version sends the extras in the head.
          { messages: own(body, 'messages'), calls: own(body, 'calls'), results: own(body, 'results'), extras: own(body, 'extras') ?? [] }
        : rows;
      for (const rowsGiven of Object.values(given)) if (!Array.isArray(rowsGiven) || rowsGiven.length > 20_000) throw new Error('no rows');
      const stored = fromRows({ ...(given as typeof rows), head: own(body, 'head') });
      if (stored.sessionId !== sessionId) throw new Error('another conversation');
      // An earlier version does not send what can be undone.
      const undos = read(asUndos, own(body, 'undos') ?? {});
      const next = build(stored, read(asPhase, own(body, 'phase')), read(activitiesOf, own(body, 'activities')), undos);
      rows = given as typeof rows;
      shown = next;
      changed();
    },
    show(stored) {
      shown = build(stored, 'idle', []);
      changed();
    },
  };
}

/** Applies the reply that is streaming in the leading tab: appends the new text to `live`. */
function follow(live: StreamingReply | null, reply: StoredConversation['reply'], changed: () => void): StreamingReply | null {
  if (!reply) {
    live?.end();
    return null;
  }
  const known = live?.messageId === reply.messageId && reply.text.startsWith(live.text) && reply.reasoning.startsWith(live.reasoning);
  if (!known) live?.end();
  const next = known && live ? live : createStreamingReply(reply.messageId, () => changed());
  if (reply.reasoning.length > next.reasoning.length) next.addReasoning(reply.reasoning.slice(next.reasoning.length));
  reply.parts.forEach((part, at) => {
    const there = next.parts[at];
    if (part.type === 'call' && !there) next.placeCall(part.requestId);
    if (part.type !== 'text') return;
    const text = there?.type === 'text' ? part.text.slice(there.text.length) : there ? '' : part.text;
    if (text) next.addText(text);
  });
  return next;
}

/** Minimum time between two notes, in milliseconds. */
const INTERVAL_MS = 150;

interface BroadcastHost {
  chart: Chart;
  log: Log;
  tabs(): SessionTabs | undefined;
  leads(): boolean;
  now(): StoredConversation;
  /** Returns the state of undoing a call. */
  undo(record: CallRecord): UndoState | undefined;
}

interface Broadcaster {
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
