/**
 * Finds near misses: replies without a call that end in a complete call of another protocol to an existing tool, or in a shape that models
 * use. Nothing runs; the model is told once how to write calls. Loaded when such a reply has come.
 */
import { readers } from './built-in-readers.js';
import { dialectParser } from './dialects/dialect-protocol.js';
import { type ForeignCall, readForeignCalls, standardCalls } from './foreign-formats/call-shapes.js';
import type { ProtocolReader, Segment } from './protocol.js';
import { readComplete } from './read-whole.js';
import { createTextMode } from './text-mode.js';
import { closeBrackets } from './json/brackets.js';
import { parseTolerant } from './json/tolerant.js';
import { before, openingOf, trimEnd } from './foreign-formats/read-backwards.js';
import { pythonCalls } from './foreign-formats/python.js';

export interface NearMiss {
  /** The built-in protocol that the call is written in, or comes closest to. */
  protocol: string;
  /** The tool that was probably meant. */
  name: string;
  /** The call as written in the reply. */
  raw: string;
  /** The start of the call in the reply, including surrounding marks. It continues to the end. */
  start: number;
  /** All its calls, to show to the user. `arguments` is missing if they cannot be read. */
  calls: ForeignCall[];
  /** Set if the call is in none of our protocols. */
  loose?: true;
  /** Set if the call is written in `protocol`, but in a place where that does not accept it. */
  misplaced?: true;
  /** Set if the call lacks one or two closing brackets at its end. */
  short?: true;
}

export interface NearMissOptions {
  /** The protocol that read the reply and found no call. */
  active: string;
  isTool(name: string): boolean;
}

/** Quotes and backslashes that some models write instead of plain quotes and angle brackets. */
const TYPED = /[“”„]|\\(?=[<>])/g;
/** Last characters of a complete call in any protocol, ours or another. */
const LAST = '>`~}])';

/** Examines a finished reply as the model wrote it. Linear in its length. */
export function findNearMiss(text: string, { active, isTool }: NearMissOptions): NearMiss | undefined {
  if (!LAST.includes(text.trimEnd().slice(-1) || ' ')) return undefined;
  // All positions in the text stay the same.
  const familiar = text.replace(TYPED, (written) => (written === '\\' ? ' ' : '"'));
  for (const { id, createParser } of readers) {
    const found = id === active && familiar === text ? undefined : callsAtEnd(createParser, text, familiar, isTool);
    if (found) return { ...found, protocol: id };
  }
  const marked = dialectParser({ isTool, active });
  const foreign = callsAtEnd((emit) => createTextMode(marked, emit), text, text, isTool);
  if (foreign) return { ...foreign, protocol: 'json-tool-calls', loose: true };
  const found = findForeignCall(text, isTool);
  if (!found) return undefined;
  const { misplaced } = found;
  return { ...found, name: found.calls[0]!.name, raw: text.slice(found.start).trimEnd(), ...(!misplaced && { loose: true }) };
}

/** Returns the calls at the end of the text, read from `familiar`: only complete ones that are not examples. */
function callsAtEnd(
  createParser: Required<ProtocolReader>['createParser'],
  text: string,
  familiar: string,
  isTool: (name: string) => boolean,
): Omit<NearMiss, 'protocol'> | undefined {
  const segments = readComplete(createParser, familiar);
  const calls: (Segment & { type: 'call' })[] = [];
  for (const segment of segments.toReversed()) {
    if (segment.type === 'call') {
      if (!isTool(segment.name) || segment.flags?.some((flag) => flag === 'quoted' || flag === 'repaired')) break;
      calls.unshift(segment);
    } else if (segment.type === 'call-error' || ('text' in segment && segment.type !== 'arguments' && segment.text.trim() !== '')) break;
  }
  const [first, another] = calls;
  if (!first) return undefined;
  const at = familiar.lastIndexOf(first.raw);
  return {
    name: first.name,
    raw: another ? text.slice(at).trimEnd() : text.slice(at, at + first.raw.length),
    start: startOf(segments) ?? at,
    calls: calls.map(({ name, arguments: values, flags = [], providerId }) => ({
      ...{ name, arguments: values, flags },
      ...(providerId !== undefined && { providerId }),
    })),
  };
}

/** Returns the start of the first call with its marks, if only text precedes it. */
function startOf(segments: readonly Segment[]): number | undefined {
  let start = 0;
  for (const segment of segments) {
    if (segment.type === 'call-start') return start;
    if (segment.type !== 'text') return undefined;
    start += segment.text.length;
  }
  return undefined;
}

/**
 * Finds unmarked calls at the end of a reply, after words or in a fence: JSON and Python. They do not run as calls; the model is told how
 * to write calls, or the user is asked. Linear in the length of the text.
 */
interface FoundForeignCall {
  /** The start, including the surrounding fence and marks. It continues to the end of the text. */
  start: number;
  calls: ForeignCall[];
  /** The closest built-in protocol. */
  protocol: string;
  /** Set if it is a complete call of that protocol in a place where the protocol does not accept one. */
  misplaced?: true;
  /** Set if it lacks brackets at its end. */
  short?: true;
}

type IsTool = (name: string) => boolean;

const FENCE = /(?:`{3,}|~{3,})[ \t]{0,9}[\w+-]{0,20}\s{0,9}$/;
const FENCE_END = /(?:`{3,}|~{3,})$/;
/** Marks around a call that gives its name too late for the dialect reader. */
const MARKS = /<tool_calls?>\s{0,9}$/;
const MARKS_END = /<\/tool_calls?>$/;
/** Text that precedes a value inside JSON, but not a separate value. */
const INSIDE = /(?:\[|"\s{0,9}:)\s{0,9}$/;

function findForeignCall(text: string, isTool: IsTool): FoundForeignCall | undefined {
  let end = trimEnd(text, text.length);
  const fence = before(text, end, FENCE_END);
  if (fence.found) end = trimEnd(text, fence.start);
  const found = lastOf(text, end, isTool);
  if (!found) return undefined;
  const { start } = before(text, found.start, FENCE);
  return isQuoted(text, start) ? undefined : { ...found, start };
}

function lastOf(text: string, end: number, isTool: IsTool): FoundForeignCall | undefined {
  switch (text[end - 1]) {
    case '}':
      return jsonBefore(text, end, isTool) ?? shortJson(text, end, isTool);
    case ']':
      return jsonBefore(text, end, isTool) ?? pythonBefore(text, end, isTool) ?? shortJson(text, end, isTool);
    case ')':
      return pythonBefore(text, end, isTool);
    case '>': {
      const marks = before(text, end, MARKS_END);
      return marks.found ? jsonBefore(text, trimEnd(text, marks.start), isTool) : undefined;
    }
    default:
      return undefined;
  }
}

function pythonBefore(text: string, end: number, isTool: IsTool): FoundForeignCall | undefined {
  const found = pythonCalls(text, end, isTool);
  return found && { ...found, protocol: 'tool-code' };
}

function jsonBefore(text: string, end: number, isTool: IsTool): FoundForeignCall | undefined {
  const start = openingOf(text, end, '"');
  return start < 0 || before(text, start, INSIDE).found ? undefined : jsonAt(text, start, text.slice(start, end), isTool);
}

function jsonAt(text: string, start: number, source: string, isTool: IsTool): FoundForeignCall | undefined {
  const parsed = parseTolerant(source);
  if ('error' in parsed) return undefined;
  const { value, notes } = parsed;
  const standard = standardCalls(value, notes, isTool);
  if (standard) return { start, ...standard, misplaced: true };
  const calls = readForeignCalls(value, notes, isTool);
  return calls && { start: before(text, start, MARKS).start, calls, protocol: 'json-tool-calls' };
}

/** Reads JSON with brackets missing at its end. Its start can only be recognized by the typical first keys of a call. */
function shortJson(text: string, end: number, isTool: IsTool): FoundForeignCall | undefined {
  for (const head of [/\{\s{0,99}"(?:tool_calls|role|action|tool_use)"/g, /\{\s{0,99}"(?:name|tool)"/g]) {
    let start = -1;
    for (const { index } of text.slice(0, end).matchAll(head)) start = index;
    const closed = start < 0 ? undefined : closeBrackets(text.slice(start, end));
    const found = closed === undefined ? undefined : jsonAt(text, start, closed, isTool);
    if (found) {
      const { misplaced: _, ...rest } = found;
      return { ...rest, short: true };
    }
  }
  return undefined;
}

/** Checks for a quotation. Quoted text comes from someone else. */
function isQuoted(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at + 1);
  return line.trimStart().startsWith('>');
}
