/** Copies and freezes call data, so that what was shown is what runs (X-12, faults 57 and 114). */
import { define } from '../plain.js';

/** Levels of nesting that arguments may have. */
export const DEPTH_LIMIT = 64;

/** Names that reach for a prototype: refused at any depth. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export type CopyProblem = { problem: 'depth' | 'name' | 'value'; path: string };

/**
 * A copy of JSON data, each property read once, so getters and later changes of the original do not matter.
 * Refused: values JSON cannot hold, numbers it cannot hold exactly, names that reach for a prototype, nesting beyond `depth`
 * (which ends cycles, too). A property that is undefined counts as absent (S0-53).
 */
export function copyJson(value: unknown, depth = DEPTH_LIMIT): { ok: true; value: unknown } | ({ ok: false } & CopyProblem) {
  let left = 1_000_000; // values: shared references could multiply without end
  const path: string[] = [];

  function fail(problem: CopyProblem['problem']): never {
    throw { problem, path: path.join('.') } satisfies CopyProblem;
  }

  function copy(input: unknown): unknown {
    if (--left < 0) fail('depth');
    if (input === null || typeof input === 'string' || typeof input === 'boolean') return input;
    if (typeof input === 'number') {
      if (!Number.isFinite(input) || (Number.isInteger(input) && !Number.isSafeInteger(input))) fail('value');
      return input + 0; // -0 becomes 0, as JSON writes it
    }
    if (typeof input !== 'object') fail('value');
    const isArray = Array.isArray(input);
    if (!isArray && !isPlain(input)) fail('value');
    if (path.length >= depth || (isArray && input.length > left)) fail('depth');
    const result: Record<string, unknown> | unknown[] = isArray ? [] : {};
    for (const key of isArray ? Array.from(input, (_, index) => String(index)) : Object.keys(input)) {
      path.push(key);
      if (FORBIDDEN.has(key)) fail('name');
      const item = (input as Record<string, unknown>)[key];
      if (isArray || item !== undefined) define(result, key, copy(item));
      path.pop();
    }
    return result;
  }

  try {
    return { ok: true, value: copy(value) };
  } catch (thrown) {
    // A getter or a proxy of the original may throw anything.
    const known = typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, 'problem');
    return { ok: false, ...(known ? (thrown as CopyProblem) : { problem: 'value', path: path.join('.') }) };
  }
}

/** A copy for someone who may change it: arrays, plain objects and dates are copied, all else is shared. */
export function copyData(value: unknown, depth = DEPTH_LIMIT): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => copyData(item, depth - 1));
  if (value instanceof Date) return new Date(value);
  if (!isPlain(value)) return value;
  const result = {};
  for (const [key, item] of Object.entries(value)) define(result, key, copyData(item, depth - 1));
  return result;
}

/** Freezes plain data through and through; what is not plain (an element, say) is left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && !isPlain(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another frame has an `Object.prototype` of its own; both end the chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
