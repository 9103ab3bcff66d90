/** Interprets an upstream's error response. Its text is never forwarded, since it may quote the prompt or the key. */
import { readBody } from '../base/read-body.js';
import { errorCodes } from '../model/error-codes.js';
import { field, arrayOf, parseJson, stringOf } from '../transports/read-fields.js';
import { isTemperatureError } from '../transports/fixed-temperature.js';
import { readRetryHeaders } from '../transports/retry-headers.js';
import { parseContextLength } from '../transports/context-length-error.js';
import { relayErrors } from './errors.js';
import type { RelayError } from './errors.js';
import { withTimeout } from './timeouts.js';

/** Limits for reading an error body: only machine-readable fields are used, and a slow body is not waited for. */
const MOST = { bytes: 8_192, ms: 500, waitS: 86_400 };

/** Translates an error response of the upstream into an error for the client. */
export async function parseUpstreamError({ status, headers, body }: Response): Promise<RelayError> {
  const stop = new AbortController();
  const reading = readBody(body, MOST.bytes, { signal: stop.signal });
  const late = () => (stop.abort(), reading);
  const { text } = await withTimeout<Awaited<typeof reading> | typeof reading>(reading, MOST.ms, late);
  const said = parseJson(text);
  // Google's API wraps its error in an array.
  const error = field(Array.isArray(said) ? arrayOf(said)[0] : said, 'error');
  const names = [field(error, 'code'), field(error, 'type')].map(stringOf);
  const reason = names.find((name) => name !== undefined)?.slice(0, 80);
  const sentence = stringOf(field(error, 'message')) ?? stringOf(error) ?? '';
  const detail = { upstreamStatus: status, reason };
  const long = contextLengthOf(names.join(' '), sentence, field(error, 'n_ctx'));
  if (long || status === 413) return relayErrors.contextTooLong(long?.contextSize, detail);
  const code = codeOf(status, reason);
  const [, isPassing] = errorCodes[code];
  const { retryAfterMs } = isPassing ? readRetryHeaders(headers) : {};
  return relayErrors.refused(code, {
    detail,
    noTemperature: isTemperatureError(status, text),
    retryAfter: retryAfterMs && Math.min(MOST.waitS, Math.ceil(retryAfterMs / 1000)),
  });
}

function codeOf(status: number, reason: string | undefined): Parameters<typeof relayErrors.refused>[0] {
  // An exhausted account also gets 429, but waiting does not help.
  if (status === 402 || reason === 'insufficient_quota') return 'upstream_quota';
  if (status === 401 || status === 403) return 'upstream_auth';
  if (status < 400 || status === 404 || status === 405 || status === 410) return 'upstream_not_found';
  if (status === 429) return 'upstream_rate_limit';
  if (status === 408 || status === 504) return 'upstream_timeout';
  if (status === 503 || status === 529) return 'upstream_busy';
  return status >= 500 || status === 409 || status === 425 ? 'upstream_error' : 'upstream_rejected';
}

/**
 * Recognizes an error about a prompt that is too long.
 *
 *   @param size the context size that the upstream reports in a separate field
 */
export function contextLengthOf(code: string, message: string, size?: unknown): { contextSize: number | undefined } | undefined {
  const read = parseContextLength(`${code} ${message}`);
  return read && { contextSize: typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : read.window };
}
