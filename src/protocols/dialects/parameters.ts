/** The parameters of a call with one tag for each: their values as they stream, and their final values. */
import { parseTolerant } from '../json/tolerant.js';
import type { CallErrorCode, CallFlag } from '../protocol.js';
import { matchWord, NEED_MORE, NO_MATCH, skipBlanks } from '../scan.js';
import { FORBIDDEN } from '../call-buffer.js';
import { MARK } from './cursor.js';
import { beforeLayout, matchEndTag, type ParameterTag } from './tags.js';

const CDATA = '<![CDATA[';
const CDATA_END = ']]>';

/** A reader for the parameters of one call at a time. */
export interface Parameters {
  readonly values: Record<string, unknown>;
  readonly flags: ReadonlySet<CallFlag>;
  /** The reason why the call cannot run. */
  readonly problem: CallErrorCode | undefined;
  /** Starts a new call. */
  clear(): void;
  /** Starts a value, after the tag of its parameter. */
  begin(tag: ParameterTag): void;
  /** Reads on in the value and returns the position reached; `done` is true if its end was found. Without `keeps`, nothing is collected. */
  read(text: string, at: number, final: boolean, keeps: boolean): number;
  readonly done: boolean;
}

/** @param onGrowth Receives each addition to a value. */
export function createParameters(onGrowth: (key: string, text: string) => void): Parameters {
  let values: Record<string, unknown> = {};
  let flags = new Set<CallFlag>();
  let problem: CallErrorCode | undefined;
  let tag: ParameterTag = { key: '', end: 0, closer: '', json: false };
  let pieces: string[] = [];
  let begun = false; // the value has begun, after its first line break
  let isLiteral = false; // the value is in CDATA
  let done = false;

  function grow(text: string, from: number, end: number) {
    if (end <= from) return;
    const piece = text.slice(from, end);
    pieces.push(piece);
    if (tag.key && !FORBIDDEN.has(tag.key) && !(tag.key in values)) onGrowth(tag.key, piece);
  }

  /** Returns the position after the end tag of the value, or `NO_MATCH` or `NEED_MORE`. */
  function matchEnd(text: string, at: number): number {
    if (!isLiteral) return matchEndTag(text, at, tag.closer);
    const literal = matchWord(text, at, CDATA_END);
    if (literal < 0) return literal;
    const next = behindBlanks(text, literal);
    return next === text.length ? NEED_MORE : text[next] === '<' ? matchEndTag(text, next, tag.closer) : NO_MATCH;
  }

  function endValue() {
    done = true;
    const { key, json } = tag;
    const value = pieces.join('');
    pieces = [];
    if (key === '') problem ??= 'malformed';
    else if (FORBIDDEN.has(key)) problem ??= 'bad_shape';
    else {
      if (key in values) flags.add('duplicate_key');
      // A wrong end tag has swallowed the next parameter, so the intended value is unknown.
      if (tag.isDoubtful || (!isLiteral && /<(?:param(?:eter)?[\s=]|arg_key>)/.test(value))) flags.add('suspicious');
      values[key] = json ? jsonValue(value) : value;
    }
  }

  return {
    get values() {
      return values;
    },
    get flags() {
      return flags;
    },
    get problem() {
      return problem;
    },
    get done() {
      return done;
    },
    clear() {
      values = Object.create(null) as Record<string, unknown>;
      flags = new Set();
      problem = undefined;
      pieces = [];
    },
    begin(given) {
      tag = given;
      pieces = [];
      begun = done = isLiteral = false;
    },
    read(text, at, final, keeps) {
      let start = at;
      if (!begun) {
        if (at === text.length || (text[at] === '\r' && at + 1 === text.length && !final)) return at;
        const literal = matchWord(text, behindBlanks(text, at), CDATA);
        if (literal === NEED_MORE && !final) return at;
        begun = true;
        isLiteral = literal > NO_MATCH;
        start = isLiteral ? literal : at + (text.startsWith('\r\n', at) ? 2 : text[at] === '\n' ? 1 : 0);
      }
      for (let from = start; ;) {
        const ending = isLiteral ? CDATA_END : (tag.ending ?? '</');
        const angle = text.indexOf(ending, from);
        const index = angle === -1 ? beginningAt(text, from, ending) : angle;
        const close = index === -1 ? NEED_MORE : matchEnd(text, index);
        if (close === NO_MATCH) {
          from = index + 1;
          continue;
        }
        const last = index === -1 ? text.length : index;
        const end = isLiteral ? last : beforeLayout(text, start, last, close > NO_MATCH);
        if (keeps) grow(text, start, end);
        if (close === NEED_MORE) return end;
        endValue();
        return close;
      }
    },
  };
}

/** Skips the blanks around CDATA. More of them are part of a value. */
const behindBlanks = (text: string, at: number): number => Math.min(skipBlanks(text, at), at + MARK);

/** Returns where the text ends in the beginning of `word`; -1 if it does not. */
function beginningAt(text: string, from: number, word: string): number {
  for (let at = Math.max(from, text.length - word.length + 1); at < text.length; at += 1) if (word.startsWith(text.slice(at))) return at;
  return -1;
}

function jsonValue(value: string): unknown {
  const parsed = parseTolerant(`[${value}]`);
  const list: unknown = parsed.value;
  return Array.isArray(list) && list.length === 1 && !('error' in parsed) && !parsed.notes.forbidden ? list[0] : value;
}
