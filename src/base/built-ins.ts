/**
 * Replacements for built-ins that Prototype.js, MooTools and similar libraries overwrite. The build inserts them in our code and in that of
 * our dependencies (`.config/built-ins.mjs`), so the sources use plain `Array.from` and `JSON.stringify`.
 */
const { stringify } = JSON;

type Replacer = (key: string, value: unknown) => unknown;

/** Replaces `Array.from`. The versions of those libraries support neither iterators nor a second argument. */
export function arrayFrom<Item>(from: Iterable<Item> | ArrayLike<Item>, map?: (item: Item, at: number) => unknown): unknown[] {
  const list =
    Symbol.iterator in Object(from)
      ? [...(from as Item[])]
      : [...Array<Item>((from as Item[]).length)].map((_, at) => (from as Item[])[at]!);
  return map ? list.map(map) : list;
}

/**
 * Replaces `JSON.stringify`. Ignores the `toJSON` that older versions of those libraries add to arrays, strings and numbers, because it
 * would write an array as a string.
 */
export function writeJson(value: unknown, replacer?: Replacer, space?: number): string {
  function own(this: Record<string, unknown>, key: string, changed: unknown): unknown {
    const original = this[key];
    const result = typeof original === 'object' && !Array.isArray(original) ? changed : original;
    return replacer ? replacer(key, result) : result;
  }
  return stringify(value, 'toJSON' in Array.prototype ? own : replacer, space);
}
