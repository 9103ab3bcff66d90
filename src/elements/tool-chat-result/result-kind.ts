/** How a result is best looked at. */
import { isObject, own } from '../../base/objects.js';

export type ResultKind = 'empty' | 'text' | 'table' | 'tree';

/** So many columns are drawn; all of them are in the copy. */
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

/** The rows of a list that was too long to be kept as a whole (`boundedData` in `tools/result.ts`). */
export function partOf(data: unknown): { rows: readonly unknown[]; total: number } | undefined {
  const [rows, truncated, total] = ['items', 'truncated', 'total'].map((key) => own(data, key));
  return truncated === true && typeof total === 'number' && Array.isArray(rows) ? { rows, total } : undefined;
}

/** Every key that a row has, in the order they come. */
export function columnsOf(rows: readonly object[]): Columns {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  const all = [...keys];
  return { shown: all.slice(0, COLUMNS_SHOWN), leftOut: Math.max(0, all.length - COLUMNS_SHOWN) };
}

function hasKey(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** Own values only: a column may be called "constructor". */
export const cellOf = (row: object, column: string): unknown =>
  Object.hasOwn(row, column) ? (row as Record<string, unknown>)[column] : undefined;

/** The whole of it as text, for the clipboard. */
export function rawText(data: unknown): string {
  if (typeof data === 'string') return data;
  try {
    return (JSON.stringify(data, null, 2) as string | undefined) ?? String(data);
  } catch {
    return String(data); // circular, or a BigInt
  }
}
