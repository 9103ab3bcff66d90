/**
 * Patterns of a schema, applied to text of a model. Whoever wrote a pattern thought of a dozen characters, and what takes no time on
 * those can take hours on a page of text: a pattern that may go back over its text gets short texts only, and is tried on their
 * beginnings first. One whose time multiplies with every character (nested repeats, alternatives that overlap) gets a few characters only,
 * and what it is not tried on is refused as too long, like any other text that a pattern is not tried on.
 */
import { safeLength } from './pattern-cost.js';

/** Longest text that is tried against a pattern which may go back over it. */
export const PATTERN_CHARS = 1_000;
/** Milliseconds that a beginning may take; the whole would take a multiple. */
const SLOW = 5;

interface Compiled {
  regex: RegExp;
  /** How often it repeats something; 0 where its time grows with the text and no faster. */
  repeats: number;
  /** Characters that are not too many for it, as far as is known. */
  most: number;
  /** A text is read for coercion and again for validation. */
  last?: { text: string; found: boolean };
}

const compiled = new Map<string, Compiled | null>();
const KEPT = 500;

function compile(pattern: string): Compiled | null {
  let known = compiled.get(pattern);
  if (known === undefined) {
    try {
      const repeats = repeatsOf(pattern);
      const regex = new RegExp(pattern, 'u');
      known = { regex, repeats, most: Math.min(safeLength(pattern), repeats === 0 ? Infinity : PATTERN_CHARS) };
    } catch {
      known = null;
    }
    if (compiled.size >= KEPT) compiled.clear();
    compiled.set(pattern, known);
  }
  return known;
}

/** Whether the pattern is in the text; `too-long` where that is not tried, `no-pattern` where it is none. */
export function testPattern(pattern: string, text: string): boolean | 'too-long' | 'no-pattern' {
  const known = compile(pattern);
  if (!known) return 'no-pattern';
  if (known.last?.text === text) return known.last.found;
  if (text.length > known.most || isSlow(known, text)) return 'too-long';
  known.last = { text, found: known.regex.test(text) };
  return known.last.found;
}

/** Characters of the longest text that the pattern is tried on. */
export function patternLimit(pattern: string): number {
  return Math.max(0, compile(pattern)?.most ?? PATTERN_CHARS);
}

/** What one attempt costs at most, in steps of a check. */
export function patternCost(pattern: string, { length }: string): number {
  const { repeats = 0, most = 0 } = compile(pattern) ?? {};
  if (repeats === 0 || length > most) return 1 + length / 8;
  return 1 + (repeats === 1 ? length ** 2 / 16 : length ** 3 / 250);
}

/** A beginning is tried with an end that hardly any pattern allows: it is on the way to nothing that patterns go back again and again. */
function isSlow(known: Compiled, text: string): boolean {
  if (known.repeats < 2) return false;
  for (let length = 12; length < text.length; length = Math.max(length + 4, Math.floor(length * 1.25))) {
    const beginning = `${text.slice(0, length)}\0`;
    const isSlowOn = () => {
      const start = performance.now();
      known.regex.test(beginning);
      return performance.now() - start > SLOW;
    };
    // Twice: the first time something else may have taken the time.
    if (!isSlowOn() || !isSlowOn()) continue;
    known.most = length - 1;
    return true;
  }
  return false;
}

/** 0 only where it is plain to see: nothing is repeated, or one set of characters is, from the text's start on. */
function repeatsOf(pattern: string): number {
  const sets = pattern.replace(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\./gsu, '.').replace(/\[[^\]]*\]/gu, '.');
  // A group that is repeated can be cut in many ways, as two repetitions can.
  const repeats = (sets.match(/[*+{]/gu)?.length ?? 0) + (sets.match(/\)[*+{]/gu)?.length ?? 0);
  return repeats === 1 && /^\^[^()|]*$/u.test(sets) ? 0 : repeats;
}
