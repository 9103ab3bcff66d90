/** The search for what costs most: in Node, and in a page. */
import { generator, mutated, written } from '../fixtures/worst/input.mjs';

/**
 * Starts from what is known and from single tokens, changes the dearest a little, and keeps what is dearer.
 *
 * @param {(text: string) => number} cost Of a text of this `length`.
 * @returns {Promise<{input: object, price: number}[]>} the dearest first, with their price a character
 */
export async function climb(known, tokens, cost, { seconds, seed, length }) {
  const random = generator(seed);
  const priced = (input) => {
    const text = written(input, length);
    return { input, price: Math.min(cost(text), cost(text)) / text.length };
  };
  const order = (list) => list.sort((a, b) => b.price - a.price).slice(0, 8);
  let best = order([...known, ...tokens.map((token) => ({ head: '', parts: [token], tail: '' }))].map(priced));
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    best = order([...best, priced(mutated(best[Math.floor(random() ** 2 * best.length)].input, tokens, random))]);
    await new Promise((resolve) => setTimeout(resolve)); // in a page, each search begins in a task of its own
  }
  return best;
}
