/** Helpers for lists that grow at their end: results for the unchanged beginning are reused. */

/** The number of items at the beginning of each list that have not changed since the last drawing. */
export interface UnchangedSince {
  readonly calls: number;
  readonly messages: number;
}

/** @returns the number of identical objects at the beginning of both lists */
export function sharedLength(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length);
  let at = one === other ? most : 0;
  while (at < most && one[at] === other[at]) at += 1;
  return at;
}

interface Index {
  list: readonly object[];
  places: Map<string, number[]>;
}

/** Indexes by key function and first item; no two conversations share their first item. */
const indexes = new WeakMap<object, WeakMap<object, Index>>();

/**
 * Returns the indexes of the items with this key. Only the end that differs from the previous list is read, so the cost depends on what has
 * changed.
 */
export function findPlaces<Item extends object>(
  list: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  key: string,
): readonly number[] {
  const [first] = list;
  if (!first) return [];
  const known = indexes.get(keyOf) ?? new WeakMap<object, Index>();
  indexes.set(keyOf, known);
  const index: Index = known.get(first) ?? { list: [], places: new Map() };
  known.set(first, index);
  const { places } = index;
  const same = sharedLength(list, index.list);
  for (const item of index.list.slice(same)) places.get(keyOf(item as Item) ?? '')?.pop();
  for (let at = same; at < list.length; at += 1) {
    const of = keyOf(list[at] as Item) ?? '';
    const found = places.get(of);
    if (found) found.push(at);
    else places.set(of, [at]);
  }
  index.list = list;
  return places.get(key) ?? [];
}

/**
 * Creates a function that picks items out of a list that grows at its end. It reuses its earlier picks for the unchanged beginning, which
 * makes them almost free.
 *
 * `same`: the number of items at the beginning that have not changed since the last call
 */
export function createPicker<Item>(isPicked: (item: Item) => boolean): (list: readonly Item[], same: number) => readonly Item[] {
  let places: number[] = [];
  let picked: readonly Item[] = [];
  return (list, same) => {
    const kept = (places.at(-1) ?? 0) < same ? places : places.filter((at) => at < same);
    const come: number[] = [];
    for (let at = same; at < list.length; at += 1) if (isPicked(list[at] as Item)) come.push(at);
    // The result is the same array as long as it contains the same items.
    if (come.length > 0 || kept.length < places.length) {
      places = [...kept, ...come];
      picked = places.map((at) => list[at] as Item);
    }
    return picked;
  };
}
