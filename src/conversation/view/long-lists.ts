/** Lists that grow at their end: what was worked out for their beginning holds. */

/** The number of items at the beginning of each list that are those of the last drawing. */
export interface SameAsBefore {
  readonly calls: number;
  readonly messages: number;
}

/** @returns the number of items that two lists share at their beginning: the very same objects */
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

/** By what is looked for, and by the first item: no two conversations share it. */
const indexes = new WeakMap<object, WeakMap<object, Index>>();

/** Only the end that differs from the list before is looked at: a search costs what has changed. */
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
 * Picks items out of a list that grows at its end: what was picked of its beginning is known, and costs next to nothing.
 *
 * `same`: how many items at the beginning are those of the last time
 */
export function createPicker<Item>(isPicked: (item: Item) => boolean): (list: readonly Item[], same: number) => readonly Item[] {
  let places: number[] = [];
  let picked: readonly Item[] = [];
  return (list, same) => {
    const kept = (places.at(-1) ?? 0) < same ? places : places.filter((at) => at < same);
    const come: number[] = [];
    for (let at = same; at < list.length; at += 1) if (isPicked(list[at] as Item)) come.push(at);
    // The same list, as long as it holds the same items.
    if (come.length > 0 || kept.length < places.length) {
      places = [...kept, ...come];
      picked = places.map((at) => list[at] as Item);
    }
    return picked;
  };
}
