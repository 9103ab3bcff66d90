/** Finds the tool that a JSON value calls, in any of the shapes that models have learned. */
import { isObject, own } from '../../base/objects.js';
import { readCall } from '../json/json-calls.js';
import { parseTolerant } from '../json/tolerant.js';
import type { CallFlag } from '../protocol.js';

/** A call that was probably intended. `arguments` is missing if they cannot be read. */
export interface ForeignCall {
  name: string;
  arguments?: Record<string, unknown>;
  flags?: CallFlag[];
  providerId?: string;
}

/** Keys that wrap a call or a list of calls. */
const AROUND = ['tool_calls', 'tool_use', 'tool_call', 'function_call', 'function', 'invoke'];
const NAMES = ['name', 'tool', 'tool_name', 'function', 'invoke'];
const ARGUMENTS = ['arguments', 'parameters', 'args', 'params', 'input'];
const KEYS = new Set([...AROUND, ...NAMES, ...ARGUMENTS]);
const MOST = 20;
const DEEPEST = 4;

export interface ForeignNotes {
  duplicate: boolean;
  forbidden: boolean;
}

/** Returns the calls of a value that consists only of calls. `isMeant`: surrounding marks show that it is a call. */
export function readForeignCalls(
  value: unknown,
  notes: ForeignNotes,
  isTool: (name: string) => boolean,
  isMeant = false,
): ForeignCall[] | undefined {
  return read(value, isMeant, 0);

  function read(given: unknown, wrapped: boolean, depth: number): ForeignCall[] | undefined {
    if (depth > DEEPEST) return undefined;
    if (Array.isArray(given)) {
      if (given.length === 0 || given.length > MOST) return undefined;
      const all = given.map((one) => read(one, wrapped, depth + 1));
      return all.every((calls) => calls !== undefined) ? all.flat() : undefined;
    }
    if (!isObject(given)) return undefined;
    const names = new Set(NAMES.map((key): unknown => own(given, key)).filter((one) => typeof one === 'string'));
    const keys = ARGUMENTS.filter((one) => own(given, one) !== undefined);
    const inside = AROUND.flatMap((key) => {
      const inner: unknown = own(given, key);
      const calls = typeof inner === 'object' && inner !== null ? read(inner, true, depth + 1) : undefined;
      return calls ? [calls] : [];
    });
    const [calls] = inside;
    if (calls) {
      const isOther = [...names].some((one) => isTool(one.trim()) && calls.some(({ name }) => name !== one.trim()));
      return inside.length > 1 || keys.length > 0 || isOther ? calls.map(flagSuspicious) : calls;
    }
    const keyed = isMeant ? readKeyed(given) : undefined;
    if (keyed) return [keyed];
    const name = [...names].find((one) => isTool(one.trim()));
    const [key] = keys;
    // A description of a tool is not a call.
    if (typeof own(given, 'description') === 'string' && own(given, 'arguments') === undefined) return undefined;
    // A name alone may be the name of anything.
    if (name === undefined || (key === undefined && !wrapped && own(given, 'action') !== 'tool_call')) return undefined;
    const { values, isDoubled } =
      key === undefined ? { values: Object.create(null) as Record<string, unknown>, isDoubled: false } : argumentsOf(own(given, key));
    const isReadable = values !== undefined && !notes.forbidden;
    const call: ForeignCall = {
      name: name.trim(),
      ...(isReadable && { arguments: values }),
      ...((notes.duplicate || isDoubled) && { flags: ['duplicate_key'] }),
    };
    return [names.size > 1 || keys.length > 1 ? flagSuspicious(call) : call];
  }

  /** Reads an object whose only key is the name of a tool: `{"n": {…}}`. */
  function readKeyed(given: object): ForeignCall | undefined {
    const [key = '', ...others] = Object.keys(given);
    const values: unknown = own(given, key);
    if (others.length > 0 || KEYS.has(key) || !isTool(key.trim()) || !isObject(values)) return undefined;
    return { name: key.trim(), ...(!notes.forbidden && { arguments: values }), ...(notes.duplicate && { flags: ['duplicate_key'] }) };
  }
}

/** Flags an ambiguous call, of which one reading was chosen. */
const flagSuspicious = (call: ForeignCall): ForeignCall => ({ ...call, flags: [...(call.flags ?? []), 'suspicious'] });

interface Arguments {
  values?: Record<string, unknown>;
  isDoubled?: boolean;
}

/** Reads arguments that are an object or the JSON text of one. */
function argumentsOf(value: unknown): Arguments {
  if (typeof value !== 'string') return isObject(value) ? { values: value } : {};
  const parsed = parseTolerant(value.trim() || '{}');
  if ('error' in parsed || parsed.notes.forbidden || !isObject(parsed.value)) return {};
  return { values: parsed.value, isDoubled: parsed.notes.duplicate };
}

/**
 * Returns the protocol of which this is a complete call, and the calls. The protocol only does not accept them in this place. Undefined if
 * it is not such a call, or if one of its calls cannot be read.
 */
export function standardCalls(
  value: unknown,
  notes: ForeignNotes,
  isTool: (name: string) => boolean,
): { protocol: string; calls: ForeignCall[] } | undefined {
  const list: unknown = own(value, 'tool_calls');
  const isList = Array.isArray(list) && list.length > 0 && list.length <= MOST;
  if (!isList && (!isObject(value) || own(value, 'action') !== 'tool_call')) return undefined;
  const calls: ForeignCall[] = [];
  for (const entry of isList ? (list as unknown[]) : [value]) {
    const call = readCall(entry, notes, isList);
    if (call.code !== undefined || !isTool(call.name)) return undefined;
    const { name, flags, ownId } = call;
    calls.push({ name, arguments: call.arguments, flags, ...(ownId !== undefined && { providerId: ownId }) });
  }
  return { protocol: isList ? 'json-tool-calls' : 'json-action', calls };
}
