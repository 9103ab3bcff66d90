/**
 * The block parser of CommonMark (with GitHub's tables): a stack of open blocks that each line continues, closes or extends. A line never
 * changes content outside the stack, so a block that has left it is frozen, and a line costs the same after a megabyte as at the start. The
 * DOM is the only tree.
 *
 * Raw HTML is not a separate block: it is the text of a paragraph. Names follow CommonMark's "parsing strategy" appendix.
 */
import type { Block, Code, Inlines, Item, List, Marker, Table } from './block-syntax.js';
import { closesFence, continues, isThematicBreak, readFence, readMarker } from './block-syntax.js';
import { isSpaceOrTab } from './characters.js';
import { CodeLeaf } from './code-leaf.js';
import type { MarkdownContext } from './render-context.js';
import type { AllowedTag } from './dom.js';
import { make } from './dom.js';
import { Groups } from './groups.js';
import type { Leaf } from './inline-leaf.js';
import { fillPlain, InlineLeaf } from './inline-leaf.js';
import { Line } from './line.js';
import { loadedSyntax } from './loaded-syntax.js';
import { MAX_COLUMNS, readDelimiterRow, splitRow, TableLeaf } from './table-leaf.js';

/** Maximum depth of open blocks; a deeper marker is text. Deeper content would have no width left, and its layout takes longer. */
const MAX_OPEN = 20;

/** Maximum number of items in a list element. The list then continues in another one, so that it can be frozen in portions. */
const ITEMS = 50;

/** Number of blocks after which a quotation or an item gets its own groups. */
const DIRECT = 48;

export class BlockParser {
  /** Number of finished top-level blocks. */
  ended = 0;
  readonly #context: MarkdownContext;
  #open: Block[];
  #lineNumber = 0;
  /** The leaf that receives the rest of the current line. */
  #current: Leaf | null = null;

  constructor(context: MarkdownContext, target: HTMLElement) {
    this.#context = context;
    this.#open = [{ kind: 'document', element: target, children: new Groups(target, context.options.groupSize), lastLine: 0 }];
  }

  /** True between top-level blocks. */
  get atTopLevel(): boolean {
    return this.#open.length === 1;
  }

  /** Starts a line: takes all of it, or as much of its start as decides which blocks it belongs to. `continueLine` and `endLine` follow. */
  startLine(text: string): void {
    this.#lineNumber++;
    this.#current = null;
    const line = new Line(text);
    const matched = this.#matchOpen(line);
    if (matched === undefined) return;
    this.#addLine(line, matched);
  }

  /** Takes the rest of a line as it arrives. */
  continueLine(text: string): void {
    this.#current?.append(text);
  }

  endLine(): void {
    const tip = this.#tip;
    if (tip.kind === 'heading') this.#closeTo(this.#open.length - 1);
    else if (tip.kind === 'table') tip.leaf.endRow();
    else if (tip.kind === 'code') this.#current?.append('\n');
    this.#current = null;
  }

  /** Renders the content that arrived since the last call. */
  flush(): void {
    const tip = this.#tip;
    if ('leaf' in tip) tip.leaf.flush();
  }

  /** Closes all open blocks. */
  end(): void {
    this.endLine();
    this.#closeTo(1);
  }

  /** Discards the open blocks and shows `text` in their place. */
  abandon(text: string): void {
    const [root, block] = this.#open;
    const plain = this.#make('p', 'plain');
    fillPlain(plain, text);
    if (block) block.element.replaceWith(plain);
    else if (root?.kind === 'document') root.children.append(plain);
    this.#open.length = 1;
    this.#current = null;
    this.ended++;
  }

  get #tip(): Block {
    return this.#open.at(-1)!;
  }

  /** Returns the number of open blocks that the line continues; undefined if it closed a fence and has no other content. */
  #matchOpen(line: Line): number | undefined {
    let depth = 1;
    for (; depth < this.#open.length; depth++) {
      const block = this.#open[depth]!;
      if (block.kind === 'code' && block.fence !== '' && closesFence(block, line)) {
        block.lastLine = this.#lineNumber;
        this.#closeTo(depth);
        return undefined;
      }
      if (!continues(block, line)) break;
      if (block.kind === 'quote') block.lastLine = this.#lineNumber;
    }
    return depth;
  }

  #addLine(line: Line, matched: number): void {
    let depth = matched;
    let container = this.#open[depth - 1]!;
    const last = this.#tip;
    const formula = last.kind === 'paragraph' && last.leaf.endsInFormula() ? last : undefined;
    while (container.kind !== 'code' && container !== formula) {
      const started = this.#startBlock(line, depth, container);
      if (started === 'none') break;
      if (started === 'done') return;
      depth = this.#open.length;
      container = this.#tip;
    }
    const tip = this.#tip;
    if (depth < this.#open.length && !line.blank && tip.kind === 'paragraph') {
      return this.#addText(tip, line); // a lazy line: the paragraph goes on without its containers' markers
    }
    this.#closeTo(depth);
    if (container.kind === 'code') this.#addCode(container, line);
    else if (container.kind === 'paragraph') this.#addText(container, line);
    else if (container.kind === 'table') this.#addRow(container, line);
    else if (!line.blank) this.#startParagraph(line);
  }

  /** Tries every kind of block at this position: `opened` leaves the rest of the line to be read, `done` does not. */
  #startBlock(line: Line, depth: number, container: Block): 'none' | 'opened' | 'done' {
    const code = line.nextCode;
    if (line.indented) return this.#startIndentedCode(line, depth, container);
    if (code === 35 /* # */) return this.#startHeading(line, depth);
    if (code === 96 /* ` */ || code === 126 /* ~ */) return this.#startFence(line, depth);
    if (code === 62 /* > */ && depth < MAX_OPEN) {
      line.skipSpaces();
      line.skipCharacters(1);
      line.skipColumns(1);
      const element = this.#make('blockquote');
      this.#push(depth, { kind: 'quote', element, children: this.#groups(element), lastLine: this.#lineNumber });
      return 'opened';
    }
    if (container.kind === 'paragraph') {
      if (this.#underline(line, depth, container) || this.#startTable(line, depth, container)) return 'done';
    }
    if (isThematicBreak(line.text, line.nextOffset)) {
      this.#attach(depth, this.#make('hr'));
      if (this.atTopLevel) this.ended++;
      return 'done';
    }
    return depth < MAX_OPEN - 1 ? this.#startItem(line, depth, container) : 'none';
  }

  #startIndentedCode(line: Line, depth: number, container: Block): 'none' | 'opened' {
    if (line.blank || this.#tip.kind === 'paragraph' || container.kind === 'table') return 'none';
    line.skipColumns(4);
    this.#openCode(depth, '', '', 4);
    return 'opened';
  }

  #startHeading(line: Line, depth: number): 'none' | 'done' {
    let end = line.nextOffset;
    while (line.text.charCodeAt(end) === 35) end++;
    const level = end - line.nextOffset;
    if (level > 6 || (end < line.text.length && !isSpaceOrTab(line.text.charCodeAt(end)))) return 'none';
    line.skipSpaces();
    line.skipCharacters(level);
    const element = this.#make(`h${level}` as AllowedTag);
    const leaf = new InlineLeaf(this.#context, element, 'heading');
    this.#push(depth, { kind: 'heading', element, leaf, lastLine: this.#lineNumber });
    leaf.append(line.content);
    this.#current = leaf;
    return 'done';
  }

  #startFence(line: Line, depth: number): 'none' | 'done' {
    const fence = readFence(line.text, line.nextOffset);
    const info = line.text.slice(line.nextOffset + fence.length);
    if (fence.length < 3 || (fence.startsWith('`') && info.includes('`'))) return 'none';
    const label = info.trim();
    this.#openCode(depth, loadedSyntax()?.unescapeText(label) ?? label, fence, line.indent);
    return 'done';
  }

  #openCode(depth: number, info: string, fence: string, indent: number): void {
    const leaf = new CodeLeaf(this.#context, info);
    this.#push(depth, { kind: 'code', element: leaf.element, leaf, fence, indent, pending: '', lastLine: this.#lineNumber });
  }

  /** Turns a paragraph with `===` or `---` below it into a heading, unless it consists only of definitions. */
  #underline(line: Line, depth: number, paragraph: Inlines): boolean {
    const mark = line.nextCode;
    if (mark !== 61 /* = */ && mark !== 45 /* - */) return false;
    let end = line.nextOffset;
    while (line.text.charCodeAt(end) === mark) end++;
    while (isSpaceOrTab(line.text.charCodeAt(end))) end++;
    if (end < line.text.length || !paragraph.leaf.takeDefinitions()) return false;
    paragraph.element = this.#make(mark === 61 ? 'h1' : 'h2');
    paragraph.leaf.moveTo(paragraph.element);
    paragraph.lastLine = this.#lineNumber;
    this.#closeTo(depth - 1);
    return true;
  }

  /** Turns the last line of a paragraph into the head of a table if a delimiter row follows it. */
  #startTable(line: Line, depth: number, paragraph: Inlines): boolean {
    const alignments = readDelimiterRow(line.content);
    if (!alignments || alignments.length > MAX_COLUMNS) return false;
    const { source } = paragraph.leaf;
    const headAt = source.lastIndexOf('\n') + 1;
    const head = splitRow(source.slice(headAt));
    if (head.length !== alignments.length) return false;
    paragraph.leaf.restart(source.slice(0, Math.max(0, headAt - 1)));
    this.#closeTo(depth - 1);
    if (this.atTopLevel) this.ended--; // the head still belongs to the open blocks
    const leaf = new TableLeaf(this.#context, head, alignments);
    this.#push(depth - 1, { kind: 'table', element: leaf.element, leaf, lastLine: this.#lineNumber });
    return true;
  }

  #startItem(line: Line, depth: number, container: Block): 'none' | 'opened' {
    const found = readMarker(line.text, line.nextOffset);
    if (!found) return 'none';
    if (container.kind === 'paragraph') {
      // Inside a paragraph, only a clear list marker starts a list: not `1986.` at the start of a line, and not a lone dash.
      if (found.start !== undefined && found.start !== 1) return 'none';
      if (found.empty) return 'none';
    }
    const outer = line.indent;
    line.skipSpaces();
    line.skipCharacters(found.width);
    const spaces = line.indent;
    const padding = line.blank || spaces > 4 ? 1 : spaces;
    line.skipColumns(padding);
    this.#openList(depth, found);
    const element = this.#make('li');
    const item: Item = {
      kind: 'item',
      element,
      children: this.#groups(element),
      indent: outer + found.width + padding,
      empty: true,
      lastLine: this.#lineNumber,
    };
    this.#push(this.#open.length, item);
    return 'opened';
  }

  /** Makes a list that matches the marker the tip: the open one, or a new one. */
  #openList(depth: number, { marker, start }: Marker): void {
    this.#closeTo(depth);
    const leaf = this.#tip;
    if ('leaf' in leaf) this.#closeTo(this.#open.length - 1);
    const list = this.#tip;
    if (list.kind === 'list' && list.marker === marker) return this.#countItem(list);
    const element = this.#makeList(start, 'tight');
    const lastLine = this.#lineNumber;
    this.#push(this.#open.length, { kind: 'list', element, portions: [element], items: 1, marker, start, looseness: 'tight', lastLine });
  }

  /** Adds an item. If the list's element is full, continues in the next one. */
  #countItem(list: List): void {
    if (list.items++ % ITEMS !== 0) return;
    list.element = this.#makeList(list.start === undefined ? undefined : list.start + list.items - 1, `${list.looseness} continued`);
    list.portions.push(list.element);
    const parent = this.#open.at(-2)!;
    if ('children' in parent) parent.children.append(list.element);
  }

  #makeList(start: number | undefined, className: string): HTMLElement {
    if (start === undefined) return this.#make('ul', className);
    const element = make(this.#context.document, 'ol', className);
    if (start !== 1) element.start = start;
    return element;
  }

  #groups(element: HTMLElement): Groups {
    return new Groups(element, this.#context.options.groupSize, DIRECT);
  }

  #startParagraph(line: Line): void {
    const parent = this.#tip;
    const element = this.#make('p');
    const leaf = new InlineLeaf(this.#context, element, parent.kind === 'item' && parent.empty ? 'item-paragraph' : 'paragraph');
    const paragraph: Inlines = { kind: 'paragraph', element, leaf, lastLine: this.#lineNumber };
    this.#push(this.#open.length, paragraph);
    this.#addText(paragraph, line);
  }

  #addText(block: Inlines, line: Line): void {
    if (block.leaf.hasText) block.leaf.append('\n');
    block.leaf.append(line.content);
    block.lastLine = this.#lineNumber;
    this.#current = block.leaf;
  }

  #addRow(block: Table, line: Line): void {
    block.leaf.startRow();
    block.leaf.append(line.content);
    block.lastLine = this.#lineNumber;
    this.#current = block.leaf;
  }

  #addCode(block: Code, line: Line): void {
    if (block.fence !== '') line.skipColumns(block.indent);
    else if (line.blank) {
      block.pending += `${line.rest}\n`;
      return;
    }
    block.leaf.append(block.pending + line.rest);
    block.pending = '';
    block.lastLine = this.#lineNumber;
    this.#current = block.leaf;
  }

  #make(tag: AllowedTag, className = ''): HTMLElement {
    return make(this.#context.document, tag, className);
  }

  /** Opens a block inside the open one at `depth`. */
  #push(depth: number, block: Block): void {
    this.#attach(depth, block.element, block.kind === 'item');
    this.#open.push(block);
  }

  /** Closes what cannot hold the element, then appends it; a blank line before it makes the list around it loose. */
  #attach(depth: number, element: HTMLElement, isItem = false): void {
    this.#closeTo(depth);
    while ('leaf' in this.#tip || (this.#tip.kind === 'list' && !isItem)) this.#closeTo(this.#open.length - 1);
    const parent = this.#tip;
    const list = parent.kind === 'list' ? parent : parent.kind === 'item' && !parent.empty ? this.#open.at(-2)! : undefined;
    if (list?.kind === 'list' && list.looseness === 'tight' && parent.lastLine < this.#lineNumber - 1) {
      list.looseness = 'loose';
      for (const portion of list.portions) portion.classList.replace('tight', 'loose');
    }
    if (parent.kind === 'item') parent.empty = false;
    parent.lastLine = Math.max(parent.lastLine, this.#lineNumber);
    if ('children' in parent) parent.children.append(element);
    else parent.element.append(element);
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const block = this.#open.pop()!;
      const parent = this.#tip;
      parent.lastLine = Math.max(parent.lastLine, block.lastLine);
      if (block.kind === 'heading') block.leaf.trimClosingMarks();
      if ('leaf' in block) {
        block.leaf.close();
        if (!block.element.hasChildNodes()) this.#dropEmpty(block);
      }
      if (this.atTopLevel) this.ended++;
    }
  }

  /** Removes a paragraph without remaining text: it was all definitions, or became a table's head. An empty heading stays. */
  #dropEmpty(block: Block): void {
    if (block.kind === 'paragraph' && block.element.localName === 'p') block.element.remove();
  }
}
