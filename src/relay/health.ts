/** The health report at `/healthz`. */
import type { RelayErrorCode, RelayError } from './errors.js';
import type { RelayStore } from './store.js';

export interface HealthReport {
  /** `degraded`: the relay answers, but a part of it fails. `closing` and `error` come with 503. */
  status: 'ok' | 'degraded' | 'closing' | 'error';
  /** The failing parts: `store`, `model` (as of the last request), `streams` (no further request is accepted). */
  degraded?: string[];
}

/** Errors of the model that affect every request, not only the one that got them. */
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
  /** Records how the last request to the model ended. No error means that it was answered, or that the client left. */
  asked(fault?: RelayError): void;
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
