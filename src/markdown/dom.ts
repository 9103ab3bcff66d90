/**
 * The only place of the renderer that makes elements. A tag comes from the list below, a class is a constant of the calling code;
 * the text of a model reaches nothing but text nodes, `href` (after `safeLink`) and `start` (a number).
 */
import { withoutDirections, withoutHidden } from '../base/invisible.js';
import type { Inline } from './inline-tree.js';
import { textOfTree } from './inline-tree.js';
import { finishLazily } from './lazy-parts.js';
import { loadedSyntax } from './loaded-syntax.js';
import type { ElementBudget, MarkdownContext } from './render-context.js';

const TAGS = [
  ...([
    'p',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'blockquote',
    'ul',
    'ol',
    'li',
    'hr',
    'pre',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ] as const),
  ...(['em', 'strong', 'del', 'code', 'a', 'br', 'sub', 'sup', 'kbd', 'span', 'div', 'button'] as const),
] as const;

/** The tags that can be in the output. `button` is our own copy button of a code block, the only control. */
export const ALLOWED_TAGS: readonly string[] = TAGS;

export type AllowedTag = (typeof TAGS)[number];

/** Number of elements created by all renderers. It measures the cost of a frame. */
export const elementCount = { made: 0 };

export function make<Tag extends AllowedTag>(document: Document, tag: Tag, className = ''): HTMLElementTagNameMap[Tag] {
  elementCount.made += 1;
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  // Markers, bars and first columns are on the side at which the text's language begins.
  if (tag === 'li' || tag === 'blockquote' || tag === 'table') element.dir = 'auto';
  return element;
}

/** Appends text, to a trailing text node if there is one. Removes direction controls, so that the text cannot reorder its surroundings. */
function appendText(parent: Node, written: string): void {
  const last = parent.lastChild;
  const text = withoutDirections(written);
  if (text === '') return;
  if (last?.nodeType === 3) (last as Text).appendData(text);
  else parent.appendChild(parent.ownerDocument!.createTextNode(text));
}

/**
 * Maximum number of elements in a segment, far above ordinary text. The layout of an element costs a hundred times as much as its letters.
 */
export const ELEMENTS = 600;

/** Appends a parsed tree. The parser keeps it shallow, so this may recurse. */
export function appendInlines(
  context: MarkdownContext,
  parent: HTMLElement,
  nodes: readonly Inline[],
  room: ElementBudget = { left: ELEMENTS },
  insideLink = false,
): void {
  let text = ''; // collected: to append 50,000 brackets one by one to a text node copies it 50,000 times
  for (const item of nodes) {
    if (item.kind === 'text' || (item.kind === 'autolink' && insideLink)) {
      text += item.text;
      continue;
    }
    if (room.left <= 0) {
      text += textOfTree([item]);
      continue;
    }
    room.left--;
    appendText(parent, text);
    text = '';
    appendInline(context, parent, item, room, insideLink);
  }
  appendText(parent, text);
}

function appendInline(context: MarkdownContext, parent: HTMLElement, item: Inline, room: ElementBudget, insideLink: boolean): void {
  const { document } = context;
  switch (item.kind) {
    case 'break':
      return void parent.append(make(document, 'br'));
    case 'code': {
      const code = make(document, 'code');
      code.textContent = withoutHidden(item.text);
      return void parent.append(code);
    }
    case 'note':
    case 'formula': {
      const box = make(document, 'span', item.kind);
      box.textContent = withoutHidden(item.text);
      parent.append(box);
      context.hasNotes ||= item.kind === 'note';
      return finishLazily(item.kind, box, context);
    }
    case 'image':
      return loadedSyntax()!.appendImage(context, parent, item, insideLink);
    case 'autolink':
      return loadedSyntax()!.appendLink(context, parent, item, [{ ...item, kind: 'text' }], room);
    case 'link':
      return loadedSyntax()!.appendLink(context, parent, item, item.children, room);
    case 'text':
      return appendText(parent, item.text);
    default: {
      const element = make(document, item.kind);
      appendInlines(context, element, item.children, room, insideLink);
      parent.append(element);
    }
  }
}
