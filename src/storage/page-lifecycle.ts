/**
 * Tracks whether the page is frozen (`freeze`, `resume`). A frozen page still receives messages, but a transaction that it begins ends only
 * when it resumes, and blocks every other page until then. So it begins none.
 */
let frozen = false;
const page = typeof document === 'undefined' ? undefined : document;
page?.addEventListener('freeze', () => (frozen = true));
page?.addEventListener('resume', () => (frozen = false));

export const isFrozen = (): boolean => frozen;

/** Resolves once the page is not frozen. */
export async function whenAwake(): Promise<void> {
  while (frozen) await new Promise((resolve) => page!.addEventListener('resume', resolve, { once: true }));
}
