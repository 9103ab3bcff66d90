/**
 * The kinds of open blocks, and the rules by which a line continues or starts one. These functions change only the position in the line.
 */
import { isDigit, isSpaceOrTab } from './characters.js';
import type { CodeLeaf } from './code-leaf.js';
import type { Groups } from './groups.js';
import type { InlineLeaf } from './inline-leaf.js';
import type { Line } from './line.js';
import type { TableLeaf } from './table-leaf.js';

export interface Common {
  /** The element that receives children, or is removed if the block turns out to be empty. */
  element: HTMLElement;
  /** The last line that belongs to it, to tell whether a blank line separates it from what follows. */
  lastLine: number;
}
export interface Container extends Common {
  kind: 'document' | 'quote';
  children: Groups;
}
export interface List extends Common {
  kind: 'list';
  /** `-`, `+`, `*`, `.` or `)`: another one starts another list. */
  marker: string;
  start: number | undefined;
  /** Loose items, those with a blank line between or in them, are paragraphs with space around them. */
  looseness: 'tight' | 'loose';
  items: number;
  /** The elements that the block spans; the last one is `element`. */
  portions: HTMLElement[];
}
export interface Item extends Common {
  kind: 'item';
  children: Groups;
  /** Number of columns by which a line must be indented to belong to the block. */
  indent: number;
  empty: boolean;
}
export interface Inlines extends Common {
  kind: 'paragraph' | 'heading';
  leaf: InlineLeaf;
}
export interface Code extends Common {
  kind: 'code';
  leaf: CodeLeaf;
  /** The fence that closes the block; empty for indented code. */
  fence: string;
  indent: number;
  /** Blank lines, which belong to indented code only if more code follows. */
  pending: string;
}
export interface Table extends Common {
  kind: 'table';
  leaf: TableLeaf;
}
export type Block = Container | List | Item | Inlines | Code | Table;

/** Checks whether the block continues in this line. If so, moves the line past the block's own marks. */
export function continues(block: Block, line: Line): boolean {
  switch (block.kind) {
    case 'quote':
      if (line.indented || line.nextCode !== 62) return false;
      line.skipSpaces();
      line.skipCharacters(1);
      line.skipColumns(1);
      return true;
    case 'item':
      if (line.blank) {
        line.skipSpaces();
        return !block.empty;
      }
      if (line.indent < block.indent) return false;
      line.skipColumns(block.indent);
      return true;
    case 'code':
      if (block.fence !== '') return true;
      if (line.indented) line.skipColumns(4);
      else if (line.blank) line.skipSpaces();
      else return false;
      return true;
    case 'paragraph':
    case 'table':
      return !line.blank;
    case 'heading':
      return false;
    default:
      return true;
  }
}

/** Reads the run of backticks or tildes at `at`. */
export function readFence(text: string, at: number): string {
  const mark = text.charCodeAt(at);
  let end = at;
  if (mark === 96 || mark === 126) while (text.charCodeAt(end) === mark) end++;
  return text.slice(at, end);
}

export function closesFence(block: Code, line: Line): boolean {
  if (line.indented) return false;
  const fence = readFence(line.text, line.nextOffset);
  if (!fence.startsWith(block.fence)) return false;
  let end = line.nextOffset + fence.length;
  while (isSpaceOrTab(line.text.charCodeAt(end))) end++;
  return end >= line.text.length;
}

/** Checks for a thematic break: three or more of `*`, `-` or `_`, and otherwise only blanks. */
export function isThematicBreak(text: string, at: number): boolean {
  const mark = text.charCodeAt(at);
  if (mark !== 42 && mark !== 45 && mark !== 95) return false;
  let count = 0;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === mark) count++;
    else if (!isSpaceOrTab(code)) return false;
  }
  return count >= 3;
}

export interface Marker {
  /** The marker's last character, which distinguishes kinds of lists. */
  marker: string;
  width: number;
  /** The number of an ordered item. */
  start: number | undefined;
  /** True if nothing follows the marker in its line. */
  empty: boolean;
}

export function readMarker(text: string, at: number): Marker | undefined {
  let end = at;
  while (end - at < 9 && isDigit(text.charCodeAt(end))) end++;
  const mark = text.charAt(end);
  const ordered = end > at;
  if (!(ordered ? mark === '.' || mark === ')' : mark === '-' || mark === '+' || mark === '*')) return undefined;
  end++;
  if (end < text.length && !isSpaceOrTab(text.charCodeAt(end))) return undefined;
  let next = end;
  while (isSpaceOrTab(text.charCodeAt(next))) next++;
  return { marker: mark, width: end - at, start: ordered ? Number(text.slice(at, end - 1)) : undefined, empty: next >= text.length };
}
