/** The tree that the inline parser returns. */

/**
 * A parsed inline element. `text` is for `text`, `code`, `autolink`, and for `formula` with its delimiters. `destination` is for links and
 * images: as written, not validated.
 */
export interface Inline {
  kind: 'text' | 'code' | 'formula' | 'note' | 'break' | 'em' | 'strong' | 'del' | 'sub' | 'sup' | 'kbd' | 'link' | 'image' | 'autolink';
  text: string;
  destination: string;
  children: readonly Inline[];
  /** Number of levels of descendants. */
  depth: number;
}

/** Maximum depth of nested emphasis, links and images; deeper ones stay text. Keeps every recursion over the tree shallow. */
export const MAX_DEPTH = 64;

export const node = (kind: Inline['kind'], text = '', destination = '', children: readonly Inline[] = []): Inline => ({
  kind,
  text,
  destination,
  children,
  depth: deepest(children) + (children.length > 0 ? 1 : 0),
});

/** Returns the greatest depth among the nodes from `from` on. */
export function deepest(nodes: readonly Inline[], from = 0): number {
  let depth = 0;
  for (let i = from; i < nodes.length; i++) depth = Math.max(depth, nodes[i]!.depth);
  return depth;
}

/** Returns the text of a tree without its markup, as for an image's description. */
export function textOfTree(nodes: readonly Inline[]): string {
  return nodes.map((item) => (item.children.length > 0 ? textOfTree(item.children) : item.kind === 'break' ? '\n' : item.text)).join('');
}
