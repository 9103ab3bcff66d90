/**
 * The inline half of CommonMark (with GitHub's strikethrough and bare links): text to a tree, in one pass and linear time.
 *
 * Emphasis is settled as soon as a closing run is met, except inside a bracket that may still become a link, because links bind
 * tighter. That is what makes streaming cheap: wherever nothing is open, what was read so far cannot change any more, and the
 * next parse starts from there.
 */
import {
  characterAt,
  characterBefore,
  isAsciiAlphanumeric,
  isAsciiPunctuation,
  isWhite,
  isEastAsian,
  isPunctuation,
  isSpaceOrTab,
  isWhitespace,
} from './characters.js';
import type { Delimiter } from './emphasis.js';
import { closeEarly, closesAll, createScope, resolveDelimiter, resolveFrom } from './emphasis.js';
import type { Inline } from './inline-tree.js';
import { deepest, MAX_DEPTH, node } from './inline-tree.js';
import { loadedSyntax } from './loaded-syntax.js';
import { UNDECIDED } from './scan-results.js';

/** The result, and how much of it no later text can change: the nodes before `node`, and `within` units of that one's text. */
export interface ParsedInlines {
  nodes: Inline[];
  /** The point at which the next parse may start; `offset` is an index into the text. */
  safe: { offset: number; node: number; within: number };
}

export interface InlineOptions {
  /** Returns the destination of a normalized reference label. */
  resolve(label: string): string | undefined;
  /** True if the block is complete. Otherwise, constructs that are still open at the end are shown as if they were closed there. */
  final: boolean;
}

interface Bracket {
  image: boolean;
  index: number;
  /** Index of the content's start in the text. */
  offset: number;
  /** An opening bracket came after it, so its content cannot be a label. */
  nested: boolean;
}

/** Maximum length of an unclosed construct that is shown as if it were closed. A stray mark must not restyle a whole paragraph. */
const EARLY = 240;
const EARLY_SINGLE = 60;

/** Number of UTF-16 units for which an open formula or comment is held back before it is shown as written. A single `$` may be money. */
const FORMULA = 600;
const DOLLAR = 80;
const COMMENT = 2_000;

/** Tags that are formatting if they have no attributes; their end is searched within `TAGGED` UTF-16 units. */
const BARE = ['sub', 'sup', 'kbd'] as const;
const TAGS = ['<br>', '<br/>', '<br />', ...BARE.flatMap((name) => [`<${name}>`, `</${name}>`])];
const TAGGED = 200;

/** The name of a note. */
const NOTE = /^[\p{L}\p{N}_.-]{1,40}$/u;

// Everything that may start something; bare links are looked for at the start of words.
const SPECIAL = new Uint8Array(128);
for (const character of '\n\\`*_~[]!<&$') SPECIAL[character.charCodeAt(0)] = 1;

/** Those of them that mean nothing without the syntax that is loaded on demand. */
const LAZY = '[]!<&$';

type Syntax = ReturnType<typeof loadedSyntax>;

/** Matches `http…`, `www…`, or any text before an `@`, at the start of a word. */
function mayStartLink(syntax: Syntax, text: string, at: number, hasAt: boolean): boolean {
  if (!syntax) return false;
  if (hasAt && syntax.scanBareMail(text, at) > 0) return true;
  const code = text.charCodeAt(at) | 32;
  if (code !== 104 /* h */ && code !== 119 /* w */) return false;
  return (text.charCodeAt(at + 1) | 32) === (code === 104 ? 116 : 119) && !isAsciiAlphanumeric(text.charCodeAt(at - 1));
}

/** Returns `text` without trailing spaces and tabs. */
function trimBlanks(text: string): string {
  let end = text.length;
  while (isSpaceOrTab(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

export function parseInlines(text: string, options: InlineOptions): ParsedInlines {
  const scope = createScope();
  const { nodes } = scope;
  const brackets: Bracket[] = [];
  const safe = { offset: 0, node: 0, within: 0 };
  const unclosedHtml = new Set<string>();
  let inactiveBefore = 0; // link brackets before this offset lie around a link and cannot become one
  let codeRuns: Map<number, number[]> | undefined;
  let undecided = false; // something ran into the end of the text: nothing after it is safe
  let at = 0;
  const hasAt = text.includes('@');
  const syntax = loadedSyntax();

  const isSettled = () => !undecided && brackets.length === 0 && scope.openers.length === 0;
  const pushText = (value: string) => nodes.push(node('text', value));

  function markSafe(offset: number, within: number): void {
    safe.offset = offset;
    safe.node = within > 0 ? nodes.length - 1 : nodes.length;
    safe.within = within;
  }

  function readText(): void {
    const start = at;
    do at++;
    while (at < text.length && !SPECIAL[text.charCodeAt(at)] && !mayStartLink(syntax, text, at, hasAt));
    pushText(text.slice(start, at));
    if (!isSettled()) return;
    // Only a blank before a word is final: trailing blanks may still turn out to be a line's end. A comment leaves no text, so blanks
    // before it may be the last ones, too.
    for (let i = Math.min(text.charCodeAt(at) === 60 ? at - 1 : at, text.length - 1); i > start; i--) {
      if (isSpaceOrTab(text.charCodeAt(i - 1)) && !isWhite(text.charCodeAt(i))) return markSafe(i, i - start);
    }
  }

  function readLineEnd(): void {
    const last = nodes.at(-1);
    let hard = false;
    if (last?.kind === 'text') {
      hard = last.text.endsWith('  ');
      last.text = trimBlanks(last.text);
    }
    at++;
    while (isSpaceOrTab(text.charCodeAt(at))) at++;
    if (hard) nodes.push(node('break'));
    // A display formula ends its line by itself.
    else if (last?.kind !== 'formula' || !/^(?:\$\$|\\[[b])/.test(last.text)) pushText('\n');
    else pushText(' ');
    if (at < text.length && isSettled()) markSafe(at, 0);
  }

  function readBackslash(): void {
    const code = text.charCodeAt(at + 1);
    if (syntax && (code === 40 || code === 91 || (code === 98 && text.startsWith('\\begin{', at))) && readFormula()) return;
    if (code === 10) {
      nodes.push(node('break'));
      at += 2;
    } else if (isAsciiPunctuation(code)) {
      pushText(text.charAt(at + 1));
      at += 2;
    } else {
      pushText('\\');
      at++;
    }
  }

  function readFormula(): boolean {
    const end = syntax!.scanFormula(text, at);
    // Behind the last `$` a digit may follow, and make it money.
    if (end === UNDECIDED || end === text.length) undecided = true;
    const opening = text.slice(at, at + 2);
    const most = /^\$\d/.test(opening) ? 0 : /^\$(?!\$)/.test(opening) ? DOLLAR : FORMULA;
    if (end === UNDECIDED && brackets.length === 0 && isHeldBack(at, most)) {
      at = text.length;
      return true;
    }
    if (end < 0) return false;
    nodes.push(node('formula', text.slice(at, end)));
    at = end;
    return true;
  }

  function readCode(): void {
    codeRuns ??= findCodeRuns(text, at);
    let end = at;
    while (text.charCodeAt(end) === 96) end++;
    const length = end - at;
    const starts = codeRuns.get(length);
    while (starts && starts.length > 0 && starts.at(-1)! < end) starts.pop();
    const close = starts?.at(-1);
    if (close !== undefined) {
      nodes.push(node('code', trimCode(text.slice(end, close))));
      at = close + length;
      return;
    }
    undecided = true;
    if (!options.final && length < 3 && end < text.length && text.length - end < EARLY && brackets.length === 0) {
      nodes.push(node('code', trimCode(text.slice(end))));
      at = text.length;
      return;
    }
    if (options.final || end < text.length || brackets.length > 0) pushText(text.slice(at, end));
    at = end;
  }

  function readDelimiter(character: string): void {
    let end = at + 1;
    while (text.charAt(end) === character) end++;
    const before = characterBefore(text, at);
    const after = characterAt(text, end);
    const spaceBefore = isWhitespace(before);
    const spaceAfter = isWhitespace(after);
    const markBefore = isPunctuation(before);
    const markAfter = isPunctuation(after);
    // Beyond CommonMark: `**注意：**请` is emphasis. No blank can be expected around it where words are written without blanks.
    const left = !spaceAfter && (!markAfter || spaceBefore || markBefore || isEastAsian(before));
    const right = !spaceBefore && (!markBefore || spaceAfter || markAfter || isEastAsian(after));
    const count = end - at;
    // One tilde between two words is a range (`10~20`) far more often than it strikes something out.
    const wordwise = character === '_' || (character === '~' && count === 1);
    const delimiter: Delimiter = {
      ...node('text', text.slice(at, end)),
      character,
      count,
      length: count,
      canOpen: wordwise ? left && (!right || markBefore) : left,
      canClose: wordwise ? right && (!left || markAfter) : right,
      offset: at,
      index: 0,
    };
    at = end;
    // The next character decides whether it opens, closes or is text.
    if (!options.final && end === text.length && brackets.length === 0 && !closesAll(scope, delimiter)) return;
    if (character === '~' && count > 2) nodes.push(node('text', delimiter.text));
    else if (brackets.length > 0) nodes.push(delimiter);
    else resolveDelimiter(scope, delimiter);
  }

  function openBracket(image: boolean): void {
    const outer = brackets.at(-1);
    if (outer) outer.nested = true;
    const length = image ? 2 : 1;
    brackets.push({ image, index: nodes.length, offset: at + length, nested: false });
    pushText(text.slice(at, at + length));
    at += length;
  }

  function closeBracket(): void {
    const opener = brackets.pop();
    const close = at++;
    if (!opener) return void pushText(']');
    if (isNote(opener, close)) {
      nodes.length = opener.index;
      nodes.push(node('note', text.slice(opener.offset - 1, at)));
      return;
    }
    // The image's address has not arrived yet.
    if (opener.image && brackets.length === 0 && at === text.length && isHeldBack(opener.offset, EARLY)) {
      nodes.length = opener.index;
      undecided = true;
      return;
    }
    const destination = opener.image || opener.offset > inactiveBefore ? readTarget(opener, close) : undefined;
    if (destination !== undefined) {
      const children = deepest(nodes, opener.index + 1) < MAX_DEPTH ? resolveFrom(nodes, opener.index + 1) : undefined;
      if (children && deepest(children) < MAX_DEPTH) {
        nodes.length = opener.index;
        nodes.push(node(opener.image ? 'image' : 'link', '', destination, children));
        if (!opener.image) inactiveBefore = opener.offset;
        return;
      }
      at = close + 1;
      pushText(']');
      return settleFrom(brackets[0] ?? opener); // the brackets around it would be too deep as well
    }
    pushText(']');
    if (brackets.length === 0) settleFrom(opener);
  }

  /** Matches `[^name]` that is not a link. */
  function isNote({ image, nested, offset }: Bracket, close: number): boolean {
    if (image || nested || text.charCodeAt(offset) !== 94 /* ^ */ || !NOTE.test(text.slice(offset + 1, Math.min(close, offset + 42))))
      return false;
    if (at === text.length) undecided = true;
    return text.charCodeAt(at) !== 40; /* ( */
  }

  /** Returns the destination of the link whose text ends at `close`, if it is one; then `at` is after it. */
  function readTarget(opener: Bracket, close: number): string | undefined {
    if (text.charCodeAt(at) === 40 /* ( */) {
      const tail = syntax!.scanLinkTail(text, at + 1);
      if (tail.end === UNDECIDED) undecided = true;
      if (tail.end > 0) {
        at = tail.end;
        return syntax!.readDestination(text, tail.from, tail.to);
      }
      // The address is still arriving: the future link text is shown already, the incomplete address is not.
      if (tail.end === UNDECIDED && !options.final && brackets.length === 0 && text.length - at < 2_000) {
        at = text.length;
        return '';
      }
    }
    let end = at;
    if (text.charCodeAt(at) === 91 /* [ */) {
      const labelEnd = syntax!.scanLabel(text, at);
      if (labelEnd > 0) return takeReference(text.slice(at + 1, labelEnd - 1), labelEnd);
      if (text.charCodeAt(at + 1) === 93) end = at + 2;
    }
    if (opener.nested || close - opener.offset > 999) return undefined;
    return takeReference(text.slice(opener.offset, close), end);
  }

  function takeReference(label: string, end: number): string | undefined {
    const normalized = syntax!.normalizeLabel(label);
    const destination = normalized === '' ? undefined : options.resolve(normalized);
    if (destination !== undefined) at = end;
    return destination;
  }

  function readLessThan(): void {
    const autolink = syntax!.scanAutolink(text, at);
    if (autolink) {
      nodes.push(node('autolink', text.slice(at + 1, autolink.end - 1), autolink.destination));
      at = autolink.end;
      return;
    }
    if (readBareTag()) return;
    const kind = text.slice(at, at + (text.charAt(at + 1) === '!' && '-['.includes(text.charAt(at + 2)) ? 3 : 2));
    const end = unclosedHtml.has(kind) ? UNDECIDED : syntax!.scanHtml(text, at);
    if (end === UNDECIDED) {
      undecided = true;
      if (kind[1] === '!' || kind[1] === '?') unclosedHtml.add(kind);
    }
    // A comment is not shown. One that never ends is text.
    const isComment = kind === '<!-' && text.startsWith('<!--', at);
    if (isComment && end === UNDECIDED && isHeldBack(at, COMMENT)) at = text.length;
    else {
      if (!isComment || end < 0) pushText(text.slice(at, end > 0 ? end : at + 1));
      at = end > 0 ? end : at + 1;
    }
  }

  /** `<br>` and a few other tags without attributes become nodes of the allow-list. */
  function readBareTag(): boolean {
    const start = text.slice(at, at + 6).toLowerCase();
    const line = /^<br ?\/?>/.exec(start);
    if (line) {
      nodes.push(node('break'));
      at += line[0].length;
      if (text.charCodeAt(at) === 10) at++;
      return true;
    }
    const kind = BARE.find((name) => start.startsWith(`<${name}>`));
    if (kind) return readTagged(kind);
    if (isHeldBack(at, 6) && TAGS.some((tag) => tag.startsWith(start))) {
      undecided = true;
      at = text.length;
      return true;
    }
    return false;
  }

  function readTagged(kind: (typeof BARE)[number]): boolean {
    const from = at + kind.length + 2;
    const near = text.slice(from, from + TAGGED);
    const end = near.toLowerCase().indexOf(`</${kind}>`);
    if (end < 0 && near.length === TAGGED) return false;
    if (end < 0) undecided = true;
    if (end < 0 && (options.final || brackets.length > 0)) return false;
    const inner = (end < 0 ? near : near.slice(0, end)).replace(/<\/?[a-z]{0,3}$/i, '');
    const { nodes: children } = parseInlines(inner, { resolve: (label) => options.resolve(label), final: end >= 0 });
    nodes.push(node(kind, '', '', children));
    at = end < 0 ? text.length : from + end + kind.length + 3;
    return true;
  }

  /** While text is still arriving, the construct at `from` waits up to `most` UTF-16 units for its end. */
  const isHeldBack = (from: number, most: number): boolean => !options.final && text.length - from < most;

  function readEntityOrText(): void {
    const entity = syntax!.readEntity(text, at);
    pushText(entity?.text ?? '&');
    at = entity?.end ?? at + 1;
  }

  function readWord(): void {
    const mail = hasAt ? syntax!.scanBareMail(text, at) : -1;
    const end = mail > 0 ? mail : syntax!.scanBareLink(text, at, brackets.length > 0);
    if (end < 0) return readText();
    const address = text.slice(at, end);
    if (mail > 0) nodes.push(node('autolink', address, `mailto:${address}`));
    else nodes.push(node('autolink', address, address.charCodeAt(3) === 46 ? `http://${address}` : address));
    at = end;
  }

  /** Closes all brackets as text: the nodes from the outermost one on are processed again without them. */
  function settleFrom(outermost: Bracket): void {
    brackets.length = 0;
    for (const item of nodes.splice(outermost.index)) {
      if ('count' in item) resolveDelimiter(scope, item as Delimiter);
      else nodes.push(item);
    }
  }

  while (at < text.length) {
    const character = text.charAt(at);
    if (!syntax && LAZY.includes(character)) {
      readText();
      continue;
    }
    switch (character) {
      case '\n':
        readLineEnd();
        break;
      case '\\':
        readBackslash();
        break;
      case '$':
        if (!readFormula()) readText();
        break;
      case '`':
        readCode();
        break;
      case '*':
      case '_':
      case '~':
        readDelimiter(character);
        break;
      case '[':
        openBracket(false);
        break;
      case ']':
        closeBracket();
        break;
      case '!':
        if (text.charCodeAt(at + 1) === 91) openBracket(true);
        else readText();
        break;
      case '<':
        readLessThan();
        break;
      case '&':
        readEntityOrText();
        break;
      default:
        if (mayStartLink(syntax, text, at, hasAt)) readWord();
        else readText();
    }
  }
  const [open] = brackets;
  // An image or a note is shown only if it is complete.
  if (open && (open.image || text.charCodeAt(open.offset) === 94) && isHeldBack(open.offset, open.image ? EARLY : 42)) {
    nodes.length = open.index;
    brackets.length = 0;
  }
  if (brackets[0]) settleFrom(brackets[0]);
  if (options.final) trimEnd(nodes);
  else closeEarly(scope, text.length - EARLY, text.length - EARLY_SINGLE);
  return { nodes, safe };
}

/** Returns the start positions of backtick runs by length, last first. */
function findCodeRuns(text: string, from: number): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (let start = text.indexOf('`', from); start >= 0;) {
    let end = start + 1;
    while (text.charCodeAt(end) === 96) end++;
    const starts = runs.get(end - start);
    if (starts) starts.push(start);
    else runs.set(end - start, [start]);
    start = text.indexOf('`', end);
  }
  for (const starts of runs.values()) starts.reverse();
  return runs;
}

function trimCode(text: string): string {
  const line = text.replaceAll('\n', ' ');
  const padded = line.startsWith(' ') && line.endsWith(' ') && /[^ ]/.test(line);
  return padded ? line.slice(1, -1) : line;
}

function trimEnd(nodes: Inline[]): void {
  const last = nodes.at(-1);
  if (last?.kind === 'text') last.text = trimBlanks(last.text);
}
