/** Safe operations on objects that many modules share. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns an own property of an object or array, so that neither `__proto__` nor a polluted prototype is ever read; undefined for all other
 * values.
 */
export function own(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}

/** Returns a property of any value; undefined if reading it throws. */
export function readField(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/**
 * Returns a copy that is fast to read. An object that was copied by a spread and then extended has a hidden class of its own in V8: with
 * thousands of these, reading a field of all of them takes a hundred times as long.
 */
export const fastCopy = <T extends object>(source: T): T => Object.assign({}, source);

/** Checks whether an object is a plain one, from any frame: each frame has its own `Object.prototype`, which ends the chain. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Deeply freezes plain data; other objects (an element, for example) stay as they are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && !isPlain(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
  return value;
}

/** Works like `list.entries()`, which arrays do not have on pages with Prototype.js. */
export const numbered = <Item>(list: readonly Item[]): [at: number, item: Item][] => list.map((item, at) => [at, item]);
