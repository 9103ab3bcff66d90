/**
 * Reads JSON as it arrives: each character is looked at once, values are built on the way, and nothing is ever closed that the text
 * did not close. What is valid JSON gives what `JSON.parse` gives. What models write beside it is understood as well, if its meaning is
 * not in doubt: comments, trailing commas, single quotes, bare keys, `True False None`, raw line breaks in strings and
 * unknown escapes. Everything else is broken; unescaped quotes are never guessed.
 *
 * No recursion, and objects without a prototype: `__proto__`, `constructor` and `prototype` are no keys, however they are spelt.
 */
import { exactNumber } from '../../base/exact-json.js';
import { isBlank } from '../scan.js';
import { createSource, FORBIDDEN } from '../source.js';

/** Deeper than this nothing is read: it could not be shown to anyone who has to allow it. */
const MAX_DEPTH = 64;

/** Of a longer word no more is kept when nothing else is. */
const LONGEST_NUMBER = 32;

/** An object or list that is open. `key` is the key whose value is being read. */
export interface Frame {
  list: boolean;
  value: Record<string, unknown> | unknown[];
  key: string;
  start: number;
}

/** Told what was read, at once. Whoever answers true stops the reading behind it. `start` and `end` count from the first character ever read. */
export interface JsonListener {
  opened?(): boolean | void;
  key?(): boolean | void;
  /** A value is complete. It is about to be put into the innermost frame; there is none if it was the outermost. */
  value?(value: unknown, start: number, end: number): boolean | void;
  /** A string value grows, decoded. */
  grew?(text: string): void;
}

export interface JsonReader {
  /** The open objects and lists, from the outside in. */
  readonly frames: readonly Frame[];
  /** Why it cannot be read on. */
  readonly broken: 'bad_json' | 'bad_shape' | undefined;
  /** Whether all brackets are closed of what is broken, as far as counting them can tell. */
  readonly unwound: boolean;
  /** Whether the position is in a string or in a comment over several lines, where anything may stand. */
  readonly quiet: boolean;
  /** Whether nothing is open at all; blanks and comments of one line may stand behind. */
  readonly complete: boolean;
  /** Whether the position is in a string in single quotes. */
  readonly singleQuoted: boolean;
  /** What was found since it was last reset by the owner. */
  readonly notes: { lenient: boolean; duplicate: boolean; forbidden: boolean };
  /** Starts anew. `stop` is the character to stop at, `position` where the count of `start` and `end` begins. */
  begin(stop: string, position: number): void;
  /**
   * Reads from `at` up to `end`, and stops before each `stop` character, before any character outside of values that is neither
   * blank nor in a comment, and when it is broken; then it only looks for `stop`. With `pass` the first character is read whatever it is.
   */
  read(text: string, at: number, end: number, pass: boolean): number;
  /** Counts what others have read. */
  skip(length: number): void;
  /** What comes is no JSON. */
  fail(): void;
  /** From here on reads without keeping anything. */
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
  let before: 'bracket' | 'comma' | undefined; // what allows a bracket to close where a value or key is expected
  let broken: JsonReader['broken'];
  let open = 0; // brackets, counted on when it is broken
  let keeps = true;

  let start = 0; // of the token
  let quote = 0;
  let word = ''; // also the four digits of an escape
  let piece = ''; // of the string, read with this chunk
  const chars = createSource();

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
            state = 'escape';
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

  /** Answers whether to stop. */
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

  /** Told by the chunk and not by the character: an escape is a piece of its own. */
  function flush() {
    if (piece === '' || !keeps) return void (piece = '');
    chars.add(piece);
    if (expected === 'value') listener.grew?.(piece);
    piece = '';
  }

  /** @param opened What the character that breaks it adds to the open brackets. */
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
