/** The content of a paragraph or heading: text that grows at its end, and the nodes that show it. */
import { isSpaceOrTab, skipWhite } from './characters.js';
import type { MarkdownContext } from './render-context.js';
import { appendInlines, ELEMENTS, make } from './dom.js';
import type { Inline } from './inline-tree.js';
import { parseInlines } from './inlines.js';
import { withoutDirections } from '../base/invisible.js';
import { loadedSyntax } from './loaded-syntax.js';
import { UNDECIDED } from './scan-results.js';
import { endOfSegment, nextSegment } from './segments.js';

/** The interface of blocks that contain text. */
export interface Leaf {
  append(text: string): void;
  /** Updates the DOM. */
  flush(): void;
  /** Ends the text. */
  close(): void;
}

/** Length up to which the open part of a block is parsed again for every frame; beyond it, only when it has grown by an eighth. */
const LONG = 4_096;
const LONG_ROW = 400;

/** True for the first paragraph of a list item, which can be a task. */
export type InlineKind = 'paragraph' | 'item-paragraph' | 'heading';

export class InlineLeaf implements Leaf {
  element: HTMLElement;
  /** The whole text. Frozen parts are needed again if the block turns out to be a table, or uses a reference defined later. */
  source = '';
  /** True until it is certain that the block does not begin with a link reference definition, which shows nothing, or a task's mark. */
  #mayDefine: boolean;
  #mayBeTask: boolean;
  /** The box of the segment that is open, and how much of its text is final. */
  #box: HTMLElement;
  #used = 0;
  /** The code of the character before what can still change. */
  #before = 0;
  /** Number of elements that may still be created, besides the final ones. */
  #left = ELEMENTS;
  /** The text that can still change: up to the last parse, and received since. */
  #tail = '';
  #fresh = '';
  /** No parse before the tail has this length. */
  #due = 0;
  /** The children before `#edge`, and the first `#edgeLength` characters of it if it is a text, are final. */
  #edge: ChildNode | null = null;
  #edgeLength = 0;
  #unresolved = new Set<string>();
  #keep = 0;
  #broken = false;
  /** The last line, and the mark that will close the open formula. */
  #line = '';
  #closer = '';
  readonly #context: MarkdownContext;
  readonly #kind: InlineKind;

  constructor(context: MarkdownContext, element: HTMLElement, kind: InlineKind) {
    this.#context = context;
    this.element = this.#box = element;
    this.#kind = kind;
    this.#mayDefine = kind !== 'heading';
    this.#mayBeTask = kind === 'item-paragraph';
  }

  get hasText(): boolean {
    return this.source.length > 0;
  }

  append(text: string): void {
    this.#line = text === '\n' ? '' : this.#line + text;
    this.source += text;
    this.#fresh += text;
  }

  flush(): void {
    if (this.#fresh === '' || this.#tail.length + this.#fresh.length < this.#due) return;
    // A line that starts with `|` is most likely a table's head; one line later it is certain.
    const row = this.#line.length < LONG_ROW && this.#line.startsWith('|') ? this.#line.length : 0;
    if (row >= this.#fresh.length) return;
    const held = this.#fresh.slice(this.#fresh.length - row);
    this.#fresh = this.#fresh.slice(0, this.#fresh.length - row);
    this.#render(false);
    this.#fresh = held;
  }

  close(): void {
    this.#render(true);
    if (this.#unresolved.size > 0 && !this.#broken) {
      const text = this.#keep > 0 ? this.source.slice(4) : this.source.slice(this.#readDefinitions(false));
      this.#context.waiting.push({ element: this.element, text, keep: this.#keep, labels: this.#unresolved });
    }
  }

  /** Checks, once before each line, whether it belongs to a formula that began on its own line, whatever it looks like. */
  endsInFormula(): boolean {
    const line = this.#line;
    const from = this.#closer === '' ? 2 : 0;
    this.#closer ||= line.startsWith('$$') ? '$$' : line.startsWith('\\[') ? '\\]' : line.startsWith('\\begin{') ? '\\end{' : '';
    if (this.#closer !== '' && line.includes(this.#closer, from)) this.#closer = '';
    return this.#closer !== '';
  }

  /** Records the definitions at its start and drops them. Returns true if text is left. */
  takeDefinitions(): boolean {
    const end = this.#readDefinitions(true);
    if (end > 0) this.restart(this.source.slice(end));
    return this.source !== '';
  }

  /** Drops the `#`s that may follow a heading's text. */
  trimClosingMarks(): void {
    let end = this.source.length;
    while (isSpaceOrTab(this.source.charCodeAt(end - 1))) end--;
    let marks = end;
    while (this.source.charCodeAt(marks - 1) === 35) marks--;
    if (marks < end && (marks === 0 || isSpaceOrTab(this.source.charCodeAt(marks - 1)))) this.restart(this.source.slice(0, marks));
  }

  /** Starts over with another text. */
  restart(text: string): void {
    this.element.replaceChildren();
    this.#box = this.element;
    this.#used = 0;
    this.#left = ELEMENTS;
    this.#mayDefine = this.#kind !== 'heading';
    this.#mayBeTask = this.#kind === 'item-paragraph';
    this.#unresolved.clear();
    this.#edge = null;
    this.#edgeLength = this.#keep = this.#due = 0;
    this.#tail = '';
    this.source = this.#fresh = text;
  }

  /** Moves the content to another element: a paragraph became a heading. */
  moveTo(element: HTMLElement): void {
    element.append(...this.element.childNodes);
    this.element.replaceWith(element);
    if (this.#box === this.element) this.#box = element;
    this.element = element;
  }

  #render(final: boolean): void {
    this.#tail += this.#fresh;
    this.#fresh = '';
    if (this.#broken) return this.#showPlain();
    try {
      this.#parse(final);
    } catch {
      // If parsing fails, the text must not get lost.
      this.#broken = true;
      this.#showPlain();
    }
  }

  #parse(final: boolean): void {
    let text = this.#tail;
    // An incomplete task mark is not shown.
    if (!final && this.#mayBeTask && /^\[(?:[ xX](?:\]\s*)?)?$/.test(this.source)) return;
    if (this.#mayDefine) {
      const verdict = this.#startsLikeDefinition();
      const end = verdict ? this.#readDefinitions(final) : 0;
      this.#mayDefine = verdict;
      if (verdict) text = this.source.slice(end);
      if (!verdict && this.#mayBeTask) text = this.#takeTask(text);
    }
    const resolve = (label: string) => this.#resolve(label);
    if (this.#mayDefine) {
      // No part is final before that is settled.
      this.#cut();
      appendSegments(this.#context, this.element, text, final, resolve);
    } else this.#readSegments(text, final, resolve);
    const length = this.#tail.length;
    this.#due = length > LONG ? length + length / 8 : 0;
  }

  #readSegments(text: string, final: boolean, resolve: (label: string) => string | undefined): void {
    let from = 0;
    for (let end = endOfSegment(text, -this.#used, this.#before); end >= 0; end = endOfSegment(text, from)) {
      this.#show(parseInlines(text.slice(from, end), { final: true, resolve }).nodes, 0, 0);
      this.#box = nextSegment(this.element, this.#box);
      this.#edge = null;
      this.#edgeLength = this.#used = 0;
      this.#left = ELEMENTS;
      from = end;
    }
    const { nodes, safe } = parseInlines(text.slice(from), { final, resolve });
    this.#show(nodes, safe.node, safe.within);
    this.#used += safe.offset;
    if (from + safe.offset > 0) this.#before = text.charCodeAt(from + safe.offset - 1);
    this.#tail = text.slice(from + safe.offset);
  }

  #resolve(label: string): string | undefined {
    const destination = this.#context.definitions.get(label);
    if (destination === undefined) this.#unresolved.add(label);
    return destination;
  }

  #startsLikeDefinition(): boolean {
    const syntax = loadedSyntax();
    if (!syntax || !this.source.startsWith('[') || this.source.startsWith('[^')) return false;
    if (this.#mayBeTask && skipWhite(this.source, 3) >= this.source.length) return true; // `[x] `, but of what?
    const end = syntax.scanLabel(this.source, 0);
    return end === UNDECIDED || (end > 0 && (end === this.source.length || this.source.charAt(end) === ':'));
  }

  #readDefinitions(record: boolean): number {
    const syntax = loadedSyntax();
    let at = 0;
    for (let found = syntax?.scanDefinition(this.source, at); found; found = syntax?.scanDefinition(this.source, at)) {
      if (record && !this.#context.definitions.has(found.label)) this.#context.definitions.set(found.label, found.destination);
      at = found.end;
    }
    return at;
  }

  /** Reads `[ ] ` and `[x] ` at the start of an item, which become a mark, never an input. */
  #takeTask(text: string): string {
    this.#mayBeTask = false;
    const open = text.startsWith('[ ]');
    const done = text.startsWith('[x]') || text.startsWith('[X]');
    if (!(open || done) || !/^\s$/.test(text.charAt(3))) return text;
    const mark = make(this.#context.document, 'span', 'task');
    mark.textContent = done ? '☑' : '☐';
    this.element.replaceChildren(mark);
    this.element.parentElement?.classList.add('task-item');
    this.#edge = mark;
    this.#keep = 1;
    return text.slice(4).trimStart();
  }

  /** Puts `nodes` after the edge; the first `stable` of them, and `within` units of the next, will never change again. */
  #show(nodes: readonly Inline[], stable: number, within: number): void {
    this.#cut();
    const final = nodes.slice(0, stable);
    const open = nodes.slice(stable);
    const first = open[0];
    if (first && within > 0) {
      final.push({ ...first, text: first.text.slice(0, within) });
      open[0] = { ...first, text: first.text.slice(within) };
    }
    const room = { left: this.#left };
    if (final.length > 0) {
      appendInlines(this.#context, this.#box, final, room);
      this.#left = room.left;
      this.#edge = this.#box.lastChild;
      this.#edgeLength = this.#edge?.nodeType === 3 ? (this.#edge as Text).length : 0;
    }
    appendInlines(this.#context, this.#box, open, room);
  }

  /** Removes the parts that are not final. */
  #cut(): void {
    while (this.#box.lastChild !== this.#edge) this.#box.lastChild!.remove();
    const edge = this.#edge as Text | null;
    if (edge?.nodeType === 3 && edge.length > this.#edgeLength) edge.deleteData(this.#edgeLength, edge.length - this.#edgeLength);
  }

  #showPlain(): void {
    fillPlain(this.element, this.source);
  }
}

/**
 * Fills an element with the whole of its inline content: a table's cell, or a block whose references are known by now.
 *
 * @param final False while more of the text is to come.
 * @param keep How many of the element's first children stay.
 */
export function fillInlines(context: MarkdownContext, element: HTMLElement, text: string, final = true, keep = 0): void {
  const labels = new Set<string>();
  const resolve = (label: string) => {
    const destination = context.definitions.get(label);
    if (destination === undefined) labels.add(label);
    return destination;
  };
  while (element.childNodes.length > keep) element.lastChild!.remove();
  appendSegments(context, element, text, final, resolve);
  if (final && labels.size > 0) context.waiting.push({ element, text, keep, labels });
}

/** Fills an element with plain text, without parsing it. */
export function fillPlain(element: HTMLElement, text: string): void {
  element.replaceChildren();
  let box = element;
  let from = 0;
  for (let end = endOfSegment(text, 0); end >= 0; end = endOfSegment(text, from)) {
    box.append(withoutDirections(text.slice(from, end)));
    box = nextSegment(element, box);
    from = end;
  }
  box.append(withoutDirections(text.slice(from)));
}

function appendSegments(
  context: MarkdownContext,
  element: HTMLElement,
  text: string,
  final: boolean,
  resolve: (label: string) => string | undefined,
): void {
  let box = element;
  let from = 0;
  for (let end = endOfSegment(text, 0); end >= 0; end = endOfSegment(text, from)) {
    appendInlines(context, box, parseInlines(text.slice(from, end), { final: true, resolve }).nodes);
    box = nextSegment(element, box);
    from = end;
  }
  appendInlines(context, box, parseInlines(text.slice(from), { final, resolve }).nodes);
}
