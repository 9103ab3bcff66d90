/** Searches backwards for the start of the value that ends a text. Each character is read once, and a backslash once more. */

const PAIRS: Readonly<Record<string, string>> = { __proto__: null as never, ')': '(', ']': '[', '}': '{' };
const OPENING = '([{';

/** Returns the position of the bracket that closes right before `end`, or -1. Text between `quotes` is skipped. */
export function openingOf(text: string, end: number, quotes: string): number {
  const open: string[] = [];
  let quote = '';
  for (let at = end - 1; at >= 0; at -= 1) {
    const char = text[at]!;
    if (quote !== '') {
      if (char === quote && !isEscaped(text, at)) quote = '';
    } else if (quotes.includes(char)) quote = char;
    else if (PAIRS[char] !== undefined) open.push(PAIRS[char]);
    else if (OPENING.includes(char)) {
      if (open.pop() !== char) return -1;
      if (open.length === 0) return at;
    }
  }
  return -1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

/** Returns the position after the last nonblank character before `end`. */
export function trimEnd(text: string, end: number): number {
  while (end > 0 && ' \t\r\n'.includes(text[end - 1]!)) end -= 1;
  return end;
}

/** Maximum distance, in UTF-16 units, of the backward search for text before a call. */
const HEAD = 200;

/**
 * Returns where the match that ends at `at` begins, or `at` if there is none. The pattern must end in `$` and have no unbounded repetition
 * except of one class.
 */
export function before(text: string, at: number, pattern: RegExp): { start: number; found: RegExpExecArray | null } {
  const from = Math.max(0, at - HEAD);
  const found = pattern.exec(text.slice(from, at));
  return { start: found ? from + found.index : at, found };
}
