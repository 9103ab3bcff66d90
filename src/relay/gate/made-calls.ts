/** The calls in the model's text, read by the relay itself with the parsers that the page uses: floor 1, streaming, linear, bounded. */
import { withDialects } from '../../protocols/dialects.js';
import { createAnyReader, protocols } from '../../protocols/index.js';
import type { ProtocolParser, Segment } from '../../protocols/index.js';
import type { Claims } from './claims.js';
import type { Breath } from '../../tools/breathe.js';
import { sha256 } from '../../tools/digest.js';
import type { RelayTurn } from '../relay-turn.js';

export interface MadeCall {
  name: string;
  digest: string;
  /** Stands in quotation marks: the page offers it, and need not answer it. */
  quoted: boolean;
}

export interface CallReader {
  push(text: string): void;
  end(reason: 'stop' | 'length' | 'abort'): void;
  /** What was found since the last time, in the order of the text. */
  take(breathe?: Breath): Promise<MadeCall[]>;
  /** True once after the calls so far have turned out to be drafts in the model's reasoning. */
  withdrawn(): boolean;
  /** Calls that could not be read: a page may answer each of them with an error. */
  readonly broken: number;
}

export interface Notation extends Pick<Claims, 'protocol' | 'accept'> {
  /** All that the tools can be called. */
  names: readonly string[];
}

/** `none` is a page that reads no calls; any other id must be one of ours, for what cannot be read cannot be held to anything. */
export const isReadable = ({ protocol }: Pick<Notation, 'protocol'>): boolean => protocol === 'none' || Object.hasOwn(protocols, protocol);

export function createMadeCallReader({ protocol, accept, names }: Notation): CallReader {
  const found: (Segment & { type: 'call' })[] = [];
  let broken = 0;
  let isWithdrawn = false;
  const reader = accept === 'any' ? createAnyReader(protocol) : protocols[protocol];
  const named = new Set(names);
  const createParser =
    accept === 'strict' || !reader?.createParser
      ? reader?.createParser
      : withDialects(reader.createParser, { isTool: (name) => named.has(name), active: protocol });
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
        calls.push({ name, digest: await digestOf(name, args), quoted: flags?.includes('quoted') === true });
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

/** UTF-16 units that are read at once: the slowest text takes some milliseconds. */
const AT_ONCE = 1_024;

/** A text with more calls is no reply that anybody needs to remember. */
const MOST_CALLS = 500;

export type ReadCalls = (notation: Notation, messages: RelayTurn['messages'], breathe: Breath) => Promise<MadeCall[][]>;

/**
 * Reads the calls in each message of the model. Every request brings the whole conversation again, so what was read is remembered.
 *
 * @param most texts and calls that are remembered
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

  return async (notation, messages, breathe) => {
    const read: MadeCall[][] = [];
    const { protocol, accept, names } = notation;
    // The names decide what is a call of a dialect.
    const reading = await sha256(JSON.stringify([protocol, accept, ...(accept === 'strict' ? [] : names.toSorted())]));
    for (const { role, text } of messages) {
      if (role !== 'assistant') {
        read.push([]);
        continue;
      }
      await breathe();
      // A short text is read faster than its key is made.
      const key = text.length < 500 ? undefined : `${reading} ${await sha256(text)}`;
      const before = key === undefined ? undefined : known.get(key);
      if (key !== undefined && before) {
        known.delete(key);
        known.set(key, before);
      }
      const calls = before ?? (await callsIn(notation, text, breathe));
      if (key !== undefined) remember(key, calls);
      read.push(calls);
    }
    return read;
  };
}

/** The calls of a text that is whole. */
async function callsIn(notation: Notation, text: string, breathe: Breath): Promise<MadeCall[]> {
  const reader = createMadeCallReader(notation);
  for (let at = 0; at < text.length; at += AT_ONCE) {
    reader.push(text.slice(at, at + AT_ONCE));
    await breathe();
  }
  reader.end('stop');
  return reader.take(breathe);
}

/**
 * The same for the same call in every notation: where one knows only strings, another has numbers and objects.
 * 64 bits of SHA-256.
 */
async function digestOf(name: string, args: Record<string, unknown>): Promise<string> {
  const fields = Object.entries(args)
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])
    .toSorted(([left], [right]) => (left! < right! ? -1 : 1));
  return (await sha256(JSON.stringify([name, fields]))).slice(0, 16);
}
