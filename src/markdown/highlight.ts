/**
 * Highlights code blocks, and adds a button that wraps their lines. Highlights are ranges in the browser's highlight registry: they need no
 * elements, and without the registry code stays plain. Only visible lines have ranges, so neither a long conversation nor a removed one
 * keeps any.
 */
import { matchesMedia, SizeObserver } from '../base/dom-features.js';
import type { Texts } from '../i18n/en.js';
import { KINDS, knowsLanguage, tokenize, type Token, type TokenKind } from './code-tokens.js';
import { lazyStyles } from './lazy-styles.js';
import { textsFor } from './lazy-labels.js';
import type { MarkdownContext } from './render-context.js';

/** Maximum length of highlighted code, in UTF-16 units. Longer code stays plain. */
const MAX_LENGTH = 100_000;

type Piece = readonly [kind: TokenKind, range: AbstractRange];

/** The highlighted ranges of the portions in view. */
const shownPieces = new WeakMap<Element, Piece[]>();
/** The tokens of each portion of lines, with indexes into its own text. */
const tokensOf = new WeakMap<Element, Token[]>();

/** @param block a code block that is complete */
export function finish(block: HTMLElement, context: MarkdownContext): void {
  offerWrapping(block, textsFor(context));
  const language = block.querySelector('.code-language')!.textContent;
  // With forced colors there are few colors, and a highlight would look like a selection.
  if (typeof Highlight === 'undefined' || !knowsLanguage(language) || matchesMedia('(forced-colors: active)')) return;
  const lines = [...block.querySelectorAll('.code-lines')];
  const texts = lines.map((portion) => portion.textContent);
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_LENGTH) return;
  shareTokens(lines, texts, tokenize(texts.join(''), language));
  // Observers hold their targets weakly, and report those that were removed from the page.
  for (const portion of lines) views().observe(portion);
}

const views = rotateObservers(
  () =>
    new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        hide(target);
        if (isIntersecting) show(target);
      }
    }),
);

const widths = rotateObservers(
  () =>
    new SizeObserver((entries) => {
      // Read all sizes before writing, so that layout runs once. Write in the next frame: a button can make its block higher, and observers
      // of the surroundings would get that too late in this frame.
      const wide = entries.map(({ target }) => target.scrollWidth > target.clientWidth + 1);
      requestAnimationFrame(() => entries.forEach(({ target }, i) => offer(target, wide[i]!)));
    }),
);

/** Limits the targets of an observer, because WebKit searches all of them for each one that is added. */
function rotateObservers<Observer>(create: () => Observer): () => Observer {
  let observer: Observer | undefined;
  let targets = 0;
  return () => {
    if (!observer || targets === 100) [observer, targets] = [create(), 0];
    targets++;
    return observer;
  };
}

/** Splits a token that spans several portions into one for each. */
function shareTokens(lines: readonly Element[], texts: readonly string[], tokens: readonly Token[]): void {
  let start = 0;
  let next = 0;
  texts.forEach((text, i) => {
    const end = start + text.length;
    const own: Token[] = [];
    for (; next < tokens.length; next++) {
      const { from, to, kind } = tokens[next]!;
      if (from >= end) break;
      own.push({ from: Math.max(from, start) - start, to: Math.min(to, end) - start, kind });
      if (to > end) break;
    }
    tokensOf.set(lines[i]!, own);
    start = end;
  });
}

function show(portion: Element): void {
  const text = portion.firstChild;
  const tokens = tokensOf.get(portion);
  if (!text || !tokens) return;
  lazyStyles.adopt(portion);
  const pieces = tokens.map(({ from, to, kind }): Piece => {
    const range = new StaticRange({ startContainer: text, startOffset: from, endContainer: text, endOffset: to });
    return [kind, range];
  });
  for (const [kind, range] of pieces) highlightOf(kind).add(range);
  shownPieces.set(portion, pieces);
}

function hide(portion: Element): void {
  for (const [kind, range] of shownPieces.get(portion) ?? []) highlightOf(kind).delete(range);
  shownPieces.delete(portion);
}

const highlights = new Map<TokenKind, Highlight>();

function highlightOf(kind: TokenKind): Highlight {
  let highlight = highlights.get(kind);
  if (!highlight) {
    highlights.set(kind, (highlight = new Highlight()));
    CSS.highlights.set(`tool-chat-${kind}`, highlight);
  }
  return highlight;
}

/** Shows the button while lines are wider than the block, or wrapped. */
function offerWrapping(block: HTMLElement, texts: Texts): void {
  const frame = block.querySelector('pre');
  const copy = block.querySelector('.code-copy');
  if (!frame || !copy) return;
  const button = block.ownerDocument.createElement('button');
  Object.assign(button, { type: 'button', className: 'code-copy code-wrap', textContent: texts.wrapLines, hidden: true });
  button.ariaPressed = 'false';
  button.addEventListener('click', () => (button.ariaPressed = String(frame.classList.toggle('wrapped'))));
  copy.before(button);
  widths().observe(frame);
}

function offer(frame: Element, isWide: boolean): void {
  const button = frame.parentElement?.querySelector<HTMLElement>('.code-wrap');
  if (!button || !frame.isConnected) return;
  lazyStyles.adopt(frame);
  button.hidden = !isWide && !frame.classList.contains('wrapped');
}

/** Returns every kind and its highlighted text. For tests. */
export const highlighted = (): Record<string, string[]> =>
  Object.fromEntries(KINDS.map((kind) => [kind, [...(highlights.get(kind) ?? [])].map((range) => textOf(range))]));

function textOf({ startContainer, startOffset, endOffset }: AbstractRange): string {
  return (startContainer.textContent ?? '').slice(startOffset, endOffset);
}
