/**
 * The syntax that many answers do not use: links, images, HTML, character references and formulas. It is loaded with the first text that
 * may have some. Until then, or if loading fails, such text is shown as written.
 */
import type { readEntity } from './entities.js';
import type * as InlineScan from './inline-scan.js';
import type { Inline } from './inline-tree.js';
import type { ElementBudget, MarkdownContext } from './render-context.js';

/** The exports of `lazy-syntax.ts`. */
export interface LazySyntax extends Omit<typeof InlineScan, 'scanDestination' | 'scanTitle'> {
  readEntity: typeof readEntity;
  appendImage(context: MarkdownContext, parent: HTMLElement, item: Inline, insideLink: boolean): void;
  appendLink(context: MarkdownContext, parent: HTMLElement, item: Inline, content: readonly Inline[], room: ElementBudget): void;
}

let loaded: LazySyntax | undefined;

export const loadedSyntax = (): LazySyntax | undefined => loaded;

/** Uses the syntax in all texts that are parsed from now on. */
export function addSyntax(syntax: LazySyntax): void {
  loaded = syntax;
}
