/** Where a block of JSON begins and ends: fences, tags and lines. Nothing here looks further than the hold limit. */
import type { Place } from '../code-state.js';
import { HOLD_LIMIT, matchBareTag, matchWord, MORE, NO, skipBlanks } from '../scan.js';

/** What ends a block. */
export interface BlockEnd {
  /** The character it begins with. */
  readonly mark: string;
  /**
   * The position behind an end that stands at `at`, a `mark`. `fresh`: only blanks stand before it on its line. `complete`: the JSON is over. `final`:
   * no text will follow, and what was cut counts.
   */
  match(text: string, at: number, situation: { fresh: boolean; complete: boolean; final: boolean }): number;
  /** Whether the characters in `breaks` end a line, and so make what follows fresh. */
  readonly breaks: string;
  /** Whether an end within a string is more likely an end than a part of the string, since it takes a raw line break. */
  readonly physical: boolean;
}

/** A fence of the same character, at least as long, alone on its line; behind complete JSON anywhere. */
export function fenceEnd(mark: string, length: number): BlockEnd {
  return {
    mark,
    breaks: '\n\r',
    physical: true,
    match(text, at, { fresh, complete, final }) {
      if (!fresh && !complete) return NO;
      const run = skipRun(text.slice(at, at + HOLD_LIMIT), 0);
      const end = at + run;
      if (run === HOLD_LIMIT) return end;
      if (end === text.length) return !final ? MORE : run >= length || complete ? end : NO;
      return run >= length && (complete || ' \t\r\n'.includes(text[end]!)) ? end : NO;
    },
  };
}

/** An end tag, given without its `>`. */
export function tagEnd(tag: string): BlockEnd {
  return {
    mark: '<',
    breaks: '\n\r',
    physical: false,
    match(text, at, { complete, final }) {
      const end = matchBareTag(text, at, tag);
      return end === MORE && final ? (complete ? text.length : NO) : end;
    },
  };
}

/** An empty line, for JSON that stands in the text by itself: broken JSON ends there. */
export const lineEnd: BlockEnd = { mark: '\n', breaks: '\n', physical: true, match: (_, at, { fresh }) => (fresh ? at : NO) };

export interface FenceLine {
  end: number;
  mark: string;
  length: number;
}

/** The line that opens a fence whose first info word, in any case, is one of `words`; `''` for none. */
export function matchFenceLine(text: string, at: number, words: readonly string[]): FenceLine | typeof NO | typeof MORE {
  const line = text.slice(at, at + HOLD_LIMIT);
  const more = line.length < HOLD_LIMIT ? MORE : NO;
  const length = skipRun(line, 0);
  if (length === line.length) return more;
  if (length < 3) return NO;
  const mark = line[0]!;
  let end = length;
  while (end < line.length && line[end] !== '\n' && line[end] !== '\r' && line[end] !== '`') end += 1;
  const info = line.slice(length, end).trimStart().toLowerCase();
  const blank = info.search(/[ \t]/);
  const word = blank < 0 ? info : info.slice(0, blank);
  if (end === line.length && blank < 0) return words.some((known) => known.startsWith(word)) ? more : NO;
  if (!words.includes(word) || line[end] === '`') return NO;
  if (end === line.length || (line[end] === '\r' && end + 1 === line.length)) return more;
  return { end: at + end + (line.startsWith('\r\n', end) ? 2 : 1), mark, length };
}

/** Whether only blanks stand between `at` and the line break before it. `atStart`: whether that is so at `from`, where looking back ends. */
export function isFresh(text: string, from: number, at: number, breaks: string, atStart: boolean): boolean {
  for (let index = at - 1; index >= from; index -= 1) {
    const char = text[index]!;
    if (breaks.includes(char)) return true;
    if (char !== ' ' && char !== '\t' && char !== '\r') return false;
  }
  return atStart;
}

/** The position behind `words`, which may have blanks between them. */
export function matchWords(text: string, at: number, words: readonly string[]): number {
  const window = text.slice(at, at + HOLD_LIMIT);
  let end = 0;
  for (const word of words) {
    end = matchWord(window, skipBlanks(window, end), word);
    if (end < 0) return end === MORE && window.length === HOLD_LIMIT ? NO : end;
  }
  return at + end;
}

function skipRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] === text[at]) end += 1;
  return end;
}

export const JSON_WORDS = ['json', 'jsonc', 'json5'];

/** A fence for JSON that begins a line. One in a quotation, or beside a list mark, is an example. */
export function openFence(text: string, at: number, place: Place): { end: number; blockEnd: BlockEnd } | number {
  const fence = place === 'line' && (text[at] === '`' || text[at] === '~') ? matchFenceLine(text, at, JSON_WORDS) : NO;
  return typeof fence === 'number' ? fence : { end: fence.end, blockEnd: fenceEnd(fence.mark, fence.length) };
}
