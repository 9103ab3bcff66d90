/** Finds items of immutable lists by a key. */

/** @returns the indexes of the items with this key, in order */
type FindIndexes = <Item extends object>(
  list: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  key: string,
) => readonly number[];

let find: FindIndexes = (list, keyOf, key) => list.flatMap((item, at) => (keyOf(item) === key ? [at] : []));

export const findIndexes: FindIndexes = (list, keyOf, key) => find(list, keyOf, key);

/** Replaces the search. Long conversations bring one whose cost depends only on what has changed. */
export function setFindIndexes(faster: FindIndexes): void {
  find = faster;
}
