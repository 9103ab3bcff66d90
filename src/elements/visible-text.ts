/**
 * Splits text so that nothing in it is invisible. Characters without a shape, direction controls, characters that look like a space,
 * strokes through a letter and long white space become marked pieces, because an argument could be hidden in them. Words that mix two
 * alphabets are reported. One pass, in linear time.
 */
import { UNSEEN, withoutHidden as withoutAnyHidden } from '../base/invisible.js';

/** Plain text, or a mark that replaces `count` characters of one kind. */
export type Piece = string | { mark: string; count: number; hidden: boolean };

/** A word of several alphabets. `word` is the original text, cut if it is long; the scripts are keys of the catalog's `scripts`. */
export interface MixedWord {
  word: string;
  scripts: readonly Alphabet[];
}
export type Alphabet = 'latin' | 'cyrillic' | 'greek';

export interface VisibleText {
  pieces: readonly Piece[];
  /** Number of characters that would be invisible or misleading. Ordinary white space is not counted. */
  hidden: number;
  lines: number;
  characters: number;
  /** The first words with letters of more than one alphabet: `аmount` with a Cyrillic letter is not `amount`. */
  mixed: readonly MixedWord[];
}

/** Number of consecutive blanks or line breaks from which they are counted instead of shown, so that nothing is pushed out of view. */
const LONG_BLANK = 24;
const LONG_BREAK = 4;

/** Number of consecutive wide blanks next to East Asian text that are ordinary. */
const INDENT = 2;

/** Number of marks that become separate elements. Further marks are written into the text. */
const MARKS_AS_PIECES = 500;
const MIXED_NAMED = 3;
const WORD_SHOWN = 40;

/** Combining lines and frames, which make text look struck out or like another character. Accents are not included. */
const STROKES = '\\u0305\\u0332-\\u0338\\u033F\\u20D2\\u20D3\\u20D8-\\u20DA\\u20E5\\u20E6\\u20E8\\u20EA\\u20EB\\u1AD2\\p{Me}';
const STROKE = new RegExp(`[${STROKES}]`, 'u');

/** A run of invisible characters, strokes and ordinary white space. Its length and its neighbors decide which parts are kept. */
const RUN = new RegExp(`[${UNSEEN}${STROKES}]+`, 'gu');
const ONLY = new RegExp(`^[${UNSEEN}${STROKES}]+$`, 'u');
const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303f\uff01-\uffef]/u;

/** Cache of results, because a card is rendered many times. */
const cache = new Map<string, VisibleText>();
/** Limits of the cache: number of texts, and their total length in UTF-16 units. A longer text is cached alone. */
const CACHE_LIMITS = { texts: 256, units: 2_000_000 };
let units = 0;

export function visibleText(text: string): VisibleText {
  let visible = cache.get(text);
  if (!visible) {
    visible = analyze(text);
    if (cache.size >= CACHE_LIMITS.texts || units + text.length > CACHE_LIMITS.units) {
      cache.clear();
      units = 0;
    }
    cache.set(text, visible);
    units += text.length;
  }
  return visible;
}

interface Mark {
  character: string;
  count: number;
  hidden: boolean;
}

function analyze(text: string): VisibleText {
  const pieces: Piece[] = [];
  let plain = '';
  let hidden = 0;
  let from = 0;
  const nothingElse = ONLY.test(text);

  const put = (part: string | Mark) => {
    if (typeof part === 'string') return void (plain += part);
    const { character, count, hidden: unseen } = part;
    if (unseen) hidden += count;
    const mark = nameOf(character);
    if (pieces.length >= MARKS_AS_PIECES) {
      plain += `⟦${mark}${count > 1 ? `×${String(count)}` : ''}⟧`;
      return;
    }
    if (plain) pieces.push(plain);
    plain = '';
    pieces.push({ mark, count, hidden: unseen });
  };

  RUN.lastIndex = 0;
  for (let match = RUN.exec(text); match; match = RUN.exec(text)) {
    const { 0: run, index } = match;
    if ((run === ' ' || run === '\n') && !nothingElse) continue;
    plain += text.slice(from, index);
    from = index + run.length;
    eachPart(run, text, index, nothingElse, put);
  }
  plain += text.slice(from);
  if (plain) pieces.push(plain);
  return { pieces, hidden, lines: countLines(text), characters: text.length, mixed: mixedWords(text) };
}

/** Divides a run into text that is kept and characters that are marked. */
function eachPart(run: string, text: string, index: number, mark: boolean, put: (part: string | Mark) => void): void {
  eachGroup(run, (at, part) => {
    const character = String.fromCodePoint(part.codePointAt(0) as number);
    const count = part.length / character.length;
    if (isOrdinary(character)) blanks(part, mark || breaksIn(part) >= LONG_BREAK, put);
    else if (!mark && isLegitimate(part, character, count, text, index + at)) put(part);
    else put({ character, count, hidden: true });
  });
}

const isLegitimate = (part: string, character: string, count: number, text: string, index: number): boolean =>
  isPartOfEmoji(part, text, index) || isTypographic(character, count, text, index) || isPartOfSign(part, text, index);

/** Divides a run into ordinary white space and sequences of one character, each with its index. */
function eachGroup(run: string, found: (at: number, part: string) => void): void {
  for (let at = 0; at < run.length;) {
    const character = String.fromCodePoint(run.codePointAt(at) as number);
    let end = at + character.length;
    if (isOrdinary(character)) while (isOrdinary(run.charAt(end))) end += 1;
    else while (run.startsWith(character, end)) end += character.length;
    found(at, run.slice(at, end));
    at = end;
  }
}

const breaksIn = (run: string): number => run.split('\n').length - 1;

const isOrdinary = (character: string): boolean => character === ' ' || character === '\t' || character === '\n';

/** Keeps short ordinary white space. Longer white space, per line or as a whole, becomes one mark per kind. */
function blanks(run: string, all: boolean, put: (part: string | Mark) => void): void {
  if (!all && run.length < LONG_BLANK) return put(run);
  if (!all && run.includes('\n')) {
    for (const [line] of run.matchAll(/\n|[ \t]+/g)) blanks(line, line.length >= LONG_BLANK, put);
    return;
  }
  const counts = new Map<string, number>();
  for (const character of run) counts.set(character, (counts.get(character) ?? 0) + 1);
  for (const [character, count] of counts) put({ character, count, hidden: false });
  if (counts.has('\n')) put('\n');
}

/**
 * Returns true for characters that belong to a visible emoji: a joiner between two emoji, or the variation selector of an emoji or a
 * keycap.
 */
function isPartOfEmoji(part: string, text: string, index: number): boolean {
  const before = characterBefore(text, index);
  const after = String.fromCodePoint(text.codePointAt(index + part.length) ?? 0);
  if (part === '\u200D') return PICTURE.test(after) && PICTURE.test(before === '\uFE0F' ? characterBefore(text, index - 1) : before);
  return part === '\uFE0F' && (PICTURE.test(before) || (/[#*0-9]/.test(before) && after === '\u20E3'));
}

/** Returns true for a keycap, or for a stroke that forms one character with the one before it: `=` becomes `≠`. */
function isPartOfSign(part: string, text: string, index: number): boolean {
  if (!STROKE.test(part)) return false;
  const before = characterBefore(text, index);
  if (part === '\u20E3') return /[#*0-9]/.test(before === '\uFE0F' ? characterBefore(text, index - 1) : before);
  return (before + part).normalize('NFC').length === 1;
}

/**
 * Returns true for ideographic spaces next to East Asian text, up to the number that indents a paragraph, and for the unbreakable space next
 * to a digit or a sign, as in `1 234 €` and `« Oui »`.
 */
function isTypographic(character: string, count: number, text: string, index: number): boolean {
  const isWide = character === '\u3000';
  if (!isWide && character !== '\u00A0' && character !== '\u202F') return false;
  const neighbors = isWide ? EAST_ASIAN : /[\d«»:;!?%€]/;
  // Behind an ideographic space, a quotation mark may come first.
  const after = text.slice(index + count, index + count + (isWide ? 2 : 1));
  return count <= (isWide ? INDENT : 1) && (neighbors.test(characterBefore(text, index)) || neighbors.test(after));
}

function characterBefore(text: string, index: number): string {
  const pair = index > 1 ? (text.codePointAt(index - 2) ?? 0) : 0;
  return pair > 0xffff ? String.fromCodePoint(pair) : text.charAt(index - 1);
}

/** Returns the text without invisible characters, for the clipboard. */
export function copyableText(text: string): string {
  return text.replace(RUN, (run: string, index: number) => {
    let result = '';
    eachGroup(run, (at, part) => (result += isPartOfEmoji(part, text, index + at) ? part : withoutAnyHidden(part)));
    return result;
  });
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
/** A word, or words in an address, a name of a file or the like. */
const NAME = /[\p{L}\p{M}\p{N}_]+(?:[.@-][\p{L}\p{M}\p{N}_]+)*/gu;
/** Cyrillic and Greek words of letters that look like Latin ones. */
const LOOKALIKE = /^[асԁеһіјӏорԛѕѡхуАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρυ]+$/;
const SCRIPTS: readonly [Alphabet, RegExp][] = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
];

const scriptsOf = (text: string): Alphabet[] => SCRIPTS.filter(([, letters]) => letters.test(text)).map(([script]) => script);

/**
 * Returns words that mix these alphabets. Their letters look alike, and no real word mixes them. Names mix them (`отчёт.pdf`), but not with
 * a word that looks Latin.
 */
function mixedWords(text: string): MixedWord[] {
  const found: MixedWord[] = [];
  if (!/[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(text)) return found;
  for (const [name] of text.matchAll(NAME)) {
    if (scriptsOf(name).length < 2) continue;
    const words = name.match(WORD) ?? [];
    const mixed = words.some((word) => LOOKALIKE.test(word)) ? [name] : words.filter((word) => scriptsOf(word).length > 1);
    for (const word of mixed)
      found.push({ word: [...word.slice(0, 2 * WORD_SHOWN)].slice(0, WORD_SHOWN).join(''), scripts: scriptsOf(word) });
    if (found.length >= MIXED_NAMED) break;
  }
  return found.slice(0, MIXED_NAMED);
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const names = new Map<string, string>([
  ['\n', '↵'],
  ['\t', '⇥'],
  [' ', '␣'],
]);

function nameOf(character: string): string {
  let name = names.get(character);
  if (!name) names.set(character, (name = `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`));
  return name;
}
