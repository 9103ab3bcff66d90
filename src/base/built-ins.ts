/**
 * Built-ins that pages with Prototype.js, MooTools and the like have replaced. The build puts these in their place, in our code and in that of
 * libraries (`.config/built-ins.mjs`): the code itself says `Array.from` and `JSON.stringify`.
 */
const { stringify } = JSON;

type Replacer = (key: string, value: unknown) => unknown;

/** The functions of those libraries read no iterators, and no second argument. */
export function arrayFrom<Item>(from: Iterable<Item> | ArrayLike<Item>, map?: (item: Item, at: number) => unknown): unknown[] {
  const list =
    Symbol.iterator in Object(from)
      ? [...(from as Item[])]
      : [...Array<Item>((from as Item[]).length)].map((_, at) => (from as Item[])[at]!);
  return map ? list.map(map) : list;
}

/** Ignores the `toJSON` that older versions of them give to lists, texts and numbers: it would write a list as a text. */
export function writeJson(value: unknown, replacer?: Replacer, space?: number): string {
  function own(this: Record<string, unknown>, key: string, changed: unknown): unknown {
    const given = this[key];
    const kept = typeof given === 'object' && !Array.isArray(given) ? changed : given;
    return replacer ? replacer(key, kept) : kept;
  }
  return stringify(value, 'toJSON' in Array.prototype ? own : replacer, space);
}
