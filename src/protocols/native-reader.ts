/** Reads text without calls: under `protocol="native"`, and if there are no tools. */
import type { ProtocolReader } from './protocol.js';
import { createTextMode, type Notation } from './text-mode.js';

const noCalls: Notation = {
  openers: '',
  open: () => -1,
  inside: false,
  read: (_, at) => at,
  isEmpty: true,
  inspect: () => ({ state: 'text' }),
};

/** A reader that separates reasoning from the answer, but finds no calls. */
export const nativeReader: Required<ProtocolReader> = {
  id: 'native',
  createParser: (emit, options) => createTextMode(() => noCalls, emit, options),
};
