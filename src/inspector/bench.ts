/** Parses a pasted reply with the parser of a protocol, as in a conversation, in pieces of any size. */
import { parserOf } from '../conversation/reply/parsing.js';
import { builtIn } from '../protocols/built-in-protocols.js';
import type { CallErrorCode, CallFlag, EndReason, ParserOptions, ProtocolReader, Segment } from '../protocols/protocol.js';
import { runnableCalls, cutEvery, joinTexts, textOfSegments } from '../testing/chunks.js';

export const PROTOCOLS: readonly string[] = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code'];

/** Piece sizes to test a reply with; 0 = the whole reply at once. */
export const SIZES: readonly number[] = [1, 2, 7, 64, 0];

export interface BenchResult {
  /** The segments in the order they were written. Adjacent texts are merged, so the piece size makes no difference. */
  segments: Exclude<Segment, { type: 'call-start' | 'arguments' }>[];
  /**
   * All parser output with the number of the piece that produced it, from 1. Output at the end of the reply has the number after the last
   * piece.
   */
  emitted: { piece: number; segment: Segment }[];
  /** The calls that would go to the approval policy. Quoted calls are not among them. */
  requests: { name: string; arguments: Record<string, unknown> }[];
  /** The text that the user sees. */
  text: string;
  warnings: BenchWarning[];
  /** Number of pieces that the parser received. */
  pieces: number;
}

/** A warning. `code` is the error code of an unreadable call, or a flag of one that was repaired or is doubtful. */
export interface BenchWarning {
  code: CallErrorCode | CallFlag;
  /** The name of the tool, if it could be read. */
  name?: string;
  raw: string;
}

/** Returns the parser that a conversation with this protocol and these settings would use. */
export async function loadProtocol(id: string, settings: Parameters<typeof parserOf>[1]): Promise<ProtocolReader> {
  const protocol = await (builtIn[id] ?? builtIn['xml-invoke']!)();
  return { id: protocol.id, createParser: (await parserOf(protocol, settings))! };
}

/**
 * Parses a reply as it would arrive in pieces of `size` UTF-16 units; 0, the default, gives it whole. Never throws on a text.
 *
 * @param end how the reply ended. Default `stop`
 */
export function benchReply(
  protocol: ProtocolReader,
  reply: string,
  size = 0,
  end: EndReason = 'stop',
  options?: ParserOptions,
): BenchResult {
  const pieces = cutEvery(reply, size >= 1 ? Math.floor(size) : Math.max(1, reply.length));
  const emitted: BenchResult['emitted'] = [];
  let piece = 0;
  const parser = protocol.createParser!((segment) => emitted.push({ piece, segment }), options);
  for (const text of pieces) {
    piece += 1;
    parser.push(text);
  }
  piece += 1;
  parser.end(end);
  const merged = emitted.map(({ segment }) => segment);
  const segments = joinTexts(merged);
  return {
    ...{ segments, emitted, text: textOfSegments(merged), pieces: pieces.length, warnings: segments.flatMap(warningsOf) },
    requests: runnableCalls(merged).map((call) => ({ name: call.name, arguments: call.arguments })),
  };
}

/** Returns the piece sizes whose result differs from that of the whole reply. A correct parser has none. */
export function differingSizes(protocol: ProtocolReader, reply: string, options?: ParserOptions): number[] {
  const inOne = ({ segments }: BenchResult) => JSON.stringify(segments);
  const whole = inOne(benchReply(protocol, reply, 0, 'stop', options));
  return SIZES.filter((size) => inOne(benchReply(protocol, reply, size, 'stop', options)) !== whole);
}

function warningsOf(segment: Segment): BenchWarning[] {
  if (segment.type === 'call') return (segment.flags ?? []).map((code) => ({ code, name: segment.name, raw: segment.raw }));
  if (segment.type !== 'call-error') return [];
  return [{ code: segment.code, ...(segment.name !== undefined && { name: segment.name }), raw: segment.raw }];
}
