/** What a notation reads in a pasted reply: the reader of a conversation, fed in pieces of any size. */
import { parserOf } from '../conversation/reply/parsing.js';
import { builtIn } from '../protocols/built-in-protocols.js';
import type { CallErrorCode, CallFlag, EndReason, ParserOptions, ProtocolReader, Segment } from '../protocols/protocol.js';
import { runnableCalls, cutEvery, joinTexts, textOfSegments } from '../testing/chunks.js';

export const NOTATIONS: readonly string[] = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code'];

/** The sizes of pieces that a reply is tried in; 0 = whole. */
export const SIZES: readonly number[] = [1, 2, 7, 64, 0];

export interface BenchReading {
  /** In the order they were written; neighbouring texts are one, as however the reply is cut. */
  segments: Exclude<Segment, { type: 'call-start' | 'arguments' }>[];
  /** All that was told, and with which piece, from 1; what came with the end is told with the one after the last. */
  told: { piece: number; segment: Segment }[];
  /** The calls that would be offered to the gate: a quoted one is none of them. */
  requests: { name: string; arguments: Record<string, unknown> }[];
  /** What a reader of the reply sees. */
  text: string;
  warnings: BenchWarning[];
  /** How many pieces the parser was given. */
  pieces: number;
}

/** `what` is the code of a call that could not be read, or the flag of one that was read with care. */
export interface BenchWarning {
  what: CallErrorCode | CallFlag;
  /** The tool, where it was read. */
  name?: string;
  raw: string;
}

/** What reads replies in this notation under these settings: what a conversation with them would read with. */
export async function readerOf(notation: string, settings: Parameters<typeof parserOf>[1]): Promise<ProtocolReader> {
  const protocol = await (builtIn[notation] ?? builtIn['xml-invoke']!)();
  return { id: protocol.id, createParser: (await parserOf(protocol, settings))! };
}

/**
 * Reads a reply as it would arrive in pieces of `size` UTF-16 units; 0, the default, gives it whole. Never throws on a text.
 *
 * @param end how the reply ended. Default `stop`
 */
export function benchReply(
  protocol: ProtocolReader,
  reply: string,
  size = 0,
  end: EndReason = 'stop',
  options?: ParserOptions,
): BenchReading {
  const pieces = cutEvery(reply, size >= 1 ? Math.floor(size) : Math.max(1, reply.length));
  const told: BenchReading['told'] = [];
  let piece = 0;
  const parser = protocol.createParser!((segment) => told.push({ piece, segment }), options);
  for (const text of pieces) {
    piece += 1;
    parser.push(text);
  }
  piece += 1;
  parser.end(end);
  const found = told.map(({ segment }) => segment);
  const segments = joinTexts(found);
  return {
    ...{ segments, told, text: textOfSegments(found), pieces: pieces.length, warnings: segments.flatMap(warningsOf) },
    requests: runnableCalls(found).map((call) => ({ name: call.name, arguments: call.arguments })),
  };
}

/** The sizes at which something else is read than of the whole: there are none, or a parser is wrong. */
export function differingSizes(protocol: ProtocolReader, reply: string, options?: ParserOptions): number[] {
  const inOne = ({ segments }: BenchReading) => JSON.stringify(segments);
  const whole = inOne(benchReply(protocol, reply, 0, 'stop', options));
  return SIZES.filter((size) => inOne(benchReply(protocol, reply, size, 'stop', options)) !== whole);
}

function warningsOf(segment: Segment): BenchWarning[] {
  if (segment.type === 'call') return (segment.flags ?? []).map((what) => ({ what, name: segment.name, raw: segment.raw }));
  if (segment.type !== 'call-error') return [];
  return [{ what: segment.code, ...(segment.name !== undefined && { name: segment.name }), raw: segment.raw }];
}
