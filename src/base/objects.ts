/** The few careful steps on objects that everybody takes. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property of an object or array, so that neither `__proto__` nor a polluted prototype is ever read; undefined for everything else. */
export function own(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}

/** One property of anything at all; undefined where reading it throws. */
export function readField(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/**
 * The same in an object that is quick to read. One that a spread copied and a field was added to has a hidden class of its own in V8: where
 * thousands of these are kept, each look at a field of all of them takes a hundred times as long.
 */
export const even = <T extends object>(made: T): T => Object.assign({}, made);

/** An object literal or the like, of any frame: each has an `Object.prototype` of its own, and all of these end the chain. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Freezes plain data through and through; what is not plain (an element, say) is left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && !isPlain(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
  return value;
}

/** The same as `list.entries()`, which lists of a page with Prototype.js do not have. */
export const numbered = <Item>(list: readonly Item[]): [at: number, item: Item][] => list.map((item, at) => [at, item]);
