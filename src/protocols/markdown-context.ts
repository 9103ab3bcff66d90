/**
 * Tracks where Markdown shows code or a quotation, so that a call in an example does not run. It follows CommonMark for the whole reply,
 * and treats each call as a word.
 *
 * Only preceding text decides, with one exception. A backtick without a match on its line may be closed on a later line, and then
 * everything between is code: `fork` looks ahead for that. A marker after it on the same line counts as code at once.
 */
import { beginning, copyState, type Fence, type Place, type CodeState } from './code-state.js';
import { createLineStarts, LINE_MARKS, type LineContainer, type LineStart } from './line-start.js';
import { charTable, findChar } from './scan.js';
import { mayBeThought, THOUGHT_STOPS } from './thought-marks.js';

/** Reasons not to run a call at this position automatically. Undefined: none. */
export type CodeContext =
  /** The position is in a quotation. */
  | 'quotation'
  /** The position may be in inline code. The end of the paragraph decides. */
  | 'span'
  /** The position is code only by indentation, or the preceding text makes it unclear what is code. */
  | 'indented'
  | undefined;

export interface MarkdownContext {
  /** The kind of position where `next` stopped. */
  readonly place: Place;
  /**
   * Returns the doubt about the stop character where `next` stopped. A fence character leaves every quotation whose marks its line lacks.
   */
  doubt(stop: string): CodeContext;
  /**
   * Reads from `at` to the next stop character outside of code and returns its index, or the length of the text. With `plain`, the
   * character at `at` is ordinary text and not a stop.
   */
  next(text: string, at: number, plain: boolean): number;
  /** Reads the text up to `end` without stopping. */
  pass(text: string, at: number, end: number): void;
  /** Starts a look-ahead from here. It does not notify the listener. */
  fork(): Lookahead;
  /** Confirms that no earlier backtick is closed by a later one. */
  settle(): void;
  /** Notes that hidden content ended here: the following text counts as the start of a line. */
  restartLine(): void;
  /**
   * Notes that a block ended here. `opener` is its first character: a fence character, or else the block counts as a word of its paragraph.
   */
  afterBlock(opener: string): void;
  /** Ends the text and settles a run of backticks or tildes at its very end. */
  end(): void;
}

export interface Lookahead {
  /** Reads on and returns the position reached. Stops when the outcome is known. */
  read(text: string, at: number, end: number): number;
  /** `closed`: an earlier backtick was just closed at this position. `ended`: the paragraph has ended. */
  readonly outcome: 'closed' | 'ended' | undefined;
  end(): void;
}

/**
 * Called when a fence opens or closes with the line that ends before `end`, or is dropped because its container ended; `quoted`: the fence
 * is in a quotation. Also called when a line of a quotation begins, or the first line after it.
 */
export type FenceListener = (kind: 'opened' | 'closed' | 'dropped' | 'quote' | 'unquote', end: number, quoted: boolean) => void;

const LONGEST_PREFIX = 4096;
const MOST_OPEN_RUNS = 32;

/** Tags whose raw HTML continues across blank lines. */
const LONG_TAGS = new Set(['script', 'pre', 'style', 'textarea']);

const isMark = charTable(LINE_MARKS);

interface Tables {
  special: Uint8Array;
  inTag: Uint8Array;
}

/**
 * Character tables by stop characters. A reader is created for each reply, so the tables are cached. There are as many sets as protocols.
 */
const tables = new Map<string, Tables>();

function tablesOf(stops: string): Tables {
  let known = tables.get(stops);
  if (!known)
    tables.set(
      stops,
      (known = { special: charTable(`\n\r\`\\${THOUGHT_STOPS}${stops}`), inTag: charTable(`\n\r\`\\>"'${THOUGHT_STOPS}${stops}`) }),
    );
  return known;
}

/** Creates a tracker. If there are no `stops`, it stops only where a reasoning tag may begin. */
export function createMarkdownContext(stops: string, onFence: FenceListener): MarkdownContext {
  return createFollower(copyState(beginning), stops, onFence);
}

function createFollower(
  s: CodeState,
  stops: string,
  onFence: FenceListener,
  known = -1,
  readLineStart = createLineStarts(),
): MarkdownContext & Lookahead {
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
      const isStop =
        mayStop &&
        s.run === 0 &&
        (stops ? stops.includes(char) : THOUGHT_STOPS.includes(char) && mayBeThought(text, index)) &&
        !(plain && index === at);
      if (s.prefix !== undefined) {
        if (isMark[char.charCodeAt(0)] === 1 && s.prefix.length < LONGEST_PREFIX) {
          // A line of quotation marks contains no call, and each look reads everything before it on the line.
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
    if (s.place !== 'text' || s.closing || s.tag === 'begun' || s.tagName !== undefined) return index + 1;
    const table = s.tag === 'open' ? inTag : special;
    const next = index + 1;
    if (!s.escaped) return findChar(text, next, end, table);
    // A backslash changes nothing before an ordinary character. JSON within a string has many.
    if (next >= end || table[text.charCodeAt(next)] === 1) return next;
    s.escaped = false;
    return findChar(text, next + 1, end, table);
  }

  /** Updates the state of backslashes and tags for one character. */
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
      // The end of an attribute value is not looked for.
      if (char === '"' || char === "'") s.tag = 'endless';
      else if (char === '>') s.tag = 'none';
    }
  }

  function readTagName(char: string) {
    if (s.tagName === '') {
      if (char === '!' || char === '?') s.unsure = true;
      s.html ||= char === '/' || isLetter(char);
      // Raw HTML does not continue a paragraph lazily.
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
    // After a block, this is a fence for readers that do not see the block, and inline code for those that do.
    s.unsure ||= s.behind;
    return { char: s.runChar, length, containers: s.start?.continues ? s.start.containers : s.containers };
  }

  /**
   * @param opens Number of backticks left to open inline code: a backslash removes one from an opening run, but never from a closing run.
   */
  function readTicks(closes: number, opens: number) {
    const found = s.openRuns.findIndex(({ length }) => length === 0 || length === closes);
    if (found >= 0) {
      if (found < known) outcome = 'closed';
      s.openRuns.length = found + (s.openRuns[found]!.length === 0 ? 1 : 0);
      return;
    }
    if (opens === 0) return;
    // In a tag or a link definition a backtick does not open code, and here we cannot tell what these are.
    if (s.tag === 'open' || s.tag === 'endless' || s.openRuns.length === MOST_OPEN_RUNS) s.openRuns.push({ length: 0, line: -1 });
    else if (!s.openRuns.some(({ length }) => length === opens)) s.openRuns.push({ length: opens, line: s.line });
  }

  function endParagraph() {
    if (known > 0) outcome = 'ended';
    if (s.openRuns.length > 0) s.openRuns = [];
    s.paragraph = false;
    s.tag = 'none';
  }

  /** Begins the content of a line. `first` is the first character after the marks of the line, or '' at the end of the line. */
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
    // None of its containers is left, whether it was raw HTML or not.
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

  /** True if the line continues a paragraph without the marks of its containers. */
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

  function doubt(stop: string): CodeContext {
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
    fork: () => createFollower(copyState(s), '', () => undefined, s.openRuns.length, readLineStart),
    settle: () => void (s.openRuns = []),
    restartLine,
    afterBlock,
    end,
  };
}

const isQuoted = (containers: readonly LineContainer[]) => containers.some(({ quote }) => quote);
const isFenceChar = (char: string) => char === '`' || char === '~';
const isLetter = (char: string) => (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z');
