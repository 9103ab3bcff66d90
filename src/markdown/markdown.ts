/**
 * Streamed Markdown to DOM nodes: CommonMark 0.31, GitHub's tables, strikethrough, task lists and bare links. Raw HTML and images
 * are shown as text, nothing is ever loaded, and no string is ever parsed as HTML.
 *
 * Text is pushed as it arrives and shown by `flush`, once a frame. However it is cut, the result after `end` is the same, and the
 * work is linear in its length: finished blocks are never touched again.
 */
import { BlockParser } from './blocks.js';
import { elementCount } from './dom.js';
import type { MarkdownContext, MarkdownLabels, MarkdownOptions, WaitingInlines } from './render-context.js';
import { createContext } from './render-context.js';
import { finishLazily } from './lazy-parts.js';
import { fillInlines } from './inline-leaf.js';

export { addSyntax } from './loaded-syntax.js';
export type { MarkdownLabels, MarkdownOptions };

export interface MarkdownRenderer {
  /** The whole text so far, as it was pushed. */
  readonly text: string;
  /** Takes the next piece of the text. Cheap: nothing is parsed before `flush`. */
  push(text: string): void;
  /**
   * Parses the pushed text and updates the DOM. Call it at most once per frame. Never throws because of the text.
   *
   * @param most number of elements after which the rest waits for the next call, from the next line on. Default: no limit.
   * @returns true if a part of the text waits
   */
  flush(most?: number): boolean;
  /**
   * Ends the text: shows the parts that were held back, and resolves references to definitions that came after them. Call it again as long
   * as it returns true; see `flush`.
   */
  end(most?: number): boolean;
}

/**
 * Renders into `target`, which the renderer then owns: it appends to it and never reads it back. The target may be detached.
 *
 * @example
 * const renderer = createMarkdownRenderer(message);
 * renderer.push('**He');
 * renderer.flush(); // shows "He" in bold
 * renderer.push('llo**');
 * renderer.end();
 */
export function createMarkdownRenderer(target: HTMLElement, options: MarkdownOptions = {}): MarkdownRenderer {
  const context = createContext(target.ownerDocument, options);
  const blocks = new BlockParser(context, target);

  let text = '';
  let buffer = ''; // pushed, not processed yet
  let waiting = ''; // with normalized line endings, not parsed yet
  let carry = ''; // the first half of what must not be cut in two: a surrogate pair, a CRLF
  let held = ''; // the start of a line that does not decide yet which blocks the line belongs to
  let lineState: 'deciding' | 'whole-line' | 'started' = 'deciding';
  let unresolved: WaitingInlines[] | undefined; // once everything is parsed
  let source = ''; // of the open top-level block, in case it has to be shown as it is

  function push(piece: string): void {
    text += piece;
    buffer += piece;
  }

  function flush(most = Infinity): boolean {
    if (buffer === '' && waiting === '') return false;
    takeBuffer();
    read(elementCount.made + most);
    guard(() => blocks.flush());
    return waiting !== '';
  }

  function takeBuffer(): void {
    let fresh = carry + buffer;
    buffer = '';
    const last = fresh.charCodeAt(fresh.length - 1);
    carry = last === 13 || (last >= 0xd800 && last <= 0xdbff) ? fresh.slice(-1) : '';
    fresh = fresh.slice(0, fresh.length - carry.length);
    waiting += normalize(fresh);
  }

  function end(most = Infinity): boolean {
    const limit = elementCount.made + most;
    takeBuffer();
    waiting += normalize(carry);
    carry = '';
    read(limit);
    if (waiting !== '') {
      guard(() => blocks.flush());
      return true;
    }
    if (!unresolved) {
      if (lineState !== 'started' && held !== '') startLine();
      guard(() => blocks.end());
      unresolved = context.waiting.splice(0);
    }
    if (resolveAll(context, unresolved, limit)) return true;
    if (context.hasNotes) finishLazily('note', target, context);
    return false;
  }

  function read(limit: number): void {
    const fresh = waiting;
    let from = 0;
    while (from < fresh.length && elementCount.made < limit) {
      const newline = fresh.indexOf('\n', from);
      const piece = fresh.slice(from, newline < 0 ? fresh.length : newline);
      readPiece(piece);
      from = newline < 0 ? fresh.length : newline + 1;
      if (newline < 0) break;
      if (lineState !== 'started') startLine();
      source += '\n';
      guard(() => blocks.endLine());
      lineState = 'deciding';
      if (blocks.atTopLevel) source = '';
    }
    waiting = fresh.slice(from);
  }

  function readPiece(piece: string): void {
    if (lineState === 'started') {
      source += piece;
      return guard(() => blocks.continueLine(piece));
    }
    held += piece;
    if (lineState === 'whole-line') return;
    const decided = indexOfDeciding(piece);
    if (decided < 0) return;
    const start = held.slice(0, held.length - piece.length + decided);
    lineState = 'whole-line';
    if (!start.includes('```') && !start.includes('~~~')) startLine();
  }

  function startLine(): void {
    const line = held;
    held = '';
    lineState = 'started';
    const endedBefore = blocks.ended;
    source += line;
    guard(() => blocks.startLine(line));
    if (blocks.ended > endedBefore) source = line;
  }

  /** If the parser fails, which is a bug, shows the open block as written and restarts with the next line. */
  function guard(work: () => void): void {
    try {
      work();
    } catch {
      blocks.abandon(source);
      source = '';
    }
  }

  return {
    get text() {
      return text;
    },
    push,
    flush,
    end,
  };
}

/** Renders a complete text. */
export function renderMarkdown(target: HTMLElement, text: string, options?: MarkdownOptions): void {
  const renderer = createMarkdownRenderer(target, options);
  renderer.push(text);
  renderer.end();
}

/** Matches the first character that no marker, rule, underline or fence contains: it decides the blocks of a line. */
function indexOfDeciding(text: string): number {
  for (let i = 0; i < text.length; i++) if (!MARKS.has(text.charCodeAt(i))) return i;
  return -1;
}
const MARKS = new Set([...' \t>#*+-_=`~|:.)0123456789'].map((character) => character.charCodeAt(0)));

/** One kind of line ending, and no NUL, which some software takes for the end of a text. */
function normalize(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lines.includes('\0') ? lines.replaceAll('\0', '\ufffd') : lines;
}

/** A paragraph longer than this keeps its references as written, since it would have to be rendered again in one step. */
const RESOLVED = 65_536;

/** Resolves references until `limit` elements have been made. Returns true if some are left. */
function resolveAll(context: MarkdownContext, unresolved: WaitingInlines[], limit: number): boolean {
  while (unresolved.length > 0 && elementCount.made < limit) {
    const { element, text, keep, labels } = unresolved.pop()!;
    let known = false;
    for (const label of labels) known ||= text.length <= RESOLVED && context.definitions.has(label);
    if (known) fillInlines(context, element, text, true, keep);
  }
  return unresolved.length > 0;
}
