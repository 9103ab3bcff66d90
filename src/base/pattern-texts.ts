/**
 * Generates texts that may match a pattern of a schema. Each is tested before it is used, so the pattern is parsed only roughly:
 * lookarounds are skipped, and a back reference yields no match.
 */
import { addDays } from './days.js';

/** Longer texts are not useful as examples, and nested repeats grow fast. */
const MAX_CHARS = 200;
const MAX_DEPTH = 20;
/** The maximum number of repetitions in one text: what is repeated may be empty, a billion times. */
const MAX_REPEATS = 1_000;

const [LOWER, UPPER, DIGITS] = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '1234567890'];
const MARKS = '-_. /:@#+,!$%&=?~*()[]{}<>|^\'"`;\\\n\t';
/**
 * Groups of characters in order of preference; the first group with a match is used. The last entry is for texts that need some of each
 * kind.
 */
const ORDERS = [[LOWER, UPPER, DIGITS, MARKS], [UPPER, DIGITS, LOWER, MARKS], [DIGITS, UPPER, LOWER, MARKS], ['aA1-bB2_']];

/** One way to generate a text for a pattern. */
interface Attempt {
  text: string;
  order: readonly string[];
  /** The number of repeats beyond the minimum. */
  more: number;
  /** The index of the alternative to use. */
  choice: number;
  repeats: number;
}
type Write = (attempt: Attempt) => void;

/** @param today `YYYY-MM-DD`, for patterns of dates */
export function* textsFor(pattern: string, today: string, minLength: number): Generator<string> {
  const day = addDays(today, 1);
  yield* [day, `${day}T09:30:00Z`, '09:30', 'a-1', 'a1', 'A1', 'a', 'A', '1', '123', '#a0ffee'];
  const length = Math.min(minLength, MAX_CHARS);
  try {
    const write = readPattern(pattern);
    for (const more of new Set([0, 1, 2, 5, length]))
      for (const choice of [0, 1, 2])
        for (const order of ORDERS) {
          const attempt = { text: '', order, more, choice, repeats: 0 };
          write(attempt);
          // Without an anchor, more text may follow.
          yield* [attempt.text, attempt.text.padEnd(length, 'a')];
        }
  } catch (error) {
    if (!(error instanceof NoText)) throw error;
  }
}

class NoText extends Error {}

/** Parses a pattern, which must be valid in JavaScript with the flag `u`. */
function readPattern(pattern: string): Write {
  let at = 0;
  const take = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    const found = form.exec(pattern);
    at += found?.[0].length ?? 0;
    return found;
  };

  function alternatives(depth: number): Write {
    if (depth > MAX_DEPTH) throw new NoText();
    const all = [sequence(depth)];
    while (take(/\|/y)) all.push(sequence(depth));
    return (attempt) => all[attempt.choice % all.length]!(attempt);
  }

  function sequence(depth: number): Write {
    const parts: Write[] = [];
    while (at < pattern.length && !/[|)]/.test(pattern[at]!)) parts.push(repeated(depth));
    return (attempt) => parts.forEach((write) => write(attempt));
  }

  function repeated(depth: number): Write {
    const write = atom(depth);
    const quantifier = take(/(?:([*+?])|\{(\d+)(,(\d*))?\})\??/y);
    if (!quantifier) return write;
    const [, sign, fewest, comma, top] = quantifier;
    const minimum = sign ? Number(sign === '+') : Number(fewest);
    const most = sign ? (sign === '?' ? 1 : Infinity) : !comma ? minimum : top ? Number(top) : Infinity;
    return (attempt) => {
      for (let left = Math.min(most, minimum + attempt.more); left > 0; left -= 1) {
        write(attempt);
        attempt.repeats += 1;
        if (attempt.text.length > MAX_CHARS || attempt.repeats > MAX_REPEATS) throw new NoText();
      }
    };
  }

  function atom(depth: number): Write {
    const opening = take(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y);
    if (opening) {
      const inside = alternatives(depth + 1);
      at += 1;
      return /[=!]$/.test(opening[0]) ? () => undefined : inside;
    }
    if (take(/[\^$]|\\[bB]/y)) return () => undefined;
    const [token] = take(/\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[^])|[^]/uy)!;
    return character(token, pattern);
  }

  return alternatives(0);
}

function character(token: string, pattern: string): Write {
  if (!/^[\\[.]/.test(token)) return (attempt) => void (attempt.text += token);
  const regex = new RegExp(`^${token}$`, 'u');
  const codes = [...token.matchAll(/\\[ux]\{?([\da-fA-F]+)/g)].map(([, code]) => String.fromCodePoint(parseInt(code!, 16)));
  /** Characters of other scripts that the pattern contains. */
  const own = [...codes, ...pattern, '\u{4e2d}', '\u{e9}'].join('');
  const groups = new Map<string, string[]>();
  return (attempt) => {
    for (const group of [...attempt.order, own]) {
      let allowed = groups.get(group);
      if (!allowed) groups.set(group, (allowed = [...group].filter((char) => regex.test(char))));
      // The character depends on the position, so that a repeated class gives ABC or 123.
      if (allowed.length > 0) return void (attempt.text += allowed[attempt.text.length % allowed.length]!);
    }
    throw new NoText();
  };
}
