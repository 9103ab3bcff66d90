/**
 * The syntax that many answers do not use: links, images, HTML, character references and formulas. It is loaded with the first text that
 * may have some. Until then, or if loading fails, such text is shown as written.
 */
import type * as LazySyntax from './lazy-syntax.js';

export const NO_MATCH = -1;
export const UNDECIDED = -2;

let loaded: typeof LazySyntax | undefined;

export const loadedSyntax = (): typeof LazySyntax | undefined => loaded;

/** Uses the syntax in all texts that are parsed from now on. */
export function addSyntax(syntax: typeof LazySyntax): void {
  loaded = syntax;
}
