/** Rendered Markdown as comparable text, and CommonMark's expected HTML in the same form. */
import * as syntax from '../../src/markdown/lazy-syntax.js';
import { addSyntax, createMarkdownRenderer, renderMarkdown, type MarkdownOptions } from '../../src/markdown/markdown.js';
import { markdownStyles } from '../../src/markdown/styles.js';
import { safeLink } from '../../src/markdown/links.js';
import { until } from '../elements/looking.js';

/** What relative destinations of the examples are relative to. */
export const BASE = 'https://base.test/';

/** Renders into a detached element. */
export function render(text: string, options: MarkdownOptions = {}): HTMLElement {
  const target = document.createElement('div');
  addSyntax(syntax);
  renderMarkdown(target, text, options);
  return target;
}

/** The same, with the styles of a page of its own. */
export function styled(target: HTMLElement): HTMLElement {
  target.prepend(Object.assign(document.createElement('style'), { textContent: markdownStyles.cssText }));
  return target;
}

/** Waits for the parts that are loaded when an answer first needs them. */
export async function loadLate(): Promise<void> {
  const target = render('$x$ a[^1]\n\n```js\n1\n```\n\n[^1]: b');
  await until(() => ['math', '.code-wrap', '.notes'].every((one) => target.querySelector(one) !== null), 'a late part does not come');
}

/** An answer that grows in a detached element: `show` draws what has come so far. */
export function growing(options: MarkdownOptions = {}) {
  const target = document.createElement('div');
  addSyntax(syntax);
  const renderer = createMarkdownRenderer(target, options);
  const show = (text: string) => (renderer.push(text), renderer.flush());
  return { target, renderer, show };
}

/** Renders `pieces`, with a flush after each. */
export function stream(pieces: Iterable<string>, options: MarkdownOptions = {}): HTMLElement {
  const { target, renderer, show } = growing(options);
  for (const piece of pieces) show(piece);
  renderer.end();
  return target;
}

/** The HTML of what was rendered, without what is only ours: groups, code heads, hosts, the paragraphs of tight lists. */
export function serialize(target: HTMLElement): string {
  const copy = target.cloneNode(true) as HTMLElement;
  for (const own of copy.querySelectorAll('[dir], [translate]')) {
    own.removeAttribute('dir');
    own.removeAttribute('translate');
  }
  for (const host of copy.querySelectorAll('.link-host')) {
    host.previousSibling?.remove();
    host.remove();
  }
  for (const block of copy.querySelectorAll('.code-block')) {
    const pre = document.createElement('pre');
    const code = document.createElement('code');
    code.textContent = block.querySelector('code')!.textContent;
    const language = block.querySelector('.code-language')!.textContent;
    if (language !== '') code.className = `language-${language}`;
    pre.append(code);
    block.replaceWith(pre);
  }
  for (const paragraph of copy.querySelectorAll('.tight > li > p')) paragraph.replaceWith(...paragraph.childNodes);
  for (const inert of copy.querySelectorAll('.unsafe-link, .table-scroll, .group')) inert.replaceWith(...inert.childNodes);
  for (const list of copy.querySelectorAll('.tight, .loose')) list.removeAttribute('class');
  for (const link of copy.querySelectorAll('a')) link.replaceWith(linkTo(link.href, link.childNodes));
  return normalize(copy);
}

/** CommonMark's HTML as this renderer shows it: raw HTML as text, images as their description, only safe links. */
export function expected(html: string, markdown: string): string {
  const escaped = html.replace(/<[^>]*>|<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>/g, (tag) =>
    tag.startsWith('<!--')
      ? ''
      : GENERATED.test(tag) && !markdown.includes(tag)
        ? tag
        : tag.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  );
  const { body } = new DOMParser().parseFromString(escaped.replace(/ +(?=<\/p>)/g, ''), 'text/html');
  for (const image of body.querySelectorAll('img')) {
    const span = document.createElement('span');
    span.className = 'image';
    const host = safeLink(image.getAttribute('src')!, BASE)?.host;
    span.textContent = `[image${image.alt && `: ${image.alt}`}${host ? ` (${host})` : ''}]`;
    image.replaceWith(span);
  }
  for (const link of body.querySelectorAll('a')) {
    const safe = safeLink(link.getAttribute('href')!, BASE);
    link.replaceWith(...(safe ? [linkTo(safe.href, link.childNodes)] : link.childNodes));
  }
  return normalize(body);
}

const GENERATED =
  /^<(?:\/?(?:p|em|strong|del|pre|code|ul|ol|li|blockquote|h[1-6]|a|table|thead|tbody|tr|th|td)|hr \/|br \/|a href="[^"]*"(?: title="[^"]*")?|img src="[^"]*" alt="[^"]*"(?: title="[^"]*")? \/|code class="language-[^"]*"|ol start="\d+")>$/;

function linkTo(href: string, content: Iterable<Node>): HTMLElement {
  const link = document.createElement('a');
  link.setAttribute('href', href.replaceAll('[', '%5B').replaceAll(']', '%5D')); // either form is the same address
  link.append(...content);
  return link;
}

function normalize(root: HTMLElement): string {
  root.normalize();
  return root.innerHTML
    .replace(/\n*(<\/?(?:p|ul|ol|li|blockquote|h[1-6]|hr|pre|table|thead|tbody|tr|th|td)\b[^>]*>)\n*/g, '$1')
    .replaceAll('<br>\n', '<br>')
    .trim();
}
