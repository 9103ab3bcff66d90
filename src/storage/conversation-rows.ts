/**
 * A conversation as rows: one for its head, and one for each message with its parts, each call, each result, each hidden version, and each
 * piece of other saved data. Only changed rows are copied and written, so saving while a reply streams costs the same at message 5,000 as
 * at the first.
 */
import { nextTask } from '../base/next-task.js';
import { define, toPlain } from '../base/plain.js';
import type { PublishedResult } from '../model/calls.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';
import { ValidationError, json, optional, read, object, text, type Check } from '../base/checks.js';
import { isObject } from '../base/objects.js';
import { StorageError } from './storage-error.js';
import type { StoredBranch, StoredCall, StoredConversation } from './stored-conversation.js';
import { publishedResult } from '../model/calls.js';
import { storedCall } from './stored-call.js';
import { branch, head, message, parts, type Head } from './stored-shapes.js';

export interface MessageRow {
  message: ChatMessage;
  parts?: MessagePart[];
}

/** A hidden version, or saved data of another part of the code: its value without lists, or a piece of a list. */
export interface ExtraRow {
  branch?: StoredBranch;
  part?: string;
  list?: string;
  value?: unknown;
}

/** The rows to write. Each value has passed the check that is used for reading. */
export interface Rows {
  head: Head;
  messages: readonly MessageRow[];
  calls: readonly StoredCall[];
  results: readonly PublishedResult[];
  /** Extra rows. Earlier versions had this data in the head. */
  extras: readonly ExtraRow[];
}

export const LISTS = ['messages', 'calls', 'results', 'extras'] as const;
export type ListName = (typeof LISTS)[number];

/** Maximum number of rows of one kind. The oldest ones beyond it are dropped. */
export const ROWS_MAX = 20_000;

const messageRow: Check<MessageRow> = object<MessageRow>({ message, parts: optional(parts) });
const extraRow: Check<ExtraRow> = object<ExtraRow>({
  branch: optional(branch),
  part: optional(text(1000)),
  list: optional(text(1000)),
  value: optional(json),
});
export const ROW_CHECKS = { messages: messageRow, calls: storedCall, results: publishedResult, extras: extraRow } as const;

/** Number of list items per row. */
const PIECE = 100;

export interface RowMaker {
  /**
   * Returns the rows. Unchanged items have the same row objects as last time. Throws a `StorageError` if an item could not be read back.
   */
  rowsOf(stored: StoredConversation): Rows;
  /** Makes the rows in advance, yielding to other tasks. Returns undefined if it finished at once. Throws as `rowsOf` does. */
  prepare(stored: StoredConversation): Promise<unknown> | undefined;
}

/** Milliseconds of work before yielding. */
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

/** Caches the row of each source object. A row read from storage is its own source, so it is written back unchanged. */
const known = new WeakMap<object, { row: unknown; parts: unknown }>();

export function createRowMaker(): RowMaker {
  function rowFor<T>(check: Check<T>, source: object, extras?: readonly MessagePart[]): T {
    const before = known.get(source);
    if (before && before.parts === extras) return before.row as T;
    const row = plainly(check, extras === undefined ? source : { message: source, parts: extras });
    known.set(source, { row, parts: extras });
    return row;
  }

  const messageOf = (one: ChatMessage, parts: StoredConversation['parts']) =>
    rowFor(messageRow, one, Object.hasOwn(parts, one.id) ? (parts[one.id] ?? []) : NO_PARTS);
  const callOf = (one: StoredCall) => rowFor(storedCall, one);
  const resultOf = (one: PublishedResult) => rowFor(publishedResult, one);

  const branchOf = (one: StoredBranch): ExtraRow => {
    const before = known.get(one)?.row as ExtraRow | undefined;
    const row = before ?? plainly(extraRow, { branch: one });
    known.set(one, { row, parts: undefined });
    return row;
  };

  let pieces = new Map<string, { items: readonly unknown[]; row: ExtraRow; json: string }>();
  /** Yields the same row as last time if the content is equal. */
  function* piecesOf(kept: Readonly<Record<string, unknown>>): Generator<ExtraRow> {
    const now: typeof pieces = new Map();
    const piece = (key: string, items: readonly unknown[], of: ExtraRow): ExtraRow => {
      const before = pieces.get(key);
      const isSame = before?.items.length === items.length && items.every((item, at) => item === before.items[at]);
      const made = isSame ? before : { items, row: plainly(extraRow, of), json: JSON.stringify(of) };
      const found = before && before.json === made.json ? { ...before, items } : made;
      now.set(key, found);
      return found.row;
    };
    for (const [part, value] of Object.entries(kept)) {
      const lists = isObject(value) ? Object.entries(value).filter(([, list]) => Array.isArray(list) && list.length > 0) : [];
      const rest = lists.length > 0 ? { ...(value as object), ...Object.fromEntries(lists.map(([name]) => [name, []])) } : value;
      yield piece(part, [rest], { part, value: rest });
      for (const [list, all] of lists as [string, unknown[]][])
        for (let from = 0; from < all.length; from += PIECE) {
          const items = all.slice(from, from + PIECE);
          yield piece(JSON.stringify([part, list, from]), items, { part, list, value: items });
        }
    }
    pieces = now;
  }

  function* each({ messages, parts, calls, toolHistory }: StoredConversation) {
    for (const one of messages) yield messageOf(one, parts);
    for (const one of calls) yield callOf(one);
    for (const one of toolHistory) yield resultOf(one);
  }

  return {
    rowsOf({ messages, parts, calls, toolHistory, branches = [], kept = {}, ...rest }) {
      return {
        head: plainly(head, rest),
        messages: messages.map((one) => messageOf(one, parts)),
        calls: calls.map(callOf),
        results: toolHistory.map(resultOf),
        extras: [...branches.map(branchOf), ...piecesOf(kept)],
      };
    },
    prepare(stored) {
      const steps = each(stored);
      const since = performance.now();
      // A page that goes away must write synchronously, so try to finish at once.
      while (performance.now() - since < AT_ONCE) if (steps.next().done) return undefined;
      return nextTask().then(() => inSteps(steps));
    },
  };
}

/** Differs from other empty lists only by identity. All of them are stored as absent. */
const NO_PARTS: readonly MessagePart[] = Object.freeze([]);

/** Checks a copy made by `toPlain`: a tool's result may be any object, and none of its code may run here. */
function plainly<T>(check: Check<T>, value: object): T {
  try {
    return read(check, toPlain(value, { nodes: 200_000, chars: 8_388_608 }));
  } catch (error) {
    throw new StorageError(
      'unkept',
      `The conversation cannot be stored (${error instanceof ValidationError ? error.where() : 'unreadable'}).`,
      error,
    );
  }
}

type Unread = { head: unknown; extras?: readonly unknown[] } & Record<Exclude<ListName, 'extras'>, readonly unknown[]>;

/** Converts rows back to a conversation. Throws `Damaged`. */
export function fromRows(rows: Unread): StoredConversation {
  const steps = checking(rows);
  for (;;) {
    const step = steps.next();
    if (step.done) return fromChecked(step.value);
  }
}

/** Checks rows, yielding to other tasks. */
export const checkRows = (rows: Unread): Promise<Rows> => inSteps(checking(rows));

function* checking(rows: Unread): Generator<void, Rows> {
  const calls = yield* checkAll('calls', rows.calls);
  const results = yield* checkAll('results', rows.results);
  const messages = yield* checkAll('messages', rows.messages);
  const extras = yield* checkAll('extras', rows.extras ?? []);
  return { calls, results, messages, extras, head: read(head, rows.head) };
}

export function fromChecked(found: Rows): StoredConversation {
  for (const row of found.messages) known.set(row.message, { row, parts: row.parts?.length ? row.parts : NO_PARTS });
  for (const row of [...found.calls, ...found.results]) known.set(row, { row, parts: undefined });
  return {
    ...found.head,
    ...extrasOf(found.extras),
    messages: found.messages.map((row) => row.message),
    parts: partsOf(found.messages),
    calls: found.calls,
    toolHistory: found.results,
  };
}

/** Converts extra rows back to versions and saved data. */
export function extrasOf(rows: readonly ExtraRow[]): Pick<StoredConversation, 'branches' | 'kept'> {
  const branches = rows.flatMap((row) => row.branch ?? []);
  const kept: Record<string, unknown> = {};
  for (const { part, list, value } of rows) {
    if (part === undefined) continue;
    const before: unknown = Object.hasOwn(kept, part) ? kept[part] : undefined;
    if (list === undefined) define(kept, part, isObject(value) ? { ...value } : value);
    else if (isObject(before) && Array.isArray(value))
      define(before, list, [...(Object.hasOwn(before, list) ? (before[list] as unknown[]) : []), ...(value as unknown[])]);
  }
  return { ...(branches.length > 0 && { branches }), ...(Object.keys(kept).length > 0 && { kept }) };
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
      if (error instanceof ValidationError) error.path.push(list.length, name);
      throw error;
    }
    yield;
  }
  return list;
}
