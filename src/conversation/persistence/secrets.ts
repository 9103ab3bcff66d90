/**
 * Removes the values of sensitive arguments from everything else that is stored or exported: the user may have written them, and models and
 * results may repeat them.
 */
import type { ChatMessage, MessagePart } from '../../model/messages.js';
import { isObject } from '../../base/objects.js';
import { define, toPlain } from '../../base/plain.js';
import { isSettledCall } from '../../storage/recover.js';
import type { StoredCall } from '../../storage/stored-conversation.js';
import { HIDDEN } from '../../tools/sensitive.js';
import type { CallRecord } from '../chart/chart-context.js';

/** The shortest value that is hidden, in UTF-16 units. Shorter values would hide half of the text. */
const SHORTEST = 4;

/** Returns the values that are hidden in `stored` and not in `calls`, as text, the longest first. */
export function secretsOf(calls: readonly CallRecord[], stored: readonly StoredCall[]): string[] {
  const secrets = new Set<string>();
  calls.forEach((call, at) => {
    const kept = stored[at];
    if (!kept?.withheld) return;
    const note = (args: Readonly<Record<string, unknown>> = {}, shown: Readonly<Record<string, unknown>> = {}) => {
      for (const [name, value] of Object.entries(args)) if (shown[name] === HIDDEN) for (const text of textsIn(value)) secrets.add(text);
    };
    note(call.params, kept.params);
    note(call.original, kept.original);
    note(call.call?.args, kept.call?.args);
  });
  return [...secrets].filter((text) => text.length >= SHORTEST && text !== HIDDEN).sort((one, other) => other.length - one.length);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);

/** Our own fields that hold names and ids, and no text that a user or a model wrote. */
export const NAMES: ReadonlySet<string> = new Set(
  (
    'format id messageId requestId chatId turnId repeats standsInFor toolName role type status state digest fingerprint protocol providerId signature flags ' +
    'risk scope decidedBy code errorType kind layer what round'
  ).split(' '),
);

/** Fields whose keys were chosen by a host or a model. */
export const FOREIGN: ReadonlySet<string> = new Set([
  'args',
  'params',
  'original',
  'rawArgs',
  'data',
  'input',
  'keep',
  'before',
  'after',
  'where',
]);

/**
 * Removes secret values from what is stored. An object without any is returned as it is, and a cleaned one is the same object as last time.
 */
export interface Scrub {
  messages(messages: readonly ChatMessage[]): readonly ChatMessage[];
  /** Cleans the parts of messages, by message id. */
  parts(parts: Parts): Parts;
  /** Cleans a call. An open call whose arguments held such a value is marked as withheld: it cannot be asked for again. */
  call(call: StoredCall): StoredCall;
  /** Cleans any data. */
  data<T extends object>(value: T): T;
  /** Cleans the text of a reply that is still streaming. A value whose end is missing is removed too. */
  arriving(text: string): string;
}

type Parts = Readonly<Record<string, readonly MessagePart[]>>;

/** Returns the length of the longest beginning of the secret with which the text ends. It is linear (Knuth, Morris, Pratt). */
function beginningAtEnd(text: string, secret: string): number {
  const shorter = new Uint32Array(secret.length);
  const next = (length: number, char: string | undefined): number => {
    let at = length;
    while (at > 0 && char !== secret[at]) at = shorter[at - 1]!;
    return char === secret[at] ? at + 1 : at;
  };
  for (let at = 1; at < secret.length; at += 1) shorter[at] = next(shorter[at - 1]!, secret[at]);
  let length = 0;
  for (let at = Math.max(0, text.length - secret.length + 1); at < text.length; at += 1) length = next(length, text[at]);
  return length;
}

/** Returns `before` if both hold the same values. */
function same(before: object, after: object): object {
  return Object.entries(after).some(([name, value]) => value !== (before as Record<string, unknown>)[name]) ? after : before;
}

function createScrub(secrets: readonly string[]): Scrub {
  const known = new WeakMap<object, object>();
  function once<T extends object>(value: T, make: (value: T) => T): T {
    const before = known.get(value) as T | undefined;
    if (before) return before;
    const made = make(value);
    known.set(value, made);
    return made;
  }
  const clean = (text: string) => withoutSecrets(text, secrets);

  const message = (given: ChatMessage) =>
    once(given, (whole) => {
      const { text, raw, reasoning, metadata } = whole;
      const now = {
        ...{ text: clean(text), metadata: data(metadata) },
        ...(raw !== undefined && { raw: clean(raw) }),
        ...(reasoning !== undefined && { reasoning: clean(reasoning) }),
      };
      const isSame = now.text === text && now.raw === raw && now.reasoning === reasoning && now.metadata === metadata;
      return isSame ? whole : { ...whole, ...now };
    });
  const part = (given: MessagePart) =>
    given.type === 'text'
      ? once(given, (whole) => (clean(given.text) === given.text ? whole : { ...given, text: clean(given.text) }))
      : given;
  const each = <T extends object>(list: readonly T[], make: (one: T) => T) =>
    once(list as T[], (all) => {
      const now = all.map(make);
      return now.some((one, at) => one !== all[at]) ? now : all;
    });

  function data<T extends object>(given: T): T {
    if (secrets.length === 0) return given;
    return once(given, (value) => walk(value) as T);
  }

  /** Keeps the values of our own fields: a secret may be the same word as a status. Data from outside has no such fields. */
  function walk(value: unknown): unknown {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return same(value, value.map(walk));
    if (!isObject(value) || ![Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)) return value;
    const copy = {};
    for (const [name, field] of Object.entries(value))
      define(copy, name, NAMES.has(name) ? field : FOREIGN.has(name) ? foreign(field) : walk(field));
    return same(value, copy);
  }

  function foreign(value: unknown): unknown {
    let found = false;
    const text = (one: string) => {
      const now = clean(one);
      found ||= now !== one;
      return now;
    };
    const copy = toPlain(value, { nodes: 1_000_000, chars: 8_388_608, text });
    return found ? copy : value;
  }

  return {
    messages: (messages) => each(messages, message),
    parts: (parts) =>
      once(parts, (all) => {
        const now = Object.entries(all).map(([id, list]) => [id, each(list, part)] as const);
        return now.some(([id, list]) => list !== all[id]) ? Object.fromEntries(now) : all;
      }),
    call(call) {
      const copy = data(call);
      return copy === call || isSettledCall(call) ? copy : once(copy, (cleaned) => ({ ...cleaned, withheld: true }));
    },
    data,
    arriving(text) {
      const now = clean(text);
      const begun = secrets.map((secret) => beginningAtEnd(now, secret)).find((length) => length >= SHORTEST);
      return begun === undefined ? now : now.slice(0, -begun);
    },
  };
}

/** Returns the same scrub for the same values, so that what it has cleaned stays the same object. The values change with the calls. */
export interface Scrubbing {
  of(secrets: readonly string[]): Scrub;
  /** The scrub for the latest values. */
  readonly now: Scrub;
}

export function createScrubbing(): Scrubbing {
  let known = '[]';
  let now = createScrub([]);
  return {
    of(secrets) {
      const wanted = JSON.stringify(secrets);
      if (wanted !== known) [known, now] = [wanted, createScrub(secrets)];
      return now;
    },
    get now() {
      return now;
    },
  };
}
