/**
 * Patterns of schemas, for code that cannot wait: their tests are loaded when a first pattern was asked about. Until then each is told to be
 * untried, and `loadMissingPatterns` says that it is worth asking again.
 */
import { load } from './load.js';
import type { TextLimits } from './pattern-tests.js';

let tests: typeof import('./pattern-tests.js') | undefined;
let isMissing = false;

function known(): typeof tests {
  isMissing ||= !tests;
  return tests;
}

/** Loads the tests if an answer lacked them. Resolves with true if answers are other ones from now on. */
export async function loadMissingPatterns(): Promise<boolean> {
  if (!isMissing) return false;
  tests ??= await load(() => import('./pattern-tests.js')).catch(() => undefined);
  isMissing = !tests;
  return !isMissing;
}

export const testPattern = (pattern: string, text: string) => known()?.testPattern(pattern, text) ?? 'too-long';

export const patternLimit = (pattern: string) => (known() ?? { patternLimit: () => Infinity }).patternLimit(pattern);

/** undefined if none was found */
export const textFor = (pattern: string, limits: TextLimits) => known()?.textFor(pattern, limits);
