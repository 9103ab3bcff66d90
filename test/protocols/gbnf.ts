/** As much of llama.cpp's GBNF as our grammars use, and whether a text is of such a grammar. */

/** The places where what begins at `at` may end. */
type Ends = (text: string, at: number) => number[];

const LITERAL = / *"((?:\\(?:x[\da-fA-F]{2}|[nrt"\\[\]])|[^"\\])*)"/uy;
const SET = / *\[(\^?)((?:\\(?:x[\da-fA-F]{2}|[nrt"\\[\]])|[^\]\\])+)\]/uy;
const RANGE = /(\\x..|\\.|[^\\])(?:-(\\x..|\\.|[^\\]))?/gu;

const unescaped = (source: string) =>
  source.replace(/\\(x(..)|.)/g, (_, sign: string, hex?: string) =>
    hex === undefined ? ({ n: '\n', r: '\r', t: '\t' }[sign] ?? sign) : String.fromCharCode(parseInt(hex, 16)),
  );
const codeOf = (source: string) => unescaped(source).codePointAt(0)!;
const unique = (places: number[]) => [...new Set(places)];

/** Each rule is asked once for each place of a text. */
function once(ends: Ends): Ends {
  let [last, known] = ['', new Map<number, number[]>()];
  return (text, at) => {
    if (text !== last) [last, known] = [text, new Map()];
    const found = known.get(at) ?? ends(text, at);
    known.set(at, found);
    return found;
  };
}

export function parseGbnf(source: string): Map<string, Ends> {
  const rules = new Map<string, Ends>();
  for (const line of source.split('\n')) {
    const [, name, body] = /^([a-z][a-z0-9-]*) ::= (.+)$/.exec(line) ?? [];
    if (name === undefined || body === undefined || rules.has(name)) throw new Error(`Not a rule of its own: ${line}`);
    rules.set(name, once(parseBody(body, rules)));
  }
  return rules;
}

function parseBody(body: string, rules: ReadonlyMap<string, Ends>): Ends {
  let at = 0;
  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(body);
    if (found) at = pattern.lastIndex;
    return found;
  }

  function choice(): Ends {
    const all = [sequence()];
    while (take(/ *\|/y)) all.push(sequence());
    return (text, from) => unique(all.flatMap((ends) => ends(text, from)));
  }

  function sequence(): Ends {
    const all: Ends[] = [];
    for (let next = one(); next; next = one()) all.push(repeated(next));
    if (all.length === 0) throw new Error(`What is “${body.slice(at, at + 10)}”?`);
    return (text, from) => all.reduce((places, ends) => unique(places.flatMap((place) => ends(text, place))), [from]);
  }

  function one(): Ends | undefined {
    const literal = take(LITERAL);
    if (literal) {
      const wanted = unescaped(literal[1]!);
      return (text, from) => (text.startsWith(wanted, from) ? [from + wanted.length] : []);
    }
    const set = take(SET);
    if (set) {
      const ranges = Array.from(set[2]!.matchAll(RANGE), ([, first = '', last = first]) => [codeOf(first), codeOf(last)] as const);
      return (text, from) => {
        const code = text.codePointAt(from);
        if (code === undefined || ranges.some(([first, last]) => first <= code && code <= last) === (set[1] === '^')) return [];
        return [from + (code > 0xffff ? 2 : 1)];
      };
    }
    if (take(/ *\(/y)) {
      const inside = choice();
      if (!take(/ *\)/y)) throw new Error(`No end: ${body}`);
      return inside;
    }
    const name = take(/ *([a-z][a-z0-9-]*)/y)?.[1];
    return name === undefined ? undefined : (text, from) => rules.get(name)!(text, from);
  }

  function repeated(ends: Ends): Ends {
    const found = take(/[*+?]|\{(\d+)(,?)(\d*)\}/y);
    if (!found) return ends;
    const [sign, given, comma, limit] = found;
    const least = given === undefined ? Number(sign === '+') : Number(given);
    const most = given === undefined ? (sign === '?' ? 1 : Infinity) : comma ? Number(limit || Infinity) : least;
    return (text, at) => {
      const all = new Set<number>(least === 0 ? [at] : []);
      let from = [at];
      for (let times = 1; times <= most && from.length > 0; times += 1) {
        from = unique(from.flatMap((place) => ends(text, place))).filter((place) => !all.has(place));
        if (times >= least) for (const place of from) all.add(place);
      }
      return [...all];
    };
  }

  const ends = choice();
  if (at < body.length) throw new Error(`Too much: ${body.slice(at)}`);
  return ends;
}

export const accepts = (rules: ReadonlyMap<string, Ends>, text: string): boolean => rules.get('root')!(text, 0).includes(text.length);
