/**
 * Applies the patterns of schemas to text of a model. A pattern that is fast on a dozen characters can take hours on a page of text. The
 * maximum length of a text follows from the pattern's source alone; a longer text is rejected with an error.
 */
import { costOf, withoutIdleRepeats, type PatternCost } from './pattern-cost.js';
import { textsFor } from './pattern-texts.js';

interface Compiled extends PatternCost {
  regex: RegExp;
  /** The last result, because each text is tested for coercion and again for validation. */
  last?: { text: string; found: boolean };
}

const compiled = new Map<string, Compiled | null>();
const MAX_CACHED = 500;
const MAX_CACHED_CHARS = 1_000;

function compile(pattern: string): Compiled | null {
  let result = compiled.get(pattern);
  if (result !== undefined) return result;
  try {
    void new RegExp(pattern, 'u');
    const needed = withoutIdleRepeats(pattern);
    result = { regex: new RegExp(needed, 'u'), ...costOf(needed) };
  } catch {
    result = null;
  }
  if (compiled.size >= MAX_CACHED) compiled.clear();
  if (pattern.length <= MAX_CACHED_CHARS) compiled.set(pattern, result);
  return result;
}

/** Checks whether the text contains a match; `too-long` if that is not tried, `no-pattern` if the pattern is invalid. */
export function testPattern(pattern: string, text: string): boolean | 'too-long' | 'no-pattern' {
  const entry = compile(pattern);
  if (!entry) return 'no-pattern';
  if (entry.last?.text === text) return entry.last.found;
  if (text.length > entry.most) return 'too-long';
  const found = entry.regex.test(text);
  if (text.length <= MAX_CACHED_CHARS) entry.last = { text, found };
  return found;
}

/** Returns the length of the longest text to try the pattern on; undefined if the pattern is invalid. */
export function patternLimit(pattern: string): number | undefined {
  const entry = compile(pattern);
  return entry ? Math.max(0, entry.most) : undefined;
}

/** Returns the maximum cost of one attempt, in steps of a check. */
export function patternCost(pattern: string, { length }: string): number {
  const { power = 1, most = 0 } = compile(pattern) ?? {};
  return 1 + (power === 1 || length > most ? length / 8 : length ** power / 16);
}

export interface TextLimits {
  /** `YYYY-MM-DD`, for patterns of dates. */
  today: string;
  minLength: number;
  maxLength: number;
}

const texts = new Map<string, string | undefined>();

/** Returns a text within the limits that the pattern matches; undefined if none was found, or for a pattern of over 1,000 characters. */
export function textFor(pattern: string, limits: TextLimits): string | undefined {
  const { today, minLength, maxLength } = limits;
  const key = JSON.stringify([pattern, limits]);
  if (!texts.has(key) && pattern.length <= MAX_CACHED_CHARS && compile(pattern)) {
    if (texts.size >= MAX_CACHED) texts.clear();
    const fits = (text: string) => text.length >= minLength && text.length <= maxLength && testPattern(pattern, text) === true;
    texts.set(key, undefined);
    for (const text of textsFor(pattern, today, minLength)) {
      if (!fits(text)) continue;
      texts.set(key, text);
      break;
    }
  }
  return texts.get(key);
}
