/** Finds the tool that a JSON value calls, in any of the shapes that models bring along from where they learnt to call tools. */
import { isObject, own } from '../../base/objects.js';
import { readCall } from '../json/json-calls.js';
import { parseTolerant } from '../json/tolerant.js';
import type { CallFlag } from '../protocol.js';

/** A call that was meant. Without `arguments` they could not be told. */
export interface LooseCall {
  name: string;
  arguments?: Record<string, unknown>;
  flags?: CallFlag[];
  providerId?: string;
}

/** What stands around a call, or a list of calls. */
const AROUND = ['tool_calls', 'tool_use', 'tool_call', 'function_call', 'function', 'invoke'];
const NAMES = ['name', 'tool', 'tool_name', 'function', 'invoke'];
const ARGUMENTS = ['arguments', 'parameters', 'args', 'params', 'input'];
const MOST = 20;
const DEEPEST = 4;

export interface LooseNotes {
  duplicate: boolean;
  forbidden: boolean;
}

/** The calls of a value that is nothing else. `isMeant`: marks around it say that it calls something. */
export function looseCalls(value: unknown, notes: LooseNotes, isTool: (name: string) => boolean, isMeant = false): LooseCall[] | undefined {
  return read(value, isMeant, 0);

  function read(given: unknown, wrapped: boolean, depth: number): LooseCall[] | undefined {
    if (depth > DEEPEST) return undefined;
    if (Array.isArray(given)) {
      if (given.length === 0 || given.length > MOST) return undefined;
      const all = given.map((one) => read(one, wrapped, depth + 1));
      return all.every((calls) => calls !== undefined) ? all.flat() : undefined;
    }
    if (!isObject(given)) return undefined;
    for (const key of AROUND) {
      const inner: unknown = own(given, key);
      const calls = typeof inner === 'object' && inner !== null ? read(inner, true, depth + 1) : undefined;
      if (calls) return calls;
    }
    const name = NAMES.map((key): unknown => own(given, key)).find((one): one is string => typeof one === 'string' && isTool(one.trim()));
    const key = ARGUMENTS.find((one) => own(given, one) !== undefined);
    // What describes a tool calls none.
    if (typeof own(given, 'description') === 'string' && own(given, 'arguments') === undefined) return undefined;
    // A name alone may be the name of anything.
    if (name === undefined || (key === undefined && !wrapped && own(given, 'action') !== 'tool_call')) return undefined;
    const values = key === undefined ? (Object.create(null) as Record<string, unknown>) : argumentsOf(own(given, key));
    const isReadable = values !== undefined && !notes.forbidden;
    return [{ name: name.trim(), ...(isReadable && { arguments: values }), ...(notes.duplicate && { flags: ['duplicate_key'] }) }];
  }
}

/** Arguments as an object, or as the text of one. */
function argumentsOf(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  const parsed = parseTolerant(value.trim() || '{}');
  return 'error' in parsed || parsed.notes.forbidden || !isObject(parsed.value) ? undefined : parsed.value;
}

/**
 * The protocol of which this is a call in full, and its calls: it only stands where the protocol wants none. Undefined if it is not, or if one of its
 * calls cannot be read.
 */
export function standardCalls(
  value: unknown,
  notes: LooseNotes,
  isTool: (name: string) => boolean,
): { protocol: string; calls: LooseCall[] } | undefined {
  const list: unknown = own(value, 'tool_calls');
  const isList = Array.isArray(list) && list.length > 0 && list.length <= MOST;
  if (!isList && (!isObject(value) || own(value, 'action') !== 'tool_call')) return undefined;
  const calls: LooseCall[] = [];
  for (const entry of isList ? (list as unknown[]) : [value]) {
    const call = readCall(entry, notes, isList);
    if (call.code !== undefined || !isTool(call.name)) return undefined;
    const { name, flags, ownId } = call;
    calls.push({ name, arguments: call.arguments, flags, ...(ownId !== undefined && { providerId: ownId }) });
  }
  return { protocol: isList ? 'json-tool-calls' : 'json-action', calls };
}
