/** Finds private values in a text: known values in every form in which they may be written, and values that match a pattern. */
import { escapeAttribute, neutralise } from '../../protocols/neutralize.js';
import { LONGEST } from './bounded-pattern.js';
import type { Kind } from './kinds.js';
import { TOKENS } from './vault.js';

export interface Known {
  kind: string;
  value: string;
  secret?: boolean;
  /** True if it also matches within a word, however short it is. */
  anywhere?: boolean;
}

export interface FoundValue extends Known {
  start: number;
  end: number;
}

/** Shorter values occur in every text. UTF-16 units. */
const SHORTEST = 2;

/**
 * Maximum number of further comparisons for each UTF-16 unit of a text, once a form matched for `ORDINARY` units. A text that needs more was
 * written to be slow: its rest counts as private.
 */
const MOST_COMPARED = 20;
const ORDINARY = 64;

/** A shorter value has to be a whole word. UTF-16 units. */
const STANDS_ALONE = 8;

const isWordly = (char: string | undefined): boolean => char !== undefined && /[A-Za-z0-9]/.test(char);

export type Finder = (text: string) => FoundValue[];

export function createFinder(known: Iterable<Known>, kinds: readonly Kind[]): Finder {
  /** Forms by their first two characters. */
  const forms = new Map<string, { form: string; of: Known }[]>();
  for (const of of known) {
    if (of.value.length < SHORTEST) continue;
    for (const form of formsOf(of.value)) {
      const low = fold(form);
      const all = forms.get(startOf(low, 0));
      if (all) all.push({ form: low, of });
      else forms.set(startOf(low, 0), [{ form: low, of }]);
    }
  }
  for (const all of forms.values()) all.sort((one, other) => other.form.length - one.form.length);

  function literals(text: string): FoundValue[] {
    if (forms.size === 0) return [];
    const found: FoundValue[] = [];
    const { text: low, startAt, endAt } = alike(text, folded);
    const left = { units: (MOST_COMPARED + low.length) * MOST_COMPARED };
    for (let at = 0; at < low.length - 1; at += 1) {
      for (const { form, of } of forms.get(startOf(low, at)) ?? []) {
        const to = endOf(form, low, at, left);
        if (left.units < 0) {
          const start = startAt(at);
          return [...found, { ...of, value: text.slice(start), start, end: text.length }];
        }
        if (to < 0) continue;
        if (!of.anywhere && form.length < STANDS_ALONE && isPartOfWord(low, at, to)) continue;
        const [start, end] = [startAt(at), endAt(to)];
        // A different spelling is a different value, because it has to be restored exactly.
        const value = fold(of.value) === form ? text.slice(start, end) : of.value;
        found.push({ ...of, value, start, end });
        at = to - 1;
        break;
      }
    }
    return found;
  }

  function formed(given: string): FoundValue[] {
    if (kinds.length === 0) return [];
    const { text, startAt, endAt } = alike(given, plain);
    const found = formedIn(text).map((one) => {
      const [start, end] = [startAt(one.start), endAt(one.end)];
      return { ...one, start, end, value: given.slice(start, end) };
    });
    // The page's own pattern may name a full-width character, so the original text is searched as well.
    return text === given ? found : [...found, ...formedIn(given)];
  }

  function formedIn(text: string): FoundValue[] {
    return kinds.flatMap(({ name: kind, pattern, pick }) =>
      [...text.matchAll(pattern)].flatMap(({ 0: match, index }) => {
        let to = index + match.length;
        if (!pick && match.length >= LONGEST) while (to < text.length && !/\s/.test(text[to]!)) to += 1;
        return (pick?.(match) ?? [[0, to - index] as const]).map(([from, until]) => {
          const [start, end] = [index + from, index + until];
          return { kind, value: text.slice(start, end), start, end };
        });
      }),
    );
  }

  return (text) => {
    const all = [...literals(text), ...formed(text)].sort((one, other) => one.start - other.start || other.end - one.end);
    const merged: FoundValue[] = [];
    for (const next of all) {
      const last = merged.at(-1);
      if (!last || next.start >= last.end) merged.push({ ...next });
      else if (next.end > last.end) Object.assign(last, { end: next.end, value: text.slice(last.start, next.end) });
    }
    return merged;
  };
}

/** Yields the text between our tokens, each piece with the token that follows it; the last piece has an empty token. */
export function* between(text: string, isOurs: (token: string) => boolean): Iterable<{ piece: string; token: string }> {
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (!isOurs(token)) continue;
    yield { piece: text.slice(from, index), token };
    from = index + token.length;
  }
  yield { piece: text.slice(from), token: '' };
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Returns all forms of a value: with composed or decomposed accents, in JSON, in JSON within JSON, in an attribute, in a URL, and
 * neutralized against text that looks like a call.
 */
function formsOf(value: string): Set<string> {
  const accents = [value, value.normalize('NFC'), value.normalize('NFD')];
  const written = accents.flatMap((one) => [one, neutralise(one), escapeAttribute(one)]);
  const json = written.map(inJson);
  return new Set([...written, ...json, ...json.map(inJson), ...json.map(neutralise), ...accents.flatMap(inAddress)]);
}

/** Returns the forms in a path and in a query. A lone surrogate has none. */
function inAddress(value: string): string[] {
  try {
    const encoded = encodeURIComponent(value);
    return [encoded, encoded.replaceAll('%20', '+')];
  } catch {
    return [];
  }
}

/** The maximum number of blanks that match one blank: a text may be wrapped and indented. */
const MOST_BLANKS = 100;

const isBlank = (char: string | undefined): boolean => char !== undefined && /\s/.test(char);

/** True for a soft hyphen, a joiner and the like: the text looks the same without it. */
const isHidden = (char: string | undefined): boolean =>
  char !== undefined && char >= '\u00ad' && /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(char);

/** Returns the position of the next visible character. */
function seenFrom(text: string, from: number): number {
  let at = from;
  while (at - from < MOST_BLANKS && isHidden(text[at])) at += 1;
  return at;
}

/** Returns the first two characters, with any blank as a space. */
function startOf(text: string, at: number): string {
  const next = text[isHidden(text[at]) ? at + 1 : seenFrom(text, at + 1)] ?? '';
  return text.charAt(at) + (isBlank(next) ? ' ' : next);
}

/**
 * Returns the end of a form that begins at `start`; -1 if it is not there. Any run of blanks matches a blank, and hidden characters are
 * skipped.
 */
function endOf(form: string, text: string, start: number, left: { units: number }): number {
  let at = start;
  for (let index = 0; index < form.length; index += 1) {
    if (index > ORDINARY && (left.units -= 1) < 0) return -1;
    if (!isBlank(form[index])) {
      if (form[index] !== text[at]) at = seenFrom(text, at);
      if (form[index] !== text[at]) return -1;
      at += 1;
      continue;
    }
    if (isBlank(form[index + 1])) continue;
    const from = at;
    while (isBlank(text[at]) && at - from < MOST_BLANKS) at += 1;
    if (at === from) return -1;
  }
  return at;
}

/** Returns the compatibility form (NFKC): full-width letters, ligatures and the like look the same to a reader. */
const plain = (text: string): string => text.normalize('NFKC');

/** Ignores case as well. The final sigma has a form of its own. */
const folded = (text: string): string => plain(text).toLowerCase().replaceAll('ς', 'σ');

const fold = (text: string): string => alike(text, folded).text;

/** A character with its combining marks. */
const CLUSTER = /[^][\p{M}\uff9e\uff9f]*/gu;

interface Alike {
  text: string;
  /** @returns the position in the original text for a start position in `text` */
  startAt(at: number): number;
  /** @returns the position in the original text for an end position in `text` */
  endAt(at: number): number;
}

/** Returns the text changed by `change`, with a mapping of each position back to the original. */
function alike(text: string, change: (text: string) => string): Alike {
  const whole = change(text);
  if (whole.length === text.length && plain(text) === text) return { text: whole, startAt: (at) => at, endAt: (at) => at };
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const piece = change(cluster);
    pieces.push(piece);
    for (let unit = 0; unit < piece.length; unit += 1) {
      starts.push(index);
      ends.push(index + cluster.length);
    }
  }
  return { text: pieces.join(''), startAt: (at) => starts[at] ?? text.length, endAt: (at) => (at > 0 ? ends[at - 1]! : 0) };
}

const isPartOfWord = (text: string, start: number, end: number): boolean =>
  (isWordly(text[start - 1]) && isWordly(text[start])) || (isWordly(text[end]) && isWordly(text[end - 1]));
