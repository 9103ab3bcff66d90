/** The wires that come with the package; the only file that names them all. Each loads when it is first used. */
import type { Wire } from './wire.js';

interface BuiltInWire {
  readonly id: string;
  /** Whether `wire="auto"` takes it for this address (contract §7 G). */
  fits(url: URL): boolean;
  load(): Promise<Wire>;
}

export const builtInWires: readonly BuiltInWire[] = [
  {
    id: 'openai',
    fits: (url) => /\/chat\/completions\/?$/.test(url.pathname),
    load: async () => (await import('./openai.js')).openai,
  },
  // Last: it takes what nobody else does.
  { id: 'cutie', fits: () => true, load: async () => (await import('./cutie.js')).cutie },
];
