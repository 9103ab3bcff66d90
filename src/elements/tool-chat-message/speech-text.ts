/** Converts an answer to the text that is announced: its words, without marks, buttons and long URLs. */

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 li tr pre blockquote br'.split(' '));
const ADDRESS = /\b(?:https?:\/\/|www\.)([^\s/?#<>)\]]+)[^\s<>)\]]*/gi;

/** @param node the rendered text; if it was not rendered, its marks are removed */
export function spoken(node: HTMLElement): string {
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
