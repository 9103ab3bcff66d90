/**
 * Scanners for the pieces of inline syntax. Each takes the text and the index of its first character and gives the index after its
 * last one, `NO`, or `MORE` if the text ended before that was decided: while a reply streams, the next characters may still
 * complete it. All go forwards only; what could be scanned again from every opener has a limit or stops at the next opener.
 */
import { isAsciiAlphanumeric, isAsciiLetter, isAsciiPunctuation, isWhite, isEastAsian, isPunctuation, skipWhite } from './characters.js';
import { readEntity } from './entities.js';
import { NO_MATCH, UNDECIDED } from './scan-results.js';

const MAX_LABEL = 999; // CommonMark's own limit
const MAX_DEFINED = 2_000; // each reference to a definition repeats its destination
const MAX_PARENTHESES = 32; // as in cmark; without it `[a](` × n is quadratic
const MAX_TAG = 2_000;
const MAX_FORMULA = 6_000;
const MAX_SINGLE = 1_000;

/** Scans `[label]`. A label has no unescaped bracket, and some visible content. */
export function scanLabel(text: string, at: number): number {
  let blank = true;
  const limit = Math.min(text.length, at + MAX_LABEL + 2);
  for (let i = at + 1; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 93 /* ] */) return blank ? NO_MATCH : i + 1;
    if (code === 91 /* [ */) return NO_MATCH;
    if (!isWhite(code)) blank = false;
    if (code === 92 /* \ */) i++;
  }
  return limit === text.length && text.length - at < MAX_LABEL + 2 ? UNDECIDED : NO_MATCH;
}

/** Scans a destination, `<with brackets>` or bare. A bare one may end with the text. */
export function scanDestination(text: string, at: number): number {
  if (text.charCodeAt(at) === 60 /* < */) {
    for (let i = at + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 62 /* > */) return i + 1;
      if (code === 60 || code === 10) return NO_MATCH;
      if (code === 92) i++;
    }
    return UNDECIDED;
  }
  let depth = 0;
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === 127) break;
    if (code === 92 && isAsciiPunctuation(text.charCodeAt(i + 1))) i++;
    else if (code === 40 /* ( */ && ++depth > MAX_PARENTHESES) return NO_MATCH;
    else if (code === 41 /* ) */ && depth-- === 0) return i;
  }
  if (i >= text.length) return depth === 0 ? text.length : UNDECIDED;
  return depth === 0 && i > at ? i : NO_MATCH;
}

/** Returns the destination between the two indexes, without its angle brackets, and with escapes and references resolved. */
export function readDestination(text: string, at: number, end: number): string {
  return unescapeText(text.charCodeAt(at) === 60 ? text.slice(at + 1, end - 1) : text.slice(at, end));
}

/** Scans `"title"`, `'title'` or `(title)`. */
export function scanTitle(text: string, at: number): number {
  const open = text.charCodeAt(at);
  if (open !== 34 && open !== 39 && open !== 40) return at < text.length ? NO_MATCH : UNDECIDED;
  const close = open === 40 ? 41 : open;
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === close) return i + 1;
    if (code === open) return NO_MATCH;
    if (code === 92) i++;
  }
  return UNDECIDED;
}

/** Scans the part after the `(` of an inline link: returns the range of the destination, and the end after the `)`. */
export function scanLinkTail(text: string, at: number): { from: number; to: number; end: number } {
  const from = skipWhite(text, at);
  const to = scanDestination(text, from);
  if (to < 0) return { from, to, end: to };
  let end = skipWhite(text, to);
  if (end > to && end < text.length && text.charCodeAt(end) !== 41) {
    const title = scanTitle(text, end);
    if (title < 0) return { from, to, end: title };
    end = skipWhite(text, title);
  }
  if (end >= text.length) return { from, to, end: UNDECIDED };
  return { from, to, end: text.charCodeAt(end) === 41 ? end + 1 : NO_MATCH };
}

/** Scans a link reference definition: its label, its destination, and the index of the next line. */
export function scanDefinition(text: string, at: number): { label: string; destination: string; end: number } | undefined {
  if (text.charCodeAt(at + 1) === 94 /* ^ */) return undefined; // a note
  if (text.charCodeAt(at) !== 91) return undefined;
  const labelEnd = scanLabel(text, at);
  if (labelEnd < 0 || text.charCodeAt(labelEnd) !== 58 /* : */) return undefined;
  const from = skipWhite(text, labelEnd + 1);
  const to = scanDestination(text, from);
  if (to <= from || to - from > MAX_DEFINED) return undefined;
  let end = endOfLine(text, to);
  const titleFrom = skipWhite(text, to);
  if (titleFrom > to && titleFrom < text.length) {
    const title = scanTitle(text, titleFrom);
    const afterTitle = title < 0 ? NO_MATCH : endOfLine(text, title);
    if (afterTitle >= 0) end = afterTitle;
  }
  if (end < 0) return undefined;
  return { label: normalizeLabel(text.slice(at + 1, labelEnd - 1)), destination: readDestination(text, from, to), end };
}

/** Returns the index after the line's end if only blanks are left in the line. */
function endOfLine(text: string, at: number): number {
  while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at++;
  if (at >= text.length) return text.length;
  return text.charCodeAt(at) === 10 ? at + 1 : NO_MATCH;
}

/** Normalizes a label: case, and the kind and number of blanks, do not matter. */
export const normalizeLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]{1,31}:/;
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/** Scans `<https://…>` or `<name@host>`. */
export function scanAutolink(text: string, at: number): { destination: string; end: number } | undefined {
  let i = at + 1;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === 60) return undefined;
    if (code === 62) break;
  }
  if (i >= text.length) return undefined;
  const content = text.slice(at + 1, i);
  if (SCHEME.test(content)) return { destination: content, end: i + 1 };
  if (content.length <= 320 && ADDRESS.test(content)) return { destination: `mailto:${content}`, end: i + 1 };
  return undefined;
}

/** Scans a tag, comment, instruction or declaration. It is shown as written; its content is not Markdown. */
export function scanHtml(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next === 33 /* ! */) {
    if (text.startsWith('<!-->', at)) return at + 5;
    if (text.startsWith('<!--->', at)) return at + 6;
    if (text.startsWith('<!--', at)) return scanTo(text, at + 4, '-->');
    if (text.startsWith('<![CDATA[', at)) return scanTo(text, at + 9, ']]>');
    return isAsciiLetter(text.charCodeAt(at + 2)) ? scanTo(text, at + 2, '>') : at + 2 < text.length ? NO_MATCH : UNDECIDED;
  }
  if (next === 63 /* ? */) return scanTo(text, at + 2, '?>');
  return scanTag(text, at);
}

function scanTo(text: string, at: number, close: string): number {
  const found = text.indexOf(close, at);
  return found < 0 ? UNDECIDED : found + close.length;
}

function scanTag(text: string, at: number): number {
  // A tag longer than the limit does not count as one, so that a scan from every `<` stays linear.
  const limit = Math.min(text.length, at + MAX_TAG);
  const over = limit === text.length ? UNDECIDED : NO_MATCH;
  let i = at + 1;
  const closing = text.charCodeAt(i) === 47; /* / */
  if (closing) i++;
  if (i >= limit) return over;
  if (!isAsciiLetter(text.charCodeAt(i))) return NO_MATCH;
  while (i < limit && (isAsciiAlphanumeric(text.charCodeAt(i)) || text.charCodeAt(i) === 45)) i++;
  for (;;) {
    const name = skipWhite(text, i);
    if (name >= limit) return over;
    const code = text.charCodeAt(name);
    if (code === 62) return name + 1;
    if (code === 47 && !closing) return name + 1 >= limit ? over : text.charCodeAt(name + 1) === 62 ? name + 2 : NO_MATCH;
    if (closing || name === i || !(isAsciiLetter(code) || code === 95 || code === 58)) return NO_MATCH;
    i = name + 1;
    while (i < limit && isNameCharacter(text.charCodeAt(i))) i++;
    const equals = skipWhite(text, i);
    if (text.charCodeAt(equals) !== 61) continue;
    i = scanAttributeValue(text, skipWhite(text, equals + 1), limit);
    if (i >= limit) return over;
    if (i < 0) return NO_MATCH;
  }
}

const isNameCharacter = (code: number) => isAsciiAlphanumeric(code) || code === 95 || code === 46 || code === 58 || code === 45;

function scanAttributeValue(text: string, at: number, limit: number): number {
  const quote = text.charCodeAt(at);
  if (quote === 34 || quote === 39) {
    let i = at + 1;
    while (i < limit && text.charCodeAt(i) !== quote) i++;
    return i < limit ? i + 1 : limit;
  }
  let i = at;
  while (i < limit && text.charCodeAt(i) > 32 && !'"\'=<>`'.includes(text.charAt(i))) i++;
  return i > at || i >= limit ? i : NO_MATCH;
}

/**
 * A bare address (`https://…`, `http://…`, `www.…`) as GitHub links it. The host ends at the first character that is not ASCII and
 * the rest at East Asian punctuation, because no blank follows an address in Chinese.
 */
export function scanBareLink(text: string, at: number, insideBrackets: boolean): number {
  const rest = text.slice(at, at + 8).toLowerCase();
  const prefix = rest.startsWith('https://') ? 8 : rest.startsWith('http://') ? 7 : rest.startsWith('www.') ? 4 : 0;
  if (prefix === 0) return NO_MATCH;
  let i = at + prefix;
  while (isAsciiAlphanumeric(text.charCodeAt(i)) || '.-_'.includes(text.charAt(i) || ' ')) i++;
  if (i === at + prefix || !isAsciiAlphanumeric(text.charCodeAt(at + prefix))) return NO_MATCH;
  if (':/?#'.includes(text.charAt(i) || ' ')) {
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code <= 32 || code === 60 || (insideBrackets && code === 93)) break;
      if (code > 127 && (/\s/.test(text.charAt(i)) || (isEastAsian(text.charAt(i)) && isPunctuation(text.charAt(i))))) break;
    }
  }
  const end = trimBareLink(text, at, i);
  return end > at + prefix ? end : NO_MATCH;
}

/** Maximum number of characters before the `@`. */
const isMailCharacter = (code: number): boolean => isAsciiAlphanumeric(code) || code === 46 || code === 43 || code === 45 || code === 95;
const MAX_MAIL = 64;

/** Finds the end of a bare `name@host.example` at the start of a word. `git@host.example:name` is not one. */
export function scanBareMail(text: string, at: number): number {
  if (!isAsciiAlphanumeric(text.charCodeAt(at)) || isMailCharacter(text.charCodeAt(at - 1)) || '@/:'.includes(text.charAt(at - 1) || ' '))
    return NO_MATCH;
  let i = at;
  while (i - at <= MAX_MAIL && isMailCharacter(text.charCodeAt(i))) i++;
  if (i - at > MAX_MAIL || text.charCodeAt(i) !== 64 || !isAsciiAlphanumeric(text.charCodeAt(i - 1))) return NO_MATCH;
  const host = i + 1;
  let dot = 0;
  for (i = host; i - host <= MAX_MAIL * 4 && (isAsciiAlphanumeric(text.charCodeAt(i)) || '.-'.includes(text.charAt(i) || ' ')); i++)
    if (text.charCodeAt(i) === 46) {
      if (!isAsciiAlphanumeric(text.charCodeAt(i - 1)) || !isAsciiAlphanumeric(text.charCodeAt(i + 1))) break;
      dot = i;
    }
  const isName = /^[a-z]{2,24}$/i.test(text.slice(dot + 1, i));
  if (dot === 0 || !isName || (':/@_'.includes(text.charAt(i) || ' ') && !/\s|^$/.test(text.charAt(i + 1)))) return NO_MATCH;
  return i;
}

/** Leaves out punctuation that belongs to the sentence: a final `.`, a `)` without its `(`, a final `&name;`. */
function trimBareLink(text: string, at: number, end: number): number {
  let balance = 0;
  for (let i = at; i < end; i++) balance += text.charAt(i) === '(' ? 1 : text.charAt(i) === ')' ? -1 : 0;
  for (;;) {
    const last = text.charAt(end - 1);
    if (last === ')' && balance < 0) balance++;
    else if (last === ';') {
      let start = end - 2;
      while (start > at && isAsciiAlphanumeric(text.charCodeAt(start))) start--;
      if (text.charAt(start) !== '&') return end;
      end = start + 1;
    } else if (!'?!.,:*_~\'"'.includes(last)) return end;
    end--;
  }
}

/** Returns `text` with backslash escapes and character references resolved. */
export function unescapeText(text: string): string {
  let result = '';
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 92 && isAsciiPunctuation(text.charCodeAt(i + 1))) {
      result += text.slice(from, i);
      from = ++i;
    } else if (code === 38) {
      const entity = readEntity(text, i);
      if (!entity) continue;
      result += text.slice(from, i) + entity.text;
      from = entity.end;
      i = entity.end - 1;
    }
  }
  return result + text.slice(from);
}

/** Finds the end of `\begin{name}…\end{name}`. */
function scanEnvironment(text: string, at: number): number {
  const open = /^\\begin\{([a-z]{1,12}\*?)\}/.exec(text.slice(at, at + 22));
  if (!open) return NO_MATCH;
  const near = text.slice(at, at + MAX_FORMULA);
  const close = `\\end{${open[1]!}}`;
  const end = near.indexOf(close);
  return end >= 0 ? at + end + close.length : near.length < MAX_FORMULA ? UNDECIDED : NO_MATCH;
}

/** Matches an amount followed by a word, with which no formula begins. */
const MONEY = /^\d[\d.,]*[a-z%]{0,2}[,;]?\s+[a-z]{2}/i;

/**
 * Scans a formula with visible content: `$a$`, `$$a$$`, `\(a\)` or `\[a\]`. To exclude amounts of money, a single `$` has no blank on its
 * inner side and no letter or digit on its outer side, and the first apparent closing mark ends the search. So does another opening mark,
 * which keeps many searches short.
 */
export function scanFormula(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === 98 /* \begin */) return scanEnvironment(text, at);
  const mark = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  const single = mark === 36 /* $ */ && second !== 36;
  const closer = mark === 36 ? 36 : second === 40 ? 41 : 93;
  // After a letter or a digit only an exponent can be a formula: `45$^\circ$`.
  if (single && (isWhite(second) || (isAsciiAlphanumeric(text.charCodeAt(at - 1)) && second !== 94))) return NO_MATCH;
  const from = at + (single ? 1 : 2);
  let seen = false;
  for (let i = from; i < text.length; i++) {
    if (i - at > (single ? MAX_SINGLE : MAX_FORMULA)) return NO_MATCH;
    const code = text.charCodeAt(i);
    if (code === 36 && mark === 36) {
      const next = text.charCodeAt(i + 1);
      if (!single)
        return next === 36 ? (seen && text.charCodeAt(i + 2) !== 36 ? i + 2 : NO_MATCH) : i + 1 < text.length ? NO_MATCH : UNDECIDED;
      const closes = seen && next !== 36 && !isAsciiAlphanumeric(next) && !isWhite(text.charCodeAt(i - 1));
      return closes && !MONEY.test(text.slice(from, Math.min(i, from + 40))) ? i + 1 : NO_MATCH;
    }
    if (code === 92 /* \ */) {
      const next = text.charCodeAt(++i);
      if (mark === 92 && next === closer) return seen ? i + 1 : NO_MATCH;
      if (mark === 92 && next === second) return NO_MATCH;
      seen ||= isAsciiLetter(next);
    } else seen ||= isAsciiAlphanumeric(code) || code > 127;
  }
  return UNDECIDED;
}
