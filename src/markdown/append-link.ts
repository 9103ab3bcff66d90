/** Makes the elements of links and images. */
import { withoutDirections } from '../base/invisible.js';
import { appendInlines, make } from './dom.js';
import type { Inline } from './inline-tree.js';
import { textOfTree } from './inline-tree.js';
import { finishLazily } from './lazy-parts.js';
import { describeLink, isAddress, safeLink } from './links.js';
import type { ElementBudget, MarkdownContext } from './render-context.js';

/** Appends the description of an image, which is loaded only if the user wants it. */
export function appendImage(context: MarkdownContext, parent: HTMLElement, item: Inline, insideLink: boolean): void {
  const { document, options } = context;
  const image = make(document, 'span', 'image');
  const alt = withoutDirections(textOfTree(item.children));
  const found = safeLink(item.destination, options.baseUrl);
  const target = found && /^https?:/.test(found.href) ? found : null;
  image.textContent = options.labels.image(target?.host ?? null, alt);
  parent.append(image);
  if (target && !insideLink) finishLazily('image', image, context, { address: target.href, alt });
}

/** Appends a link, or its text if the destination is not allowed. */
export function appendLink(
  context: MarkdownContext,
  parent: HTMLElement,
  item: Inline,
  content: readonly Inline[],
  room: ElementBudget,
): void {
  const { document, options } = context;
  const target = safeLink(item.destination, options.baseUrl, document.defaultView?.location.origin);
  if (!target) {
    const inert = make(document, 'span', 'unsafe-link');
    appendInlines(context, inert, content, room, true);
    parent.append(inert);
    return;
  }
  const link = make(document, 'a');
  link.href = target.href;
  link.target = target.isLocal ? '_self' : '_blank';
  link.rel = 'noopener noreferrer';
  link.referrerPolicy = 'no-referrer';
  appendInlines(context, link, content, room, true);
  // An address reads from left to right in every paragraph. The direction of any other link text ends with the link.
  if (isAddress(link.textContent, target)) {
    link.className = 'address';
    link.dir = 'ltr';
  } else {
    const host = make(document, 'span', 'link-host');
    host.textContent = describeLink(target, options.labels);
    host.dir = 'ltr';
    host.translate = false;
    link.append(' ', host);
  }
  parent.append(link);
}
