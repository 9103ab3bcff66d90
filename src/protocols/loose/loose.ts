/**
 * Finds what models write on their own instead of calls, at the end of a reply: bare or fenced JSON, Python, marks of other makers' templates.
 * None of it is a call here; who finds one tells the model how calls are written, or asks a person. Linear in the length of the text.
 */
import { closeBrackets } from '../json/brackets.js';
import { parseTolerant } from '../json/tolerant.js';
import { before, openingOf, trimEnd } from './backwards.js';
import { pythonCalls } from './python.js';
import { FORBIDDEN } from '../source.js';
import { argumentsOf, looseCalls, standardCalls, type LooseCall } from './shapes.js';

export interface Loose {
  /** Where it begins, with the fence and the marks around it; it goes on to the end of the text. */
  start: number;
  calls: LooseCall[];
  /** The built-in protocol that it comes nearest to. */
  protocol: string;
  /** It is a call of that protocol, whole, where the protocol wants none. */
  misplaced?: true;
  /** It lacks brackets at its end. */
  short?: true;
}

type IsTool = (name: string) => boolean;

const FENCE = /(?:`{3,}|~{3,})[ \t]{0,9}[\w+-]{0,20}\s{0,9}$/;
const FENCE_END = /(?:`{3,}|~{3,})$/;
const MARKS = /(?:\[TOOL_CALLS\]|<\|python_tag\|>|<tool_call>)\s{0,9}$/;
/** What stands before a value in JSON, and before none that stands alone. */
const INSIDE = /(?:\[|"\s{0,9}:)\s{0,9}$/;
const NAMED = /\[TOOL_CALLS\]\s{0,9}([^\s[\]{}<>"'`]{1,64})(?:\[ARGS\])?\s{0,9}$/;

export function findLoose(text: string, isTool: IsTool): Loose | undefined {
  let end = trimEnd(text, text.length);
  const fence = before(text, end, FENCE_END);
  if (fence.found) end = trimEnd(text, fence.start);
  const found = lastOf(text, end, isTool);
  if (!found) return undefined;
  const { start } = before(text, found.start, FENCE);
  return isQuoted(text, start) ? undefined : { ...found, start };
}

function lastOf(text: string, end: number, isTool: IsTool): Loose | undefined {
  switch (text[end - 1]) {
    case '}':
      return jsonBefore(text, end, isTool) ?? shortJson(text, end, isTool);
    case ']':
      return jsonBefore(text, end, isTool) ?? pythonBefore(text, end, isTool) ?? shortJson(text, end, isTool);
    case ')':
      return pythonBefore(text, end, isTool);
    case '>':
      return functionBefore(text, end, isTool);
    default:
      return undefined;
  }
}

function pythonBefore(text: string, end: number, isTool: IsTool): Loose | undefined {
  const found = pythonCalls(text, end, isTool);
  return found && { ...found, protocol: 'tool-code' };
}

function jsonBefore(text: string, end: number, isTool: IsTool): Loose | undefined {
  const start = openingOf(text, end, '"');
  return start < 0 || before(text, start, INSIDE).found ? undefined : jsonAt(text, start, text.slice(start, end), isTool);
}

function jsonAt(text: string, start: number, source: string, isTool: IsTool): Loose | undefined {
  const parsed = parseTolerant(source);
  if ('error' in parsed) return undefined;
  const { value, notes } = parsed;
  const named = before(text, start, NAMED);
  const name = named.found?.[1];
  if (name !== undefined && isTool(name)) {
    const [call] = looseCalls({ name, arguments: value }, notes, isTool) ?? [];
    return call && { start: named.start, calls: [call], protocol: 'json-tool-calls' };
  }
  const standard = standardCalls(value, notes, isTool);
  if (standard) return { start, ...standard, misplaced: true };
  const calls = looseCalls(value, notes, isTool);
  return calls && { start: before(text, start, MARKS).start, calls, protocol: 'json-tool-calls' };
}

/** The same with brackets missing at its end. Where it begins, only what a call begins with can tell. */
function shortJson(text: string, end: number, isTool: IsTool): Loose | undefined {
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

/** `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>`, the outer tags as they come; or JSON in the function. */
function functionBefore(text: string, end: number, isTool: IsTool): Loose | undefined {
  const outer = before(text, end, /<\/tool_call>$/);
  const behind = outer.found ? trimEnd(text, outer.start) : end;
  const inner = before(text, behind, /<\/function>$/);
  const open = inner.found ? text.lastIndexOf('<function=', inner.start) : -1;
  const close = open < 0 ? -1 : text.indexOf('>', open);
  if (close < 0 || close >= inner.start) return undefined;
  const name = text.slice(open + '<function='.length, close).trim();
  if (!isTool(name)) return undefined;
  const values = parametersIn(text.slice(close + 1, inner.start));
  return {
    start: before(text, open, /<tool_call>\s{0,9}$/).start,
    calls: [{ name, ...(values && { arguments: values }) }],
    protocol: 'xml-invoke',
  };
}

function parametersIn(body: string): Record<string, unknown> | undefined {
  const values = Object.create(null) as Record<string, unknown>;
  let at = 0;
  for (;;) {
    const open = body.indexOf('<parameter=', at);
    if (body.slice(at, open < 0 ? undefined : open).trim() !== '') return at === 0 && open < 0 ? argumentsOf(body) : undefined;
    if (open < 0) return values;
    const named = body.indexOf('>', open);
    const close = body.indexOf('</parameter>', open);
    if (named < 0 || close < named) return undefined;
    const key = body.slice(open + '<parameter='.length, named).trim();
    if (key === '' || key in values || FORBIDDEN.has(key)) return undefined;
    values[key] = body
      .slice(named + 1, close)
      .replace(/^\r?\n/, '')
      .replace(/\r?\n$/, '');
    at = close + '</parameter>'.length;
  }
}

/** What a quotation says is somebody else's. */
function isQuoted(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at + 1);
  return line.trimStart().startsWith('>');
}
