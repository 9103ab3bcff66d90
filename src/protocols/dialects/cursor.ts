/** Looks at what may be the beginning of a call, in a short window of the text, and knows whether more text could change the answer. */
import { HOLD_LIMIT, isBlank, MORE, NO } from '../scan.js';

export interface Cursor {
  /** The window, with the bars and blanks of DeepSeek in ASCII: every place in it is where it is in the text. */
  readonly text: string;
  at: number;
  /** Something was looked for where the text ends, and may still come. */
  short: boolean;
  /** The text may be longer than the window: what is not found in it is not there. */
  readonly cut: boolean;
  blanks(): void;
  /** Passes the word, if it stands there. */
  word(word: string): boolean;
  /** Passes what may be a name, and answers it: '' if there is none, or if it may go on. */
  name(): string;
  /** Passes `<…>` and answers what is between, '' if it is no tag without attributes. */
  tag(): string;
}

/** What no name holds. */
const BORDERS = ' \t\r\n<>"\'`&=[](){}|,;「」';
const MOST_NAME = 100;
const MOST_TAG = 48;
export const MARK = 64;
const TAG = /[\w|/:.-]/;

export const inAscii = (text: string): string => text.replaceAll('｜', '|').replaceAll('▁', '_');

/** @param length Of the window: no mark is longer than `MARK`. */
export function createCursor(source: string, from: number, length = HOLD_LIMIT): Cursor {
  const text = inAscii(source.slice(from, from + length));
  const cut = text.length === length;
  const cursor: Cursor = {
    text,
    at: 0,
    short: false,
    cut,
    blanks() {
      while (cursor.at < text.length && isBlank(text.charCodeAt(cursor.at))) cursor.at += 1;
      noteEnd();
    },
    word(word) {
      if (text.startsWith(word, cursor.at)) {
        cursor.at += word.length;
        return true;
      }
      if (cursor.at < text.length && word.startsWith(text.slice(cursor.at))) cursor.short = !cut;
      else noteEnd();
      return false;
    },
    name() {
      let end = cursor.at;
      while (end < text.length && end - cursor.at <= MOST_NAME && !BORDERS.includes(text[end]!)) end += 1;
      if (end === text.length) {
        cursor.short = !cut;
        return '';
      }
      const name = text.slice(cursor.at, end);
      if (name.length > MOST_NAME) return '';
      cursor.at = end;
      return name;
    },
    tag() {
      if (text[cursor.at] !== '<') {
        noteEnd();
        return '';
      }
      let end = cursor.at + 1;
      while (end < text.length && end - cursor.at <= MOST_TAG && TAG.test(text[end]!)) end += 1;
      const inner = text.slice(cursor.at + 1, end);
      while (end < text.length && end - cursor.at <= MOST_TAG && isBlank(text.charCodeAt(end))) end += 1;
      if (end === text.length && end - cursor.at <= MOST_TAG) cursor.short ||= !cut;
      if (text[end] !== '>') return '';
      cursor.at = end + 1;
      return inner;
    },
  };
  const noteEnd = () => {
    if (cursor.at === text.length) cursor.short ||= !cut;
  };
  return cursor;
}

/** What a reader of the text answers that has found nothing. */
export const undecided = ({ short }: Cursor): number => (short ? MORE : NO);
