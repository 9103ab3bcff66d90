/** The parts of a call: the attributes of a tag, and parameters as ranges of the source. */
import { isBlank, matchTagStart, NO_MATCH, skipBlanks, trimBlanks } from '../scan.js';

export const PARAMETER = '<parameter';

/** A parameter of the open call; `ranges` are pairs of offsets into the call's source (several when CDATA was split). */
export interface Parameter {
  key: string | undefined;
  ranges: number[];
  escaped: boolean;
}

export interface TagAttributes {
  end: number;
  /** The attribute `name`. May be empty. */
  name: string | undefined;
  /** A second, different name: the tag may mean this one. */
  other: string | undefined;
}

/** Reads attributes up to `>`: double, single or no quotes, any order. Undefined if the tag is not closed in `tag`. */
export function readAttributes(tag: string, from: number): TagAttributes | undefined {
  const names = new Set<string>();
  let at = from;
  for (;;) {
    at = skipBlanks(tag, at);
    if (at === tag.length) return undefined;
    if (tag[at] === '>') {
      const [name, other] = names;
      return { end: at + 1, name, other };
    }
    const keyStart = at;
    at = skipWord(tag, at, true);
    const key = tag.slice(keyStart, at);
    const equals = skipBlanks(tag, at);
    if (tag[equals] !== '=') continue;
    at = skipBlanks(tag, equals + 1);
    const quote = tag[at];
    let value: string;
    if (quote === '"' || quote === "'") {
      const close = tag.indexOf(quote, at + 1);
      if (close === -1) return undefined;
      value = tag.slice(at + 1, close);
      at = close + 1;
    } else {
      const valueStart = at;
      at = skipWord(tag, at, false);
      value = tag.slice(valueStart, at);
    }
    if (key === 'name') names.add(trimBlanks(value));
  }
}

function skipWord(tag: string, at: number, stopAtEquals: boolean): number {
  while (at < tag.length && tag[at] !== '>' && !(stopAtEquals && tag[at] === '=') && !isBlank(tag.charCodeAt(at))) at += 1;
  return at;
}

/** Returns the values as own properties of an object without prototype; of a repeated name the last one wins. */
export function readValues(raw: string, parameters: readonly Parameter[]): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { key, ranges } of parameters) {
    let value = '';
    for (let index = 0; index < ranges.length; index += 2) value += raw.slice(ranges[index], ranges[index + 1]);
    values[key!] = value;
  }
  return values;
}

/** Checks whether a value contains the start of another parameter: a wrong end tag may have swallowed it. */
export function hasParameterTag(value: string): boolean {
  for (let at = value.indexOf(PARAMETER); at !== -1; at = value.indexOf(PARAMETER, at + 1)) {
    if (matchTagStart(value, at, PARAMETER) > NO_MATCH) return true;
  }
  return false;
}
