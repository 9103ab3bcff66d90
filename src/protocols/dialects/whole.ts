/**
 * Replies that are nothing but calls, without any mark: JSON with the name of a tool, Python, what is left of Gemma's and Functionary's calls
 * where a server takes the marks away. Whether it is one shows at its end alone, so that it is held until then.
 */
import { isObject, own } from '../../base/objects.js';
import { parseTolerant } from '../json/tolerant.js';
import { looseCalls } from '../loose/shapes.js';
import { HOLD_LIMIT, skipBlanks } from '../scan.js';
import { readBody, type ReadCall } from './bodies.js';
import { createBrackets } from './brackets.js';
import { createCursor, MARK } from './cursor.js';
import { findHead, OPEN, type FindTool, type Head } from './heads.js';
import { readMark } from './marks.js';

export interface WholeCall extends ReadCall {
  raw: string;
  dialect: string;
}

const PHI = 'functools';

/** Whether a reply that begins so may be nothing but calls; undefined: only more text can tell. */
export function mayBeWhole(text: string, find: FindTool): boolean | undefined {
  const start = startOf(text, 0);
  if (start === text.length || PHI.startsWith(text.slice(start))) return text.length < HOLD_LIMIT ? undefined : false;
  const { head, mark, short } = findHead(text, start, find, OPEN);
  if (mark) return false;
  if (head) return isBare(head, text, start);
  return short && text.length < HOLD_LIMIT ? undefined : false;
}

const startOf = (text: string, at: number): number => {
  const start = skipBlanks(text, at);
  return text.startsWith(`${PHI}[`, start) ? start + PHI.length : start;
};

/** A mark would be read where it stands. */
const isBare = ({ body }: Head, text: string, at: number): boolean => body !== 'tags' && body !== 'none' && text[at] !== '<';

/** The calls that the reply begins with, and where what is left begins. */
export function readWholeCalls(text: string, find: FindTool): { calls: WholeCall[]; end: number } {
  const calls: WholeCall[] = [];
  let end = 0;
  for (let at = 0; ;) {
    at = startOf(text, behindEnds(text, at, calls.length > 0));
    const { head, mark } = findHead(text, at, find, OPEN);
    if (!head || mark || !isBare(head, text, at)) break;
    const close = endOf(text, at + head.end, head.body);
    if (close === undefined) break;
    const source = text.slice(at + head.end, close);
    if (head.body === 'calls' && !saysCalls(source, find)) break;
    const raw = text.slice(at, close);
    for (const call of readBody(head.body, head.name, source, find)) calls.push({ ...call, raw, dialect: head.dialect });
    at = end = behindEnds(text, close, true);
    if (at === text.length) break;
  }
  return { calls, end };
}

/** Behind blanks, separators and the ends of a reply. */
function behindEnds(text: string, at: number, separated: boolean): number {
  for (let index = at; ;) {
    index = skipBlanks(text, index);
    const cursor = createCursor(text, index, MARK);
    if (separated && (text[index] === ';' || text[index] === ',')) index += 1;
    else if (readMark(cursor)?.kind === 'stop') index += cursor.at;
    else return index;
  }
}

function endOf(text: string, at: number, body: Head['body']): number | undefined {
  const brackets = createBrackets();
  brackets.begin(body === 'gemma' ? 'gemma' : body === 'python' || body === 'list' ? 'python' : 'json');
  for (let index = at; ;) {
    index = brackets.read(text, index, text.length);
    if (brackets.done) return index;
    if (index === text.length || brackets.held) return undefined;
    brackets.pass();
  }
}

/** Without marks the JSON itself has to say that it calls something, and in no notation of ours. */
function saysCalls(source: string, find: FindTool): boolean {
  const parsed = parseTolerant(source);
  if ('error' in parsed) return false;
  const { value, notes } = parsed;
  if (isObject(value) && (own(value, 'action') !== undefined || own(value, 'tool_calls') !== undefined)) return false;
  return looseCalls(value, notes, (name) => find(name) !== undefined) !== undefined;
}
