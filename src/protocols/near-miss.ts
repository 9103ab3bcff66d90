/**
 * Near misses (protocols.md §8): a reply without a call that ends in a whole call of another notation, to a tool there is. Nothing is
 * run; the model is told how calls are written here, once. Loaded when such a reply has come.
 */
import { jsonActionReader } from './json-action/parser.js';
import { jsonToolCallsReader } from './json-tool-calls/parser.js';
import type { ProtocolReader, Segment } from './protocol.js';
import { readWhole } from './text-mode.js';
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
/** A whole call of any notation ends in one of these. */
const LAST = '>`~}]';

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
    const call = lastCall(readWhole(createParser, familiar));
    if (!call || !isTool(call.name)) continue;
    const at = familiar.lastIndexOf(call.raw);
    return { protocol: id, name: call.name, raw: text.slice(at, at + call.raw.length) };
  }
  return undefined;
}

/** The call that nothing but blanks follows: whole, and no example. */
function lastCall(segments: readonly Segment[]): (Segment & { type: 'call' }) | undefined {
  const last = segments.findLast((segment) => !('text' in segment) || segment.text.trim() !== '');
  return last?.type === 'call' && !last.flags?.some((flag) => flag === 'quoted' || flag === 'repaired') ? last : undefined;
}
