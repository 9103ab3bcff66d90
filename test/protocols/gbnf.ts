/** As much of llama.cpp's GBNF as our grammars use, and whether a text is of such a grammar. */

type Node =
  | { type: 'literal'; text: string }
  | { type: 'set'; not: boolean; ranges: [number, number][] }
  | { type: 'rule'; name: string }
  | { type: 'sequence' | 'choice'; of: Node[] }
  | { type: 'repeat'; of: Node; least: number; most: number };

export function parseGbnf(source: string): Map<string, Node> {
  const rules = new Map<string, Node>();
  for (const line of source.split('\n')) {
    const [, name, body] = /^([a-z][a-z0-9-]*) ::= (.+)$/.exec(line) ?? [];
    if (name === undefined || body === undefined || rules.has(name)) throw new Error(`Not a rule of its own: ${line}`);
    rules.set(name, parseBody(body));
  }
  return rules;
}

function parseBody(body: string): Node {
  let at = 0;
  const skip = () => {
    while (body[at] === ' ') at += 1;
  };
  const char = (): string => {
    const code = body.codePointAt(at) ?? NaN;
    at += code > 0xffff ? 2 : 1;
    if (code !== 92) return String.fromCodePoint(code);
    const escaped = body[at++] ?? '';
    if (escaped === 'x') return String.fromCharCode(parseInt(body.slice(at, (at += 2)), 16));
    const known = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '[': '[', ']': ']' }[escaped];
    if (known === undefined) throw new Error(`\\${escaped} in ${body}`);
    return known;
  };

  function choice(): Node {
    const of = [sequence()];
    for (skip(); body[at] === '|'; skip()) {
      at += 1;
      of.push(sequence());
    }
    return of.length === 1 ? of[0]! : { type: 'choice', of };
  }

  function sequence(): Node {
    const of: Node[] = [];
    for (skip(); at < body.length && body[at] !== '|' && body[at] !== ')'; skip()) of.push(repeated(one()));
    if (of.length === 0) throw new Error(`Nothing stands at ${String(at)} of ${body}`);
    return { type: 'sequence', of };
  }

  function one(): Node {
    if (body[at] === '"') {
      let text = '';
      for (at += 1; body[at] !== '"';) {
        if (at >= body.length) throw new Error(`No end: ${body}`);
        text += char();
      }
      at += 1;
      return { type: 'literal', text };
    }
    if (body[at] === '[') {
      at += 1;
      const not = body[at] === '^';
      if (not) at += 1;
      const ranges: [number, number][] = [];
      while (body[at] !== ']') {
        if (at >= body.length) throw new Error(`No end: ${body}`);
        const first = char().codePointAt(0)!;
        const isRange = body[at] === '-' && body[at + 1] !== ']';
        if (isRange) at += 1;
        ranges.push([first, isRange ? char().codePointAt(0)! : first]);
      }
      at += 1;
      return { type: 'set', not, ranges };
    }
    if (body[at] === '(') {
      at += 1;
      const inside = choice();
      skip();
      if (body[at] !== ')') throw new Error(`No end: ${body}`);
      at += 1;
      return inside;
    }
    const [name] = /^[a-z][a-z0-9-]*/.exec(body.slice(at)) ?? [];
    if (name === undefined) throw new Error(`What is “${body.slice(at, at + 10)}”?`);
    at += name.length;
    return { type: 'rule', name };
  }

  function repeated(of: Node): Node {
    const [sign, least, comma, most] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(body.slice(at)) ?? [];
    if (sign === undefined) return of;
    at += sign.length;
    if (sign === '*') return { type: 'repeat', of, least: 0, most: Infinity };
    if (sign === '+') return { type: 'repeat', of, least: 1, most: Infinity };
    if (sign === '?') return { type: 'repeat', of, least: 0, most: 1 };
    return { type: 'repeat', of, least: Number(least), most: comma ? Number(most || Infinity) : Number(least) };
  }

  const node = choice();
  if (at < body.length) throw new Error(`Too much: ${body.slice(at)}`);
  return node;
}

/** Whether the whole text is of the grammar. Every rule that is named has to be there. */
export function accepts(rules: ReadonlyMap<string, Node>, text: string): boolean {
  const known = new Map<string, Set<number>>();

  function ends(node: Node, at: number): Set<number> {
    switch (node.type) {
      case 'literal':
        return new Set(text.startsWith(node.text, at) ? [at + node.text.length] : []);
      case 'set': {
        const code = text.codePointAt(at);
        if (code === undefined) return new Set();
        const inside = node.ranges.some(([first, last]) => first <= code && code <= last);
        return new Set(inside === node.not ? [] : [at + (code > 0xffff ? 2 : 1)]);
      }
      case 'rule': {
        const rule = rules.get(node.name);
        if (!rule) throw new Error(`There is no rule ${node.name}`);
        const key = `${node.name} ${String(at)}`;
        const found = known.get(key) ?? ends(rule, at);
        known.set(key, found);
        return found;
      }
      case 'choice':
        return union(node.of.map((one) => ends(one, at)));
      case 'sequence':
        return node.of.reduce((from, one) => union([...from].map((each) => ends(one, each))), new Set([at]));
      case 'repeat': {
        const found = new Set<number>(node.least === 0 ? [at] : []);
        let from = new Set([at]);
        for (let times = 1; times <= node.most && from.size > 0; times += 1) {
          from = new Set([...union([...from].map((each) => ends(node.of, each)))].filter((each) => !found.has(each)));
          if (times >= node.least) for (const each of from) found.add(each);
        }
        return found;
      }
    }
  }

  return ends({ type: 'rule', name: 'root' }, 0).has(text.length);
}

const union = (sets: readonly Set<number>[]): Set<number> => new Set(sets.flatMap((set) => [...set]));
