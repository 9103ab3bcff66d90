/** The rows of a lasting journal and their validation: any script of the origin may have written them. */
import type { PublishedResult } from '../model/calls.js';
import { isObject, own } from '../base/objects.js';
import { toPlain } from '../base/plain.js';
import { read } from '../base/checks.js';
import type { JournalEntry, JournalIntent } from './journal.js';
import { publishedResult } from '../model/calls.js';

/** Records are deleted after 90 days. No page that could ask for them lives that long. */
export const OLDEST_MS = 90 * 24 * 60 * 60 * 1000;

/** Maximum number of unfinished calls read after a crash. */
export const UNFINISHED_MAX = 1000;

export interface JournalRow extends JournalEntry {
  sessionId: string;
  attempt: number;
  /** Present while the call is unfinished; the index of unfinished calls uses it. */
  open?: 1;
}

export function rowOf(sessionId: string, { again: _, ...intent }: JournalIntent, startedAt: number): JournalRow {
  const { args, ...rest } = intent;
  return { ...rest, ...(args && { args: toPlain(args) as Record<string, unknown> }), sessionId, startedAt, attempt: 1, open: 1 };
}

/** Checks whether this call may start once more; see `JournalIntent.again`. */
export function mayStartAgain(seen: unknown, row: JournalRow, again: number | undefined): boolean {
  return (
    again !== undefined &&
    own(seen, 'attempt') === again &&
    own(seen, 'rerun') === true &&
    row.rerun === true &&
    own(seen, 'open') === 1 &&
    own(seen, 'result') === undefined &&
    own(seen, 'sessionId') === row.sessionId &&
    own(seen, 'toolName') === row.toolName &&
    own(seen, 'digest') === row.digest
  );
}

/** Returns a plain copy of a result, with each field cut to `chars` UTF-16 units. */
export const endOf = (result: PublishedResult, chars: number): object =>
  Object.fromEntries(Object.entries(result).map(([field, value]) => [field, toPlain(value, { chars })]));

/** Returns the record with its result; undefined if it has one already, was erased, or does not exist. */
export function settled(seen: unknown, result: unknown): object | undefined {
  if (!isObject(seen) || own(seen, 'result') !== undefined || own(seen, 'toolName') === undefined) return undefined;
  const { open: _, args: __, ...kept } = seen;
  return { ...kept, result };
}

/** Returns a record that only tells that a call was made. */
export function bare(seen: unknown, requestId: string, sessionId: string): object {
  const startedAt = own(seen, 'startedAt');
  return { requestId, sessionId, startedAt: typeof startedAt === 'number' ? startedAt : 0 };
}

/** Returns a record as a journal entry; undefined if it is missing or lacks required fields. */
export function readEntry(row: unknown): JournalEntry | undefined {
  const requestId = own(row, 'requestId');
  const toolName = own(row, 'toolName');
  const startedAt = own(row, 'startedAt');
  if (typeof requestId !== 'string' || typeof toolName !== 'string' || typeof startedAt !== 'number') return undefined;
  const digest = own(row, 'digest');
  const args = own(row, 'args');
  const attempt = own(row, 'attempt');
  const result = resultOf(row);
  return {
    requestId,
    toolName,
    digest: typeof digest === 'string' ? digest : '',
    startedAt,
    attempt: typeof attempt === 'number' ? attempt : 1,
    ...(isObject(args) && { args: toPlain(args) as Record<string, unknown> }),
    ...(own(row, 'rerun') === true && { rerun: true }),
    ...(result && { result }),
  };
}

/** Returns the result; undefined if it is unreadable, which means that the outcome is unknown. */
function resultOf(row: unknown): PublishedResult | undefined {
  const result = own(row, 'result');
  if (result === undefined) return undefined;
  try {
    return read(publishedResult, result);
  } catch {
    return undefined;
  }
}
