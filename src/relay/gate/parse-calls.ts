/** Finds the calls in the model's text with the parsers that the page uses: streaming, linear and bounded. */
import { withDialects } from '../../protocols/dialects.js';
import { createAnyReader, protocols } from '../../protocols/index.js';
import type { ProtocolParser, Segment } from '../../protocols/index.js';
import type { ClientState } from './client-state.js';
import type { Yield } from '../../tools/yield-to-main.js';
import { sha256 } from '../../tools/digest.js';
import type { RelayTurn } from '../relay-turn.js';

export interface MadeCall {
  name: string;
  digest: string;
  /** True if the call is quoted: the page only offers to run it, and need not send a result. */
  quoted: boolean;
  /** True if it is written in a dialect, where only the names of tools make calls. */
  isForeign: boolean;
}

export interface CallReader {
  push(text: string): void;
  end(reason: 'stop' | 'length' | 'abort'): void;
  /** Returns the calls found since the last time, in the order of the text. */
  take(breathe?: Yield): Promise<MadeCall[]>;
  /** Returns true once after the calls so far have turned out to be drafts in the model's reasoning. */
  withdrawn(): boolean;
  /** Number of calls that could not be parsed: a page may answer each of them with an error. */
  readonly broken: number;
}

export interface CallFormat extends Pick<ClientState, 'protocol' | 'accept'> {
  /** All names by which the tools can be called. */
  names: ReadonlySet<string>;
}

/**
 * Checks whether the relay can read the protocol. `none` means that the page reads no calls. Any other id must be one of ours, because
 * calls that cannot be parsed cannot be checked.
 */
export const isReadable = ({ protocol }: Pick<CallFormat, 'protocol'>): boolean =>
  protocol === 'none' || Object.hasOwn(protocols, protocol);

export function createMadeCallReader({ protocol, accept, names }: CallFormat): CallReader {
  const found: (Segment & { type: 'call' })[] = [];
  let broken = 0;
  let isWithdrawn = false;
  const reader = accept === 'any' ? createAnyReader(protocol) : protocols[protocol];
  const createParser =
    accept === 'strict' || !reader?.createParser
      ? reader?.createParser
      : withDialects(reader.createParser, { isTool: (name) => names.has(name), active: protocol });
  const parser: ProtocolParser | undefined = createParser?.((segment) => {
    if (segment.type === 'was-reasoning') {
      found.length = broken = 0;
      isWithdrawn = true;
    }
    if (segment.type === 'call') found.push(segment);
    else if (segment.type === 'call-error') broken += 1;
  });
  return {
    push: (text) => parser?.push(text),
    end: (reason) => parser?.end(reason),
    async take(breathe) {
      const calls: MadeCall[] = [];
      for (const { name, arguments: args, flags } of found.splice(0)) {
        calls.push({
          name,
          digest: await digestOf(name, args),
          quoted: flags?.includes('quoted') === true,
          isForeign: flags?.includes('foreign') === true,
        });
        await breathe?.();
      }
      return calls;
    },
    withdrawn() {
      const was = isWithdrawn;
      isWithdrawn = false;
      return was;
    },
    get broken() {
      return broken;
    },
  };
}

/** Number of UTF-16 units parsed at once: the slowest text takes some milliseconds. */
const AT_ONCE = 1_024;

/** Maximum number of calls in a cached text. A text with more is not a real reply, and is not cached. */
const MOST_CALLS = 500;

export type ReadCalls = (format: CallFormat, messages: RelayTurn['messages'], breathe: Yield) => Promise<MadeCall[][]>;

/**
 * Creates a function that finds the calls in each message of the model. It caches results, because every request contains the whole
 * conversation.
 *
 * @param most maximum number of cached texts and calls
 */
export function createCallsReader(most = 20_000): ReadCalls {
  const known = new Map<string, MadeCall[]>();
  let size = 0;

  function remember(key: string, calls: MadeCall[]) {
    if (calls.length > MOST_CALLS || known.has(key)) return;
    known.set(key, calls);
    size += 1 + calls.length;
    for (const [oldest, { length }] of known) {
      if (size <= most) return;
      known.delete(oldest);
      size -= 1 + length;
    }
  }

  return async (format, messages, breathe) => {
    const read: MadeCall[][] = [];
    const { protocol, accept, names } = format;
    // The cache key includes the names: they decide which text in a dialect is a call.
    const reading = await sha256(JSON.stringify([protocol, accept, ...(accept === 'strict' ? [] : [...names].sort())]));
    for (const { role, text } of messages) {
      if (role !== 'assistant') {
        read.push([]);
        continue;
      }
      await breathe();
      // Parsing a short text is faster than hashing it.
      const key = text.length < 500 ? undefined : `${reading} ${await sha256(text)}`;
      const before = key === undefined ? undefined : known.get(key);
      if (key !== undefined && before) {
        known.delete(key);
        known.set(key, before);
      }
      const calls = before ?? (await callsIn(format, text, breathe));
      if (key !== undefined) remember(key, calls);
      read.push(calls);
    }
    return read;
  };
}

/** Returns the calls of a complete text. */
async function callsIn(format: CallFormat, text: string, breathe: Yield): Promise<MadeCall[]> {
  const reader = createMadeCallReader(format);
  for (let at = 0; at < text.length; at += AT_ONCE) {
    reader.push(text.slice(at, at + AT_ONCE));
    await breathe();
  }
  reader.end('stop');
  return reader.take(breathe);
}

/**
 * Returns a digest that is the same for a call in every protocol: values are compared as strings, since some protocols have only strings
 * where others have numbers and objects.
 *
 * The digest is 64 bits of SHA-256.
 */
async function digestOf(name: string, args: Record<string, unknown>): Promise<string> {
  const fields = Object.entries(args)
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])
    .toSorted(([left], [right]) => (left! < right! ? -1 : 1));
  return (await sha256(JSON.stringify([name, fields]))).slice(0, 16);
}
