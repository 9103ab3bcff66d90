/** Reads text in which nothing can be called: under `protocol="native"`, and where there is no tool. */
import type { ProtocolReader } from './protocol.js';
import { createTextMode } from './text-mode.js';

const noCalls = { openers: '<', open: () => -1, inside: false, read: (_: string, at: number) => at, inspect: () => ({ state: 'text' }) };

/** Reasoning is still told from the answer, but nothing in the text is a call. */
export const nativeReader: Required<ProtocolReader> = {
  id: 'native',
  createParser: (emit, options) => createTextMode(() => noCalls, emit, options),
};
