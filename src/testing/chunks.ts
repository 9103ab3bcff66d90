/** Splits texts into chunks and collects the output of parsers: the helpers of the conformance suite. */
import type { EndReason, ParserOptions, ProtocolReader, Segment } from '../protocols/protocol.js';

export function parseChunks(
  protocol: ProtocolReader,
  chunks: readonly string[],
  end: EndReason = 'stop',
  options?: ParserOptions,
): Segment[] {
  const segments: Segment[] = [];
  const parser = protocol.createParser!((segment) => segments.push(segment), options);
  for (const chunk of chunks) parser.push(chunk);
  parser.end(end);
  return segments;
}

/** The part of the output that must not depend on the chunks: everything except how text and arguments are split. */
export function joinTexts(segments: readonly Segment[]): Exclude<Segment, { type: 'call-start' | 'arguments' }>[] {
  const joined: Exclude<Segment, { type: 'call-start' | 'arguments' }>[] = [];
  for (const segment of segments) {
    if (segment.type === 'call-start' || segment.type === 'arguments') continue;
    const last = joined.at(-1);
    const isText = segment.type === 'text' || segment.type === 'reasoning';
    if (isText && last?.type === segment.type)
      joined[joined.length - 1] = { type: segment.type, text: (last as { text: string }).text + segment.text };
    else joined.push(segment);
  }
  return joined;
}

/** Returns the calls that run; a quoted one is only offered. */
export function runnableCalls(segments: readonly Segment[]): Extract<Segment, { type: 'call' }>[] {
  return segments.filter((segment) => segment.type === 'call').filter((call) => !call.flags?.includes('quoted'));
}

/** Returns the calls that a finished text requests, without those that turned out to be drafts in the reasoning. */
export function validCalls(segments: readonly Segment[]): Extract<Segment, { type: 'call' }>[] {
  return runnableCalls(segments.slice(segments.findLastIndex(({ type }) => type === 'was-reasoning') + 1));
}

/** Reduces segments to the fields that a sample states: merges adjacent texts, and drops ids, and `raw` and names unless they matter. */
export function asStated(found: readonly Segment[], stated: readonly object[]): object[] {
  return joinTexts(found).map((segment, index) => {
    const sample = stated[index] ?? {};
    const { id: _, ...rest } = segment as Segment & { id?: string };
    if (!('raw' in sample)) delete (rest as { raw?: string }).raw;
    if (rest.type === 'call-error' && !('name' in sample)) delete rest.name;
    // The model's own id and `raw` are compared only if the sample states them.
    if (rest.type === 'call' && !('providerId' in sample)) delete rest.providerId;
    return rest;
  });
}

export function textOfSegments(segments: readonly Segment[]): string {
  return segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');
}

export function cutEvery(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
}

export function cutAtRandom(text: string, random: () => number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = 1 + Math.floor(random() * 12);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** Returns every length from 1 to that of the text; for a long text, its ends and some in between. */
export function lengths(text: string, random: () => number): number[] {
  const all = Array.from({ length: text.length }, (_, index) => index + 1);
  if (text.length <= 1200) return all;
  return all.filter((length) => length <= 100 || length > text.length - 100 || random() < 100 / text.length);
}

/** The generator mulberry32: small, and the same seed gives the same numbers everywhere. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function assertSame(found: unknown, expected: unknown, where: () => string) {
  const [left, right] = [canonical(found), canonical(expected)];
  if (left !== right) throw new Error(`Differs ${where()}\n  found    ${left}\n  expected ${right}`);
}

/** Returns JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
