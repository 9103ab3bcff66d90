/** Converts JSON values to calls, in all the shapes that a call may have. */
import { isObject, own } from '../../base/objects.js';
import type { CallErrorCode, CallFlag } from '../protocol.js';
import { trimBlanks } from '../scan.js';
import { parseTolerant } from './tolerant.js';

export type ReadCall =
  | { name: string; arguments: Record<string, unknown>; flags: CallFlag[]; ownId?: string; code?: undefined }
  | { name?: string; code: CallErrorCode };

/** Checks whether a key holds the arguments. Models trained on other formats write `parameters`; `args` and `input` are not accepted. */
export const isArgumentsKey = (key: string | undefined) => key === 'arguments' || key === 'parameters';

/** Maximum length of an id, in UTF-16 units. A longer value is ignored. */
const ID_CHARS = 200;

/** Returns the model's own id of a call. The results that the model reads carry the same id. */
export const ownIdOf = (id: unknown): string | undefined =>
  typeof id === 'string' && id.length <= ID_CHARS && /^[^\s\p{C}]+$/u.test(id) ? id : undefined;

/**
 * Reads `{name, arguments}`, or `{function: {name, arguments}}` if `nested` allows it. Missing arguments are empty; arguments in a string
 * are decoded once.
 */
export function readCall(entry: unknown, notes: { duplicate: boolean; forbidden: boolean }, nested: boolean): ReadCall {
  const inner = nested ? own(entry, 'function') : undefined;
  const call = isObject(inner) ? inner : entry;
  if (!isObject(call)) return { code: 'bad_shape' };
  const written = own(call, 'name');
  const name = typeof written === 'string' ? trimBlanks(written) : '';
  if (name === '') return { code: 'missing_name' };
  const given = [
    own(call, 'arguments'),
    own(call, 'parameters'),
    ...(call === entry ? [] : [own(entry, 'arguments'), own(entry, 'parameters')]),
  ];
  const [first, ...others] = given.filter((one) => one !== undefined && one !== null);
  let values: unknown = first ?? (Object.create(null) as object);
  let { duplicate, forbidden } = notes;
  if (typeof values === 'string') {
    const parsed = parseTolerant(values.trim() || '{}');
    if ('error' in parsed) return { name, code: parsed.error };
    values = parsed.value;
    duplicate ||= parsed.notes.duplicate;
    forbidden ||= parsed.notes.forbidden;
  }
  if (forbidden || !isObject(values)) return { name, code: 'bad_shape' };
  const outer = call === entry ? undefined : own(entry, 'name');
  // The object is ambiguous: two readings exist, and one is chosen.
  const isDoubtful = others.length > 0 || (typeof outer === 'string' && trimBlanks(outer) !== name);
  const flags = [...(duplicate ? (['duplicate_key'] as const) : []), ...(isDoubtful ? (['suspicious'] as const) : [])];
  const ownId = nested ? ownIdOf(own(entry, 'id')) : undefined;
  return { name, arguments: values, flags, ...(ownId !== undefined && { ownId }) };
}
