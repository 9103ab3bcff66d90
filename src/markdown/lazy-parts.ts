/** Loads rarely needed parts with the first reply that uses them. Until then, or if loading fails, their content is shown as written. */
import { load } from '../base/load.js';
import type { MarkdownContext } from './render-context.js';

/** A validated address, and the description. */
export interface ImageSource {
  address: string;
  alt: string;
}

export type LazyPart = (element: HTMLElement, context: MarkdownContext, image: ImageSource) => void;

const parts: Record<string, () => Promise<{ finish: LazyPart }>> = {
  note: () => load(() => import('./footnotes.js')),
  image: () => load(() => import('./images.js')),
  formula: () => load(() => import('./formulas.js')),
  code: () => load(() => import('./highlight.js')),
};
const NONE: ImageSource = { address: '', alt: '' };
const loadedParts = new Map<string, LazyPart>();

/** Runs at once if the part is loaded already. */
export function finishLazily(name: keyof typeof parts, element: HTMLElement, context: MarkdownContext, image: ImageSource = NONE): void {
  const finish = loadedParts.get(name);
  if (finish) return finish(element, context, image);
  void parts[name]!().then(
    (part) => {
      loadedParts.set(name, part.finish);
      part.finish(element, context, image);
    },
    () => {},
  );
}
