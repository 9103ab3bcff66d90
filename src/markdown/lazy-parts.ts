/** Loads rarely needed parts with the first reply that uses them. Until then, or if loading fails, their content is shown as written. */
import { load } from '../base/load.js';
import type { MarkdownContext } from './render-context.js';

/** A validated address, and the description. */
export interface ImageSource {
  address: string;
  alt: string;
}

export type LatePart = (element: HTMLElement, context: MarkdownContext, image: ImageSource) => void;

const parts: Record<string, () => Promise<{ finish: LatePart }>> = {
  note: () => load(() => import('./footnotes.js')),
  image: () => load(() => import('./images.js')),
  formula: () => load(() => import('./formulas.js')),
  code: () => load(() => import('./highlight.js')),
};
const NONE: ImageSource = { address: '', alt: '' };
const there = new Map<string, LatePart>();

/** Runs at once if the part is loaded already. */
export function finishLater(name: keyof typeof parts, element: HTMLElement, context: MarkdownContext, image: ImageSource = NONE): void {
  const finish = there.get(name);
  if (finish) return finish(element, context, image);
  void parts[name]!().then(
    (part) => {
      there.set(name, part.finish);
      part.finish(element, context, image);
    },
    () => {},
  );
}
