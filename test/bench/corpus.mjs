/** The same realistic Markdown every time: headings, lists, code, tables, quotes, links. One token is 4 characters. */
import { readFileSync } from 'node:fs';

const TOKEN_CHARS = 4;
const ANSWER = readFileSync(new URL('../fixtures/bench/answer.md', import.meta.url), 'utf8');

/** @param {number} start about where it begins: with the next block from this character on */
export function markdown(tokens, start = 0) {
  const from = start === 0 ? 0 : ANSWER.indexOf('\n\n', start % (ANSWER.length / 2)) + 2;
  const length = tokens * TOKEN_CHARS;
  return ANSWER.repeat(1 + Math.ceil(length / ANSWER.length)).slice(from, from + length);
}

export function tokensOf(text) {
  return Array.from({ length: Math.ceil(text.length / TOKEN_CHARS) }, (_, i) => text.slice(i * TOKEN_CHARS, (i + 1) * TOKEN_CHARS));
}
