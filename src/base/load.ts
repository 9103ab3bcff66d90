/**
 * The only way to load a module on demand. A failed import is retried once, because connections drop. If it fails again, the promise
 * rejects and all watchers are notified: a page that stays open during a deploy requests files that no longer exist.
 */

/** Milliseconds before a failed import is retried. */
const PAUSE = 300;

/** A function with a single `import()`, so that bundlers can see it. */
export type Import<Part> = () => Promise<Part>;

export interface MissingPart {
  /** An id that is the same for each failure of one module. */
  id: string;
  error: unknown;
  /** True if the user has just asked for it and sees nothing happen. */
  byUser: boolean;
}

/** Modules that failed to load, by the source text of their import function. */
const missing = new Map<string, { part: Import<unknown>; error: unknown; uses: Set<(part: never) => unknown> }>();
/** Errors of failed imports. An error thrown by the code of a module is not included. */
const failures = new WeakSet<object>();
const watchers = new Set<(part: MissingPart | undefined) => void>();

/**
 * Notifies a watcher of each module that failed to load, and with `undefined` when none is missing any more. Returns a function that
 * unsubscribes it.
 */
export function watchMissingParts(watcher: (part: MissingPart | undefined) => void): () => void {
  watchers.add(watcher);
  for (const [id, { error }] of missing) watcher({ id, error, byUser: false });
  return () => void watchers.delete(watcher);
}

/**
 * Loads a module. Rejects with the error of the second attempt.
 *
 * @param pause milliseconds before the second attempt
 */
export const load = <Part>(part: Import<Part>, pause?: number): Promise<Part> => loadAndNotify(part, false, pause);

/** Distinguishes a failed import from an error thrown by a loaded module. */
export const isLoadFailure = (error: unknown): boolean => typeof error === 'object' && error !== null && failures.has(error);

/** Loads something that the user has just asked for, so that each failure is reported. */
export const loadForUser = <Part>(part: Import<Part>): Promise<Part> => loadAndNotify(part, true);

async function loadAndNotify<Part>(part: Import<Part>, byUser: boolean, pause?: number): Promise<Part> {
  try {
    const loaded = await loadTwice(part, pause);
    if (missing.size > 0) onLoaded(String(part), loaded);
    return loaded;
  } catch (error) {
    const id = String(part);
    if (typeof error === 'object' && error !== null) failures.add(error);
    missing.set(id, { part, error, uses: missing.get(id)?.uses ?? new Set() });
    for (const notify of [...watchers]) notify({ id, error, byUser });
    throw error;
  }
}

/** Loads a module that is not ours, with one retry. Watchers are not notified. */
export async function loadTwice<Part>(part: Import<Part>, pause = PAUSE): Promise<Part> {
  try {
    return await part();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, pause));
    return part();
  }
}

/**
 * Loads a module that draws. `use` is called whenever it arrives, even if a later attempt loads it. Never rejects.
 *
 * @param use not needed for an element, which registers itself
 * @param without shows something in the meantime
 */
export function loadFor<Part>(part: Import<Part>, use: (part: Part) => unknown = () => undefined, without?: () => unknown): void {
  load(part).then(use, () => {
    missing.get(String(part))?.uses.add(use);
    without?.();
  });
}

/** Retries all failed imports. Browsers that cache failures need a reload instead. */
export function loadMissingParts(): void {
  for (const { part } of [...missing.values()]) loadForUser(part).catch(() => undefined);
}

function onLoaded(id: string, loaded: unknown): void {
  const uses = missing.get(id)?.uses ?? [];
  if (!missing.delete(id)) return;
  for (const use of uses) use(loaded as never);
  if (missing.size === 0) for (const notify of [...watchers]) notify(undefined);
}

/** Loads modules in advance, one at a time, unless the browser is offline or saves data. A failed one is loaded when it is needed. */
export async function preload(parts: Iterable<() => Promise<unknown>>): Promise<void> {
  const { navigator } = globalThis as { navigator?: { onLine?: boolean; connection?: { saveData?: boolean } } };
  // When offline, a browser may cache the failed import.
  if (navigator?.connection?.saveData || navigator?.onLine === false) return;
  for (const part of parts) await part().catch(() => undefined);
}
