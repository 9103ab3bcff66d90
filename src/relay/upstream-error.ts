/** Interprets an upstream's error response. Its text is never forwarded, since it may quote the prompt or the key. */
import { readBody } from '../base/read-body.js';
import { errorCodes } from '../model/error-codes.js';
import { field, arrayOf, parseJson, stringOf } from '../transports/read-fields.js';
import { refusesTemperature } from '../transports/no-temperature.js';
import { readRetryHeaders } from '../transports/retry-headers.js';
import { readTooLong } from '../transports/too-long.js';
import { faults } from './errors.js';
import type { RelayFault } from './errors.js';
import { within } from './timeouts.js';

/** Limits for reading an error body: only machine-readable fields are used, and a slow body is not waited for. */
const MOST = { bytes: 8_192, ms: 500, waitS: 86_400 };

/** Translates an error response of the upstream into an error for the client. */
export async function upstreamFault({ status, headers, body }: Response): Promise<RelayFault> {
  const stop = new AbortController();
  const reading = readBody(body, MOST.bytes, { signal: stop.signal });
  const late = () => (stop.abort(), reading);
  const { text } = await within<Awaited<typeof reading> | typeof reading>(reading, MOST.ms, late);
  const said = parseJson(text);
  // Google's API wraps its error in an array.
  const error = field(Array.isArray(said) ? arrayOf(said)[0] : said, 'error');
  const names = [field(error, 'code'), field(error, 'type')].map(stringOf);
  const reason = names.find((name) => name !== undefined)?.slice(0, 80);
  const sentence = stringOf(field(error, 'message')) ?? stringOf(error) ?? '';
  const detail = { upstreamStatus: status, reason };
  const long = tooLong(names.join(' '), sentence, field(error, 'n_ctx'));
  if (long || status === 413) return faults.contextTooLong(long?.contextSize, detail);
  const code = codeOf(status, reason);
  const [, isPassing] = errorCodes[code];
  const { retryAfterMs } = isPassing ? readRetryHeaders(headers) : {};
  return faults.refused(code, {
    detail,
    noTemperature: refusesTemperature(status, text),
    retryAfter: retryAfterMs && Math.min(MOST.waitS, Math.ceil(retryAfterMs / 1000)),
  });
}

function codeOf(status: number, reason: string | undefined): Parameters<typeof faults.refused>[0] {
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
export function tooLong(code: string, message: string, size?: unknown): { contextSize: number | undefined } | undefined {
  const read = readTooLong(`${code} ${message}`);
  return read && { contextSize: typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : read.window };
}
