/** Finds items of immutable lists by a key. */

/** @returns the places of the items with this key, in their order */
type FindPlaces = <Item extends object>(list: readonly Item[], keyOf: (item: Item) => string | undefined, key: string) => readonly number[];

let find: FindPlaces = (list, keyOf, key) => list.flatMap((item, at) => (keyOf(item) === key ? [at] : []));

export const placesOf: FindPlaces = (list, keyOf, key) => find(list, keyOf, key);

/** Long lists come with a search that costs what has changed. */
export function setFindPlaces(faster: FindPlaces): void {
  find = faster;
}
