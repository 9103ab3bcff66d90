/** Functions to parse a complete or partial reply. They do not throw on any text. */
import { asProtocol } from './adapt.js';
import { createMarkdownContext } from './markdown-context.js';
import { jsonActionReader } from './json-action/parser.js';
import { JSON_WORDS, matchFenceLine } from './json/block-ends.js';
import { createJsonReader } from './json/json-reader.js';
import type { ProtocolReader, ToolProtocol } from './protocol.js';
import { NO_MATCH } from './scan.js';
import { readComplete } from './read-whole.js';

export interface ParsedToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface ParseResult {
  /** The kind of reply. `mixed`: a call and visible words. */
  type: 'tool_call' | 'text' | 'mixed';
  /** The first of `toolCalls`. */
  toolCall?: ParsedToolCall;
  /** The complete calls, in order. */
  toolCalls: ParsedToolCall[];
  /** The text that the user sees: without markup, the beginning of a call, or reasoning. */
  text: string;
}

/**
 * Reads a complete or partial reply. A call counts as soon as it is complete. Text that does not yet look like a call is returned as text;
 * a streaming parser can wait instead and never shows it. `protocol` defaults to `json-action`.
 */
export function parseResponse(content: string, protocol: ProtocolReader | ToolProtocol = jsonActionReader): ParseResult {
  const reader = protocol.createParser ? protocol : asProtocol(protocol);
  const toolCalls: ParsedToolCall[] = [];
  let text = '';
  for (const segment of readComplete((emit) => reader.createParser!(emit), content)) {
    if (segment.type === 'text') text += segment.text;
    else if (segment.type === 'call' && !segment.flags?.includes('quoted')) {
      toolCalls.push({ name: segment.name, arguments: segment.arguments });
    }
  }
  const [toolCall] = toolCalls;
  if (!toolCall) return { type: 'text', toolCalls, text };
  return { type: text.trim() === '' ? 'tool_call' : 'mixed', toolCall, toolCalls, text };
}

/** Checks whether there is a complete call. */
export function containsToolCall(content: string, protocol?: ProtocolReader | ToolProtocol): boolean {
  return parseResponse(content, protocol).toolCalls.length > 0;
}

/**
 * Returns the JSON of the first fenced JSON block, or of a message that consists of JSON only, exactly as written; null while it is
 * incomplete. The JSON itself determines its end, so a string may contain fences and braces. A block that is not JSON is skipped.
 */
export function extractJSONBlock(content: string): string | null {
  if (/^\ufeff?\s*[[{]/.test(content)) {
    const json = readValue(content, content.search(/[[{]/)).json;
    if (json !== undefined) return json;
  }
  const code = createMarkdownContext('`~', () => undefined);
  // Broken JSON may have been read to the very end. Many such blocks would make the time quadratic.
  let budget = 4 * content.length;
  for (let at = code.next(content, 0, false); at < content.length && budget > 0; at = code.next(content, at, true)) {
    const fence = code.place === 'text' ? NO_MATCH : matchFenceLine(content, at, JSON_WORDS);
    if (typeof fence === 'number') continue;
    const { json, end } = readValue(content, fence.end);
    if (json !== undefined) return json;
    budget -= end - at;
  }
  return null;
}

/**
 * Reads the object or list after blanks and comments. `json` is its text, null if it is cut off, undefined if there is none. `end` is the
 * position reached.
 */
function readValue(text: string, at: number): { json: string | null | undefined; end: number } {
  const reader = createJsonReader({ value: () => reader.frames.length === 0 });
  const start = reader.read(text, at, text.length, false);
  if (start === text.length && !reader.broken) return { json: null, end: start };
  if (reader.broken || (text[start] !== '{' && text[start] !== '[')) return { json: undefined, end: start };
  const end = reader.read(text, start, text.length, true);
  if (reader.broken) return { json: undefined, end };
  return { json: reader.frames.length === 0 ? text.slice(start, end) : null, end };
}
