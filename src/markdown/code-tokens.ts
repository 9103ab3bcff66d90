/**
 * Splits code into highlighted tokens in one forward pass, by the tables of the languages. It recognizes words, strings, numbers and
 * comments, but no grammar; everything else stays plain. No DOM.
 */
import { LANGUAGES, type Language } from './code-languages.js';

export const KINDS = ['keyword', 'string', 'number', 'comment', 'name', 'added', 'removed'] as const;
export type TokenKind = (typeof KINDS)[number];

/** `from` and `to` are indexes into the code, in UTF-16 units; pieces come in order and never overlap. */
export interface Token {
  from: number;
  to: number;
  kind: TokenKind;
}

const languagesByName = new Map(LANGUAGES.flatMap((language) => language.names.split(' ').map((name) => [name, language] as const)));
const wordsOf = new Map<Language, { keywords: Set<string>; literals: Set<string> }>();

export const knowsLanguage = (name: string): boolean => languagesByName.has(name.toLowerCase());

/** @param language the name after the fence; for an unknown one there are no tokens */
export function tokenize(code: string, language: string): Token[] {
  const rules = languagesByName.get(language.toLowerCase());
  if (!rules) return [];
  if (rules.syntax === 'diff') return readDiff(code);
  return rules.syntax === 'markup' ? readMarkup(code) : readCode(code, rules);
}

const isDigit = (code: number) => code >= 48 && code <= 57;
const isLetter = (code: number) => ((code | 32) >= 97 && (code | 32) <= 122) || code === 95 || code > 127;
const isSpace = (code: number) => code === 32 || code === 10 || code === 9 || code === 13;
const isCapital = (code: number) => code >= 65 && code <= 90;

/** Returns the end of the line that contains `at`. */
function endOfLine(code: string, at: number): number {
  const end = code.indexOf('\n', at);
  return end < 0 ? code.length : end;
}

/** Returns the index after `closer`; the end of the code if there is none. */
function indexAfter(code: string, closer: string, at: number): number {
  const end = code.indexOf(closer, at);
  return end < 0 ? code.length : end + closer.length;
}

/** Returns the end of a string that begins before `at`; on one line unless `lines`. */
function endOfString(code: string, at: number, closer: string, escapes: boolean, lines: boolean): number {
  const first = closer.charCodeAt(0);
  for (let i = at; i < code.length; i++) {
    const unit = code.charCodeAt(i);
    if (unit === 92 /* \ */ && escapes) i++;
    else if (unit === 10 && !lines) return i;
    else if (unit === first && code.startsWith(closer, i)) return i + closer.length;
  }
  return code.length;
}

function readCode(code: string, rules: Language): Token[] {
  const { letters = '', quotes = '', raw = '', keywordMarks = '', nameMarks = '', line = '\0', comments = [], long = [] } = rules;
  const { keywords, literals } = readWords(rules);
  const tokens: Token[] = [];
  const inWord = (unit: number) => isLetter(unit) || isDigit(unit) || (letters !== '' && letters.includes(String.fromCharCode(unit)));
  let at = 0;
  let before = 10; // the last unit that is not blank
  const take = (to: number, kind: TokenKind | undefined) => {
    if (kind !== undefined) tokens.push({ from: at, to, kind });
    at = to;
    before = code.charCodeAt(to - 1);
  };
  const wordFrom = (from: number) => {
    let end = from;
    while (end < code.length && inWord(code.charCodeAt(end))) end++;
    return end;
  };
  const beforeColon = (end: number) => {
    let next = end;
    while (code.charCodeAt(next) === 32) next++;
    return code.charCodeAt(next) === 58;
  };

  while (at < code.length) {
    const unit = code.charCodeAt(at);
    if (isSpace(unit)) {
      at++;
      continue;
    }
    const character = code.charAt(at);
    // A comment with `#` begins only where a word could: not in `$#` or `a#b`.
    if (code.startsWith(line, at) && (line !== '#' || at === 0 || isSpace(code.charCodeAt(at - 1)))) {
      take(endOfLine(code, at), 'comment');
      continue;
    }
    const comment = comments.find(([opener]) => code.startsWith(opener, at));
    if (comment) {
      take(indexAfter(code, comment[1], at + comment[0].length), 'comment');
      continue;
    }
    const text = long.find(([opener]) => code.startsWith(opener, at));
    if (text) {
      take(endOfString(code, at + text[0].length, text[1], !raw.includes(character), true), 'string');
      continue;
    }
    if (quotes.includes(character)) {
      const end = endOfString(code, at + 1, character, !raw.includes(character), false);
      take(end, rules.keys && beforeColon(end) ? 'name' : 'string');
      continue;
    }
    if (isDigit(unit)) {
      let end = at + 1;
      for (; end < code.length; end++) {
        const next = code.charCodeAt(end);
        if (!isDigit(next) && !isLetter(next) && next !== 37 && !(next === 46 && isDigit(code.charCodeAt(end + 1)))) break;
      }
      take(end, 'number');
      continue;
    }
    const mark = keywordMarks.includes(character) ? 'keyword' : nameMarks.includes(character) ? 'name' : undefined;
    if (mark !== undefined && isLetter(code.charCodeAt(at + 1))) {
      take(wordFrom(at + 1), mark);
      continue;
    }
    if (inWord(unit)) {
      const end = wordFrom(at);
      const word = code.slice(at, end);
      const keyword = rules.ignoreCase ? word.toLowerCase() : word;
      if (keywords.has(keyword)) take(end, 'keyword');
      else if (literals.has(keyword)) take(end, 'number');
      else if (rules.keys && beforeColon(end)) take(end, 'name');
      else take(end, code.charCodeAt(end) === 40 || isTypeName(word) ? 'name' : undefined);
      continue;
    }
    if (rules.regex && unit === 47 /* / */ && '\n(,=:[!&|?{;+'.includes(String.fromCharCode(before))) {
      const end = endOfString(code, at + 1, '/', true, false);
      if (code.charCodeAt(end - 1) === 47) {
        take(end, 'string');
        continue;
      }
    }
    take(at + 1, undefined);
  }
  return tokens;
}

/** Checks for a type name such as `Promise` or `HashMap`, as most languages write them. */
function isTypeName(word: string): boolean {
  const second = word.charCodeAt(1);
  return isCapital(word.charCodeAt(0)) && second >= 97 && second <= 122;
}

function readWords(rules: Language): { keywords: Set<string>; literals: Set<string> } {
  let words = wordsOf.get(rules);
  if (!words) {
    const { keywords = '', literals = '' } = rules;
    words = { keywords: new Set(keywords.split(' ')), literals: new Set(literals.split(' ')) };
    wordsOf.set(rules, words);
  }
  return words;
}

/** Finds tags, their attributes and values, comments and entities. */
function readMarkup(code: string): Token[] {
  const tokens: Token[] = [];
  const isName = (unit: number) => isLetter(unit) || isDigit(unit) || unit === 45 || unit === 58 || unit === 46;
  let at = 0;
  while (at < code.length) {
    const unit = code.charCodeAt(at);
    if (unit === 38 /* & */) {
      let end = at + 1;
      while (end < at + 32 && (isName(code.charCodeAt(end)) || code.charCodeAt(end) === 35)) end++;
      if (code.charCodeAt(end) === 59) tokens.push({ from: at, to: end + 1, kind: 'number' });
      at = end;
    } else if (unit !== 60 /* < */) {
      const next = /[<&]/g;
      next.lastIndex = at + 1;
      at = next.exec(code)?.index ?? code.length;
    } else if (code.startsWith('<!--', at)) {
      const to = indexAfter(code, '-->', at + 4);
      tokens.push({ from: at, to, kind: 'comment' });
      at = to;
    } else at = readTag(code, at, tokens, isName);
  }
  return tokens;
}

function readTag(code: string, from: number, tokens: Token[], isName: (unit: number) => boolean): number {
  let at = from + 1;
  const slash = code.charCodeAt(at);
  if (slash === 47 || slash === 33 || slash === 63) at++;
  let to = at;
  while (isName(code.charCodeAt(to))) to++;
  if (to === at) return at;
  tokens.push({ from: at, to, kind: 'keyword' });
  at = to;
  while (at < code.length) {
    const unit = code.charCodeAt(at);
    if (unit === 62 /* > */) return at + 1;
    if (unit === 60 /* < */) return at;
    to = at + 1;
    if (unit === 34 || unit === 39) {
      to = indexAfter(code, code.charAt(at), at + 1);
      tokens.push({ from: at, to, kind: 'string' });
    } else if (isName(unit) || unit === 64) {
      while (isName(code.charCodeAt(to))) to++;
      tokens.push({ from: at, to, kind: 'name' });
    }
    at = to;
  }
  return at;
}

function readDiff(code: string): Token[] {
  const tokens: Token[] = [];
  for (let from = 0; from < code.length;) {
    const to = endOfLine(code, from);
    const first = code.charAt(from);
    if (code.startsWith('@@', from) || code.startsWith('diff ', from) || code.startsWith('index ', from))
      tokens.push({ from, to, kind: 'keyword' });
    else if (code.startsWith('+++', from) || code.startsWith('---', from)) tokens.push({ from, to, kind: 'comment' });
    else if (first === '+') tokens.push({ from, to, kind: 'added' });
    else if (first === '-') tokens.push({ from, to, kind: 'removed' });
    from = to + 1;
  }
  return tokens;
}
