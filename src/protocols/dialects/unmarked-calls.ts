/**
 * Replies that consist of calls only, without any mark: JSON with the name of a tool, Python, and calls of Gemma or Functionary whose marks
 * a server has removed. Only the end shows whether a reply is one, so it is held until then.
 */
import { isObject, own } from '../../base/objects.js';
import { parseTolerant, type TolerantJson } from '../json/tolerant.js';
import { readForeignCalls } from '../foreign-formats/call-shapes.js';
import { HOLD_LIMIT, skipBlanks } from '../scan.js';
import { readBody, readCalls, type ReadCall } from './bodies.js';
import { createBrackets } from './brackets.js';
import { Cursor, MARK } from './cursor.js';
import { findHead, findRecipient, OPEN, TRANSCRIPT, type FindTool, type Found, type Head } from './heads.js';
import { readMark } from './marks.js';

export interface UnmarkedCall extends ReadCall {
  raw: string;
  dialect: string;
}

const PHI = 'functools';
const RECIPIENT = 'assistant to=';

/** Maximum number of calls. A reply with more is text. */
const MOST_CALLS = 1_000;

/** Checks whether a reply that begins with `text` may consist of calls only. Undefined: only more text can tell. */
export function mayBeUnmarkedCalls(text: string, find: FindTool): boolean | undefined {
  const start = startOf(text, 0);
  const rest = text.slice(start);
  if (rest === '' || PHI.startsWith(rest) || RECIPIENT.startsWith(rest)) return text.length < HOLD_LIMIT ? undefined : false;
  const { head, mark, short } = findBare(text, start, find);
  if (mark) return false;
  if (head) return isBare(head, text, start);
  return short && text.length < HOLD_LIMIT ? undefined : false;
}

const findBare = (text: string, at: number, find: FindTool): Found =>
  text.startsWith('to=', at) || text.startsWith(RECIPIENT, at) ? findRecipient(text, at, find) : findHead(text, at, find, OPEN);

const startOf = (text: string, at: number): number => {
  const start = skipBlanks(text, at);
  return text.startsWith(`${PHI}[`, start) ? start + PHI.length : start;
};

/** Checks that the call has no mark: one with a mark would be read in place. */
const isBare = ({ body, dialect }: Head, text: string, at: number): boolean =>
  body !== 'tags' && body !== 'none' && dialect !== TRANSCRIPT && text[at] !== '<';

/** Returns the calls at the start of the reply and the position where the remaining text begins. */
export function readUnmarkedCalls(text: string, find: FindTool): { calls: UnmarkedCall[]; end: number } {
  const calls: UnmarkedCall[] = [];
  let end = 0;
  for (let at = 0; ;) {
    at = startOf(text, behindEnds(text, at, calls.length > 0));
    const { head, mark } = findBare(text, at, find);
    if (!head || mark || !isBare(head, text, at)) break;
    const close = endOf(text, at + head.end, head.body);
    if (close === undefined) break;
    const source = text.slice(at + head.end, close);
    const found = readBare(head, source, find);
    if (!found) break;
    const raw = text.slice(at, close);
    for (const call of found)
      calls.push({ ...call, flags: head.isGuess ? [...call.flags, 'suspicious'] : call.flags, raw, dialect: head.dialect });
    // All of it is read at once, at the end.
    if (calls.length > MOST_CALLS) return { calls: [], end: 0 };
    at = end = behindEnds(text, head.dialect === 'harmony' ? behindGarbled(text, close) : close, true);
    if (at === text.length) break;
  }
  return { calls, end };
}

/** Skips blanks, separators and stop marks. */
function behindEnds(text: string, at: number, separated: boolean): number {
  for (let index = at; ;) {
    index = skipBlanks(text, index);
    const cursor = new Cursor(text, index, MARK);
    if (separated && (text[index] === ';' || text[index] === ',')) index += 1;
    else if (readMark(cursor)?.kind === 'stop') index += cursor.at;
    else return index;
  }
}

function endOf(text: string, at: number, body: Head['body']): number | undefined {
  const brackets = createBrackets();
  brackets.begin(body === 'gemma' ? 'gemma' : body === 'python' || body === 'list' ? 'python' : 'json');
  for (let index = at; ;) {
    index = brackets.read(text, index, text.length, false);
    if (brackets.done) return index;
    if (index === text.length || brackets.held) return undefined;
    brackets.pass();
  }
}

function readBare({ body, name }: Head, source: string, find: FindTool): ReadCall[] | undefined {
  if (body !== 'calls') return readBody(body, name, source, find);
  const parsed = parseTolerant(source);
  return saysCalls(parsed, find) ? readCalls(name, parsed, find) : undefined;
}

/** Checks that the JSON is a call: without marks it must name a tool itself, in none of our protocols. */
function saysCalls(parsed: TolerantJson, find: FindTool): boolean {
  if ('error' in parsed) return false;
  const { value, notes } = parsed;
  if (isObject(value) && (own(value, 'action') !== undefined || own(value, 'tool_calls') !== undefined)) return false;
  return readForeignCalls(value, notes, (name) => find(name) !== undefined) !== undefined;
}

/** Skips the garbled rest of the tokens after a harmony call, up to the end of the line. */
function behindGarbled(text: string, at: number): number {
  const rest = text.slice(at, at + MARK);
  const length = rest.search(/[\r\n]/);
  return length >= 0 ? at + length : rest.length < MARK ? text.length : at;
}
