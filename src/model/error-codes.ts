/**
 * The error codes of our relay, shared by both ends: the relay answers by this table, and a page finds its messages by it. docs/relay.md
 * explains each code.
 */
import type { ErrorType } from '../base/errors.js';

/**
 * HTTP status before the first byte; true if the same request may succeed later; the kind of failure (`transports/failure.ts`), which has
 * the message on screen. The user can do nothing about `setup` (the owner of the page can) or about `server` and `model-away`, which pass
 * with time.
 */
type Row = readonly [status: number, retryable: boolean, kind: string, errorType?: ErrorType];

export const errorCodes = {
  // Errors of the request, or of the relay itself.
  bad_request: [400, false, 'bad-request'],
  unauthorised: [401, false, 'unauthorised'],
  /** The relay does not serve the page's origin, so signing in would not help. */
  forbidden: [403, false, 'setup', 'auth'],
  not_found: [404, false, 'not-found'],
  body_timeout: [408, true, 'timeout'],
  out_of_order: [409, false, 'gated'],
  stopped: [409, false, 'cut'],
  too_large: [413, false, 'too-long'],
  rate_limit: [429, true, 'rate-limit'],
  internal: [500, true, 'server'],
  connection_lost: [502, true, 'cut'],
  busy: [503, true, 'server'],
  closing: [503, true, 'cut'],
  store_unavailable: [503, true, 'server'],
  // Errors between the relay and the model. A refused key is 502: a 401 would tell the user to sign in.
  upstream_auth: [502, false, 'setup', 'auth'],
  upstream_quota: [502, false, 'setup', 'auth'],
  upstream_not_found: [502, false, 'setup'],
  upstream_rejected: [502, false, 'bad-request', 'invalid_format'],
  context_too_long: [413, false, 'too-long'],
  upstream_rate_limit: [429, true, 'rate-limit'],
  upstream_busy: [503, true, 'model-away'],
  upstream_error: [502, true, 'model-away'],
  upstream_unreachable: [502, true, 'model-away'],
  upstream_timeout: [504, true, 'model-silent'],
  upstream_stalled: [504, true, 'model-silent'],
  upstream_broken: [502, true, 'cut'],
  bad_reply: [502, false, 'setup', 'invalid_format'],
  reply_too_long: [502, false, 'too-large'],
  time_limit: [504, false, 'model-silent'],
} as const satisfies Record<string, Row>;

/** `code` of an `error` event, and of the body of an error response. */
export type RelayErrorCode = keyof typeof errorCodes;
