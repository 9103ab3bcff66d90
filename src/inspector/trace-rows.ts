/** Rows of the trace: events of the element, log entries of provider, parser and tools, and decisions. */
import { decisionsOf, internalsOfChat, type Inspected } from './inspected.js';

export type RowKind = 'event' | 'log' | 'decision';

export interface TraceRow {
  /** Milliseconds since the epoch. */
  at: number;
  kind: RowKind;
  name: string;
  text: string;
}

/** Maximum number of rows kept; the newest stay. */
const MAX_ROWS = 2000;
const MAX_TEXT = 600;

/** All events of `<tool-chat>` except `tool-chat-log`, which the recorder receives without the console. */
const EVENTS = [
  ...['send', 'stream-start', 'stream-chunk', 'tool-detected', 'approval-request', 'tool-execute', 'tool-progress', 'tool-complete'],
  ...['stream-end', 'cycle', 'state-change', 'error', 'show', 'hide', 'feedback'],
].map((name) => `tool-chat-${name}`);

export interface Recorder {
  readonly rows: readonly TraceRow[];
  clear(): void;
  stop(): void;
}

type MakeEntry = typeof import('../base/log-entry.js').makeEntry;

export function recordRows(chat: Inspected, makeEntry: MakeEntry, changed: () => void): Recorder {
  const internals = internalsOfChat(chat);
  let rows: TraceRow[] = [];
  let knownDecisions = new Set(decisionsOf(chat));
  const add = (row: TraceRow) => {
    rows = [...rows.slice(1 - MAX_ROWS), { ...row, text: row.text.slice(0, MAX_TEXT) }];
    changed();
  };
  const onEvent = (event: Event) => add({ at: Date.now(), kind: 'event', name: event.type, text: fieldsOf(event) });
  const tap = (level: 'debug' | 'info' | 'warn' | 'error' | 'off', code: string, message: string, context?: object | (() => object)) => {
    if (level === 'off') return;
    const entry = makeEntry({ time: new Date(), level, code, message, context: context ?? {} }, undefined);
    add({ at: Date.now(), kind: 'log', name: code, text: `${entry.message} ${json(entry.context)}` });
  };
  const onDecision = () => {
    const entries = decisionsOf(chat);
    for (const entry of entries)
      if (!knownDecisions.has(entry)) add({ at: entry.at, kind: 'decision', name: entry.what, text: entry.reason });
    knownDecisions = new Set(entries);
  };
  for (const name of EVENTS) chat.addEventListener(name, onEvent);
  internals?.trace.taps.add(tap);
  const subscription = internals?.chart.subscribe(onDecision);
  return {
    get rows() {
      return rows;
    },
    clear() {
      rows = [];
      changed();
    },
    stop() {
      for (const name of EVENTS) chat.removeEventListener(name, onEvent);
      internals?.trace.taps.delete(tap);
      subscription?.unsubscribe();
    },
  };
}

/** Returns the fields of one of our events: its own enumerable properties. */
function fieldsOf(event: Event): string {
  const { isTrusted: _, ...fields } = Object.fromEntries(Object.entries(event));
  return Object.keys(fields).length > 0 ? json(fields) : '';
}

function json(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    return text === '{}' ? '' : text;
  } catch {
    return '';
  }
}

/** Returns the rows of these kinds that contain the query. */
export function filterRows(rows: readonly TraceRow[], kinds: ReadonlySet<RowKind>, query: string): TraceRow[] {
  const wanted = query.trim().toLowerCase();
  return rows.filter(({ kind, name, text }) => kinds.has(kind) && `${name} ${text}`.toLowerCase().includes(wanted));
}
