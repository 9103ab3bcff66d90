/**
 * Images are loaded only on the user's click, and only from an origin that the page lists in `image-origins`, separated by blanks.
 * Otherwise only the description is shown. The URL of an image in a reply can leak the conversation to another server, so the model never
 * loads one.
 */
import { lazyStyles } from './lazy-styles.js';
import { textsFor } from './lazy-labels.js';
import type { ImageSource } from './lazy-parts.js';
import type { MarkdownContext } from './render-context.js';

/** The images that the user has loaded, for a paragraph that is rendered again while it grows. */
const requestedImages = new WeakMap<MarkdownContext, Set<string>>();

/** @param box contains the description */
export function finish(box: HTMLElement, context: MarkdownContext, source: ImageSource): void {
  const { address } = source;
  // The placeholder may not be in the page yet: a cell of a table is filled before its row is inserted.
  queueMicrotask(() => {
    if (!isAllowed(box, address)) return;
    lazyStyles.adopt(box);
    if (requestedImages.get(context)?.has(address)) show(box, context, source);
    else offer(box, context, source);
  });
}

/** Checks whether an ancestor, through all shadow roots, lists the origin. The nearest one with a list decides. */
function isAllowed(box: Element, address: string): boolean {
  for (let at: Element | undefined = box; at; at = (at.getRootNode() as Partial<ShadowRoot>).host) {
    const origins = at.closest('[image-origins]')?.getAttribute('image-origins');
    if (origins !== undefined && origins !== null) return origins.split(/\s+/).includes(new URL(address).origin);
  }
  return false;
}

function offer(box: HTMLElement, context: MarkdownContext, source: ImageSource): void {
  const texts = textsFor(context);
  const { address, alt } = source;
  const button = context.document.createElement('button');
  Object.assign(button, { type: 'button', className: 'image-button' });
  button.textContent = [alt && `\u2068${alt}\u2069`, texts.loadImage(new URL(address).host)].filter(Boolean).join(' · ');
  button.addEventListener('click', () => {
    requestedImages.set(context, (requestedImages.get(context) ?? new Set()).add(address));
    show(box, context, source);
  });
  box.replaceChildren(button);
}

function show(box: HTMLElement, context: MarkdownContext, { address, alt }: ImageSource): void {
  const image = context.document.createElement('img');
  Object.assign(image, { alt, referrerPolicy: 'no-referrer', decoding: 'async', tabIndex: -1 });
  image.addEventListener('error', () => box.replaceChildren(textsFor(context).imageFailed));
  image.src = address;
  const hadFocus = box.contains((box.getRootNode() as ShadowRoot).activeElement);
  box.replaceChildren(image);
  if (hadFocus) image.focus();
}
