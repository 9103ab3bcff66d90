/** Reads calls in Python syntax: `create_task(title="Buy milk")`, one or several, also in a list or `print(…)`. */
import { parseTolerant } from '../json/tolerant.js';
import { charTable, findChar, trimBlanks } from '../scan.js';
import { FORBIDDEN } from '../call-buffer.js';
import { before, openingOf, trimEnd } from './read-backwards.js';
import type { ForeignCall } from './call-shapes.js';

const QUOTES = '"\'';
/** A name, including any prefix before a dot. */
const NAME = /[^\s()[\]{}<>"'`=,;:]{1,200}$/;
const PUNCTUATION = charTable(`${QUOTES}()[]{},`);
const IN_QUOTES = charTable(`${QUOTES}\\`);
const MOST = 20;

export interface PythonCalls {
  start: number;
  calls: ForeignCall[];
}

/** Returns the calls that end at `end` and begin a line or the text. */
export function pythonCalls(text: string, end: number, isTool: (name: string) => boolean): PythonCalls | undefined {
  if (text[end - 1] === ']') {
    const start = openingOf(text, end, QUOTES);
    const inner = start < 0 ? undefined : callsBefore(text, start + 1, end - 1, isTool, ',');
    return inner?.start === start + 1 ? { ...inner, start } : undefined;
  }
  return callsBefore(text, 0, end, isTool, '\n');
}

/** @param separator The text between calls, apart from blanks. Text before the first call is not included. */
function callsBefore(
  text: string,
  from: number,
  end: number,
  isTool: (name: string) => boolean,
  separator: ',' | '\n',
): PythonCalls | undefined {
  const calls: ForeignCall[] = [];
  let start = -1;
  for (let at = trimEnd(text, end); at > from && calls.length < MOST;) {
    const call = callBefore(text, at, isTool);
    if (!call || call.start < from) break;
    const behind = trimEnd(text, call.start);
    const isFirst = behind <= from;
    const separated = separator === ',' ? text[behind - 1] === ',' : text.slice(behind, call.start).includes('\n');
    if (!isFirst && !separated && (separator === ',' || !opensFence(text, call.start))) break;
    calls.unshift(call.call);
    start = call.start;
    if (isFirst) return { start: Math.max(from, behind), calls };
    at = separator === ',' ? trimEnd(text, behind - 1) : behind;
  }
  return start >= 0 && separator === '\n' ? { start, calls } : undefined;
}

const opensFence = (text: string, at: number) => before(text, at, /(?:`{3,}|~{3,})[ \t]{0,9}[\w+-]{0,20}\s{1,9}$/).found !== null;

function callBefore(text: string, end: number, isTool: (name: string) => boolean): { start: number; call: ForeignCall } | undefined {
  if (text[end - 1] !== ')') return undefined;
  const open = openingOf(text, end, QUOTES);
  const { start, found } = open < 0 ? { start: -1, found: null } : before(text, open, NAME);
  if (!found) return undefined;
  const inner = text.slice(open + 1, end - 1);
  if (found[0] === 'print') {
    const printed = trimBlanks(inner);
    const call = callBefore(printed, printed.length, isTool);
    return call?.start === 0 ? { start, call: call.call } : undefined;
  }
  const name = isTool(found[0]) ? found[0] : found[0].slice(found[0].lastIndexOf('.') + 1);
  if (!isTool(name)) return undefined;
  const values = keywordArguments(inner);
  return { start, call: { name, ...(values && { arguments: values }) } };
}

/** Reads `a="x", b=[1, 2], c=True`; undefined for anything else. */
export function keywordArguments(source: string): Record<string, unknown> | undefined {
  const values = Object.create(null) as Record<string, unknown>;
  for (let at = 0; at < source.length;) {
    const equals = source.indexOf('=', at);
    if (equals < 0) return source.slice(at).trim() === '' ? values : undefined;
    const key = source.slice(at, equals).trim();
    const end = commaAfter(source, equals + 1);
    const parsed = parseTolerant(`[${source.slice(equals + 1, end)}]`);
    const list = parsed.value;
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key) || FORBIDDEN.has(key) || key in values) return undefined;
    if (!Array.isArray(list) || list.length !== 1 || 'error' in parsed || parsed.notes.forbidden) return undefined;
    values[key] = list[0];
    at = end + 1;
  }
  return values;
}

/** Returns the position of the next comma outside of brackets and strings, or the end. */
export function commaAfter(source: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; ; at += 1) {
    at = findChar(source, at, source.length, quote === '' ? PUNCTUATION : IN_QUOTES);
    if (at >= source.length) return source.length;
    const char = source[at]!;
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if (QUOTES.includes(char)) quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    else if (char === ',' && depth === 0) return at;
  }
}
