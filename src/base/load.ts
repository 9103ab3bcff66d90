/**
 * The one door for what is loaded when it is needed. What does not come is asked for once more, for lines break; then whoever wanted it
 * hears of it and says so.
 */

/** Milliseconds until what did not come is asked for again. */
const PAUSE = 300;

/**
 * Rejects with what the second attempt failed of.
 *
 * @param part a function with one `import()`, so that bundlers see it
 * @param pause milliseconds
 */
export async function load<Part>(part: () => Promise<Part>, pause = PAUSE): Promise<Part> {
  try {
    return await part();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, pause));
    return part();
  }
}

/** Loads for later, one after the other and never at the cost of something that is wanted now; what does not come is loaded when it is wanted. */
export async function preload(parts: Iterable<() => Promise<unknown>>): Promise<void> {
  const { navigator } = globalThis as { navigator?: { onLine?: boolean; connection?: { saveData?: boolean } } };
  // A browser may remember of a module that it did not come.
  if (navigator?.connection?.saveData || navigator?.onLine === false) return;
  for (const part of parts) await part().catch(() => undefined);
}
