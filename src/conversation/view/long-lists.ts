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

/**
 * Picks items out of a list that grows at its end: what was picked of its beginning is known, and costs next to nothing.
 *
 * `same`: how many items at the beginning are those of the last time
 */
export function createPicker<Item>(isPicked: (item: Item) => boolean): (list: readonly Item[], same: number) => readonly Item[] {
  let places: number[] = [];
  let picked: readonly Item[] = [];
  return (list, same) => {
    const kept = places.filter((at) => at < same);
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
