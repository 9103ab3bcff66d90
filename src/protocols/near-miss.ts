/**
 * Finds near misses: replies without a call that end in a whole call of another notation, to a tool there is, or in a shape that models bring
 * along. Nothing is run; the model is told how calls are written here, once. Loaded when such a reply has come.
 */
import { jsonActionReader } from './json-action/parser.js';
import { jsonToolCallsReader } from './json-tool-calls/parser.js';
import { findLoose } from './loose/loose.js';
import type { LooseCall } from './loose/shapes.js';
import type { ProtocolReader, Segment } from './protocol.js';
import { readWhole } from './read-whole.js';
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

/** Tags that models know from elsewhere, in any case, and with the name space that one family of them puts before. Nothing can back-track. */
const TAG = new RegExp(
  `<(/?)(?:${['ant', 'ml:'].join('')})?(tool_use|function_calls|invoke|parameter|tool_call|tool_code)(?![\\w-])`,
  'gi',
);
const OURS: Record<string, string> = { function_calls: 'tool_use', tool_call: 'tool_code' };
/** A whole call of any notation, and of any other, ends in one of these. */
const LAST = '>`~}])';

/** Looks at a finished reply as the model wrote it. Linear in its length. */
export function findNearMiss(text: string, { active, isTool }: NearMissOptions): NearMiss | undefined {
  if (!LAST.includes(text.trimEnd().slice(-1) || ' ')) return undefined;
  // Blanks make up for what a tag loses, so that every place in the text stays where it is.
  const familiar = text.replace(TAG, (tag, slash: string, name: string) => {
    const own = name.toLowerCase();
    return `<${slash}${OURS[own] ?? own}`.padEnd(tag.length);
  });
  for (const { id, createParser } of readers) {
    if (id === active && familiar === text) continue;
    const segments = readWhole(createParser, familiar);
    const call = lastCall(segments);
    if (!call || !isTool(call.name)) continue;
    const at = familiar.lastIndexOf(call.raw);
    const { name, arguments: values, flags = [], providerId } = call;
    const only = { name, arguments: values, flags, ...(providerId !== undefined && { providerId }) };
    return { protocol: id, name, raw: text.slice(at, at + call.raw.length), start: startOf(segments) ?? at, calls: [only] };
  }
  const found = findLoose(text, isTool);
  if (!found) return undefined;
  const { misplaced } = found;
  return { ...found, name: found.calls[0]!.name, raw: text.slice(found.start).trimEnd(), ...(!misplaced && { loose: true }) };
}

/** Where the call begins with its marks, if nothing but text is before it. */
function startOf(segments: readonly Segment[]): number | undefined {
  let start = 0;
  for (const segment of segments) {
    if (segment.type === 'call-start') return start;
    if (segment.type !== 'text') return undefined;
    start += segment.text.length;
  }
  return undefined;
}

/** The call that nothing but blanks follows: whole, and no example. */
function lastCall(segments: readonly Segment[]): (Segment & { type: 'call' }) | undefined {
  const last = segments.findLast((segment) => !('text' in segment) || segment.text.trim() !== '');
  return last?.type === 'call' && !last.flags?.some((flag) => flag === 'quoted' || flag === 'repaired') ? last : undefined;
}
