/** What a relay says of itself at `/healthz`. */
import type { RelayErrorCode, RelayFault } from './faults.js';
import type { RelayStore } from './store.js';

export interface HealthReport {
  /** `degraded`: it answers, but not with all it has. `closing` and `error` come with 503. */
  status: 'ok' | 'degraded' | 'closing' | 'error';
  /** What is not as it should be: `store`, `model` (as of the last question), `streams` (no further one is taken). */
  degraded?: string[];
}

/** Faults of the model that concern every request, not only the one that met it. */
const general: ReadonlySet<RelayErrorCode> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_auth',
  'upstream_not_found',
  'upstream_quota',
  'upstream_busy',
  'upstream_error',
  'bad_reply',
]);

export interface Health {
  /** How the last question to the model ended; without a fault it was answered, or nobody waited. */
  asked(fault?: RelayFault): void;
  report(now: { store: RelayStore | undefined; closing: boolean; full: boolean }): HealthReport;
}

export function createHealth(): Health {
  let isModelWell = true;
  return {
    asked(fault) {
      isModelWell = !fault || !general.has(fault.code);
    },
    report({ store, closing, full }) {
      if (!store) return { status: 'error', degraded: ['store'] };
      const degraded = [...(store.troubled?.() ? ['store'] : []), ...(isModelWell ? [] : ['model']), ...(full ? ['streams'] : [])];
      const status = closing ? 'closing' : degraded.length > 0 ? 'degraded' : 'ok';
      return { status, ...(degraded.length > 0 && { degraded }) };
    },
  };
}
