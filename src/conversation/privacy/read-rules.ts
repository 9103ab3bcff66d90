/** Validates the page's `privateValues`. Any part that cannot be read is an error, because then nothing may be sent. */
import { isObject, own } from '../../base/objects.js';
import type { ReadPage } from '../options/option-shapes.js';
import { boundedPattern } from './bounded-pattern.js';
import { builtInKinds, type Kind } from './kinds.js';

export interface Rules {
  kinds: readonly Kind[];
  /** Returns the current values. @throws if they cannot be read */
  literals(): { name: string; value: string }[];
}

/** The maximum number of values of one rule. */
const MOST_VALUES = 5000;

/** @throws a `TypeError` that says which entry cannot be used, and why */
export function readRules(given: unknown, readPage: ReadPage | undefined): Rules {
  if (given === undefined || given === false) return { kinds: [], literals: () => [] };
  if (!Array.isArray(given)) throw new TypeError('it takes a list');
  const kinds: Kind[] = [];
  const sources: { name: string; read(): unknown }[] = [];
  for (const entry of given as readonly unknown[]) {
    if (typeof entry === 'string') {
      const kind = own(builtInKinds, entry) as Kind | undefined;
      if (!kind) throw new TypeError(`there is no kind “${entry}”; there are ${Object.keys(builtInKinds).join(', ')}`);
      kinds.push(kind);
      continue;
    }
    if (!isObject(entry)) throw new TypeError('an entry is the name of a kind or an object');
    const { name = 'value', pattern, selector, values } = entry as Record<'name' | 'pattern' | 'selector' | 'values', unknown>;
    if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_]{0,23}$/.test(name))
      throw new TypeError('a name has 1 to 24 letters, digits or “_”');
    const named = name.toUpperCase();
    if (typeof pattern === 'string' || pattern instanceof RegExp) kinds.push({ name: named, pattern: patternOf(pattern, name) });
    else if (typeof selector === 'string') {
      if (!readPage) throw new TypeError(`“${name}” has a selector, and there is no page`);
      sources.push({ name: named, read: () => readPage(selector) });
    } else if (typeof values === 'function' || Array.isArray(values))
      sources.push({ name: named, read: () => (typeof values === 'function' ? (values as () => unknown)() : values) });
    else throw new TypeError(`“${name}” needs a pattern, a selector or values`);
  }
  return {
    kinds,
    literals: () =>
      sources.flatMap(({ name, read }) => {
        const found = read();
        if (!Array.isArray(found) || found.length > MOST_VALUES)
          throw new TypeError(`“${name.toLowerCase()}” gave no list of at most ${MOST_VALUES}`);
        return found.map((value: unknown) => {
          if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`“${name.toLowerCase()}” gave what is no text`);
          return { name, value: String(value).trim() };
        });
      }),
  };
}

function patternOf(pattern: RegExp | string, name: string): RegExp {
  try {
    return boundedPattern(pattern);
  } catch (error) {
    throw new TypeError(`“${name}” is ${error instanceof TypeError ? error.message : 'no pattern'}`);
  }
}
