/** Finds, from the end of a text, where the value that closes there begins. Each character is looked at once, and a backslash once more. */

const PAIRS: Readonly<Record<string, string>> = { __proto__: null as never, ')': '(', ']': '[', '}': '{' };
const OPENING = '([{';

/** Where the bracket opens that closes before `end`; -1 if it does not. What stands between `quotes` is passed over. */
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

/** The position behind the last character before `end` that is no blank. */
export function trimEnd(text: string, end: number): number {
  while (end > 0 && ' \t\r\n'.includes(text[end - 1]!)) end -= 1;
  return end;
}

/** How far is looked back for what stands before a call. */
const HEAD = 200;

/** Where the pattern, which ends in `$` and knows no unbounded repetition but of one class, begins before `at`; `at` if it does not. */
export function before(text: string, at: number, pattern: RegExp): { start: number; found: RegExpExecArray | null } {
  const from = Math.max(0, at - HEAD);
  const found = pattern.exec(text.slice(from, at));
  return { start: found ? from + found.index : at, found };
}
