/** The calls in the model's text, read by the relay itself with the parsers that the page uses: floor 1, streaming, linear, bounded. */
import { createAnyReader, protocols } from '../../protocols/index.js';
import type { ProtocolParser, Segment } from '../../protocols/index.js';
import type { Claims } from './claims.js';
import { sha256 } from '../../tools/digest.js';

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
  take(): Promise<MadeCall[]>;
  /** True once after the calls so far have turned out to be drafts in the model's reasoning. */
  withdrawn(): boolean;
  /** Calls that could not be read: a page may answer each of them with an error. */
  readonly broken: number;
}

type Notation = Pick<Claims, 'protocol' | 'accept'>;

/** `none` is a page that reads no calls; any other id must be one of ours, for what cannot be read cannot be held to anything. */
export const isReadable = ({ protocol }: Notation): boolean => protocol === 'none' || Object.hasOwn(protocols, protocol);

export function createMadeCallReader({ protocol, accept }: Notation): CallReader {
  const found: (Segment & { type: 'call' })[] = [];
  let broken = 0;
  let isWithdrawn = false;
  const reader = accept === 'any' ? createAnyReader(protocol) : protocols[protocol];
  const parser: ProtocolParser | undefined = reader?.createParser?.((segment) => {
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
    take: () =>
      Promise.all(
        found.splice(0).map(async ({ name, arguments: args, flags }) => ({
          name,
          digest: await digestOf(name, args),
          quoted: flags?.includes('quoted') === true,
        })),
      ),
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

/** The calls of a text that is whole. */
export function callsIn(notation: Notation, text: string): Promise<MadeCall[]> {
  const reader = createMadeCallReader(notation);
  reader.push(text);
  reader.end('stop');
  return reader.take();
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
