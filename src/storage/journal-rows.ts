/** What a lasting journal writes for a call, and how it reads it back: any script of the origin may have written there. */
import type { PublishedResult } from '../model/calls.js';
import { isObject, own } from '../base/objects.js';
import { toPlain } from '../base/plain.js';
import { read } from '../base/checks.js';
import type { JournalEntry, JournalIntent } from './journal.js';
import { publishedResult } from '../model/calls.js';

/** Records are kept for 90 days: longer than any page that could still ask about them. */
export const OLDEST_MS = 90 * 24 * 60 * 60 * 1000;

/** Unfinished calls that are looked at after a crash. */
export const UNFINISHED_MAX = 1000;

export interface JournalRow extends JournalEntry {
  sessionId: string;
  attempt: number;
  /** Only there while it is unfinished: it is what the index of unfinished calls goes by. */
  open?: 1;
}

export function rowOf(sessionId: string, { again: _, ...intent }: JournalIntent, startedAt: number): JournalRow {
  const { args, ...rest } = intent;
  return { ...rest, ...(args && { args: toPlain(args) as Record<string, unknown> }), sessionId, startedAt, attempt: 1, open: 1 };
}

/** Whether a record lets this call be started once more; see `JournalIntent.again`. */
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

/** An end as it is written: each of its fields is there, and none of them is longer than that many UTF-16 units. */
export const endOf = (result: PublishedResult, chars: number): object =>
  Object.fromEntries(Object.entries(result).map(([field, value]) => [field, toPlain(value, { chars })]));

/** The record with its end, or undefined where there is nothing to change: it has one, was forgotten, or there is no such call. */
export function settled(seen: unknown, result: unknown): object | undefined {
  if (!isObject(seen) || own(seen, 'result') !== undefined || own(seen, 'toolName') === undefined) return undefined;
  const { open: _, args: __, ...kept } = seen;
  return { ...kept, result };
}

/** That a call was made, and nothing about it. */
export function bare(seen: unknown, requestId: string, sessionId: string): object {
  const startedAt = own(seen, 'startedAt');
  return { requestId, sessionId, startedAt: typeof startedAt === 'number' ? startedAt : 0 };
}

/** A record as it is told; undefined where there is none, or none that says anything. */
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

/** An end that cannot be read is none: then nobody knows how it ended. */
function resultOf(row: unknown): PublishedResult | undefined {
  const result = own(row, 'result');
  if (result === undefined) return undefined;
  try {
    return read(publishedResult, result);
  } catch {
    return undefined;
  }
}
