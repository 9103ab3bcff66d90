/** Options of the relay's gate, with their defaults. */
import type { GateLimits } from './validate-request.js';

export interface GateOptions extends GateLimits {
  /** Names of tools that always need confirmation, regardless of the risk that the page sends. */
  confirm: readonly string[];
  /** Milliseconds for which the state of a conversation is kept after its last request. */
  ageMs: number;
}

export const defaultGateOptions: GateOptions = { maxRounds: 25, maxCalls: 20, confirm: [], ageMs: 3_600_000 };
