/** Chooses how a result is displayed. */
import { isObject, own } from '../../base/objects.js';

export type ResultKind = 'empty' | 'text' | 'table' | 'tree';

/** Largest number of displayed columns. The copy has all of them. */
const COLUMNS_SHOWN = 24;

export interface Columns {
  shown: string[];
  leftOut: number;
}

export function resultKind(data: unknown): ResultKind {
  if (data === null || data === undefined || data === '') return 'empty';
  if (typeof data !== 'object') return 'text';
  if (Array.isArray(data)) {
    if (data.length === 0) return 'empty';
    return data.every((item) => isObject(item) && hasKey(item)) ? 'table' : 'tree';
  }
  return hasKey(data) ? 'tree' : 'empty';
}

/** Returns the rows of a list that was truncated (`boundedData` in `tools/result.ts`). */
export function partOf(data: unknown): { rows: readonly unknown[]; total: number } | undefined {
  const [rows, truncated, total] = ['items', 'truncated', 'total'].map((key) => own(data, key));
  return truncated === true && typeof total === 'number' && Array.isArray(rows) ? { rows, total } : undefined;
}

/** Returns every key of the rows, in order of appearance. */
export function columnsOf(rows: readonly object[]): Columns {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  const all = [...keys];
  return { shown: all.slice(0, COLUMNS_SHOWN), leftOut: Math.max(0, all.length - COLUMNS_SHOWN) };
}

function hasKey(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** Returns a cell. Only own properties count, because a column may be called "constructor". */
export const cellOf = (row: object, column: string): unknown =>
  Object.hasOwn(row, column) ? (row as Record<string, unknown>)[column] : undefined;

/** Returns the whole result as text, for the clipboard. */
export function rawText(data: unknown): string {
  if (typeof data === 'string') return data;
  try {
    return (JSON.stringify(data, null, 2) as string | undefined) ?? String(data);
  } catch {
    return String(data); // circular, or a BigInt
  }
}
