/**
 * The one way to load a part when it is needed. A part that does not come is asked for once more, for lines break. Then whoever wanted it
 * hears of it, and so does everybody who watches: a page that stays open during a deploy asks for files that are gone.
 */

/** Milliseconds until a part that did not come is asked for again. */
const PAUSE = 300;

/** A function with one `import()`, so that bundlers see it. */
export type Import<Part> = () => Promise<Part>;

export interface MissingPart {
  /** The same for each failure of one part. */
  id: string;
  error: unknown;
  /** The user asked for it just now, and nothing happens. */
  asked: boolean;
}

/** Parts that did not come, by the text of the function that asks for them. */
const missing = new Map<string, { part: Import<unknown>; error: unknown; uses: Set<(part: never) => unknown> }>();
/** Errors of parts that could not be loaded. An error thrown by the code of a part is none of these. */
const failures = new WeakSet<object>();
const watchers = new Set<(part: MissingPart | undefined) => void>();

/** Hears of each part that did or does not come, and with `undefined` that none is missing any more. Returns what ends it. */
export function watchMissingParts(watcher: (part: MissingPart | undefined) => void): () => void {
  watchers.add(watcher);
  for (const [id, { error }] of missing) watcher({ id, error, asked: false });
  return () => void watchers.delete(watcher);
}

/**
 * Rejects with what the second attempt failed of.
 *
 * @param pause milliseconds between the two
 */
export const load = <Part>(part: Import<Part>, pause?: number): Promise<Part> => loadAndTell(part, false, pause);

/** Tells the error of a part that did not come from one of code that came and failed. */
export const isLoadFailure = (error: unknown): boolean => typeof error === 'object' && error !== null && failures.has(error);

/** For what the user has just asked for: it is said each time that it does not come. */
export const loadAsked = <Part>(part: Import<Part>): Promise<Part> => loadAndTell(part, true);

async function loadAndTell<Part>(part: Import<Part>, asked: boolean, pause?: number): Promise<Part> {
  try {
    const loaded = await loadTwice(part, pause);
    if (missing.size > 0) found(String(part), loaded);
    return loaded;
  } catch (error) {
    const id = String(part);
    if (typeof error === 'object' && error !== null) failures.add(error);
    missing.set(id, { part, error, uses: missing.get(id)?.uses ?? new Set() });
    for (const tell of [...watchers]) tell({ id, error, asked });
    throw error;
  }
}

/** The same for a part that is not ours. Watchers do not hear of it. */
export async function loadTwice<Part>(part: Import<Part>, pause = PAUSE): Promise<Part> {
  try {
    return await part();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, pause));
    return part();
  }
}

/**
 * For a part that draws: `use` gets it whenever it comes, also when it is asked for again much later. Never rejects.
 *
 * @param without what is shown meanwhile
 */
export function loadFor<Part>(part: Import<Part>, use: (part: Part) => unknown, without?: () => unknown): void {
  load(part).then(use, () => {
    missing.get(String(part))?.uses.add(use);
    without?.();
  });
}

/** Asks once more for all that did not come. Browsers that remember what failed need a reload instead. */
export function loadMissingParts(): void {
  for (const { part } of [...missing.values()]) loadAsked(part).catch(() => undefined);
}

function found(id: string, loaded: unknown): void {
  const uses = missing.get(id)?.uses ?? [];
  if (!missing.delete(id)) return;
  for (const use of uses) use(loaded as never);
  if (missing.size === 0) for (const tell of [...watchers]) tell(undefined);
}

/** Loads for later, one after the other and never at the cost of something that is wanted now; what does not come is loaded when it is wanted. */
export async function preload(parts: Iterable<() => Promise<unknown>>): Promise<void> {
  const { navigator } = globalThis as { navigator?: { onLine?: boolean; connection?: { saveData?: boolean } } };
  // A browser may remember of a module that it did not come.
  if (navigator?.connection?.saveData || navigator?.onLine === false) return;
  for (const part of parts) await part().catch(() => undefined);
}
