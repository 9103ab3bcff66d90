/** What a service answered, read within bounds and summarised to what a model can take: lists and texts are cut, and say so. */
import { ToolError } from '../base/errors.js';
import { cutText } from '../base/cut-text.js';
import { parseExactly } from '../base/exact-json.js';
import { isObject } from '../base/objects.js';
import { readBody } from '../base/read-body.js';
import type { Words } from './toolkit-words.js';

/** Bytes of an answer that are read. */
export const MOST_BYTES = 4_000_000;
/** UTF-16 units of JSON that are handed on; the conversation cuts at 32,768 wherever that falls, so less is more. */
export const SUMMARY_CHARS = 24_000;
/** Items of a list and units of a text, tried in this order until it fits. */
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
 * A status of success is a success, whatever the body says: its fields are the service's own data, and none says how the call ended. A read
 * whose body cannot be read has failed; a change has happened, and is told without it.
 *
 * A web page where data was to come is no success of either: somebody else has answered, such as a page for signing in.
 *
 * @throws the response itself, where the service refuses: its number and its words become the result
 */
export async function readAnswer(response: Response, words: Words, { isRead, mayBePage, signal }: Asked): Promise<unknown> {
  if (!response.ok) throw response;
  try {
    const data = await readData(response, words, mayBePage);
    return isObject(data) ? { success: true, message: words.done, data } : data;
  } catch (error) {
    if (isRead || signal.aborted || error instanceof WebPage) throw error;
    return { success: true, message: words.doneUnread };
  }
}

interface Asked {
  /** The call changes nothing. */
  isRead: boolean;
  /** The service says that it answers with pages. */
  mayBePage: boolean;
  signal: AbortSignal;
}

/** Somebody else has answered: whether something has happened is not known. */
class WebPage extends ToolError {}

const PAGE = /^\s*(?:<!doctype html|<html\b)/i;
/** A value a line, under the names that it has. */
const ROWS = /^application\/(?:x-)?(?:nd-?json|json-?lines?|jsonl|json-seq|json-stream|ldjson|stream\+json)$/;

async function readData(response: Response, words: Words, mayBePage: boolean): Promise<unknown> {
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
  if (isRows) return summarise(rowsOf(text) ?? text, words);
  if (!isJson && !/^\s*[[{]/.test(text)) return summarise(text, words);
  try {
    return summarise(parseExactly(text), words);
  } catch {
    if (!isJson) return summarise(text, words);
    throw new ToolError(words.noJson, { code: 'EXECUTION_FAILED' });
  }
}

/** One value is itself, several are a list. */
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

/** Undefined where it is larger than anybody reads. @throws why it broke off */
export async function readText({ body }: Response): Promise<string | undefined> {
  const { text, isWhole, error } = await readBody(body, MOST_BYTES);
  if (error !== undefined) throw error;
  return isWhole ? text : undefined;
}

/** The data itself where it fits, else with lists and texts cut, each with how much is missing. */
export function summarise(data: unknown, words: Words, chars = SUMMARY_CHARS): unknown {
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
  words: Words;
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
