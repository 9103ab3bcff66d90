/**
 * Makes up texts that a pattern of a schema may be found in. Each is tried before it is used, so the reading of a pattern may be rough:
 * lookarounds are skipped, and a back reference yields nothing that fits.
 */
import { addDays } from './days.js';

/** Longer texts teach nothing, and repeats of repeats grow fast. */
const MOST_CHARS = 200;
const MOST_DEPTH = 20;

const [LOWER, UPPER, DIGITS] = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '1234567890'];
const MARKS = '-_. /:@#+,!$%&=?~*()[]{}<>|^\'"`;\\\n\t';
/** A character is taken from the first group that has a fitting one. The last order is for texts that need some of each kind. */
const ORDERS = [[LOWER, UPPER, DIGITS, MARKS], [UPPER, DIGITS, LOWER, MARKS], [DIGITS, UPPER, LOWER, MARKS], ['aA1-bB2_']];

/** One way to write what a pattern describes. */
interface Attempt {
  text: string;
  order: readonly string[];
  /** Repeats beyond the fewest. */
  more: number;
  /** Number of the alternative that is taken. */
  choice: number;
}
type Write = (attempt: Attempt) => void;

/** @param today `YYYY-MM-DD`, for a pattern of days */
export function* textsFor(pattern: string, today: string, minLength: number): Generator<string> {
  const day = addDays(today, 1);
  yield* [day, `${day}T09:30:00Z`, '09:30', 'a-1', 'a1', 'A1', 'a', 'A', '1', '123', '#a0ffee'];
  const length = Math.min(minLength, MOST_CHARS);
  try {
    const write = readPattern(pattern);
    for (const more of new Set([0, 1, 2, 5, length]))
      for (const choice of [0, 1, 2])
        for (const order of ORDERS) {
          const attempt = { text: '', order, more, choice };
          write(attempt);
          // Without an anchor, more text may follow.
          yield* [attempt.text, attempt.text.padEnd(length, 'a')];
        }
  } catch (error) {
    if (!(error instanceof NoText)) throw error;
  }
}

class NoText extends Error {}

/** The pattern must be one of JavaScript (flag `u`). */
function readPattern(pattern: string): Write {
  let at = 0;
  const take = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    const found = form.exec(pattern);
    at += found?.[0].length ?? 0;
    return found;
  };

  function alternatives(depth: number): Write {
    if (depth > MOST_DEPTH) throw new NoText();
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
    const least = sign ? Number(sign === '+') : Number(fewest);
    const most = sign ? (sign === '?' ? 1 : Infinity) : !comma ? least : top ? Number(top) : Infinity;
    return (attempt) => {
      for (let left = Math.min(most, least + attempt.more); left > 0; left -= 1) {
        write(attempt);
        if (attempt.text.length > MOST_CHARS) throw new NoText();
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
  /** Characters of other scripts, as the pattern names them. */
  const own = [...codes, ...pattern, '\u{4e2d}', '\u{e9}'].join('');
  const groups = new Map<string, string[]>();
  return (attempt) => {
    for (const group of [...attempt.order, own]) {
      let fitting = groups.get(group);
      if (!fitting) groups.set(group, (fitting = [...group].filter((char) => regex.test(char))));
      // By its place, so that a repeated class reads ABC or 123.
      if (fitting.length > 0) return void (attempt.text += fitting[attempt.text.length % fitting.length]!);
    }
    throw new NoText();
  };
}
