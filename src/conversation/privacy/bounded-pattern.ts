/**
 * Makes a host's pattern safe to run over any text: its repeats are bounded, and a pattern that could backtrack too often is refused. The
 * cost is computed from the pattern's source: the number of ways in which it can match at one position.
 */

/** The maximum number of characters that an unbounded repeat matches. A longer value is hidden up to the next blank. */
export const LONGEST = 512;

/** The maximum number of ways to match at one position. */
const MOST_WAYS = 4096;

/** The maximum length of a pattern's source, in UTF-16 units. */
const MOST_SOURCE = 1000;

interface Item {
  source: string;
  ways: number;
  /** The source that matches exactly one character of text. */
  single?: string;
  /** The character itself, if it is a literal. */
  literal?: string;
  /** True if it can match texts of several lengths. */
  varies?: boolean;
}

/**
 * @returns the same pattern, global and with bounded repeats
 * @throws a `TypeError` that says why the pattern cannot be used
 */
export function boundedPattern(given: RegExp | string): RegExp {
  const { source, flags } = typeof given === 'string' ? new RegExp(given) : given;
  if (source.length > MOST_SOURCE) throw new TypeError(`a pattern of more than ${MOST_SOURCE} characters`);
  if (/[^dgimsuy]/.test(flags)) throw new TypeError(`a pattern with the flag ${flags}`);
  const kept = flags.replace(/[dgy]/g, '');
  let at = 0;

  function alternatives(isWhole: boolean): Item {
    const all = [sequence(isWhole)];
    while (source[at] === '|') {
      at += 1;
      all.push(sequence(isWhole));
    }
    return { source: all.map((one) => one.source).join('|'), ways: all.reduce((sum, { ways }) => sum + ways, 0) };
  }

  function sequence(isWhole: boolean): Item {
    const items: Item[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') items.push(repeated(atom()));
    let ways = 1;
    items.forEach((item, index) => {
      const next = items[index + 1];
      // Only one length can match if the next item is a literal that this one does not match; the last repeat takes all it can.
      const isPlain = item.varies === true && item.single !== undefined;
      const ends = isPlain && (next ? next.literal !== undefined && !matches(item.single!, next.literal, kept) : isWhole);
      ways *= ends ? 1 : item.ways;
    });
    check(ways);
    return { source: items.map((item) => item.source).join(''), ways };
  }

  function repeated(item: Item): Item {
    const quantifier = /^(?:[*+?]|\{(\d+)(,(\d*))?\})/.exec(source.slice(at, at + 30));
    if (!quantifier) return item;
    at += quantifier[0].length;
    const lazy = source[at] === '?' ? '?' : '';
    at += lazy.length;
    const [least, most] = boundsOf(quantifier);
    const ways = Math.min(item.ways ** Math.min(most, 64), MOST_WAYS + 1) * (most - least + 1);
    check(item.ways > 1 || item.single === undefined ? ways : 1);
    return {
      source: `${item.source}{${least},${most}}${lazy}`,
      ways,
      varies: most > least,
      ...(item.single !== undefined && { single: item.single }),
    };
  }

  function atom(): Item {
    const char = source[at]!;
    if (char === '(') return group();
    if (char === '[') {
      const end = classEnd(source, at);
      const single = source.slice(at, end);
      at = end;
      return { source: single, ways: 1, single };
    }
    if (char === '\\') {
      const escape = /^\\(?:[1-9]|k<|[pP]\{[^{}]*\}|u\{[^{}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])/.exec(
        source.slice(at, at + 60),
      );
      const text = escape?.[0] ?? '\\';
      if (/^\\(?:[1-9]|k<)/.test(text)) throw new TypeError('a pattern that refers back to what it has found');
      at += text.length;
      if (/^\\[bB]$/.test(text)) return { source: text, ways: 1 };
      return { source: text, ways: 1, single: text, ...(/^\\[^A-Za-z0-9]$/.test(text) && { literal: text.slice(1) }) };
    }
    at += 1;
    if (char === '^' || char === '$') return { source: char, ways: 1 };
    if (char === '.') return { source: char, ways: 1, single: char };
    return { source: char, ways: 1, single: char, literal: char };
  }

  function group(): Item {
    const opening = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(source.slice(at, at + 60))![0];
    at += opening.length;
    const inside = alternatives(false);
    at += 1;
    return { source: `${opening}${inside.source})`, ways: inside.ways };
  }

  const whole = alternatives(true);
  if (new RegExp(`(?:${whole.source})`, kept).test('')) throw new TypeError('a pattern that finds what is empty');
  return new RegExp(whole.source, `${kept}g`);
}

function check(ways: number): void {
  if (ways > MOST_WAYS)
    throw new TypeError('a pattern that could go back on itself too often: repeat less, or put a fixed character between');
}

function boundsOf([text, least = '', comma, most]: RegExpExecArray): [number, number] {
  if (text === '*') return [0, LONGEST];
  if (text === '+') return [1, LONGEST];
  if (text === '?') return [0, 1];
  const from = Math.min(Number(least), LONGEST);
  return [from, comma === undefined ? from : most ? Math.min(Number(most), LONGEST) : Math.max(from, LONGEST)];
}

function classEnd(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === ']') return at + 1;
  }
  return source.length;
}

const matches = (single: string, character: string, flags: string): boolean => new RegExp(`^${single}$`, flags).test(character);
