/** The functions that seed 001 asks of its parser, for replies that are whole or still arriving. They throw on no text. */
import { asProtocol } from './adapt.js';
import { createCodeSpans } from './code-spans.js';
import { jsonActionReader } from './json-action/parser.js';
import { JSON_WORDS, matchFenceLine } from './json/ends.js';
import { createJsonReader } from './json/json-reader.js';
import type { ProtocolReader, ToolProtocol } from './protocol.js';
import { NO } from './scan.js';
import { readWhole } from './read-whole.js';

export interface ParsedToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface ParseResult {
  /** `mixed`: a call and visible words. */
  type: 'tool_call' | 'text' | 'mixed';
  /** The first of `toolCalls`. */
  toolCall?: ParsedToolCall;
  /** Complete calls, in their order. */
  toolCalls: ParsedToolCall[];
  /** What a reader of the reply sees: no markup, no beginning of a call, no reasoning. */
  text: string;
}

/**
 * Reads a reply, or as much of it as there is: a call counts as soon as it is complete. What does not yet show that it is meant as one is text; a
 * parser that is fed as the text arrives can wait, and never shows it. `protocol` is `json-action` if none is given.
 */
export function parseResponse(content: string, protocol: ProtocolReader | ToolProtocol = jsonActionReader): ParseResult {
  const reader = protocol.createParser ? protocol : asProtocol(protocol);
  const toolCalls: ParsedToolCall[] = [];
  let text = '';
  for (const segment of readWhole((emit) => reader.createParser!(emit), content)) {
    if (segment.type === 'text') text += segment.text;
    else if (segment.type === 'call' && !segment.flags?.includes('quoted')) {
      toolCalls.push({ name: segment.name, arguments: segment.arguments });
    }
  }
  const [toolCall] = toolCalls;
  if (!toolCall) return { type: 'text', toolCalls, text };
  return { type: text.trim() === '' ? 'tool_call' : 'mixed', toolCall, toolCalls, text };
}

/** Whether there is a complete call. */
export function containsToolCall(content: string, protocol?: ProtocolReader | ToolProtocol): boolean {
  return parseResponse(content, protocol).toolCalls.length > 0;
}

/**
 * The JSON of the first fenced JSON block, or of a message that is nothing but JSON, exactly as it was written: null as long as it is not
 * complete. Its end is found by the JSON itself, so a string may hold fences and braces. A block that is no JSON is passed over.
 */
export function extractJSONBlock(content: string): string | null {
  if (/^\ufeff?\s*[[{]/.test(content)) {
    const json = readValue(content, content.search(/[[{]/)).json;
    if (json !== undefined) return json;
  }
  const code = createCodeSpans('`~', () => undefined);
  // What is broken may have been read to the very end; many such blocks would take the square of the time.
  let budget = 4 * content.length;
  for (let at = code.next(content, 0, false); at < content.length && budget > 0; at = code.next(content, at, true)) {
    const fence = code.place === 'text' ? NO : matchFenceLine(content, at, JSON_WORDS);
    if (typeof fence === 'number') continue;
    const { json, end } = readValue(content, fence.end);
    if (json !== undefined) return json;
    budget -= end - at;
  }
  return null;
}

/** The object or list behind blanks and comments: its text, null if it is cut, undefined if there is none. `end` is how far was read. */
function readValue(text: string, at: number): { json: string | null | undefined; end: number } {
  const reader = createJsonReader({ value: () => reader.frames.length === 0 });
  const start = reader.read(text, at, text.length, false);
  if (start === text.length && !reader.broken) return { json: null, end: start };
  if (reader.broken || (text[start] !== '{' && text[start] !== '[')) return { json: undefined, end: start };
  const end = reader.read(text, start, text.length, true);
  if (reader.broken) return { json: undefined, end };
  return { json: reader.frames.length === 0 ? text.slice(start, end) : null, end };
}
