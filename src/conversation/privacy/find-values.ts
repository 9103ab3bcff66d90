/** Finds what is private in a text: values that are known, in each of the ways in which they can be written there, and what has a form. */
import { escapeAttribute, neutralise } from '../../protocols/neutralise.js';
import { LONGEST } from './bounded-pattern.js';
import type { Kind } from './kinds.js';
import { TOKENS } from './vault.js';

export interface Known {
  kind: string;
  value: string;
  secret?: boolean;
  /** In the middle of a word, too, however short it is. */
  anywhere?: boolean;
}

export interface FoundValue extends Known {
  start: number;
  end: number;
}

/** Shorter ones stand in every text. UTF-16 units. */
const SHORTEST = 2;

/** One that is shorter has to stand by itself. */
const STANDS_ALONE = 8;

const isWordly = (char: string | undefined): boolean => char !== undefined && /[A-Za-z0-9]/.test(char);

export type Finder = (text: string) => FoundValue[];

export function createFinder(known: Iterable<Known>, kinds: readonly Kind[]): Finder {
  /** By their first two characters. */
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
    for (let at = 0; at < low.length - 1; at += 1) {
      for (const { form, of } of forms.get(startOf(low, at)) ?? []) {
        const to = endOf(form, low, at);
        if (to < 0) continue;
        if (!of.anywhere && form.length < STANDS_ALONE && isPartOfWord(low, at, to)) continue;
        const [start, end] = [startAt(at), endAt(to)];
        // Written otherwise it is another value, which has to come back as it was.
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
    // The page's own pattern may name a character of another width.
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

/** The pieces of a text that are no token, each with where it begins. */
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

/** The value as text, whichever way its accents are written, in JSON, in JSON in JSON, in an attribute, in an address, and with text that looks like a call made harmless. */
function formsOf(value: string): Set<string> {
  const accents = [value, value.normalize('NFC'), value.normalize('NFD')];
  const written = accents.flatMap((one) => [one, neutralise(one), escapeAttribute(one)]);
  const json = written.map(inJson);
  return new Set([...written, ...json, ...json.map(inJson), ...json.map(neutralise), ...accents.flatMap(inAddress)]);
}

/** In a path and in a query. Half a character has no such form. */
function inAddress(value: string): string[] {
  try {
    const encoded = encodeURIComponent(value);
    return [encoded, encoded.replaceAll('%20', '+')];
  } catch {
    return [];
  }
}

/** So many blanks may stand for one: a text may be wrapped and indented. */
const MOST_BLANKS = 100;

const isBlank = (char: string | undefined): boolean => char !== undefined && /\s/.test(char);

/** A soft hyphen, a joiner: the text looks the same without it. */
const isHidden = (char: string | undefined): boolean =>
  char !== undefined && char >= '\u00ad' && /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(char);

/** The place of the next character that can be seen. */
function seenFrom(text: string, from: number): number {
  let at = from;
  while (at - from < MOST_BLANKS && isHidden(text[at])) at += 1;
  return at;
}

/** The first two characters, any blank as the same. */
function startOf(text: string, at: number): string {
  const next = text[isHidden(text[at]) ? at + 1 : seenFrom(text, at + 1)] ?? '';
  return text.charAt(at) + (isBlank(next) ? ' ' : next);
}

/** The end of a form that begins at `start`, with any blanks for its blanks, and hidden characters anywhere; -1 if it is not there. */
function endOf(form: string, text: string, start: number): number {
  let at = start;
  for (let index = 0; index < form.length; index += 1) {
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

/** The same characters in their plain form: full-width letters, ligatures and the like look the same to a reader. */
const plain = (text: string): string => text.normalize('NFKC');

/** Without its case, too. The last sigma of a word has a form of its own. */
const folded = (text: string): string => plain(text).toLowerCase().replaceAll('ς', 'σ');

const fold = (text: string): string => alike(text, folded).text;

/** A character, with the marks that go with it. */
const CLUSTER = /[^][\p{M}\uff9e\uff9f]*/gu;

interface Alike {
  text: string;
  /** @returns the place in the original at which this one begins */
  startAt(at: number): number;
  /** @returns the place in the original at which this one ends */
  endAt(at: number): number;
}

/** The text as `change` makes it, and where each place of it comes from. */
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
