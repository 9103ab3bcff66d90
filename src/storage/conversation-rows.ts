/**
 * A conversation as rows: one for its head, one for each message with its parts, each call and each result. Only what changed is copied and
 * written again, so that saving while a reply streams costs the same at message 5,000 as at the first.
 */
import { nextTask } from '../base/next-task.js';
import { define, toPlain } from '../base/plain.js';
import type { PublishedResult } from '../model/calls.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';
import { Damaged, optional, read, shape, type Check } from '../base/checks.js';
import { StorageError } from './storage-error.js';
import type { StoredCall, StoredConversation } from './stored-conversation.js';
import { publishedResult } from '../model/calls.js';
import { storedCall } from './stored-call.js';
import { head, message, parts, type Head } from './stored-shapes.js';

export interface MessageRow {
  message: ChatMessage;
  parts?: MessagePart[];
}

/** What is written, each value checked by what will read it. */
export interface Rows {
  head: Head;
  messages: readonly MessageRow[];
  calls: readonly StoredCall[];
  results: readonly PublishedResult[];
}

export const LISTS = ['messages', 'calls', 'results'] as const;
export type ListName = (typeof LISTS)[number];

/** Rows of one kind; beyond that, the oldest are not kept. */
export const ROWS_MAX = 20_000;

const messageRow: Check<MessageRow> = shape<MessageRow>({ message, parts: optional(parts) });
export const ROW_CHECKS = { messages: messageRow, calls: storedCall, results: publishedResult } as const;

export interface RowMaker {
  /** Rows of what did not change are the same objects as last time. Throws a `StorageError` for what could not be read again. */
  rowsOf(stored: StoredConversation): Rows;
  /** Makes the rows beforehand, with time for others in between; nothing where that takes none. Throws what `rowsOf` would. */
  prepare(stored: StoredConversation): Promise<unknown> | undefined;
}

/** Milliseconds at a stretch. */
const AT_ONCE = 30;

async function inSteps<T>(work: Iterator<unknown, T>): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - since < AT_ONCE) continue;
    await nextTask();
    since = performance.now();
  }
}

/** Rows that were made of something, or that it was made of: what comes out of the storage unchanged goes back as the same row. */
const known = new WeakMap<object, { row: unknown; parts: unknown }>();

export function createRowMaker(): RowMaker {
  function rowFor<T>(check: Check<T>, source: object, beside?: readonly MessagePart[]): T {
    const before = known.get(source);
    if (before && before.parts === beside) return before.row as T;
    const row = plainly(check, beside === undefined ? source : { message: source, parts: beside });
    known.set(source, { row, parts: beside });
    return row;
  }

  const messageOf = (one: ChatMessage, parts: StoredConversation['parts']) =>
    rowFor(messageRow, one, Object.hasOwn(parts, one.id) ? (parts[one.id] ?? []) : NO_PARTS);
  const callOf = (one: StoredCall) => rowFor(storedCall, one);
  const resultOf = (one: PublishedResult) => rowFor(publishedResult, one);

  function* each({ messages, parts, calls, toolHistory }: StoredConversation) {
    for (const one of messages) yield messageOf(one, parts);
    for (const one of calls) yield callOf(one);
    for (const one of toolHistory) yield resultOf(one);
  }

  return {
    rowsOf({ messages, parts, calls, toolHistory, ...rest }) {
      return {
        head: plainly(head, rest),
        messages: messages.map((one) => messageOf(one, parts)),
        calls: calls.map(callOf),
        results: toolHistory.map(resultOf),
      };
    },
    prepare(stored) {
      const steps = each(stored);
      const since = performance.now();
      // A page that goes writes what it has in the same breath.
      while (performance.now() - since < AT_ONCE) if (steps.next().done) return undefined;
      return nextTask().then(() => inSteps(steps));
    },
  };
}

/** Told apart from an empty list by identity only: both are stored as nothing said. */
const NO_PARTS: readonly MessagePart[] = Object.freeze([]);

/** `toPlain` first: what a host's tool gave back may be anything, and nothing of it may run here. */
function plainly<T>(check: Check<T>, value: object): T {
  try {
    return read(check, toPlain(value, { nodes: 200_000, chars: 8_388_608 }));
  } catch (error) {
    throw new StorageError(
      'unkept',
      `The conversation cannot be stored (${error instanceof Damaged ? error.where() : 'unreadable'}).`,
      error,
    );
  }
}

type Unread = { head: unknown } & Record<ListName, readonly unknown[]>;

/** Back from rows; throws `Damaged`. */
export function fromRows(rows: Unread): StoredConversation {
  const steps = checking(rows);
  for (;;) {
    const step = steps.next();
    if (step.done) return fromChecked(step.value);
  }
}

/** As they are read back, with time for others in between. */
export const checkRows = (rows: Unread): Promise<Rows> => inSteps(checking(rows));

function* checking(rows: Unread): Generator<void, Rows> {
  const calls = yield* checkAll('calls', rows.calls);
  const results = yield* checkAll('results', rows.results);
  const messages = yield* checkAll('messages', rows.messages);
  return { calls, results, messages, head: read(head, rows.head) };
}

export function fromChecked(found: Rows): StoredConversation {
  for (const row of found.messages) known.set(row.message, { row, parts: row.parts?.length ? row.parts : NO_PARTS });
  for (const row of [...found.calls, ...found.results]) known.set(row, { row, parts: undefined });
  return {
    ...found.head,
    messages: found.messages.map((row) => row.message),
    parts: partsOf(found.messages),
    calls: found.calls,
    toolHistory: found.results,
  };
}

export function partsOf(rows: readonly MessageRow[]): StoredConversation['parts'] {
  const all: Record<string, readonly MessagePart[]> = {};
  for (const {
    message: { id },
    parts: own,
  } of rows)
    if (own && own.length > 0) define(all, id, own);
  return all;
}

type RowOf<Name extends ListName> = ReturnType<(typeof ROW_CHECKS)[Name]>;

function* checkAll<Name extends ListName>(name: Name, rows: readonly unknown[]): Generator<void, RowOf<Name>[]> {
  const check = ROW_CHECKS[name] as Check<RowOf<Name>>;
  const list: RowOf<Name>[] = [];
  for (const row of rows) {
    try {
      list.push(read(check, row));
    } catch (error) {
      if (error instanceof Damaged) error.path.push(list.length, name);
      throw error;
    }
    yield;
  }
  return list;
}
