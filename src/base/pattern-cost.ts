/**
 * Estimates the cost of a pattern from its source: the number of steps that one attempt can take on a text of a given length. The time
 * multiplies with every character if a repeated part can read one character in two ways (nested repeats, overlapping alternatives), and
 * with the length of the text if a repeated part can end at several positions. A pattern with neither property reads its text once.
 */
import { numbered } from './objects.js';

const MAX_SOURCE = 2000;
const MAX_POSITIONS = 200;
/** The maximum number of pairs of adjacent characters; nested repeats create the same pairs again. */
const MAX_LINKS = 100_000;
/** The maximum number of ways through a text. */
const MAX_WAYS = 50_000;
/** A part with a greater fixed repeat count counts as a loop. Also the maximum number of optional parts. */
const FEW = 8;

/** A position of the pattern: the source that matches one character, and the repeated part that contains it (0: none). */
interface Position {
  /** The index of the position in the pattern. */
  at: number;
  source: string;
  loop: number;
  next: Set<Position>;
  /** The positions in `next` that can follow in two ways. */
  twice: Set<Position>;
}

interface Part {
  first: Position[];
  last: Position[];
  /** True if it can match the empty string. */
  empty: boolean;
  /** True if it can match more than one character. */
  compound: boolean;
}

/** Thrown if a pattern is not understood, can repeat an empty match, or takes too long to analyze. */
class Unsafe extends Error {}

/** The maximum number of steps of one attempt. */
const MAX_STEPS = 10_000_000;

export interface PatternCost {
  /** The length of the longest text to try the pattern on; -1 if it is never tried. */
  most: number;
  /** The exponent of the text's length in the running time. */
  power: number;
}

/** Returns the cost of a pattern, which must be valid in JavaScript with the flag `u`. */
export function costOf(pattern: string): PatternCost {
  if (!repeats(pattern) && pattern.split('(').length <= 3) return { most: Infinity, power: 1 };
  if (pattern.length > MAX_SOURCE) return { most: -1, power: 1 };
  try {
    return measure(pattern);
  } catch (error) {
    if (error instanceof Unsafe) return { most: -1, power: 1 };
    throw error;
  }
}

/**
 * Removes a repeat of the first or the last character if it does not affect the result: a text contains `\S+` exactly if it contains `\S`.
 */
export function withoutIdleRepeats(pattern: string): string {
  if (pattern.includes('|')) return pattern;
  const first = /^(\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^\\[\](){}*+?^$])([*+?]|\{(\d+)(?:,\d*)?\})\??/u.exec(
    pattern,
  );
  const once = (quantifier: string, minimum: string | undefined) =>
    quantifier === '+' || minimum === '1' ? '' : quantifier.startsWith('{') ? `{${minimum ?? ''}}` : '{0}';
  const shortened = first ? first[1]! + once(first[2]!, first[3]) + pattern.slice(first[0].length) : pattern;
  const last = /([*+?]|\{(\d+)(?:,\d*)?\})\??$/.exec(shortened);
  const before = last ? shortened.slice(0, last.index) : '';
  // A group can match in several ways, and the quantifier may be an escaped character.
  if (!last || before === '' || /[()*+?]$|\}\??$/.test(before.slice(-1)) || /(?:^|[^\\])(?:\\\\)*\\(?:[uUpP])?$/.test(before))
    return shortened;
  return before + once(last[1]!, last[2]);
}

/**
 * Checks for repeats. Without one, alternatives multiply only with those of other groups, so a list of a thousand words in one group is
 * safe.
 */
const repeats = (pattern: string): boolean => /[*+?{]/.test(pattern.replaceAll(/\(\?(?:[:=!]|<[=!]|<[^>]*>)/g, '('));

function measure(pattern: string): PatternCost {
  const positions: Position[] = [];
  let at = 0;
  let loops = 0;
  let empties = 0;
  let links = 0;
  let branches = 1;
  /** The number of lookarounds that may scan the text at each position. */
  let looks = 0;
  /** The end of the part that is tried only once, at the start of the text. */
  let head = pattern.startsWith('^') ? 1 : 0;
  const nothing = (): Part => ({ first: [], last: [], empty: true, compound: false });

  function connect(from: Part, to: Part): void {
    links += from.last.length * to.first.length;
    if (links > MAX_LINKS) throw new Unsafe();
    for (const position of from.last)
      for (const follower of to.first) (position.next.has(follower) ? position.twice : position.next).add(follower);
  }

  function alternatives(): Part {
    const isWhole = at === 0;
    const all = [sequence()];
    while (pattern[at] === '|') {
      at += 1;
      all.push(sequence());
    }
    if (isWhole) branches = all.length;
    const [only] = all;
    if (only && all.length === 1) return only;
    const empty = all.filter((one) => one.empty).length;
    empties += Math.max(0, empty - 1);
    return { first: all.flatMap(({ first }) => first), last: all.flatMap(({ last }) => last), empty: empty > 0, compound: true };
  }

  function sequence(): Part {
    let result = nothing();
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      const next = repeated();
      connect(result, next);
      result = {
        first: result.empty ? [...result.first, ...next.first] : result.first,
        last: next.empty ? [...result.last, ...next.last] : next.last,
        empty: result.empty && next.empty,
        compound: result.compound || next.compound || (result.first.length > 0 && next.first.length > 0),
      };
    }
    return result;
  }

  function repeated(): Part {
    const from = positions.length;
    const part = atom();
    const quantifier = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(pattern.slice(at, at + 40));
    if (!quantifier) return part;
    at += quantifier[0].length;
    const [text, minimum = '', comma, maximum] = quantifier;
    const max = text.startsWith('?') ? 1 : comma === undefined && minimum !== '' ? Number(minimum) : maximum ? Number(maximum) : Infinity;
    if (max === 0) return nothing();
    const isOptional = /^[*?]/.test(text) || Number(minimum || 1) === 0;
    if (part.empty && part.compound) {
      if (max > 1) throw new Unsafe();
      empties += 1;
    }
    if (max > 1) {
      connect(part, part);
      if (part.compound && (max > FEW || positions.slice(from).some(({ loop }) => loop !== 0))) {
        loops += 1;
        for (const place of positions.slice(from)) place.loop = loops;
      } else if (part.compound) for (const place of positions.slice(from)) place.loop = -1;
    }
    return { ...part, empty: part.empty || isOptional, compound: true };
  }

  function atom(): Part {
    const char = pattern[at]!;
    if (char === '(') {
      const from = { at, places: positions.length };
      const opening = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(pattern.slice(at, at + 80))![0];
      at += opening.length;
      const inside = alternatives();
      at += 1;
      // A lookaround is analyzed as a separate pattern and consumes nothing.
      if (!/[=!]$/.test(opening)) return inside;
      if (from.at === head && head > 0) head = at;
      else if (positions.slice(from.places).some(isRepeated)) looks += 1;
      return nothing();
    }
    const rest = pattern.slice(at, at + 400);
    const token = /^(?:\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^{}]*\}|u\{[^{}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<|[^])|[^])/u.exec(
      rest,
    )![0];
    at += token.length;
    if (/^\\(?:[1-9]|k<)/.test(token)) throw new Unsafe();
    if (/^(?:[\^$]|\\[bB])$/.test(token)) return nothing();
    if (positions.length >= MAX_POSITIONS || /^\[$/.test(token)) throw new Unsafe();
    const position: Position = { at: positions.length, source: token, loop: 0, next: new Set(), twice: new Set() };
    positions.push(position);
    return { first: [position], last: [position], empty: false, compound: false };
  }

  const root = alternatives();
  if (empties > FEW) throw new Unsafe();
  const share = overlapTest(pattern);
  const start: Position = { at: positions.length, source: '', loop: 0, next: new Set(), twice: new Set() };
  connect({ first: [], last: [start], empty: false, compound: false }, root);
  /** The number of ways to read the parts that are not repeated. */
  let ways = 1;
  let most = 2;
  let multiplies = false;
  /** Repeated parts that can end at several positions, between which only the rest of the pattern decides. */
  const ambiguous = new Set<Position | number>();
  for (const place of [start, ...positions]) {
    const { loop, next, twice } = place;
    /** The number of ways to continue with the same character. */
    let here = 1;
    const followers = [...next];
    for (const [index, one] of numbered(followers)) {
      const rivals = followers.slice(0, index).filter((other) => share(one, other));
      if (twice.has(one)) rivals.push(one);
      here = Math.max(here, rivals.length + 1);
      if (loop > 0 && one.loop === loop && rivals.some((other) => other.loop === loop)) multiplies = true;
    }
    most = Math.max(most, here);
    if (here > 1 && isRepeated(place)) {
      ambiguous.add(loop > 0 ? loop : place);
      here -= 1; // `power` already counts one of these ways
    }
    ways *= here;
  }
  if (multiplies) return { most: Math.floor(Math.log(MAX_WAYS) / Math.log(most)), power: 1 };
  const begins = (pattern.startsWith('^') && branches === 1) || !positions.some(isRepeated) ? 0 : 1;
  const power = 1 + begins + ambiguous.size + looks;
  if (power === 1 && ways === 1) return { most: Infinity, power };
  let orders = MAX_STEPS / ways;
  for (let factor = 2; factor <= power; factor += 1) orders *= factor;
  return { most: Math.floor(orders ** (1 / power)), power };
}

const isRepeated = (position: Position): boolean => position.loop !== 0 || position.next.has(position);

/**
 * Returns a test that is true if one character can match both positions. Samples are enough, because two overlapping ranges share an end of
 * one of them.
 */
function overlapTest(pattern: string): (one: Position, other: Position) => boolean {
  const codes = new Set<number>(Array.from({ length: 128 }, (_, code) => code).concat(0xe9, 0x3b1, 0x416, 0x4e2d, 0x1f600));
  const add = (code: number) => [code - 1, code, code + 1].forEach((each) => each >= 0 && each <= 0x10ffff && codes.add(each));
  for (const char of pattern) if (char > '\x7f') add(char.codePointAt(0)!);
  for (const [, wide, four] of pattern.matchAll(/\\(?:u\{([0-9a-fA-F]+)\}|[ux]([0-9a-fA-F]{2,4}))/g)) add(parseInt(wide ?? four!, 16));
  const texts = [...codes].map((code) => String.fromCodePoint(code));
  const sets = new Map<string, Set<string>>();
  const setOf = (source: string) => {
    let set = sets.get(source);
    if (!set) {
      const regex = new RegExp(`^${source}$`, 'u');
      sets.set(source, (set = new Set(texts.filter((text) => regex.test(text)))));
    }
    return set;
  };
  // Results by the indexes of both positions, because the same pairs recur: 0 is unknown, 1 no, 2 yes.
  const results = new Uint8Array(MAX_POSITIONS * MAX_POSITIONS);
  const overlap = (one: string, other: string) => {
    const [a, b] = [setOf(one), setOf(other)];
    for (const text of a.size < b.size ? a : b) if (a.has(text) && b.has(text)) return true;
    return false;
  };
  return (one, other) => {
    const key = one.at * MAX_POSITIONS + other.at;
    results[key] ||= one.source === other.source || overlap(one.source, other.source) ? 2 : 1;
    return results[key] === 2;
  };
}
