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
/** Maximum items of a list and UTF-16 units of a text, tried in this order until the data fits. */
const CUTS = [
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

/** Returns the data as it is if it fits, otherwise with cut lists and texts. A cut list says how many items are missing. */
export function summarize(data: unknown, words: ToolkitTexts, chars = SUMMARY_CHARS): unknown {
  if ((JSON.stringify(data) ?? '').length <= chars) return data;
  for (const [items, units] of CUTS) {
    const cut = shorten(data, { items, units, words, depth: 0 });
    if (JSON.stringify(cut).length <= chars) return cut;
  }
  return cutText(JSON.stringify(data), chars - 1) + '…';
}

interface Cut {
  items: number;
  units: number;
  words: ToolkitTexts;
  depth: number;
}

function shorten(value: unknown, cut: Cut): unknown {
  if (typeof value === 'string') return value.length <= cut.units ? value : `${cutText(value, cut.units)}…`;
  if (cut.depth > 40) return '…';
  const deeper = { ...cut, depth: cut.depth + 1 };
  if (Array.isArray(value)) {
    const kept = value.slice(0, cut.items).map((item) => shorten(item, deeper));
    return kept.length < value.length ? [...kept, cut.words.more(value.length - kept.length)] : kept;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shorten(one, deeper)]));
}
