/**
 * Knows where Markdown shows code or a quotation, so that a call in an example is not a call: as a CommonMark
 * parser would read the whole reply, each call in it being a word.
 *
 * Only the past decides, with one exception. A backtick that no other of its line closes may be closed on a later line, and then all between is
 * code: `fork` looks ahead for that. A marker behind it on the same line counts as code at once.
 */
import { beginning, copyState, type Fence, type Place, type CodeState } from './code-state.js';
import { createLineStarts, LINE_MARKS, type LineContainer, type LineStart } from './line-start.js';
import { charTable, findChar } from './scan.js';

/** Why what stands there is not to be run by itself, if it is not. */
export type Doubt =
  /** It stands in a quotation. */
  | 'quotation'
  /** It may stand in inline code: the end of the paragraph tells. */
  | 'span'
  /** It is code by its indentation alone, or what stood before leaves open what is code. */
  | 'indented'
  | undefined;

export interface CodeSpans {
  /** Where `next` has stopped. */
  readonly place: Place;
  /** Of the stop character where `next` has stopped; a fence of that character leaves the quotations that it does not carry the marks of. */
  doubt(stop: string): Doubt;
  /**
   * Reads on from `at` to the next of the stop characters that is not in code, and returns its index, or the length of the text.
   * With `plain` the character at `at` is ordinary text and no stop.
   */
  next(text: string, at: number, plain: boolean): number;
  /** Reads on as text up to `end`, whatever stands there. */
  pass(text: string, at: number, end: number): void;
  /** Looks ahead from here. Nothing is told to the listener. */
  fork(): Lookahead;
  /** No backtick before here is closed behind it. */
  settle(): void;
  /** Something that is not shown stood here: what follows counts as the start of a line. */
  restartLine(): void;
  /** A block stood here that began with this character: a fence, or else a word of its paragraph. */
  afterBlock(opener: string): void;
  /** The text is over: settles a run at its very end. */
  end(): void;
}

export interface Lookahead {
  /** Reads on, and returns how far; stops when the outcome is known. */
  read(text: string, at: number, end: number): number;
  /** `closed`: a backtick from before has been closed, just there. `ended`: the paragraph is over. */
  readonly outcome: 'closed' | 'ended' | undefined;
  end(): void;
}

/**
 * Told when a fence has opened or closed with the line that ends before `end`, or when its container has ended; `quoted`: it stands in a quotation.
 * And when a line of a quotation begins, or the first that is none.
 */
export type FenceListener = (kind: 'opened' | 'closed' | 'dropped' | 'quote' | 'unquote', end: number, quoted: boolean) => void;

const LONGEST_PREFIX = 4096;
const MOST_OPEN_RUNS = 32;

/** What is raw HTML over blank lines, too. */
const LONG_TAGS = new Set(['script', 'pre', 'style', 'textarea']);

const isMark = charTable(LINE_MARKS);

interface Tables {
  special: Uint8Array;
  inTag: Uint8Array;
}

/** A reader is made for each call, so its tables are kept by the characters where a notation may begin. There are as many sets as notations. */
const tables = new Map<string, Tables>();

function tablesOf(stops: string): Tables {
  let known = tables.get(stops);
  if (!known) tables.set(stops, (known = { special: charTable(`\n\r\`\\<${stops}`), inTag: charTable(`\n\r\`\\<>"'${stops}`) }));
  return known;
}

/** `stops` are ASCII characters. */
export function createCodeSpans(stops: string, onFence: FenceListener): CodeSpans {
  return follow(copyState(beginning), stops, onFence);
}

function follow(
  s: CodeState,
  stops: string,
  onFence: FenceListener,
  known = -1,
  readLineStart = createLineStarts(),
): CodeSpans & Lookahead {
  const { special, inTag } = tablesOf(stops);
  let outcome: Lookahead['outcome'];

  const next = (text: string, at: number, plain: boolean) => readOn(text, at, text.length, plain, true);

  function readOn(text: string, at: number, end: number, plain: boolean, mayStop: boolean): number {
    let index = at;
    while (index < end && !outcome) {
      const char = text[index]!;
      if (s.run > 0 && char !== s.runChar) {
        endRun();
        if (outcome) return index;
      }
      if (char === '\n' || char === '\r') {
        if (!s.wasReturn || char === '\r') endLine(index + 1);
        s.wasReturn = char === '\r';
        index += 1;
        continue;
      }
      s.wasReturn = false;
      const isStop = mayStop && s.run === 0 && stops.includes(char) && !(plain && index === at);
      if (s.prefix !== undefined) {
        if (isMark[char.charCodeAt(0)] === 1 && s.prefix.length < LONGEST_PREFIX) {
          // A line of quotation marks holds no call, and each look reads all that precedes on the line.
          if (isStop && !inCode() && (char !== '>' || !/[^ \t]/.test(s.prefix))) {
            look(readLineStart(s, s.prefix, false));
            return index;
          }
          s.prefix += char;
          index += 1;
          continue;
        }
        beginLine(char, index);
        if (outcome) return index;
      }
      if (isStop && !inCode()) return index;
      index = readContent(text, index, end, char);
    }
    return index;
  }

  function readContent(text: string, index: number, end: number, char: string): number {
    if (char === '`' || (char === '~' && (s.run > 0 || s.place !== 'text'))) {
      countRun(char);
      return index + 1;
    }
    const isFirst = s.place !== 'text' && !s.behind;
    if (char !== ' ' && char !== '\t') {
      s.place = 'text';
      s.behind = s.closing = false;
    }
    readMark(char, isFirst);
    if (s.place !== 'text' || s.closing || s.tag === 'begun' || s.tagName !== undefined || s.escaped) return index + 1;
    const table = s.tag === 'open' ? inTag : special;
    return findChar(text, index + 1, end, table);
  }

  /** What a character means for backslashes and tags. */
  function readMark(char: string, isFirst: boolean) {
    const wasEscaped = s.escaped;
    s.escaped = char === '\\' && !wasEscaped;
    if (s.fence || s.start?.kind === 'code') return;
    if (s.tagName !== undefined) readTagName(char);
    if (char === '<' && isFirst && (s.start?.indent ?? 0) <= 3) s.tagName = '';
    if (s.tag === 'endless') return;
    if (char === '<') s.tag = 'begun';
    else if (s.tag === 'begun') {
      s.tag = char === '!' || char === '?' ? 'endless' : char === '/' || isLetter(char) ? 'open' : 'none';
    } else if (s.tag === 'open') {
      // Where a value ends is not looked for.
      if (char === '"' || char === "'") s.tag = 'endless';
      else if (char === '>') s.tag = 'none';
    }
  }

  function readTagName(char: string) {
    if (s.tagName === '') {
      if (char === '!' || char === '?') s.unsure = true;
      s.html ||= char === '/' || isLetter(char);
      // Raw HTML goes on with no paragraph.
      s.unsure ||= s.html && isLazy();
    }
    if (isLetter(char) && s.tagName!.length < 10) s.tagName += char.toLowerCase();
    else {
      s.unsure ||= LONG_TAGS.has(s.tagName!);
      s.tagName = undefined;
    }
  }

  const inCode = () =>
    s.fence !== undefined ||
    s.candidate !== undefined ||
    (s.soft !== undefined && s.start?.kind === 'code') ||
    (s.openRuns.length > 0 && s.openRuns.some(({ line }) => line === s.line));

  function countRun(char: string) {
    if (s.run === 0) {
      s.runChar = char;
      s.runIsFirst = s.place !== 'text';
      s.runIsEscaped = s.escaped;
      s.place = 'text';
      s.closing = s.escaped = false;
      s.tagName = undefined;
      if (s.tag === 'begun') s.tag = 'none';
    }
    s.run += 1;
  }

  function endRun() {
    const length = s.run;
    s.run = 0;
    const isFence = s.runIsFirst && length >= 3 && (s.start?.indent ?? 0) <= 3;
    s.unsure ||= s.mayBeHtml && isFence;
    if (s.fence) {
      s.closing = isFence && s.runChar === s.fence.char && length >= s.fence.length;
    } else if (s.start?.kind === 'code') {
      if (s.runIsFirst && length >= 3) readSoft(length);
    } else if (s.runChar === '~') {
      if (isFence) s.candidate = fenceOf(length);
    } else if (s.candidate?.char !== '~') {
      if (s.candidate) {
        const { length: before } = s.candidate;
        s.candidate = undefined;
        readTicks(before, before);
      }
      if (isFence) s.candidate = fenceOf(length);
      else readTicks(length, s.runIsEscaped ? length - 1 : length);
    }
    s.behind = false;
  }

  function readSoft(length: number) {
    if (!s.soft) s.soft = { char: s.runChar, length };
    else if (s.soft.char === s.runChar && length >= s.soft.length) s.soft = undefined;
  }

  function fenceOf(length: number): Fence {
    // Behind a block it is one for those who do not see the block, and inline code for those who do.
    s.unsure ||= s.behind;
    return { char: s.runChar, length, containers: s.start?.continues ? s.start.containers : s.containers };
  }

  /** @param opens How many are left to open inline code: a backslash takes one away from these, but never from a closing run. */
  function readTicks(closes: number, opens: number) {
    const found = s.openRuns.findIndex(({ length }) => length === 0 || length === closes);
    if (found >= 0) {
      if (found < known) outcome = 'closed';
      s.openRuns.length = found + (s.openRuns[found]!.length === 0 ? 1 : 0);
      return;
    }
    if (opens === 0) return;
    // In a tag or a link definition a backtick is none, and what these are is not known here.
    if (s.tag === 'open' || s.tag === 'endless' || s.openRuns.length === MOST_OPEN_RUNS) s.openRuns.push({ length: 0, line: -1 });
    else if (!s.openRuns.some(({ length }) => length === opens)) s.openRuns.push({ length: opens, line: s.line });
  }

  function endParagraph() {
    if (known > 0) outcome = 'ended';
    if (s.openRuns.length > 0) s.openRuns = [];
    s.paragraph = false;
    s.tag = 'none';
  }

  /** The first character behind the marks of the line is here; '' for the end of the line. */
  function beginLine(first: string, at: number) {
    const start = readLineStart(s, s.prefix!, first === '');
    const isTooLong = s.prefix!.length >= LONGEST_PREFIX;
    s.prefix = undefined;
    look(start);
    s.unsure ||= start.tooDeep || isTooLong;
    if (start.kind === 'fenced') return;
    if (s.fence) {
      s.fence = undefined;
      onFence('dropped', at, false);
    }
    s.unsure ||= s.html && isLazy();
    s.mayBeHtml ||= s.html && start.hasMarks;
    // Nothing of it is left, raw HTML or not.
    if (start.kind === 'blank' && start.containers.length === 0) s.mayBeHtml = false;
    if (!start.continues) {
      endParagraph();
      s.containers = start.containers;
      s.paragraph = start.kind === 'text';
      if (start.kind === 'blank') s.html = false;
      else if (start.kind !== 'code') s.soft = undefined;
      if (first === '[' && s.place !== 'text') s.tag = 'endless';
    }
    tellQuote(at);
  }

  /** The line goes on with a paragraph without the marks of its containers. */
  const isLazy = () => s.start?.continues === true && s.start.containers.length < s.containers.length;

  function look(start: LineStart) {
    s.start = start;
    s.behind = false;
    s.place = start.hasContent ? 'text' : start.hasMarks ? 'item' : 'line';
  }

  function tellQuote(at: number) {
    const inQuote = s.containers.length > 0 && isQuoted(s.containers);
    if (inQuote !== s.inQuote) onFence(inQuote ? 'quote' : 'unquote', at, inQuote);
    s.inQuote = inQuote;
  }

  function endLine(end: number) {
    if (s.prefix !== undefined) beginLine('', end);
    if (s.candidate) beginFence(s.candidate, end);
    else if (s.fence && s.closing) {
      onFence('closed', end, s.inQuote);
      s.fence = undefined;
    } else if (s.start?.kind === 'heading') endParagraph();
    s.candidate = undefined;
    s.closing = false;
    restartLine();
  }

  function beginFence(candidate: Fence, end: number) {
    endParagraph();
    s.unsure ||= s.html;
    s.containers = candidate.containers;
    tellQuote(end);
    s.fence = candidate;
    onFence('opened', end, s.inQuote);
  }

  function restartLine() {
    s.line += 1;
    s.prefix = '';
    s.place = 'line';
    s.behind = s.escaped = false;
    s.tagName = undefined;
    if (s.tag === 'begun') s.tag = 'none';
  }

  function afterBlock(opener: string) {
    if (s.prefix !== undefined) beginLine(opener, 0);
    if (isFenceChar(opener)) {
      s.unsure ||= s.behind;
      if (s.start?.continues) s.containers = s.start.containers;
      endParagraph();
      tellQuote(0);
    }
    s.place = 'line';
    s.behind = true;
  }

  function end() {
    if (s.run > 0) endRun();
    if (s.closing && s.fence) onFence('closed', 0, s.inQuote);
    outcome ??= known > 0 ? 'ended' : undefined;
  }

  function doubt(stop: string): Doubt {
    const { start } = s;
    if (isFenceChar(stop)) {
      if (isQuoted(start?.continues ? start.containers : s.containers)) return 'quotation';
      return s.unsure || s.mayBeHtml || (start?.indent ?? 0) > 3 ? 'indented' : undefined;
    }
    if (isQuoted(s.prefix === undefined || start?.continues ? s.containers : (start?.containers ?? []))) return 'quotation';
    if (s.openRuns.length > 0) return 'span';
    return s.unsure || s.mayBeHtml || start?.kind === 'code' ? 'indented' : undefined;
  }

  return {
    get place() {
      return s.place;
    },
    get outcome() {
      return outcome;
    },
    doubt,
    next,
    pass: (text, at, stop) => void readOn(text, at, stop, false, false),
    read: (text, at, stop) => readOn(text, at, stop, false, false),
    fork: () => follow(copyState(s), '', () => undefined, s.openRuns.length, readLineStart),
    settle: () => void (s.openRuns = []),
    restartLine,
    afterBlock,
    end,
  };
}

const isQuoted = (containers: readonly LineContainer[]) => containers.some(({ quote }) => quote);
const isFenceChar = (char: string) => char === '`' || char === '~';
const isLetter = (char: string) => (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z');
