/**
 * Reads JSON as it streams: each character is read once, values are built on the way, and nothing is closed that the text did not close.
 * Valid JSON gives the same result as `JSON.parse`. Deviations of models are accepted if their meaning is not in doubt: comments, trailing
 * commas, single quotes, bare keys, `True False None`, raw line breaks in strings and unknown escapes. Everything else is broken; unescaped
 * quotes are never guessed.
 *
 * There is no recursion, and objects have no prototype: `__proto__`, `constructor` and `prototype` are not accepted as keys, in any escaped
 * form.
 */
import { exactNumber } from '../../base/exact-json.js';
import { isBlank } from '../scan.js';
import { createTextBuffer, FORBIDDEN } from '../call-buffer.js';

/** Maximum depth. Deeper values could not be shown to the user who has to approve them. */
const MAX_DEPTH = 64;

/** Maximum length kept of a word when nothing else is kept. */
const LONGEST_NUMBER = 32;

/** An open object or list. `key` is the key whose value is being read. */
export interface Frame {
  list: boolean;
  value: Record<string, unknown> | unknown[];
  key: string;
  start: number;
}

/**
 * Callbacks for the parts that were read, called at once. A callback that returns true stops the reading after that part. `start` and `end`
 * count from the first character ever read.
 */
export interface JsonListener {
  opened?(): boolean | void;
  key?(): boolean | void;
  /** A value is complete. It is about to be added to the innermost frame; there is no frame if it was the outermost value. */
  value?(value: unknown, start: number, end: number): boolean | void;
  /** A string value has grown by `text`, decoded. */
  grew?(text: string): void;
}

export interface JsonReader {
  /** The open objects and lists, from the outside in. */
  readonly frames: readonly Frame[];
  /** The reason why the JSON cannot be read on. Undefined: it is not broken. */
  readonly broken: 'bad_json' | 'bad_shape' | undefined;
  /** True if all brackets of broken JSON are closed, as far as counting can tell. */
  readonly unwound: boolean;
  /** True if the position is in a string or in a comment of several lines, where any character may appear. */
  readonly quiet: boolean;
  /** True if nothing is open. Blanks and one-line comments may follow. */
  readonly complete: boolean;
  /** True if the position is in a single-quoted string. */
  readonly singleQuoted: boolean;
  /** Findings since the owner last reset them. */
  readonly notes: { lenient: boolean; duplicate: boolean; forbidden: boolean };
  /** Starts a new text. `stop` is the character to stop at, `position` the offset from which `start` and `end` count. */
  begin(stop: string, position: number): void;
  /**
   * Reads from `at` up to `end`. Stops before each `stop` character, before any character outside of values that is neither blank nor in a
   * comment, and when the JSON is broken; from then on it only looks for `stop`. With `pass`, the first character is always read.
   */
  read(text: string, at: number, end: number, pass: boolean): number;
  /** Counts characters that another reader has consumed. */
  skip(length: number): void;
  /** Marks the JSON as broken. */
  fail(): void;
  /** Keeps nothing of the text from here on. */
  forget(): void;
}

const ESCAPES: Readonly<Record<string, string>> = { __proto__: null as never, b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BARE_KEY = /^[A-Za-z_$][\w$-]*$/;
const HEX = /^[\dA-Fa-f]{4}$/;
const QUIET = new Set(['string', 'escape', 'hex', 'comment', 'star']);
const BACKSLASH = 92;
const SINGLE_QUOTE = 39;
const PUNCTUATION = '{}[]:,"\'/';

export function createJsonReader(listener: JsonListener): JsonReader {
  const frames: Frame[] = [];
  const notes = { lenient: false, duplicate: false, forbidden: false };
  let stopCode = 0;
  let position = 0;
  let state: 'token' | 'string' | 'escape' | 'hex' | 'word' | 'slash' | 'line-comment' | 'comment' | 'star' = 'token';
  let expected: 'value' | 'key' | 'colon' | 'next' = 'value';
  let before: 'bracket' | 'comma' | undefined; // the reason why a closing bracket is allowed instead of a value or key
  let broken: JsonReader['broken'];
  let open = 0; // open brackets, still counted when the JSON is broken
  let keeps = true;

  let start = 0; // the start of the token
  let quote = 0;
  let word = ''; // also the four digits of an escape
  let piece = ''; // the part of the string that was read in this chunk
  let isSlow = false; // the rest of the string in this chunk cannot be decoded at once
  const chars = createTextBuffer();

  function begin(stop: string, at: number) {
    frames.length = 0;
    notes.lenient = notes.duplicate = notes.forbidden = false;
    stopCode = stop.charCodeAt(0);
    position = at;
    state = 'token';
    expected = 'value';
    broken = undefined;
    keeps = true;
    piece = '';
    chars.clear();
  }

  function read(text: string, at: number, end: number, pass: boolean): number {
    isSlow = false;
    const index = readOn(text, at, end, pass);
    flush();
    position += index - at;
    return index;
  }

  function readOn(text: string, at: number, end: number, pass: boolean): number {
    const offset = position - at;
    for (let index = at; index < end; index += 1) {
      const code = text.charCodeAt(index);
      if (code === stopCode && !(pass && index === at)) return index;
      if (broken) {
        if (code === 0x7b || code === 0x5b) open += 1;
        else if ((code === 0x7d || code === 0x5d) && (open -= 1) === 0) return index + 1;
        continue;
      }
      const char = text[index]!;
      switch (state) {
        case 'string':
          if (code === quote) {
            if (endString(offset + index + 1)) return index + 1;
          } else if (code === BACKSLASH) {
            const close = isSlow ? index : decodeRest(text, index, end);
            if (close === index) state = 'escape';
            else index = close - 1;
          } else {
            const from = index;
            let plain = code;
            while (plain !== BACKSLASH && plain !== quote) {
              if (plain < 32) notes.lenient = true;
              index += 1;
              plain = text.charCodeAt(index);
              if (index >= end || plain === stopCode) break;
            }
            piece += text.slice(from, index);
            index -= 1;
          }
          break;
        case 'escape':
          if (char === 'u') {
            state = 'hex';
            word = '';
            break;
          }
          if (!'"\\/bfnrt'.includes(char)) notes.lenient = true;
          piece += ESCAPES[char] ?? char;
          state = 'string';
          break;
        case 'hex':
          word += char;
          if (word.length < 4) break;
          if (!HEX.test(word)) fail();
          piece += String.fromCharCode(parseInt(word, 16));
          state = 'string';
          break;
        case 'slash':
          if (char !== '/' && char !== '*') fail();
          notes.lenient = true;
          state = char === '/' ? 'line-comment' : 'comment';
          break;
        case 'line-comment':
          if (char === '\n' || char === '\r') state = 'token';
          break;
        case 'comment':
          if (char === '*') state = 'star';
          break;
        case 'star':
          if (char !== '*') state = char === '/' ? 'token' : 'comment';
          break;
        default:
          if (state === 'word') {
            if (!isBlank(code) && !PUNCTUATION.includes(char)) {
              if (keeps || word.length < LONGEST_NUMBER) word += char;
              break;
            }
            state = 'token';
            if (endWord(offset + index) || broken) return index;
          }
          if (isBlank(code)) break;
          if (char === '/') state = 'slash';
          else if (frames.length === 0 && !(pass && index === at)) return index;
          else if (readToken(char, offset + index)) return index + 1;
      }
      if (broken) return index + 1;
    }
    return end;
  }

  /**
   * Decodes a string from an escape on, if its closing quote is here and all of it is valid JSON: for a long string with many escapes, this
   * takes a tenth of the time. Returns the position of the quote; otherwise `at`.
   */
  function decodeRest(text: string, at: number, end: number): number {
    isSlow = true;
    let close = at;
    for (let code = 0; close < end && (code = text.charCodeAt(close)) !== quote; close += code === BACKSLASH ? 2 : 1)
      if (code === stopCode) return at;
    if (close >= end || quote === SINGLE_QUOTE) return at;
    try {
      piece += JSON.parse(`"${text.slice(at, close)}"`) as string;
      return close;
    } catch {
      return at;
    }
  }

  /** Reads a token. Returns true to stop. */
  function readToken(char: string, at: number): boolean | void {
    switch (char) {
      case '{':
      case '[':
        if (expected !== 'value') return fail('bad_json', 1);
        if (frames.length === MAX_DEPTH) return fail('bad_shape', 1);
        frames.push({
          list: char === '[',
          value: char === '[' ? [] : (Object.create(null) as Record<string, unknown>),
          key: '',
          start: at,
        });
        expected = char === '[' ? 'value' : 'key';
        before = 'bracket';
        return listener.opened?.();
      case '}':
      case ']': {
        const frame = frames.at(-1);
        if (!frame || frame.list !== (char === ']') || expected === 'colon' || (expected !== 'next' && !before))
          return fail('bad_json', -1);
        if (expected !== 'next' && before === 'comma') notes.lenient = true;
        frames.pop();
        return add(frame.value, frame.start, at + 1);
      }
      case ':':
        if (expected !== 'colon') return fail();
        expected = 'value';
        before = undefined;
        return;
      case ',':
        if (expected !== 'next') return fail();
        expected = frames.at(-1)?.list ? 'value' : 'key';
        before = 'comma';
        return;
    }
    if (expected === 'colon' || expected === 'next') return fail();
    start = at;
    if (char === '"' || char === "'") {
      state = 'string';
      isSlow = false;
      quote = char.charCodeAt(0);
      if (char === "'") notes.lenient = true;
    } else {
      state = 'word';
      word = char;
    }
  }

  function endString(end: number): boolean | void {
    flush();
    const text = chars.join();
    chars.clear();
    state = 'token';
    return expected === 'key' ? setKey(text) : add(text, start, end);
  }

  function endWord(end: number): boolean | void {
    if (expected === 'key') {
      if (!BARE_KEY.test(word)) return fail();
      notes.lenient = true;
      return setKey(word);
    }
    if (NUMBER.test(word)) return add(exactNumber(word), start, end);
    if (!LITERALS.has(word)) return fail();
    if (word < 'a') notes.lenient = true;
    return add(LITERALS.get(word), start, end);
  }

  function setKey(key: string): boolean | void {
    const frame = frames.at(-1)!;
    frame.key = key;
    expected = 'colon';
    if (FORBIDDEN.has(key)) notes.forbidden = true;
    else if (key in frame.value) notes.duplicate = true;
    return listener.key?.();
  }

  function add(value: unknown, from: number, end: number): boolean | void {
    const frame = frames.at(-1);
    expected = frame ? 'next' : 'value';
    const stops = listener.value?.(value, from, end);
    if (frame && keeps) {
      if (frame.list) (frame.value as unknown[]).push(value);
      else if (!FORBIDDEN.has(frame.key)) (frame.value as Record<string, unknown>)[frame.key] = value;
    }
    return stops;
  }

  /** Reports text by the chunk, not by the character, because an escape is a separate piece. */
  function flush() {
    if (piece === '' || !keeps) return void (piece = '');
    chars.add(piece);
    if (expected === 'value') listener.grew?.(piece);
    piece = '';
  }

  /** @param opened The change of the number of open brackets by the character that breaks the JSON. */
  function fail(why: JsonReader['broken'] = 'bad_json', opened = 0) {
    broken ??= why;
    open = frames.length + opened;
  }

  function forget() {
    keeps = false;
    chars.clear();
    for (const frame of frames) frame.value = frame.list ? [] : (Object.create(null) as Record<string, unknown>);
  }

  return {
    frames,
    notes,
    get broken() {
      return broken;
    },
    get unwound() {
      return broken !== undefined && open === 0;
    },
    get quiet() {
      return !broken && QUIET.has(state);
    },
    get singleQuoted() {
      return quote === SINGLE_QUOTE && (state === 'string' || state === 'escape' || state === 'hex');
    },
    get complete() {
      return !broken && frames.length === 0 && (state === 'token' || state === 'line-comment');
    },
    begin,
    read,
    skip: (length) => void (position += length),
    fail: () => fail(),
    forget,
  };
}
