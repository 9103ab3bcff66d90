/** Reads a service's response within limits and shortens it for a model: lists and texts are cut, and the cut is marked. */
import { ToolError } from '../base/errors.js';
import { cutText } from '../base/cut-text.js';
import { parseExactly } from '../base/exact-json.js';
import { isObject } from '../base/objects.js';
import { readBody } from '../base/read-body.js';
import type { ToolkitTexts } from './toolkit-texts.js';

/** Maximum bytes of a response that are read. */
export const MOST_BYTES = 4_000_000;
/** Maximum UTF-16 units of JSON passed on. The conversation cuts at 32,768 at any point, so a lower limit here keeps the JSON valid. */
export const SUMMARY_CHARS = 24_000;
/** Maximum items of a list or an object and UTF-16 units of a text, tried in this order until the data fits. */
const CUTS = [
  [Infinity, Infinity],
  [200, 4000],
  [100, 2000],
  [50, 1000],
  [20, 500],
  [10, 200],
  [5, 100],
  [3, 50],
  [1, 20],
] as const;

/**
 * Reads the answer of a call. A success status means success regardless of the body, whose fields are the service's own data. If the body
 * cannot be read, a reading call has failed, but a change has happened and is reported without it.
 *
 * A web page instead of data is never a success: something else has answered, such as a sign-in page.
 *
 * @throws the response itself if the service refuses: its status and text become the result
 */
export async function readResponse(response: Response, words: ToolkitTexts, { isRead, mayBePage, signal }: ReadOptions): Promise<unknown> {
  if (!response.ok) throw response;
  try {
    const data = await readData(response, words, mayBePage);
    return isObject(data) ? { success: true, message: words.done, data } : data;
  } catch (error) {
    if (isRead || signal.aborted || error instanceof WebPage) throw error;
    return { success: true, message: words.doneUnread };
  }
}

interface ReadOptions {
  /** True if the call changes nothing. */
  isRead: boolean;
  /** True if the service declares that it answers with HTML. */
  mayBePage: boolean;
  signal: AbortSignal;
}

/** Something other than the service has answered, so it is unknown whether the call had an effect. */
class WebPage extends ToolError {}

const PAGE = /^\s*(?:<!doctype html|<html\b)/i;
/** Media types with one JSON value per line. */
const ROWS = /^application\/(?:x-)?(?:nd-?json|json-?lines?|jsonl|json-seq|json-stream|ldjson|stream\+json)$/;

async function readData(response: Response, words: ToolkitTexts, mayBePage: boolean): Promise<unknown> {
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isRows = ROWS.test(type);
  const isJson = !isRows && /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(type);
  if (!isJson && !isRows && type !== '' && !/^text\/|[/+]xml$|[/+]yaml$/.test(type)) {
    await response.body?.cancel();
    return words.noContent(type);
  }
  const text = await readText(response);
  if (text === undefined) throw new ToolError(words.tooLarge('4 MB'), { code: 'EXECUTION_FAILED' });
  if (text.trim() === '') return words.done;
  if (!isJson && !mayBePage && PAGE.test(text)) throw new WebPage(words.webPage, { code: 'EXECUTION_FAILED' });
  if (isRows) return summarize(rowsOf(text) ?? text, words);
  if (!isJson && !/^\s*[[{]/.test(text)) return summarize(text, words);
  try {
    return summarize(parseExactly(text), words);
  } catch {
    if (!isJson) return summarize(text, words);
    throw new ToolError(words.noJson, { code: 'EXECUTION_FAILED' });
  }
}

/** Parses lines of JSON. Returns a single value as it is, and several as a list. */
function rowsOf(text: string): unknown {
  const lines = text
    .replaceAll('\u001e', '\n')
    .split('\n')
    .filter((line) => line.trim() !== '');
  try {
    const rows = lines.map(parseExactly);
    return rows.length === 1 ? rows[0] : rows;
  } catch {
    return undefined;
  }
}

/** Reads the body as text; `undefined` if it is larger than `MOST_BYTES`. @throws the error that interrupted it */
export async function readText({ body }: Response): Promise<string | undefined> {
  const { text, isWhole, error } = await readBody(body, MOST_BYTES);
  if (error !== undefined) throw error;
  return isWhole ? text : undefined;
}

/** Replaces parts of a text. Gets the object or list that holds the text, too. */
type Strip = (text: string, holder: unknown) => string;

/** Returns the data as it is if it fits, otherwise with cut lists, objects and texts. A cut list says how many items are missing. */
export function summarize(data: unknown, words: ToolkitTexts, strip?: Strip): unknown {
  const text = JSON.stringify(data) ?? '';
  if (text.length <= SUMMARY_CHARS && !strip) return data;
  const known = new Map<object, string[]>();
  for (const [items, units] of CUTS) {
    const cut = { ...{ items, units, words, known, left: SUMMARY_CHARS }, ...(strip && { strip }) };
    const short = shorten(data, cut, 0);
    if (cut.left >= 0 && (JSON.stringify(short) ?? '').length <= SUMMARY_CHARS) return short;
  }
  return cutText(text, SUMMARY_CHARS - 1) + '…';
}

interface Cut {
  items: number;
  units: number;
  words: ToolkitTexts;
  strip?: Strip;
  /** The keys of objects, since listing many takes long. */
  known: Map<object, string[]>;
  /** Characters that still fit. A value has at least one, so a try that cannot succeed ends early however large the data is. */
  left: number;
}

function shorten(value: unknown, cut: Cut, depth: number, holder?: unknown): unknown {
  cut.left -= 1;
  if (typeof value === 'string') {
    const text = cut.strip?.(value, holder) ?? value;
    const short = text.length <= cut.units ? text : `${cutText(text, cut.units)}…`;
    cut.left -= short.length;
    return short;
  }
  if (depth > 40 && typeof value === 'object') return '…';
  if (Array.isArray(value)) {
    const kept: unknown[] = [];
    const most = Math.min(value.length, cut.items);
    while (kept.length < most && cut.left >= 0) kept.push(shorten(value[kept.length], cut, depth + 1, value));
    return kept.length < value.length ? [...kept, cut.words.more(value.length - kept.length)] : kept;
  }
  if (!isObject(value)) return value;
  const keys = cut.known.get(value) ?? Object.keys(value);
  cut.known.set(value, keys);
  const kept: [string, unknown][] = [];
  const most = Math.min(keys.length, cut.items);
  while (kept.length < most && cut.left >= 0) {
    const key = keys[kept.length]!;
    cut.left -= key.length;
    kept.push([key, shorten(value[key], cut, depth + 1, value)]);
  }
  if (kept.length < keys.length) kept.push(['…', cut.words.more(keys.length - kept.length)]);
  return Object.fromEntries(kept);
}
