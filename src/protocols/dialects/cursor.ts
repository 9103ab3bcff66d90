/** Reads a possible start of a call within a short window of the text, and notes whether more text could change the result. */
import { charTable, HOLD_LIMIT, isBlank, NEED_MORE, NO_MATCH } from '../scan.js';

/** Characters that end a name. */
const BORDERS = ' \t\r\n<>"\'`&=[](){}|,;「」';
const MOST_NAME = 100;
const MOST_TAG = 48;
/** Upper limit of the length of a mark, in UTF-16 units. */
export const MARK = 64;
const IN_TAG = charTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_|/:.-');

/** The namespace of DeepSeek's tags. A blank may follow it. */
const DSML_SPACE = /^<\/?\|{1,2}DSML\|{1,2}$/;

const CLOSE = '>'.charCodeAt(0);
const IN_WORD = charTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_');

/**
 * Returns the name, in lower case, of an end tag such as `</div>` at `at`; '' if no tag is there, and undefined if only a `Cursor` can tell.
 * Most end tags are of this kind, and cost little here.
 */
export function endTagName(text: string, at: number): string | undefined {
  if (text[at + 1] !== '/' || text[at] !== '<') return undefined;
  const most = at + MOST_TAG;
  let end = at + 2;
  let code = text.charCodeAt(end);
  while (end < most && IN_WORD[code] === 1) code = text.charCodeAt((end += 1));
  if (code === CLOSE) return text.slice(at + 2, end).toLowerCase();
  return code < 128 && IN_TAG[code] !== 1 && !isBlank(code) ? '' : undefined;
}

/** Replaces DeepSeek's bars and blanks with ASCII characters. All positions stay the same. */
export const inAscii = (text: string): string =>
  text.includes('｜') || text.includes('▁') ? text.replaceAll('｜', '|').replaceAll('▁', '_') : text;

export class Cursor {
  /** The window, with marks converted to ASCII. */
  readonly text: string;
  at = 0;
  /** True if a match was cut off by the end of the text and more text may complete it. */
  short = false;
  /** True if the text may be longer than the window. A match must fit into the window. */
  readonly cut: boolean;

  /** @param length Length of the window in UTF-16 units. */
  constructor(source: string, from: number, length = HOLD_LIMIT) {
    this.text = inAscii(source.slice(from, from + length));
    this.cut = this.text.length === length;
  }

  blanks(): void {
    while (this.at < this.text.length && isBlank(this.text.charCodeAt(this.at))) this.at += 1;
    this.#noteEnd();
  }

  /** Consumes the word if it is at the current position. */
  word(word: string): boolean {
    if (this.text.startsWith(word, this.at)) {
      this.at += word.length;
      return true;
    }
    if (this.at < this.text.length && word.startsWith(this.text.slice(this.at))) this.short = !this.cut;
    else this.#noteEnd();
    return false;
  }

  /** Consumes a possible name and returns it. Returns '' if there is none, or if it may continue. */
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

  /** Consumes `<…>` and returns the text inside. Returns '' if it is not a tag without attributes. */
  tag(): string {
    const { text, at } = this;
    if (text[at] !== '<') {
      this.#noteEnd();
      return '';
    }
    const limit = Math.min(text.length, at + 1 + MOST_TAG);
    let end = at + 1;
    while (end < limit && (IN_TAG[text.charCodeAt(end)] === 1 || (text[end] === ' ' && DSML_SPACE.test(text.slice(at, end))))) end += 1;
    const innerEnd = end;
    while (end < limit && isBlank(text.charCodeAt(end))) end += 1;
    if (end === text.length && end - at <= MOST_TAG) this.short ||= !this.cut;
    if (text[end] !== '>') return '';
    this.at = end + 1;
    const inner = text.slice(at + 1, innerEnd).replace(' ', '');
    return inner === '|open|' || inner === '|close|' ? this.#part(at, inner === '|close|' ? '/+' : '+') : inner;
  }

  /** Consumes the rest of a tag of Kimi K3, `<|open|>name<|sep|>` or `<|close|>name<|sep|>`, and returns its name after `sign`. */
  #part(start: number, sign: string): string {
    const from = this.at;
    while (IN_WORD[this.text.charCodeAt(this.at)] === 1) this.at += 1;
    const name = this.text.slice(from, this.at);
    if (this.word('<|sep|>') && name !== '') return sign + name;
    this.at = start;
    return '';
  }

  #noteEnd(): void {
    if (this.at === this.text.length) this.short ||= !this.cut;
  }
}

/** Returns the result of a matcher that found nothing: `NEED_MORE` or `NO_MATCH`. */
export const undecided = ({ short }: Cursor): number => (short ? NEED_MORE : NO_MATCH);
