/**
 * Finds near misses: replies without a call that end in a complete call of another protocol to an existing tool, or in a shape that models
 * use. Nothing runs; the model is told once how to write calls. Loaded when such a reply has come.
 */
import { dialectParser } from './dialects/dialect-protocol.js';
import { jsonActionReader } from './json-action/parser.js';
import { jsonToolCallsReader } from './json-tool-calls/parser.js';
import { findForeignCall } from './foreign-formats/find-foreign-call.js';
import type { ForeignCall } from './foreign-formats/call-shapes.js';
import type { ProtocolReader, Segment } from './protocol.js';
import { readComplete } from './read-whole.js';
import { createTextMode } from './text-mode.js';
import { toolCodeReader } from './tool-code/parser.js';
import { vcpReader } from './vcp/parser.js';
import { xmlInvokeReader } from './xml-invoke/parser.js';

export interface NearMiss {
  /** The built-in protocol that the call is written in, or comes closest to. */
  protocol: string;
  /** The tool that was probably meant. */
  name: string;
  /** The call as written in the reply. */
  raw: string;
  /** The start of the call in the reply, including surrounding marks. It continues to the end. */
  start: number;
  /** All its calls, to show to the user. `arguments` is missing if they cannot be read. */
  calls: ForeignCall[];
  /** Set if the call is in none of our protocols. */
  loose?: true;
  /** Set if the call is written in `protocol`, but in a place where that does not accept it. */
  misplaced?: true;
  /** Set if the call lacks one or two closing brackets at its end. */
  short?: true;
}

export interface NearMissOptions {
  /** The protocol that read the reply and found no call. */
  active: string;
  isTool(name: string): boolean;
}

const readers: readonly Required<ProtocolReader>[] = [xmlInvokeReader, jsonActionReader, vcpReader, jsonToolCallsReader, toolCodeReader];

/** Quotes and backslashes that some models write instead of plain quotes and angle brackets. */
const TYPED = /[“”„]|\\(?=[<>])/g;
/** Last characters of a complete call in any protocol, ours or another. */
const LAST = '>`~}])';

/** Examines a finished reply as the model wrote it. Linear in its length. */
export function findNearMiss(text: string, { active, isTool }: NearMissOptions): NearMiss | undefined {
  if (!LAST.includes(text.trimEnd().slice(-1) || ' ')) return undefined;
  // All positions in the text stay the same.
  const familiar = text.replace(TYPED, (written) => (written === '\\' ? ' ' : '"'));
  for (const { id, createParser } of readers) {
    const found = id === active && familiar === text ? undefined : callsAtEnd(createParser, text, familiar, isTool);
    if (found) return { ...found, protocol: id };
  }
  const marked = dialectParser({ isTool, active });
  const foreign = callsAtEnd((emit) => createTextMode(marked, emit), text, text, isTool);
  if (foreign) return { ...foreign, protocol: 'json-tool-calls', loose: true };
  const found = findForeignCall(text, isTool);
  if (!found) return undefined;
  const { misplaced } = found;
  return { ...found, name: found.calls[0]!.name, raw: text.slice(found.start).trimEnd(), ...(!misplaced && { loose: true }) };
}

/** Returns the calls at the end of the text, read from `familiar`: only complete ones that are not examples. */
function callsAtEnd(
  createParser: Required<ProtocolReader>['createParser'],
  text: string,
  familiar: string,
  isTool: (name: string) => boolean,
): Omit<NearMiss, 'protocol'> | undefined {
  const segments = readComplete(createParser, familiar);
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

/** Returns the start of the first call with its marks, if only text precedes it. */
function startOf(segments: readonly Segment[]): number | undefined {
  let start = 0;
  for (const segment of segments) {
    if (segment.type === 'call-start') return start;
    if (segment.type !== 'text') return undefined;
    start += segment.text.length;
  }
  return undefined;
}
