/** Copies call data, so that a call runs with exactly the arguments that were shown. */
import { isPlain } from '../base/objects.js';

/** Maximum levels of nesting in arguments. */
export const DEPTH_LIMIT = 64;

/** Maximum number of values in arguments, including lists and objects, because the following steps take time for each. */
export const VALUES_LIMIT = 100_000;

/** Names that could change a prototype. They are refused at any depth. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export type CopyProblem = { problem: 'depth' | 'many' | 'name' | 'value'; path: string };

/**
 * Copies JSON data. Reads each property once, so that getters and later changes of the original have no effect.
 *
 * Refuses values that JSON cannot hold, numbers that it cannot hold exactly, names that could change a prototype, nesting beyond `depth`
 * (which also ends cycles), and more than `values` values, because shared references could multiply without limit. An undefined property
 * counts as absent.
 */
export function copyJson(
  value: unknown,
  depth = DEPTH_LIMIT,
  values = 1_000_000,
): { ok: true; value: unknown } | ({ ok: false } & CopyProblem) {
  let left = values;
  const path: string[] = [];
  // If a getter or a proxy of the original throws, the value there is the problem.
  let problem: CopyProblem['problem'] = 'value';

  function fail(why: CopyProblem['problem']): never {
    problem = why;
    throw why;
  }

  function copy(input: unknown): unknown {
    if (--left < 0) fail('many');
    if (input === null || typeof input === 'string' || typeof input === 'boolean') return input;
    if (typeof input === 'number') {
      if (!Number.isFinite(input) || (Number.isInteger(input) && !Number.isSafeInteger(input))) fail('value');
      return input + 0; // -0 becomes 0, as JSON writes it
    }
    if (typeof input !== 'object') fail('value');
    const isArray = Array.isArray(input);
    if (!isArray && !isPlain(input)) fail('value');
    if (path.length >= depth) fail('depth');
    if (isArray && input.length > left) fail('many');
    const result: Record<string, unknown> | unknown[] = isArray ? [] : {};
    for (const key of isArray ? Array.from(input, (_, index) => String(index)) : Object.keys(input)) {
      path.push(key);
      if (FORBIDDEN.has(key)) fail('name');
      const item = (input as Record<string, unknown>)[key];
      if (isArray || item !== undefined) (result as Record<string, unknown>)[key] = copy(item);
      path.pop();
    }
    return result;
  }

  try {
    return { ok: true, value: copy(value) };
  } catch {
    return { ok: false, problem, path: path.join('.') };
  }
}

/** Returns a copy that the caller may change: arrays, plain objects and dates are copied, everything else is shared. */
export function copyData(value: unknown, depth = DEPTH_LIMIT): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => copyData(item, depth - 1));
  if (value instanceof Date) return new Date(value);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyData(item, depth - 1)]));
}
