/**
 * Pattern tests for code that cannot wait: the tests are loaded after the first pattern was requested. Until then, every text counts as
 * untested, and `loadMissingPatterns` reports when it is worth asking again.
 */
import { load } from './load.js';
import type { TextLimits } from './pattern-tests.js';

let tests: typeof import('./pattern-tests.js') | undefined;
let isMissing = false;

function loadedTests(): typeof tests {
  isMissing ||= !tests;
  return tests;
}

/** Loads the tests if they were missing. Resolves with true if results may differ from now on. */
export async function loadMissingPatterns(): Promise<boolean> {
  if (!isMissing) return false;
  tests ??= await load(() => import('./pattern-tests.js')).catch(() => undefined);
  isMissing = !tests;
  return !isMissing;
}

export const testPattern = (pattern: string, text: string) => loadedTests()?.testPattern(pattern, text) ?? 'too-long';

export const patternLimit = (pattern: string) => (loadedTests() ?? { patternLimit: () => Infinity }).patternLimit(pattern);

/** Returns undefined if none was found. */
export const textFor = (pattern: string, limits: TextLimits) => loadedTests()?.textFor(pattern, limits);
