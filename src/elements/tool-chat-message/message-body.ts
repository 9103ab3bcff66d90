/**
 * The inside of an assistant message: text blocks and calls, in the order they were written. It is driven from outside (`text`, `call`,
 * `end`) while a reply runs and brought in line with the parts of the message when it has finished; what is right already stays as it is.
 * Plain DOM: a growing answer never goes through a template.
 */
import type { MessagePart } from '../../model/messages.js';
import type { Texts } from '../../i18n/en.js';
import { withoutDirections } from '../../base/invisible.js';
import { isSameBlock, type BlockPart } from './same-block.js';
import { spoken } from './spoken.js';
import { hasSignOfMarkup } from './signs-of-markup.js';
import { loadedMarkdown, loadMarkdown, type Markdown } from './load-markdown.js';

type Renderer = ReturnType<Markdown['create']>;

/** `shown`: how much of the text the renderer has; `waits`: it has not drawn all of that; `open`: more may come. */
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

/** So much is drawn in a frame: a long text that comes at once, such as one out of the storage, must not hold up the page. UTF-16 units. */
const SLICE = 8192;

/** And so many elements: a slice of nothing but blocks has thousands. */
const ELEMENTS = 1000;

/** So long the rest of a growing answer waits for Markdown: its marks are not shown first and taken away then. Milliseconds. */
const HOLD = 400;

export interface MessageBodyOptions {
  /** Makes the place of a call. */
  createCall: (requestId: string) => HTMLElement;
  /** Makes the place of a plan, or of questions. */
  createBlock: (part: BlockPart) => HTMLElement;
  texts: () => Texts | undefined;
  /** Where the styles of rendered text are needed. */
  root: ShadowRoot;
}

export class MessageBody {
  readonly #target: HTMLElement;
  readonly #options: MessageBodyOptions;
  #blocks: Block[] = [];
  #markdown: Markdown | undefined;
  #loading: Promise<void> | undefined;
  /** What comes is not shown yet. */
  #hold: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  constructor(target: HTMLElement, options: MessageBodyOptions) {
    this.#target = target;
    this.#options = options;
  }

  get empty(): boolean {
    return this.#blocks.length === 0;
  }

  /** @param growing more of it may come: what follows its first mark waits a moment for Markdown */
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
    if (block.renderer) this.#soon();
    else this.#showPlain(block, text, growing);
  }

  call(requestId: string): void {
    if (this.#blocks.some((block) => block.type === 'call' && block.requestId === requestId)) return;
    this.#close();
    const node = this.#options.createCall(requestId);
    this.#target.append(node);
    this.#blocks.push({ type: 'call', requestId, node });
  }

  block(part: BlockPart): void {
    if (this.#blocks.some((block) => block.type === 'block' && isSameBlock(block.part, part))) return;
    this.#close();
    const node = this.#options.createBlock(part);
    this.#target.append(node);
    this.#blocks.push({ type: 'block', part, node });
  }

  end(): void {
    this.#close();
  }

  /** Brings what is shown in line with a finished message. */
  sync(parts: readonly MessagePart[]): void {
    this.#close();
    const wanted = parts.filter((part) => part.type !== 'text' || part.text !== '');
    const same = wanted.findIndex((part, at) => !matches(this.#blocks[at], part));
    const keep = same === -1 ? wanted.length : same;
    for (const block of this.#blocks.splice(keep)) block.node.remove();
    for (const part of wanted.slice(keep)) {
      if (part.type === 'call') this.call(part.requestId);
      else if (part.type === 'text') this.text(part.text, false);
      else this.block(part);
    }
    this.#close();
  }

  clear(): void {
    clearTimeout(this.#hold);
    this.#hold = undefined;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#blocks = [];
    this.#target.replaceChildren();
  }

  /** What people read, without the calls. */
  get plainText(): string {
    return this.#blocks.map((block) => (block.type === 'text' ? spoken(block.node) : '')).join('\n');
  }

  /** When what is there can be read as people see it, or never will. */
  async settled(): Promise<void> {
    await this.#loading;
  }

  /** Once a frame, whatever has come: the renderer draws its unfinished tail. */
  readonly #flush = () => {
    this.#frame = 0;
    let drawn = false;
    for (const block of this.#blocks) {
      if (block.type !== 'text' || !isBehind(block)) continue;
      if (drawn) return this.#soon();
      drawn = true;
      draw(block);
      if (isBehind(block)) return this.#soon();
    }
  };

  #soon(): void {
    this.#frame ||= requestAnimationFrame(this.#flush);
  }

  #close(): void {
    const block = this.#blocks.at(-1);
    if (block?.type !== 'text' || !block.open) return;
    block.open = false;
    draw(block);
    if (isBehind(block)) this.#soon();
  }

  #render(block: Block): void {
    if (block.type !== 'text' || block.renderer || !this.#markdown) return;
    block.node.replaceChildren();
    block.node.dataset['rendered'] = '';
    block.renderer = this.#markdown.create(block.node, this.#options.texts());
    if (!block.text) return;
    draw(block);
    if (isBehind(block)) this.#soon();
  }

  /** One plain paragraph looks the same without Markdown. */
  #showPlain(block: TextBlock, fresh: string, growing: boolean): void {
    const { node, text } = block;
    if (!this.#loading && hasSignOfMarkup(text, text.length - fresh.length)) {
      if (growing) this.#hold = setTimeout(this.#release, HOLD);
      void this.#load();
    }
    // Markdown that is there already has drawn it.
    if (this.#hold === undefined && !block.renderer) node.append(withoutDirections(fresh));
  }

  /** Markdown is late, or does not come: the answer is shown as it was written. */
  readonly #release = () => {
    if (this.#hold === undefined) return;
    clearTimeout(this.#hold);
    this.#hold = undefined;
    for (const block of this.#blocks)
      if (block.type === 'text' && !block.renderer) block.node.replaceChildren(withoutDirections(block.text));
  };

  #load(): Promise<void> {
    return (this.#loading ??= this.#fetch());
  }

  async #fetch(): Promise<void> {
    this.#markdown = loadedMarkdown() ?? (await loadMarkdown());
    if (this.#markdown) {
      this.#markdown.adopt(this.#options.root);
      for (const block of this.#blocks) this.#render(block);
    }
    this.#release();
  }
}

function isBehind({ renderer, shown, waits, text }: TextBlock): boolean {
  return renderer !== undefined && (waits || shown < text.length);
}

/** The next slice, and the end when there is nothing left and nothing more to come. */
function draw(block: TextBlock): void {
  const { renderer, text, shown } = block;
  if (!renderer) return;
  if (!block.waits) {
    block.shown = Math.min(text.length, shown + SLICE);
    renderer.push(text.slice(shown, block.shown));
  }
  const isLast = !block.open && block.shown === text.length;
  block.waits = isLast ? renderer.end(ELEMENTS) : renderer.flush(ELEMENTS);
}

function matches(block: Block | undefined, part: MessagePart): boolean {
  if (part.type === 'call') return block?.type === 'call' && block.requestId === part.requestId;
  if (part.type === 'text') return block?.type === 'text' && block.text === part.text;
  return block?.type === 'block' && isSameBlock(block.part, part);
}
