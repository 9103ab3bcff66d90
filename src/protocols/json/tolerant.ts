/** Reads a complete JSON text at once, with the same tolerance as the streaming reader. */
import { skipBlanks } from '../scan.js';
import { createJsonReader, type JsonReader } from './json-reader.js';

export type TolerantJson = { value: unknown; notes: JsonReader['notes'] } | { value?: undefined; error: 'bad_json' | 'bad_shape' };

/**
 * Reads one object or list with only blanks and comments around it. Prototype keys are dropped and noted in `notes.forbidden`; of equal
 * keys the last one wins, noted in `notes.duplicate`. Never throws; more than 64 levels are `bad_shape`.
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
