/** The start and end markers of a JSON block: fences, tags and lines. No match exceeds the hold limit. */
import type { Place } from '../code-state.js';
import { HOLD_LIMIT, matchBareTag, matchWord, NEED_MORE, NO_MATCH, skipBlanks } from '../scan.js';

/** The end marker of a block. */
export interface BlockEnd {
  /** The first character of the marker. */
  readonly mark: string;
  /**
   * Returns the position after an end marker at `at`, which is a `mark`. `fresh`: only blanks precede it on its line. `complete`: the JSON
   * is complete. `final`: no text follows, and a cut-off marker counts.
   */
  match(text: string, at: number, situation: { fresh: boolean; complete: boolean; final: boolean }): number;
  /** Characters that end a line, so that the text after them is fresh. */
  readonly breaks: string;
  /** True if a marker within a string is more likely the end than a part of the string, since it takes a raw line break. */
  readonly physical: boolean;
}

/** Creates the end of a fence: the same character, at least as long, alone on its line. After complete JSON it may be anywhere. */
export function fenceEnd(mark: string, length: number): BlockEnd {
  return {
    mark,
    breaks: '\n\r',
    physical: true,
    match(text, at, { fresh, complete, final }) {
      if (!fresh && !complete) return NO_MATCH;
      const run = skipRun(text.slice(at, at + HOLD_LIMIT), 0);
      const end = at + run;
      if (run === HOLD_LIMIT) return end;
      if (end === text.length) return !final ? NEED_MORE : run >= length || complete ? end : NO_MATCH;
      return run >= length && (complete || ' \t\r\n'.includes(text[end]!)) ? end : NO_MATCH;
    },
  };
}

/** Creates the end of a tag. `tag` is the end tag without its `>`. */
export function tagEnd(tag: string): BlockEnd {
  return {
    mark: '<',
    breaks: '\n\r',
    physical: false,
    match(text, at, { complete, final }) {
      const end = matchBareTag(text, at, tag);
      return end === NEED_MORE && final ? (complete ? text.length : NO_MATCH) : end;
    },
  };
}

/** An empty line. It ends broken JSON that has no fence or tags. */
export const lineEnd: BlockEnd = { mark: '\n', breaks: '\n', physical: true, match: (_, at, { fresh }) => (fresh ? at : NO_MATCH) };

export interface FenceLine {
  end: number;
  mark: string;
  length: number;
}

/** Matches the line that opens a fence whose first info word, in any case, is one of `words`; `''` for none. */
export function matchFenceLine(text: string, at: number, words: readonly string[]): FenceLine | typeof NO_MATCH | typeof NEED_MORE {
  const line = text.slice(at, at + HOLD_LIMIT);
  const more = line.length < HOLD_LIMIT ? NEED_MORE : NO_MATCH;
  const length = skipRun(line, 0);
  if (length === line.length) return more;
  if (length < 3) return NO_MATCH;
  const mark = line[0]!;
  let end = length;
  while (end < line.length && line[end] !== '\n' && line[end] !== '\r' && line[end] !== '`') end += 1;
  const info = line.slice(length, end).trimStart().toLowerCase();
  const blank = info.search(/[ \t]/);
  const word = blank < 0 ? info : info.slice(0, blank);
  if (end === line.length && blank < 0) return words.some((known) => known.startsWith(word)) ? more : NO_MATCH;
  if (!words.includes(word) || line[end] === '`') return NO_MATCH;
  if (end === line.length || (line[end] === '\r' && end + 1 === line.length)) return more;
  return { end: at + end + (line.startsWith('\r\n', end) ? 2 : 1), mark, length };
}

/** Checks whether only blanks precede `at` on its line. `atStart`: the result if no line break is found back to `from`. */
export function isFresh(text: string, from: number, at: number, breaks: string, atStart: boolean): boolean {
  for (let index = at - 1; index >= from; index -= 1) {
    const char = text[index]!;
    if (breaks.includes(char)) return true;
    if (char !== ' ' && char !== '\t' && char !== '\r') return false;
  }
  return atStart;
}

/** Returns the position after `words`, which may have blanks between them. */
export function matchWords(text: string, at: number, words: readonly string[]): number {
  const window = text.slice(at, at + HOLD_LIMIT);
  let end = 0;
  for (const word of words) {
    end = matchWord(window, skipBlanks(window, end), word);
    if (end < 0) return end === NEED_MORE && window.length === HOLD_LIMIT ? NO_MATCH : end;
  }
  return at + end;
}

function skipRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] === text[at]) end += 1;
  return end;
}

export const JSON_WORDS = ['json', 'jsonc', 'json5'];

/** Matches a JSON fence at the start of a line. A fence in a quotation, or after a list mark, is an example. */
export function openFence(text: string, at: number, place: Place): { end: number; blockEnd: BlockEnd } | number {
  const fence = place === 'line' && (text[at] === '`' || text[at] === '~') ? matchFenceLine(text, at, JSON_WORDS) : NO_MATCH;
  return typeof fence === 'number' ? fence : { end: fence.end, blockEnd: fenceEnd(fence.mark, fence.length) };
}
