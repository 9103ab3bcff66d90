/** A fault as a response that is no stream. */
import { faultBody } from './faults.js';
import type { RelayFault } from './faults.js';

export function refuse(fault: RelayFault): Response {
  return new Response(JSON.stringify(faultBody(fault)), {
    status: fault.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...faultHeaders(fault) },
  });
}

export function faultHeaders({ retryAfter, retryable, status, allow }: RelayFault): Record<string, string> {
  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    // A 5xx or a 409 reads like "try again": say so where that is no use.
    ...(!retryable && (status >= 500 || status === 409) && { 'x-should-retry': 'false' }),
    ...(allow !== undefined && { allow }),
  };
}
