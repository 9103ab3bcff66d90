/** The tree of a formula: MathML as plain data. */

export const MATH_TAGS = [
  ...(['mrow', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'mfrac', 'msqrt', 'mroot', 'msub', 'msup', 'msubsup'] as const),
  ...(['munder', 'mover', 'munderover', 'mtable', 'mtr', 'mtd', 'mphantom'] as const),
] as const;

export type MathTag = (typeof MATH_TAGS)[number];

/** Attributes are only our constants and numbers; the model's text is only ever `text`. */
export interface MathNode {
  tag: MathTag;
  text?: string;
  attributes?: Readonly<Record<string, string>>;
  children?: MathNode[];
}

export const node = (tag: MathTag, children: MathNode[], attributes?: MathNode['attributes']): MathNode => ({
  tag,
  children,
  ...(attributes && { attributes }),
});

export const leaf = (tag: MathTag, text: string, attributes?: MathNode['attributes']): MathNode => ({
  tag,
  text,
  ...(attributes && { attributes }),
});

export const row = (children: MathNode[]): MathNode => (children.length === 1 ? children[0]! : node('mrow', children));

/** Returns a base with its subscript and superscript, if any. */
export function scripted(base: MathNode, below?: MathNode, above?: MathNode, limits = false): MathNode {
  if (below && above) return node(limits ? 'munderover' : 'msubsup', [base, below, above]);
  if (below) return node(limits ? 'munder' : 'msub', [base, below]);
  return above ? node(limits ? 'mover' : 'msup', [base, above]) : base;
}

export const longArrow = (mark: string): MathNode => leaf('mo', mark, { stretchy: 'true', minsize: '2em' });
