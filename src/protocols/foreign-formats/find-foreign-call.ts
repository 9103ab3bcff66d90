/**
 * Finds unmarked calls at the end of a reply, after words or in a fence: JSON and Python. They do not run as calls; the model is told how
 * to write calls, or the user is asked. Linear in the length of the text.
 */
import { closeBrackets } from '../json/brackets.js';
import { parseTolerant } from '../json/tolerant.js';
import { before, openingOf, trimEnd } from './read-backwards.js';
import { pythonCalls } from './python.js';
import { readForeignCalls, standardCalls, type ForeignCall } from './call-shapes.js';

export interface FoundForeignCall {
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

export function findForeignCall(text: string, isTool: IsTool): FoundForeignCall | undefined {
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
