/** Selects a wire by the `wire` attribute and the address. */
import { load } from '../base/load.js';
import { builtInWires } from './built-in-wires.js';
import type { Wire } from './wire.js';

/**
 * Finds the wire with this id, the host's own first. `auto` selects the first wire that fits the address, else `cutie`.
 *
 * An unknown id is treated as `auto`: compare `wire.id` with the requested id, and warn. Rejects if the wire's module cannot be loaded.
 */
export async function chooseWire(id: string, endpoint: URL, registered: readonly Wire[] = []): Promise<Wire> {
  const own = registered.find((wire) => wire.id === id);
  if (own) return own;
  const builtIn = builtInWires.find((wire) => wire.id === id);
  if (builtIn) return load(builtIn.load);
  const fitting = registered.find((wire) => wire.fits?.(endpoint) === true) ?? builtInWires.find((wire) => wire.fits(endpoint));
  if (!fitting) throw new Error('No wire fits, not even `cutie`'); // `cutie` fits every address
  return 'load' in fitting ? load(fitting.load) : fitting;
}
