/**
 * The tags of a call with one tag for each parameter: `<parameter name="k">`, `<param name="k">`, `<parameter=k>`, `<arg_key>k</arg_key><arg_value>`, `<k>`.
 */
import { NEED_MORE, NO_MATCH } from '../scan.js';
import { readAttributes } from '../xml-invoke/parameters.js';
import { Cursor, endTagName, MARK, undecided } from './cursor.js';
import type { Head } from './heads.js';
import { isMarkName, readMark } from './marks.js';

export interface ParameterTag {
  key: string;
  /** The end of the tag, relative to its start. */
  end: number;
  /** The name in the tag that ends the value. */
  closer: string;
  /** True if the value is JSON. */
  json: boolean;
  /** The beginning of the tag that ends the value, if it is not `</`. */
  ending?: string;
  /** True if the tag has two keys, of which one was chosen. */
  isDoubtful?: boolean;
}

const SPACE = '(?:\\|{1,2}DSML\\|{1,2} ?|[A-Za-z]{1,16}:)?';
const BY_EQUALS = new RegExp(`^<${SPACE}(param(?:eter)?)\\s{0,9}=\\s{0,9}"?([^>"\\n]{1,100})"?\\s{0,9}>`);
const BY_NAME = new RegExp(`^<${SPACE}(param(?:eter)?)(?=\\s)`);
const ARGUMENT = '<|open|>argument ';
const SEPARATOR = '<|sep|>';
const ARG_KEY = '<arg_key>';
const ARG_KEY_END = '</arg_key>';

/** Tags around all arguments. They are no parameters. */
const WRAPPERS = new Set(['parameters', 'arguments', 'args', 'params']);

/** Returns the tag of a parameter at `at`, or `NO_MATCH` or `NEED_MORE`. */
export function readParameterTag(source: string, at: number, { dialect, closer }: Pick<Head, 'dialect' | 'closer'>): ParameterTag | number {
  if (dialect === 'tags') return readPlainTag(source, at);
  const tag = readMarkedTag(source, at);
  if (tag !== NO_MATCH || closer !== 'invoke') return tag;
  // MiniMax-M3 names the tags in an `invoke` by their parameters.
  const plain = readPlainTag(source, at);
  return typeof plain === 'object' && WRAPPERS.has(plain.key) ? NO_MATCH : plain;
}

/** Reads a tag whose name is that of the parameter. */
function readPlainTag(source: string, at: number): ParameterTag | number {
  const cursor = new Cursor(source, at);
  const key = cursor.tag();
  return /^\w{1,40}$/.test(key) ? { key, end: cursor.at, closer: key, json: false } : undecided(cursor);
}

function readMarkedTag(source: string, at: number): ParameterTag | number {
  const cursor = new Cursor(source, at);
  const { text } = cursor;
  const equals = BY_EQUALS.exec(text);
  if (equals) return { key: equals[2]!.trim(), end: equals[0].length, closer: equals[1]!, json: false };
  const named = BY_NAME.exec(text);
  if (named) {
    const attributes = readAttributes(text, named[0].length);
    if (!attributes) return cursor.cut ? NO_MATCH : NEED_MORE;
    const json = /\sstring\s{0,9}=\s{0,9}["']false["']/.test(text.slice(0, attributes.end));
    return { key: attributes.name ?? '', end: attributes.end, closer: named[1]!, json, isDoubtful: !!attributes.other };
  }
  if (cursor.word(ARGUMENT)) {
    const [written = '', key = '', type] = /^key="([^"\n]{1,100})"(?: type="(\w{1,20})")?<\|sep\|>/.exec(text.slice(cursor.at)) ?? [];
    if (written === '') return cursor.cut || text.includes(SEPARATOR) ? NO_MATCH : NEED_MORE;
    return { key, end: cursor.at + written.length, closer: 'argument', json: type !== undefined && type !== 'string', ending: '<|close|>' };
  }
  if (cursor.word(ARG_KEY)) {
    const close = text.indexOf(ARG_KEY_END, cursor.at);
    if (close < 0) return cursor.cut ? NO_MATCH : NEED_MORE;
    const key = text.slice(cursor.at, close).trim();
    cursor.at = close + ARG_KEY_END.length;
    const behind = cursor.at;
    cursor.blanks();
    // GLM sometimes omits this tag.
    if (!cursor.word('<arg_value>')) cursor.at = behind;
    return cursor.short ? NEED_MORE : { key, end: cursor.at, closer: 'arg_value', json: false };
  }
  const close = text.indexOf('>');
  return !cursor.cut && (close < 0 || ARGUMENT.startsWith(text)) && (cursor.short || /^<[\w|:]{0,30}(?:[\s=]|$)/.test(text))
    ? NEED_MORE
    : NO_MATCH;
}

/** Returns the position after `</name>` at `at`, in any namespace, or `NO_MATCH` or `NEED_MORE`. */
export function matchEndTag(source: string, at: number, name: string): number {
  const second = source[at + 1];
  if (second !== undefined && !'/|'.includes(second)) return NO_MATCH;
  const plain = endTagName(source, at);
  if (plain !== undefined) return plain === name.toLowerCase() ? at + plain.length + 3 : NO_MATCH;
  const cursor = new Cursor(source, at, MARK);
  const inner = cursor.tag();
  if (inner === '') return undecided(cursor);
  const start = inner.length - name.length;
  if (start < 1 || !inner.startsWith('/') || !'/|:+'.includes(inner[start - 1]!)) return NO_MATCH;
  return inner.slice(start).toLowerCase() === name.toLowerCase() ? at + cursor.at : NO_MATCH;
}

/** Returns the position after a mark that ends calls at `at`, or `NO_MATCH` or `NEED_MORE`. */
export function matchCloseMark(source: string, at: number): number {
  const second = source[at + 1];
  if (second !== undefined && !'/|｜Tt'.includes(second)) return NO_MATCH;
  const plain = endTagName(source, at);
  if (plain !== undefined && !isMarkName(plain)) return NO_MATCH;
  const cursor = new Cursor(source, at, MARK);
  const mark = readMark(cursor);
  if (mark?.kind === 'close') return at + cursor.at;
  return mark ? NO_MATCH : undecided(cursor);
}

/** Returns the end of a value without trailing layout before `end`: one line break and the blanks after it. */
export function beforeLayout(text: string, start: number, end: number, closed: boolean): number {
  let index = end;
  while (index > start && (text[index - 1] === ' ' || text[index - 1] === '\t') && end - index < MARK) index -= 1;
  if (index > start && text[index - 1] === '\n') return index - 1 > start && text[index - 2] === '\r' ? index - 2 : index - 1;
  return !closed && end > start && text[end - 1] === '\r' ? end - 1 : end;
}
