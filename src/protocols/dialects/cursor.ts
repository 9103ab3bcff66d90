/** Looks at what may be the beginning of a call, in a short window of the text, and knows whether more text could change the answer. */
import { charTable, HOLD_LIMIT, isBlank, MORE, NO } from '../scan.js';

/** These end a name. */
const BORDERS = ' \t\r\n<>"\'`&=[](){}|,;「」';
const MOST_NAME = 100;
const MOST_TAG = 48;
/** No mark is longer. */
export const MARK = 64;
const IN_TAG = charTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_|/:.-');

/** The text with the bars and blanks of DeepSeek in ASCII: every place in it stays where it is. */
export const inAscii = (text: string): string =>
  text.includes('｜') || text.includes('▁') ? text.replaceAll('｜', '|').replaceAll('▁', '_') : text;

export class Cursor {
  /** The window, in ASCII as far as marks need it. */
  readonly text: string;
  at = 0;
  /** Something was looked for where the text ends, and may still come. */
  short = false;
  /** The text may be longer than the window: what is not found in it is not there. */
  readonly cut: boolean;

  /** @param length Of the window. */
  constructor(source: string, from: number, length = HOLD_LIMIT) {
    this.text = inAscii(source.slice(from, from + length));
    this.cut = this.text.length === length;
  }

  blanks(): void {
    while (this.at < this.text.length && isBlank(this.text.charCodeAt(this.at))) this.at += 1;
    this.#noteEnd();
  }

  /** Passes the word, if it is there. */
  word(word: string): boolean {
    if (this.text.startsWith(word, this.at)) {
      this.at += word.length;
      return true;
    }
    if (this.at < this.text.length && word.startsWith(this.text.slice(this.at))) this.short = !this.cut;
    else this.#noteEnd();
    return false;
  }

  /** Passes a possible name, and answers it: '' if there is none, or if it may go on. */
  name(): string {
    const { text, at } = this;
    let end = at;
    while (end < text.length && end - at <= MOST_NAME && !BORDERS.includes(text[end]!)) end += 1;
    if (end === text.length) {
      this.short = !this.cut;
      return '';
    }
    if (end - at > MOST_NAME) return '';
    this.at = end;
    return text.slice(at, end);
  }

  /** Passes `<…>` and answers the text between, '' if it is no tag without attributes. */
  tag(): string {
    const { text, at } = this;
    if (text[at] !== '<') {
      this.#noteEnd();
      return '';
    }
    const limit = Math.min(text.length, at + 1 + MOST_TAG);
    let end = at + 1;
    while (end < limit && IN_TAG[text.charCodeAt(end)] === 1) end += 1;
    const innerEnd = end;
    while (end < limit && isBlank(text.charCodeAt(end))) end += 1;
    if (end === text.length && end - at <= MOST_TAG) this.short ||= !this.cut;
    if (text[end] !== '>') return '';
    this.at = end + 1;
    return text.slice(at + 1, innerEnd);
  }

  #noteEnd(): void {
    if (this.at === this.text.length) this.short ||= !this.cut;
  }
}

/** The answer of a reader of the text that has found nothing. */
export const undecided = ({ short }: Cursor): number => (short ? MORE : NO);
