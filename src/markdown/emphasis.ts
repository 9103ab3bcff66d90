/**
 * Emphasis: which runs of `*`, `_` and `~` pair. A run is settled when it is met, so what has been wrapped never moves again; all
 * look-ups together are linear, because openers that cannot match are not looked at twice.
 */
import type { Inline } from './inline-tree.js';
import { deepest, MAX_DEPTH, node } from './inline-tree.js';

export interface Delimiter extends Inline {
  character: string;
  count: number;
  /** The original length of the run, for CommonMark's rule of three. */
  length: number;
  canOpen: boolean;
  canClose: boolean;
  offset: number;
  /** Its index in the nodes of its scope. */
  index: number;
}

/** A run of siblings whose emphasis is settled together: the block, or the text of one link. */
export interface Scope {
  nodes: Inline[];
  openers: Delimiter[];
  /** For each kind of closer, the offset before which no opener is left for it. Without it, `_a` × n + `b*` × n would be quadratic. */
  exhausted: Map<string, number>;
}

export const createScope = (): Scope => ({ nodes: [], openers: [], exhausted: new Map() });

/** Settles the delimiters among the nodes from `index` on separately: those inside a link do not pair with those outside. */
export function resolveFrom(nodes: readonly Inline[], index: number): Inline[] {
  const inner = createScope();
  for (let i = index; i < nodes.length; i++) {
    const item = nodes[i]!;
    if ('count' in item) resolveDelimiter(inner, { ...(item as Delimiter) });
    else inner.nodes.push(item);
  }
  return inner.nodes;
}

/** Pairs a run of delimiters with the openers before it, then keeps what is left of it as an opener or as text. */
export function resolveDelimiter(scope: Scope, closer: Delimiter): void {
  const { nodes, openers } = scope;
  while (closer.canClose && closer.count > 0) {
    const index = findOpener(scope, closer);
    if (index < 0) break;
    const opener = openers[index]!;
    if (deepest(nodes, opener.index + 1) >= MAX_DEPTH) {
      openers.length = 0; // nothing before this may be wrapped any more, so it is never looked at again
      break;
    }
    const use = closer.character === '~' ? closer.count : opener.count >= 2 && closer.count >= 2 ? 2 : 1;
    openers.length = index + 1;
    wrap(scope, opener, use);
    closer.count -= use;
  }
  closer.text = closer.character.repeat(closer.count);
  if (closer.count === 0) return;
  closer.index = nodes.length;
  nodes.push(closer);
  if (closer.canOpen) openers.push(closer);
}

/** Wraps all nodes after the topmost opener, and takes `use` characters from it. */
function wrap({ nodes, openers }: Scope, opener: Delimiter, use: number): void {
  const children = nodes.splice(opener.index + 1);
  opener.count -= use;
  opener.text = opener.character.repeat(opener.count);
  if (opener.count === 0) {
    nodes.pop();
    openers.pop();
  }
  nodes.push(node(opener.character === '~' ? 'del' : use === 2 ? 'strong' : 'em', '', '', children));
}

function findOpener({ openers, exhausted }: Scope, closer: Delimiter): number {
  const strike = closer.character === '~';
  const key = closer.character + (strike ? closer.length : `${closer.canOpen}${closer.length % 3}`);
  const limit = exhausted.get(key) ?? -1;
  for (let index = openers.length - 1; index >= 0; index--) {
    const opener = openers[index]!;
    if (opener.offset <= limit) break;
    if (opener.character !== closer.character) continue;
    if (strike ? opener.count === closer.count : fitsRuleOfThree(opener, closer)) return index;
  }
  exhausted.set(key, closer.offset - 1);
  return -1;
}

/** Runs that can both open and close do not pair when their lengths add up to a multiple of three, unless both are one. */
function fitsRuleOfThree(opener: Delimiter, closer: Delimiter): boolean {
  if (!opener.canClose && !closer.canOpen) return true;
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

/**
 * Shows an open `**` as bold at once, instead of two stars that vanish later. For display only: none of it is final.
 *
 * @param from The earliest offset of an opener, and of a single mark.
 */
export function closeEarly(scope: Scope, from: number, fromSingle: number): void {
  const { nodes, openers } = scope;
  for (let index = openers.length - 1; index >= 0; index--) {
    const opener = openers[index]!;
    if (opener.offset < from) return;
    const isOnlyText =
      opener.count > 3 || (opener.count !== 2 && opener.character === '~') || (opener.count === 1 && opener.offset < fromSingle);
    if (isOnlyText || opener.index === nodes.length - 1 || deepest(nodes, opener.index + 1) >= MAX_DEPTH - 1) continue;
    openers.length = index + 1;
    while (opener.count > 0) wrap(scope, opener, opener.count >= 2 ? 2 : 1);
  }
}

/** Checks whether a run at the end of the text so far can be settled: it closes all that the last opener of its kind has opened. */
export const closesAll = ({ openers }: Scope, { canClose, character, count }: Delimiter): boolean =>
  canClose && (openers.findLast((opener) => opener.character === character)?.count ?? Infinity) <= count;
