/** Converts the complete body of a call to tool names and arguments. */
import { isObject } from '../../base/objects.js';
import { parseTolerant, type TolerantJson } from '../json/tolerant.js';
import { commaAfter, keywordArguments } from '../foreign-formats/python.js';
import { readForeignCalls } from '../foreign-formats/call-shapes.js';
import type { CallErrorCode, CallFlag } from '../protocol.js';
import { trimBlanks } from '../scan.js';
import { isGuess, type FindTool, type Head } from './heads.js';

export interface ReadCall {
  name: string;
  /** The arguments. Missing if they cannot be read, for the reason in `code`. */
  arguments?: Record<string, unknown>;
  code?: CallErrorCode;
  flags: CallFlag[];
}

const suspiciousCall = (written: string, name: string | undefined, flags: CallFlag[]): CallFlag[] =>
  name !== undefined && isGuess(written, name) ? [...flags, 'suspicious'] : flags;

/** Adds `foreign` to the flags, and `suspicious` if one of two readings was chosen. Such a call always requires approval. */
export const foreignFlags = (flags: readonly CallFlag[], isDoubtful = false): CallFlag[] => [
  ...new Set([...flags, 'foreign' as const, ...(isDoubtful || flags.includes('duplicate_key') ? (['suspicious'] as const) : [])]),
];

/** Returns the calls of a complete body in brackets; at least one. */
export function readBody(body: Head['body'], name: string, source: string, find: FindTool): ReadCall[] {
  switch (body) {
    case 'calls':
      return readCalls(name, parseTolerant(source), find);
    case 'list':
      return readList(source.slice(1, -1), find) ?? [{ name, code: 'malformed', flags: [] }];
    case 'python':
      return [withArguments(name, keywordArguments(source.slice(1, -1)))];
    case 'gemma':
      return [readArguments(name, inJson(source))];
    default:
      return [readArguments(name, source)];
  }
}

/** Returns the calls named in the JSON itself; at least one. */
export function readCalls(name: string, parsed: TolerantJson, find: FindTool): ReadCall[] {
  if ('error' in parsed) return [{ name, code: parsed.error, flags: [] }];
  const isTool = (written: string) => find(written) !== undefined;
  const { value, notes } = parsed;
  const calls = readForeignCalls(value, notes, isTool, true) ?? readForeignCalls(value, notes, (written) => written.trim() !== '', true);
  if (!calls) return [{ name, code: 'bad_shape', flags: [] }];
  return calls.map(({ name: written, arguments: values, flags = [] }) => ({
    name: find(written) ?? written,
    flags: suspiciousCall(written, find(written), flags),
    ...(values ? { arguments: values } : { code: 'bad_shape' as const }),
  }));
}

function readArguments(name: string, source: string): ReadCall {
  const parsed = parseTolerant(source);
  if ('error' in parsed) return { name, code: parsed.error, flags: [] };
  if (!isObject(parsed.value) || parsed.notes.forbidden) return { name, code: 'bad_shape', flags: [] };
  return { name, arguments: parsed.value, flags: parsed.notes.duplicate ? ['duplicate_key'] : [] };
}

const withArguments = (name: string, values: Record<string, unknown> | undefined): ReadCall =>
  values ? { name, arguments: values, flags: [] } : { name, code: 'malformed', flags: [] };

/** Reads a list of Python calls: `n(k=v), m()`. */
export function readList(source: string, find: FindTool): ReadCall[] | undefined {
  const calls: ReadCall[] = [];
  for (let at = 0; at < source.length;) {
    const end = commaAfter(source, at);
    const call = trimBlanks(source.slice(at, end));
    const open = call.indexOf('(');
    at = end + 1;
    if (call === '' && at >= source.length) break;
    if (open < 1 || !call.endsWith(')')) return undefined;
    const written = call.slice(0, open).trim();
    const read = withArguments(find(written) ?? written, keywordArguments(call.slice(open + 1, -1)));
    calls.push({ ...read, flags: suspiciousCall(written, find(written), read.flags) });
  }
  return calls.length > 0 ? calls : undefined;
}

/** Converts Gemma's strings between `<|"|>` to JSON strings. Bare keys are left to the tolerant parser. */
function inJson(source: string): string {
  return source
    .split('<|"|>')
    .map((piece, at) => (at % 2 === 0 ? piece : JSON.stringify(piece)))
    .join('');
}
