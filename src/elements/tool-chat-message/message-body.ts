/**
 * The content of an assistant message: text blocks and calls in their order. While a reply runs, it is updated by `text`, `call` and `end`;
 * after that it is synchronized with the parts of the message, and blocks that match are kept. It is plain DOM, because rendering a growing
 * answer by a template would be slow.
 */
import type { MessagePart } from '../../model/messages.js';
import type { Texts } from '../../i18n/en.js';
import { withoutDirections } from '../../base/invisible.js';
import { loadedMarkdown, loadMarkdown, loadSyntax, isComplete, mayHaveSyntax, type Markdown } from './load-markdown.js';

type Renderer = ReturnType<Markdown['create']>;

/** `shown`: length of the text passed to the renderer; `waits`: the renderer has not drawn all of it; `open`: more text may follow. */
type TextBlock = {
  type: 'text';
  text: string;
  node: HTMLElement;
  renderer: Renderer | undefined;
  shown: number;
  waits: boolean;
  open: boolean;
};

type Block = TextBlock | { type: 'call'; requestId: string; node: HTMLElement } | { type: 'block'; part: BlockPart; node: HTMLElement };

/**
 * Amount of text rendered per frame, in UTF-16 units: a long text that arrives at once, for example from storage, must not block the page.
 */
const SLICE = 8192;

/** Number of elements rendered per frame, because a slice of only blocks may have thousands. */
const MAX_ELEMENTS = 1000;

/** Longest time that a growing answer waits for Markdown, in milliseconds, so that its marks are not displayed and then removed. */
const HOLD = 400;

export interface MessageBodyOptions {
  /** Creates the container of a call. */
  createCall: (requestId: string) => HTMLElement;
  /** Creates the container of a plan or of questions. */
  createBlock: (part: BlockPart) => HTMLElement;
  texts: () => Texts | undefined;
  /** The shadow root that needs the styles of rendered text. */
  root: ShadowRoot;
}

export class MessageBody {
  readonly #target: HTMLElement;
  readonly #options: MessageBodyOptions;
  #blocks: Block[] = [];
  #markdown: Markdown | undefined;
  #loading: Promise<void> | undefined;
  #loadingSyntax: Promise<void> | undefined;
  /** Set while new text is held back. */
  #hold: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  constructor(target: HTMLElement, options: MessageBodyOptions) {
    this.#target = target;
    this.#options = options;
  }

  get empty(): boolean {
    return this.#blocks.length === 0;
  }

  /**
   * Adds text to the last text block.
   *
   * @param growing more text may follow, so text after the first Markdown mark waits for Markdown
   */
  text(text: string, growing = true): void {
    if (!text) return;
    let block = this.#blocks.at(-1);
    if (block?.type !== 'text') {
      const node = document.createElement('div');
      node.className = 'text';
      this.#target.append(node);
      block = { type: 'text', text: '', node, renderer: undefined, shown: 0, waits: false, open: true };
      this.#blocks.push(block);
      if (loadedMarkdown()) void this.#load();
      this.#render(block);
    }
    block.text += text;
    if (!isComplete() && !this.#loadingSyntax && mayHaveSyntax(block.text, block.text.length - text.length)) this.#loadSyntax(growing);
    if (block.renderer) this.#scheduleFlush();
    else this.#showPlain(block, text, growing);
  }

  call(requestId: string): void {
    if (this.#blocks.some((block) => block.type === 'call' && block.requestId === requestId)) return;
    this.#closeText();
    const node = this.#options.createCall(requestId);
    this.#target.append(node);
    this.#blocks.push({ type: 'call', requestId, node });
  }

  block(part: BlockPart): void {
    if (this.#blocks.some((block) => block.type === 'block' && isSameBlock(block.part, part))) return;
    this.#closeText();
    const node = this.#options.createBlock(part);
    this.#target.append(node);
    this.#blocks.push({ type: 'block', part, node });
  }

  end(): void {
    this.#closeText();
  }

  /** Updates the content to a finished message. */
  sync(parts: readonly MessagePart[]): void {
    this.#closeText();
    const visibleParts = parts.filter((part) => part.type !== 'text' || part.text !== '');
    const firstChanged = visibleParts.findIndex((part, at) => !matches(this.#blocks[at], part));
    const keptCount = firstChanged === -1 ? visibleParts.length : firstChanged;
    for (const block of this.#blocks.splice(keptCount)) block.node.remove();
    for (const part of visibleParts.slice(keptCount)) {
      if (part.type === 'call') this.call(part.requestId);
      else if (part.type === 'text') this.text(part.text, false);
      else this.block(part);
    }
    this.#closeText();
  }

  clear(): void {
    clearTimeout(this.#hold);
    this.#hold = undefined;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#blocks = [];
    this.#target.replaceChildren();
  }

  /** The text that users read, without the calls. */
  get plainText(): string {
    return this.#blocks.map((block) => (block.type === 'text' ? spoken(block.node) : '')).join('\n');
  }

  /** Resolves when the text is rendered as users see it, or Markdown has failed to load. */
  async settled(): Promise<void> {
    await this.#loading;
    await this.#loadingSyntax;
  }

  /** Renders at most one slice per frame. The renderer also draws its unfinished end. */
  readonly #flush = () => {
    this.#frame = 0;
    if (this.#hold !== undefined) return;
    let hasRendered = false;
    for (const block of this.#blocks) {
      if (block.type !== 'text' || !isBehind(block)) continue;
      if (hasRendered) return this.#scheduleFlush();
      hasRendered = true;
      renderSlice(block);
      if (isBehind(block)) return this.#scheduleFlush();
    }
  };

  #scheduleFlush(): void {
    this.#frame ||= requestAnimationFrame(this.#flush);
  }

  #closeText(): void {
    const block = this.#blocks.at(-1);
    if (block?.type !== 'text' || !block.open) return;
    block.open = false;
    if (this.#hold === undefined) renderSlice(block);
    if (isBehind(block)) this.#scheduleFlush();
  }

  #render(block: Block): void {
    if (block.type !== 'text' || block.renderer || !this.#markdown) return;
    block.node.replaceChildren();
    block.node.dataset['rendered'] = '';
    block.renderer = this.#markdown.create(block.node, this.#options.texts());
    if (!block.text) return;
    renderSlice(block);
    if (isBehind(block)) this.#scheduleFlush();
  }

  /** Shows text without Markdown, if it is one plain paragraph and looks the same. */
  #showPlain(block: TextBlock, fresh: string, growing: boolean): void {
    const { node, text } = block;
    if (!this.#loading && mayHaveMarkup(text, text.length - fresh.length)) {
      if (growing) this.#hold ??= setTimeout(this.#endHold, HOLD);
      void this.#load();
    }
    // If Markdown was already loaded, it has rendered the text.
    if (this.#hold === undefined && !block.renderer) node.append(withoutDirections(fresh));
  }

  /** Shows the text as written if Markdown is late or failed to load. */
  readonly #endHold = () => {
    if (this.#hold === undefined) return;
    clearTimeout(this.#hold);
    this.#hold = undefined;
    for (const block of this.#blocks)
      if (block.type === 'text' && !block.renderer) block.node.replaceChildren(withoutDirections(block.text));
    this.#scheduleFlush();
  };

  #load(): Promise<void> {
    return (this.#loading ??= this.#fetchMarkdown());
  }

  /** Loads the rest of the syntax. New text waits for it, and text that was rendered without it is rendered again. */
  #loadSyntax(growing: boolean): void {
    if (growing) this.#hold ??= setTimeout(this.#endHold, HOLD);
    this.#loadingSyntax = loadSyntax().then((hasLoaded) => {
      if (!this.#markdown) return;
      for (const block of this.#blocks) {
        if (!hasLoaded || block.type !== 'text' || !mayHaveSyntax(block.text.slice(0, block.shown))) continue;
        Object.assign(block, { renderer: undefined, shown: 0, waits: false });
        this.#render(block);
      }
      this.#endHold();
    });
  }

  async #fetchMarkdown(): Promise<void> {
    let markdown = loadedMarkdown();
    if (!markdown) {
      markdown = await loadMarkdown();
      await this.#loadingSyntax;
    }
    this.#markdown = markdown;
    if (this.#markdown) {
      this.#markdown.adopt(this.#options.root);
      for (const block of this.#blocks) this.#render(block);
    }
    this.#endHold();
  }
}

function isBehind({ renderer, shown, waits, text }: TextBlock): boolean {
  return renderer !== undefined && (waits || shown < text.length);
}

/** Renders the next slice, and ends the renderer if all text is rendered and no more can follow. */
function renderSlice(block: TextBlock): void {
  const { renderer, text, shown } = block;
  if (!renderer) return;
  if (!block.waits) {
    block.shown = Math.min(text.length, shown + SLICE);
    renderer.push(text.slice(shown, block.shown));
  }
  const isLast = !block.open && block.shown === text.length;
  block.waits = isLast ? renderer.end(MAX_ELEMENTS) : renderer.flush(MAX_ELEMENTS);
}

function matches(block: Block | undefined, part: MessagePart): boolean {
  if (part.type === 'call') return block?.type === 'call' && block.requestId === part.requestId;
  if (part.type === 'text') return block?.type === 'text' && block.text === part.text;
  return block?.type === 'block' && isSameBlock(block.part, part);
}

/** Markup characters, entities, URLs, and white space that Markdown renders differently. */
const MARKUP = /[\\`*_~[\]<&|@$\t\r\n\0]|\s\s|:\/\/|www\./i;

/**
 * Characters that start a heading, quotation, rule or list. A line break is a sign itself, so only the beginning of the text is checked.
 */
const BLOCK_START = /^[\s\-+=:>#\d]/;

/** Length in UTF-16 units above which a paragraph needs Markdown, which renders it in slices. */
const LONG = 4096;

/** Returns true if a text may need Markdown. The text before `from` is known to have no signs. */
export const mayHaveMarkup = (text: string, from = 0): boolean =>
  text.length > LONG || BLOCK_START.test(text) || MARKUP.test(text.slice(Math.max(0, from - 3)));

/** The parts of a message that are plans or questions. */
export type BlockPart = Extract<MessagePart, { type: 'plan' | 'clarify' }>;

/** Returns true if both parts have the same card. A plan that has only made progress is the same. */
export function isSameBlock(one: BlockPart, other: BlockPart): boolean {
  if (one.type === 'plan') return other.type === 'plan' && other.id === one.id;
  return other.type === 'clarify' && JSON.stringify(other.clarify) === JSON.stringify(one.clarify);
}

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 li tr pre blockquote br'.split(' '));
const ADDRESS = /\b(?:https?:\/\/|www\.)([^\s/?#<>)\]]+)[^\s<>)\]]*/gi;

/**
 * Converts an answer to the text that is announced: its words, without marks, buttons and long URLs.
 *
 * @param node the rendered text; if it was not rendered, its marks are removed
 */
function spoken(node: HTMLElement): string {
  if (node.dataset['rendered'] === undefined) return withoutMarks(node.textContent);
  let text = '';
  const read = (parent: Element) => {
    for (const child of parent.childNodes) {
      if (child instanceof Text) text += child.data;
      else if (child instanceof Element && !isSkipped(child)) {
        if (child.matches('a.address')) text += linkAddress(child as HTMLAnchorElement);
        else read(child);
        if (BLOCKS.has(child.localName)) text += '\n';
      }
    }
  };
  read(node);
  return text.replace(/[ \t]+/g, ' ');
}

/** Returns true for buttons of a code block and for the host after a link, which the link text replaces. */
const isSkipped = (element: Element): boolean => element.matches('.code-head, .link-host, button');

const linkAddress = ({ protocol, host, pathname }: HTMLAnchorElement): string => (protocol === 'mailto:' ? pathname : host);

function withoutMarks(text: string): string {
  return text
    .replace(/\]\([^()\n]{0,2000}\)/g, ']')
    .replace(ADDRESS, '$1')
    .replace(/^[ \t]{0,3}(?:[#>]{1,6}|[-*+])[ \t]/gm, '')
    .replace(/[*_`~|[\]]+/g, '');
}

/**
 * Text length per node in UTF-16 units. The growing text gets a new node every few thousand characters, because the browser lays out a
 * growing text node as a whole.
 */
const NODE_LENGTH = 4000;

/** Length at which a text without line breaks is split, in UTF-16 units. */
const MAX_NODE_LENGTH = 8000;

/** The reasoning before an answer, as plain text. */
export class ReasoningText {
  readonly #fold: HTMLElement;
  readonly #target: HTMLElement;
  #node: Text | undefined;
  text = '';

  /** `fold` is hidden while `target` is empty. */
  constructor(fold: HTMLElement, target: HTMLElement) {
    this.#fold = fold;
    this.#target = target;
  }

  push(text: string): void {
    this.text += text;
    const shown = withoutDirections(this.#node ? text : text.trimStart()); // models begin it with a line break
    if (!shown) return;
    this.#fold.hidden = false;
    for (let from = 0; from < shown.length;) {
      if (!this.#node || (this.#node.length > NODE_LENGTH && this.#node.data.endsWith('\n')) || this.#node.length >= MAX_NODE_LENGTH)
        this.#begin();
      const node = this.#node as Text;
      const piece = pieceOf(shown, from, MAX_NODE_LENGTH - node.length);
      node.appendData(piece);
      from += piece.length;
    }
  }

  #begin(): void {
    const block = document.createElement('div');
    this.#node = document.createTextNode('');
    block.append(this.#node);
    this.#target.append(block);
  }

  clear(): void {
    this.text = '';
    this.#fold.hidden = true;
    this.#node = undefined;
    this.#target.replaceChildren();
  }
}

/** Returns up to `room` units, to the end of a line if there is one, and never splits a surrogate pair. */
function pieceOf(text: string, from: number, room: number): string {
  const to = from + room;
  if (to >= text.length) return text.slice(from);
  const line = text.lastIndexOf('\n', to - 1) + 1;
  if (line > from) return text.slice(from, line);
  const code = text.charCodeAt(to - 1);
  return text.slice(from, code >= 0xd800 && code <= 0xdbff ? to + 1 : to);
}
