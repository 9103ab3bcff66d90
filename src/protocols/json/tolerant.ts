/** Reads a whole JSON text at once, as tolerantly as the reader of the stream. */
import { skipBlanks } from '../scan.js';
import { createJsonReader, type JsonReader } from './json-reader.js';

export type TolerantJson = { value: unknown; notes: JsonReader['notes'] } | { value?: undefined; error: 'bad_json' | 'bad_shape' };

/**
 * Reads one object or list with nothing but blanks and comments around it. Keys that reach for a prototype are left out and noted in
 * `notes.forbidden`; of equal keys the last wins, noted in `notes.duplicate`. Never throws; deeper than 64 levels is `bad_shape`.
 */
export function parseTolerant(text: string): TolerantJson {
  let value: unknown;
  const reader = createJsonReader({
    value(read) {
      value = read;
      return reader.frames.length === 0;
    },
  });
  reader.begin('', 0);
  let at = reader.read(text, 0, text.length, false);
  const opens = text[at] === '{' || text[at] === '[';
  if (opens) at = reader.read(text, at, text.length, true);
  at = reader.read(text, at, text.length, false);
  const isWhole = opens && reader.complete && skipBlanks(text, at) === text.length;
  return isWhole ? { value, notes: reader.notes } : { error: reader.broken ?? 'bad_json' };
}
