/**
 * The corpus as JSON that strict parsers read, too, such as those of bundlers and of other languages: they refuse half a surrogate pair,
 * so texts with one are in this project's own tests only.
 */
import { corpus } from '../src/testing/corpus/index.js';

export const corpusData = `${JSON.stringify(
  corpus.map((one) => ({ ...one, fragments: one.fragments.filter(isWellFormed), samples: one.samples.filter(isWellFormed) })),
)}\n`;

function isWellFormed(data: unknown): boolean {
  let isWell = true;
  JSON.stringify(data, (key, value: unknown) => {
    isWell &&= [key, value].every((text) => typeof text !== 'string' || !/\p{Cs}/u.test(text));
    return value;
  });
  return isWell;
}
