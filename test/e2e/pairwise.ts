/** Few combinations instead of all: a fault mostly needs two values to meet, seldom three. */
import { createRandom } from '../../src/testing/chunks.js';
import { isFullEffort } from '../helpers/effort.js';

/** `SEED=…` repeats what was drawn; titles name it. */
export const SEED = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

type Factors = Record<string, readonly unknown[]>;
type Row<All extends Factors> = { [Name in keyof All]: All[Name][number] };

/** Rows in which every two values of different factors meet at least once. With full effort these are all rows. */
export function pairwise<All extends Factors>(factors: All): Row<All>[] {
  const names = Object.keys(factors);
  let all: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(factors)) all = all.flatMap((row) => values.map((value) => ({ ...row, [name]: value })));
  if (isFullEffort) return all as Row<All>[];
  const pairsOf = (row: Record<string, unknown>) =>
    names.flatMap((one, at) => names.slice(at + 1).map((other) => `${one}=${String(row[one])} ${other}=${String(row[other])}`));
  const open = new Set(all.flatMap(pairsOf));
  const waiting = shuffled(all);
  const chosen: Record<string, unknown>[] = [];
  const gain = (row: Record<string, unknown>) => pairsOf(row).filter((pair) => open.has(pair)).length;
  while (open.size > 0) {
    const best = waiting.reduce((most, row) => (gain(row) > gain(most) ? row : most));
    for (const pair of pairsOf(best)) open.delete(pair);
    chosen.push(best);
  }
  return chosen as Row<All>[];
}

/** In an order that the seed decides. */
export function shuffled<Value>(values: readonly Value[]): Value[] {
  const random = createRandom(SEED);
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
