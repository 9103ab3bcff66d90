/**
 * A conversation as one text of bounded length, for storage of a few million characters. If it is too long, the oldest content is left out:
 * first the content of results, then hidden versions, then whole turns.
 */
import { cutText } from '../base/cut-text.js';
import { own } from '../base/objects.js';
import type { PublishedResult } from '../model/calls.js';
import { fromRows, LISTS, type MessageRow, type Rows } from './conversation-rows.js';
import type { StoredCall, StoredConversation } from './stored-conversation.js';

/** Fields of the text in addition to the rows. */
interface More {
  at: number;
  generation?: number;
  [more: string]: unknown;
}

export interface TextMaker {
  /** Returns the complete text; undefined if it is longer than `most`. */
  whole(rows: Rows, more: More, most: number): string | undefined;
  /** Returns as much as fits; undefined if even the last turn does not. */
  fitting(rows: Rows, more: More, most: number): { text: string; isWhole: boolean } | undefined;
}

/** Length to which the message of a shortened result is cut, in UTF-16 units. */
const SENTENCE = 200;

/** @param leftOut returns the text that replaces the content of a result */
export function createTextMaker(leftOut: () => string = () => ''): TextMaker {
  const texts = new WeakMap<object, string>();
  const shorter = new WeakMap<object, object>();
  const held = new WeakMap<PublishedResult, { call: StoredCall; text: string }>();

  /** Returns the JSON of a row, cached by identity. */
  function textOf(row: object): string {
    const text = texts.get(row) ?? JSON.stringify(row);
    texts.set(row, text);
    return text;
  }

  /** Returns the JSON of a result, or only its id if its call has an equal one. */
  function textOfResult(result: PublishedResult, call: StoredCall | undefined): string {
    if (!call?.result) return textOf(result);
    const known = held.get(result);
    if (known?.call === call) return known.text;
    const text = JSON.stringify(call.result) === JSON.stringify(result) ? JSON.stringify(result.requestId) : textOf(result);
    held.set(result, { call, text });
    return text;
  }

  function once<Row extends object>(row: Row, make: (row: Row) => Row): Row {
    const known = shorter.get(row) as Row | undefined;
    if (known) return known;
    const made = make(row);
    const kept = JSON.stringify(made).length < textOf(row).length ? made : row;
    shorter.set(row, kept);
    return kept;
  }

  const short = (message: string) => [cutText(message, SENTENCE), leftOut()].filter(Boolean).join(' ');
  function shortResult({ data: _, message, result: __, ...result }: PublishedResult): PublishedResult {
    return { ...result, message: short(message), result: short(message) };
  }
  const shortCall = (row: StoredCall) => once(row, ({ result, ...call }) => ({ ...call, ...(result && { result: shortResult(result) }) }));
  const shortMessage = (row: MessageRow) =>
    once(row, ({ message, ...more }) => ({ message: { ...message, text: short(message.text) }, ...more }));

  function join(rows: Rows, more: More): string {
    const calls = callsById(rows.calls);
    const lists = [
      rows.messages.map(textOf),
      rows.calls.map(textOf),
      rows.results.map((result) => textOfResult(result, calls.get(result.requestId))),
      rows.extras.map(textOf),
    ];
    const fields = LISTS.map((name, nth) => `"${name}":[${(lists[nth] ?? []).join(',')}]`);
    const { at, generation = 0, ...rest } = more;
    return `${JSON.stringify({ ...rest, at, generation, head: rows.head }).slice(0, -1)},${fields.join(',')}}`;
  }

  /** Checks whether the rows are longer than that, and stops counting as soon as they are. */
  function isLonger(rows: Rows, most: number): boolean {
    let length = 0;
    for (const list of [rows.messages, rows.calls, rows.extras])
      for (const row of list) {
        length += textOf(row).length;
        if (length > most) return true;
      }
    return false;
  }

  function whole(rows: Rows, more: More, most: number): string | undefined {
    if (isLonger(rows, most)) return undefined;
    const text = join(rows, more);
    return text.length > most ? undefined : text;
  }

  function fitting(rows: Rows, more: More, most: number) {
    const all = whole(rows, more, most);
    if (all !== undefined) return { text: all, isWhole: true };
    const extras = rows.extras.filter(({ branch }) => branch === undefined);
    const without = shorten(rows, most) ?? shorten({ ...rows, extras }, most) ?? withoutOldTurns({ ...rows, extras }, most);
    const text = without && join(without, { ...more, leftOut: true });
    return text === undefined || text.length > most ? undefined : { text, isWhole: false };
  }

  /** Shortens as many results as necessary, the oldest first; undefined if that is not enough. */
  function shorten(rows: Rows, most: number): Rows | undefined {
    const [messages, calls, results] = [[...rows.messages], [...rows.calls], [...rows.results]];
    const ended = new Map(messages.map(({ message }, at) => [message.metadata.toolCall?.requestId, at]));
    const told = new Map(results.map(({ requestId }, at) => [requestId, at]));
    const by = callsById(calls);
    let length = ROOM + JSON.stringify(rows.head).length;
    for (const row of [...messages, ...calls, ...rows.extras]) length += textOf(row).length + 1;
    for (const result of results) length += textOfResult(result, by.get(result.requestId)).length + 1;
    for (let at = 0; at < calls.length && length > most; at += 1) {
      const before = calls[at] as StoredCall;
      const call = shortCall(before);
      const nth = told.get(call.requestId);
      const place = ended.get(call.requestId);
      if (call === before) continue;
      length += textOf(call).length - textOf(before).length;
      calls[at] = call;
      if (nth !== undefined) {
        const result = results[nth] as PublishedResult;
        const now = call.result ?? result;
        length += textOfResult(now, call).length - textOfResult(result, before).length;
        results[nth] = now;
      }
      if (place !== undefined) {
        const row = messages[place] as MessageRow;
        messages[place] = shortMessage(row);
        length += textOf(messages[place]).length - textOf(row).length;
      }
    }
    return length > most ? undefined : { ...rows, messages, calls, results };
  }

  /**
   * Removes as many turns as necessary, the oldest first, and shortens results of the others. A quarter of the space is for the content of
   * the newest results.
   */
  function withoutOldTurns(rows: Rows, most: number): Rows | undefined {
    const calls = rows.calls.map(shortCall);
    const by = callsById(calls);
    const results = rows.results.map((result) => by.get(result.requestId)?.result ?? result);
    const messages = rows.messages.map((row) => (row.message.metadata.toolCall ? shortMessage(row) : row));
    const last = messages.findLastIndex(({ message }) => message.role === 'user');
    const lengths = new Map<string, number>();
    let content = 0;
    calls.forEach((call, at) => {
      lengths.set(call.messageId, (lengths.get(call.messageId) ?? 0) + textOf(call).length + call.requestId.length + 4);
      content += textOf(rows.calls[at] as StoredCall).length - textOf(call).length;
    });
    const space = most - Math.min(content, most / 4);
    let length = ROOM + JSON.stringify(rows.head).length;
    for (const row of rows.extras) length += textOf(row).length + 1;
    // Go back from the newest as far as it fits. Calls without a message stay.
    const homes = new Set(messages.map(({ message }) => message.id));
    for (const [home, chars] of lengths) if (!homes.has(home)) length += chars;
    let from = messages.length;
    for (let at = messages.length - 1; at >= 0; at -= 1) {
      const row = messages[at] as MessageRow;
      length += textOf(row).length + 1 + (lengths.get(row.message.id) ?? 0);
      if (length > space && at < last) break;
      if (row.message.role === 'user') from = at;
    }
    if (from > last && last >= 0) return undefined;
    const gone = new Set(messages.slice(0, from).map(({ message }) => message.id));
    const stays = ({ messageId }: StoredCall) => !gone.has(messageId);
    const ids = new Set(calls.filter(stays).map(({ requestId }) => requestId));
    const isThere = ({ requestId }: PublishedResult) => ids.has(requestId) || !by.has(requestId);
    const whole = { ...rows, messages: rows.messages.slice(from), calls: rows.calls.filter(stays), results: rows.results.filter(isThere) };
    const short = { ...rows, messages: messages.slice(from), calls: calls.filter(stays), results: results.filter(isThere) };
    return shorten(whole, most) ?? short;
  }

  return { whole, fitting };
}

/** Space for field names and other fields, in UTF-16 units. */
const ROOM = 2000;

const callsById = (calls: readonly StoredCall[]): ReadonlyMap<string, StoredCall> => new Map(calls.map((call) => [call.requestId, call]));

/** Converts the text back. Throws errors that `unreadable` accepts. */
export function fromText(found: unknown, sessionId: string): StoredConversation {
  const [messages, calls, results, extras] = LISTS.map((name) => {
    // Earlier versions had this data in the head.
    const list = own(found, name) ?? (name === 'extras' ? [] : undefined);
    if (!Array.isArray(list)) throw new Error(`no ${name}`);
    return list as unknown[];
  }) as [unknown[], unknown[], unknown[], unknown[]];
  const ended = new Map(calls.map((call) => [own(call, 'requestId'), own(call, 'result')]));
  const stored = fromRows({
    ...{ head: own(found, 'head'), messages, calls, extras },
    results: results.map((result) => (typeof result === 'string' ? ended.get(result) : result)),
  });
  if (stored.sessionId !== sessionId) throw new Error('another conversation');
  return stored;
}
