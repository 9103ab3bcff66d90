/**
 * Finds near misses: replies without a call that end in a whole call of another notation, to a tool there is, or in a shape that models bring
 * along. Nothing is run; the model is told how calls are written here, once. Loaded when such a reply has come.
 */
import { dialectNotation } from './dialects/notation.js';
import { jsonActionReader } from './json-action/parser.js';
import { jsonToolCallsReader } from './json-tool-calls/parser.js';
import { findLoose } from './loose/loose.js';
import type { LooseCall } from './loose/shapes.js';
import type { ProtocolReader, Segment } from './protocol.js';
import { readWhole } from './read-whole.js';
import { createTextMode } from './text-mode.js';
import { toolCodeReader } from './tool-code/parser.js';
import { vcpReader } from './vcp/parser.js';
import { xmlInvokeReader } from './xml-invoke/parser.js';

export interface NearMiss {
  /** The built-in protocol that the call is written in, or comes nearest to. */
  protocol: string;
  /** The tool that was meant. */
  name: string;
  /** The call as it stands in the reply. */
  raw: string;
  /** Where it begins in the reply, with what stands around it; it goes on to the end. */
  start: number;
  /** All the calls in it, for a person who is asked. Those whose arguments cannot be told have none. */
  calls: LooseCall[];
  /** It is in no notation of ours. */
  loose?: true;
  /** It is in the notation of `protocol`, only not where that wants it. */
  misplaced?: true;
  /** It lacks one or two closing brackets at its end. */
  short?: true;
}

export interface NearMissOptions {
  /** The protocol the reply was read by, and held no call of. */
  active: string;
  isTool(name: string): boolean;
}

const readers: readonly Required<ProtocolReader>[] = [xmlInvokeReader, jsonActionReader, vcpReader, jsonToolCallsReader, toolCodeReader];

/** How some models write quotes and angle brackets. */
const TYPED = /[“”„]|\\(?=[<>])/g;
/** A whole call of any notation, and of any other, ends in one of these. */
const LAST = '>`~}])';

/** Looks at a finished reply as the model wrote it. Linear in its length. */
export function findNearMiss(text: string, { active, isTool }: NearMissOptions): NearMiss | undefined {
  if (!LAST.includes(text.trimEnd().slice(-1) || ' ')) return undefined;
  // Every place in the text stays where it is.
  const familiar = text.replace(TYPED, (written) => (written === '\\' ? ' ' : '"'));
  for (const { id, createParser } of readers) {
    const found = id === active && familiar === text ? undefined : callsAtEnd(createParser, text, familiar, isTool);
    if (found) return { ...found, protocol: id };
  }
  const marked = dialectNotation({ isTool, active });
  const foreign = callsAtEnd((emit) => createTextMode(marked, emit), text, text, isTool);
  if (foreign) return { ...foreign, protocol: 'json-tool-calls', loose: true };
  const found = findLoose(text, isTool);
  if (!found) return undefined;
  const { misplaced } = found;
  return { ...found, name: found.calls[0]!.name, raw: text.slice(found.start).trimEnd(), ...(!misplaced && { loose: true }) };
}

/** The calls at the end of the text, as `familiar` has them: whole ones, which are no examples. */
function callsAtEnd(
  createParser: Required<ProtocolReader>['createParser'],
  text: string,
  familiar: string,
  isTool: (name: string) => boolean,
): Omit<NearMiss, 'protocol'> | undefined {
  const segments = readWhole(createParser, familiar);
  const calls: (Segment & { type: 'call' })[] = [];
  for (const segment of segments.toReversed()) {
    if (segment.type === 'call') {
      if (!isTool(segment.name) || segment.flags?.some((flag) => flag === 'quoted' || flag === 'repaired')) break;
      calls.unshift(segment);
    } else if (segment.type === 'call-error' || ('text' in segment && segment.type !== 'arguments' && segment.text.trim() !== '')) break;
  }
  const [first, another] = calls;
  if (!first) return undefined;
  const at = familiar.lastIndexOf(first.raw);
  return {
    name: first.name,
    raw: another ? text.slice(at).trimEnd() : text.slice(at, at + first.raw.length),
    start: startOf(segments) ?? at,
    calls: calls.map(({ name, arguments: values, flags = [], providerId }) => ({
      ...{ name, arguments: values, flags },
      ...(providerId !== undefined && { providerId }),
    })),
  };
}

/** Where the first call begins with its marks, if nothing but text is before it. */
function startOf(segments: readonly Segment[]): number | undefined {
  let start = 0;
  for (const segment of segments) {
    if (segment.type === 'call-start') return start;
    if (segment.type !== 'text') return undefined;
    start += segment.text.length;
  }
  return undefined;
}
