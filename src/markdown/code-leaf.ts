/** A code block: a head with the language and a button that copies, and lines that can grow without end. */
import { copyText } from '../base/copy-text.js';
import { withoutHidden } from '../base/invisible.js';
import type { MarkdownContext } from './render-context.js';
import { make } from './dom.js';
import type { Leaf } from './inline-leaf.js';
import { finishLazily } from './lazy-parts.js';

// A growing text is laid out as a whole in each frame. Each portion is a separate box, so only the last one is laid out again.
const PORTION_LINES = 64;
const PORTION_LENGTH = 8_192;
// Number of portions that share one skipped layout while off screen. Containment for each portion costs more than it saves.
const SECTION = 16;
const MAX_LANGUAGE_LENGTH = 40;
const COPIED_FOR = 2_000;

export class CodeLeaf implements Leaf {
  readonly element: HTMLElement;
  readonly #context: MarkdownContext;
  readonly #code: HTMLElement;
  #portion: Text | null = null;
  #portionLines = 0;
  #section: HTMLElement | null = null;
  #portions = 0;
  #fresh = '';

  /** @param info What follows the opening fence; its first word names the language. */
  constructor(context: MarkdownContext, info: string) {
    const { document } = context;
    this.#context = context;
    this.element = make(document, 'div', 'code-block');
    this.#code = make(document, 'code');
    // Page translation would join the lines of code.
    this.#code.translate = false;
    this.#code.dir = 'ltr';
    const frame = make(document, 'pre');
    frame.tabIndex = 0; // a box that scrolls has to be reachable by keyboard
    frame.append(this.#code);
    this.element.append(this.#makeHead(info), frame);
  }

  append(text: string): void {
    this.#fresh += text;
  }

  flush(): void {
    if (this.#fresh === '') return;
    const text = withoutHidden(this.#fresh);
    this.#fresh = '';
    let from = 0;
    while (from < text.length) {
      const to = this.#endOfPortion(text, from);
      if (!this.#portion) this.#startPortion();
      this.#portion!.appendData(text.slice(from, to));
      if (this.#portionLines >= PORTION_LINES || this.#portion!.length >= PORTION_LENGTH) {
        this.#portion = null;
      }
      from = to;
    }
  }

  close(): void {
    this.flush();
    finishLazily('code', this.element, this.#context);
  }

  /** Returns the index up to which the text goes into the current portion, and counts its lines. */
  #endOfPortion(text: string, from: number): number {
    if (!this.#portion) this.#portionLines = 0;
    const room = PORTION_LENGTH - (this.#portion?.length ?? 0);
    const limit = Math.min(text.length, from + room);
    let to = from;
    while (to < limit && this.#portionLines < PORTION_LINES) {
      const newline = text.indexOf('\n', to);
      if (newline < 0 || newline >= limit) {
        to = limit;
        break;
      }
      to = newline + 1;
      this.#portionLines++;
    }
    const code = text.charCodeAt(to - 1);
    return to < text.length && code >= 0xd800 && code <= 0xdbff ? to + 1 : to;
  }

  #startPortion(): void {
    const { document } = this.#context;
    if (!this.#section || this.#portions++ % SECTION === 0) {
      this.#section?.classList.add('frozen');
      this.#section = make(document, 'span', 'code-section');
      this.#code.append(this.#section);
    }
    this.#portion = document.createTextNode('');
    const box = make(document, 'span', 'code-lines');
    box.append(this.#portion);
    this.#section.append(box);
  }

  #makeHead(info: string): HTMLElement {
    const { document, options } = this.#context;
    const head = make(document, 'div', 'code-head');
    const language = make(document, 'span', 'code-language');
    language.textContent = withoutHidden(info.trim().split(/\s/, 1)[0] ?? '').slice(0, MAX_LANGUAGE_LENGTH);
    const button = make(document, 'button', 'code-copy');
    button.type = 'button';
    button.textContent = options.labels.copyCode;
    button.addEventListener('click', () => void this.#copy(button));
    head.append(language, button);
    return head;
  }

  /** Copies the text on the screen, without hidden characters, which were removed before. */
  async #copy(button: HTMLButtonElement): Promise<void> {
    const text = this.#code.textContent;
    const copied = await copyText(text.endsWith('\n') ? text.slice(0, -1) : text);
    const { copyCode, codeCopied, codeNotCopied } = this.#context.options.labels;
    button.textContent = copied ? codeCopied : codeNotCopied;
    setTimeout(() => (button.textContent = copyCode), COPIED_FOR);
  }
}
