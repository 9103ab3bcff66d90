/**
 * What few answers hold is finished by parts that come with the first answer that holds it. Until then, and where a part does not come, it
 * stands there as it was written.
 */
import { load } from '../base/load.js';
import type { MarkdownContext } from './render-context.js';

export type LatePart = (element: HTMLElement, context: MarkdownContext) => void;

const parts: Record<string, () => Promise<{ finish: LatePart }>> = {
  formula: () => load(() => import('./formulas.js')),
  code: () => load(() => import('./highlight.js')),
};
const there = new Map<string, LatePart>();

/** At once if the part is there already. */
export function finishLater(name: keyof typeof parts, element: HTMLElement, context: MarkdownContext): void {
  const finish = there.get(name);
  if (finish) return finish(element, context);
  void parts[name]!().then(
    (part) => {
      there.set(name, part.finish);
      part.finish(element, context);
    },
    () => {},
  );
}
