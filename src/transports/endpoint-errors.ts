/** Errors that an endpoint returns instead of a reply: an HTTP status with its headers, or an error in the stream. Loaded on demand. */
import { own } from '../base/objects.js';
import { readBody } from '../base/read-body.js';
import { addEndpointTexts } from '../i18n/en-endpoint.js';
import { errorCodes } from '../model/error-codes.js';
import type { Failure, FailureKind, RetryClass } from './failure.js';
import { failureOf } from './failure.js';
import { arrayOf, field, parseJson, readError, stringOf } from './read-fields.js';
import type { RetryHint } from './retry.js';
import { readRetryHeaders } from './retry-headers.js';
import { isTemperatureError } from './fixed-temperature.js';
import { parseContextLength } from './context-length-error.js';
import { ABORTED } from './request-deadline.js';
import type { RequestDeadline } from './request-deadline.js';
import type { WireEvent } from './wire.js';

addEndpointTexts();

export interface EndpointError extends RetryHint {
  error: Failure;
  /** True if the error came in mid-answer, so the rest of the answer is lost. */
  cut?: boolean;
}

type ErrorEvent = WireEvent & { type: 'error' };

/**
 * Reads an error inside a reply. It is retried automatically only if the endpoint allows it and no part of the reply has come.
 *
 * @param isRelays True if the error is in the format of our relay. Other services may use the same codes with another meaning.
 */
export function parseStreamError(event: ErrorEvent, begun: boolean, isRelays = true): EndpointError {
  const detail = cleanDetail(event.message);
  // Neither a web page nor plain text is a message of the service.
  if (event.code === 'PLAIN_TEXT' || (event.code === 'BAD_RESPONSE' && event.message.trimStart().startsWith('<')))
    return { error: failureOf('bad-response', { detail }), retry: 'none' };
  const error =
    knownError(isRelays ? event : { ...event, code: '' }, `${event.code ?? ''} ${event.message}`) ??
    failureOf('endpoint', detail === '' ? {} : { detail });
  // The user can always retry a reply that was cut off.
  const cut = error.kind === 'cut';
  const retryable = cut || (error.retryable && event.retryable !== false);
  return { error: { ...error, retryable }, cut, retry: event.retryable === true && error.retryable && !begun ? 'server' : 'none' };
}

const HEAD_BYTES = 4096;
const HEAD_MS = 2000;

/**
 * Reads a response whose status is not 2xx. Only the cleaned message of its body is shown, under Details. The body is inspected because it
 * may contain a code of our relay, or show that the conversation is too long or that the endpoint does not accept tools.
 */
export async function parseHttpError(
  { status, body, headers }: Response,
  deadline: RequestDeadline,
  isTaken = false,
): Promise<EndpointError> {
  const text = body && !isTaken ? await readHead(body, deadline) : '';
  const byStatus = failureOfStatus(status);
  const hints = readRetryHeaders(headers);
  // On its streaming route our relay rejects with an event, in its normal format; elsewhere, and from other services, errors are plain
  // JSON.
  const said = parseJson(text) ?? parseJson(/^data: ?(.+)/m.exec(text)?.[1] ?? '');
  // Codes of other services are in a nested object.
  const complaint: ErrorEvent = field(said, 'error') === undefined ? readError(said) : { type: 'error', message: '' };
  const error = knownError(complaint, text, status);
  if (error) {
    const retryable = error.retryable && complaint.retryable !== false;
    return { error: { ...error, retryable }, ...hints, retry: retryable ? byStatus.retry : 'none' };
  }
  const detail = cleanDetail(readError(said).message || fieldErrors(said));
  const noTools = NO_TOOLS.test(text) && { noTools: true as const };
  const noTemperature = isTemperatureError(status, text) && { noTemperature: true as const };
  const unknown = { ...byStatus.error, ...noTools, ...noTemperature, ...(detail !== '' && { detail }) };
  return { error: unknown, ...hints, retry: noTools ? 'none' : byStatus.retry };
}

/** Returns the messages of FastAPI, which lists its errors by field, or has an object instead of a text. */
function fieldErrors(body: unknown): string {
  const detail = field(body, 'detail');
  const messages = (Array.isArray(detail) ? arrayOf(detail) : [detail]).map((one) => {
    const name = stringOf(arrayOf(field(one, 'loc')).at(-1));
    const message = stringOf(field(one, 'msg')) ?? stringOf(field(one, 'message')) ?? '';
    return name === undefined || message === '' ? message : `${name}: ${message}`;
  });
  return messages.filter((one) => one !== '').join('; ');
}

async function readHead(body: NonNullable<Response['body']>, deadline: RequestDeadline): Promise<string> {
  const stop = new AbortController();
  deadline.attach(() => stop.abort());
  const stopTimer = deadline.timer(() => stop.abort(), HEAD_MS);
  const { text } = await readBody(body, HEAD_BYTES, { signal: stop.signal });
  stopTimer();
  if (deadline.stopped === 'signal') throw ABORTED; // a timeout meanwhile does not matter, because the status is known
  return text;
}

/** Messages of llama.cpp without its templates, Ollama, vLLM and OpenRouter. */
const NO_TOOLS =
  /requires --jinja|does(?: not|n't) support tools|tools? (?:is|are) not supported|support tool use|--enable-auto-tool-choice/i;

/**
 * Recognizes a code of our relay, or a conversation that is too long, in any form.
 *
 * @param text The complete error text.
 * @param status The HTTP status; undefined inside a stream.
 */
export function knownError({ code = '', reason = '', window }: ErrorEvent, text: string, status?: number): Failure | undefined {
  const row = own(errorCodes, code) as (typeof errorCodes)[keyof typeof errorCodes] | undefined;
  const tooLong = row?.[2] !== 'gated' && parseContextLength(text);
  if (tooLong)
    return failureOf('too-long', {
      status: status ?? 413,
      ...(row && { said: code }),
      ...(window !== undefined && { window }),
      ...tooLong,
    });
  // Our relay names the broken validation rule in `reason`.
  if (!row || (row[2] === 'gated' && !/^[a-z_]{1,40}$/.test(reason))) return undefined;
  const [, retryable, kind, errorType] = row;
  return failureOf(kind, {
    ...(kind !== 'cut' && { code: status === undefined ? ('ENDPOINT_ERROR' as const) : ('HTTP_ERROR' as const) }),
    ...(status !== undefined && { status }),
    ...(errorType && { errorType }),
    ...(kind === 'gated' && { gate: reason }),
    ...{ retryable, said: code },
  });
}

const kinds: Readonly<Record<number, FailureKind>> = {
  ...{ 401: 'unauthorised', 403: 'forbidden', 404: 'not-found', 405: 'not-found', 408: 'timeout', 409: 'server' },
  ...{ 410: 'not-found', 413: 'too-long', 429: 'rate-limit' },
};

// No other 5xx status: retrying does not fix a 501 or a 505.
const retryClasses: Readonly<Record<number, RetryClass>> = {
  ...{ 408: 'network', 409: 'busy', 429: 'busy' },
  ...{ 500: 'server', 502: 'server', 503: 'server', 504: 'server', 529: 'server' },
};

/** Returns the failure for an HTTP status. 0 is a redirect that the browser does not reveal. */
export function failureOfStatus(status: number): { error: Failure; retry: RetryClass } {
  const kind = status < 400 ? 'redirect' : status >= 500 ? 'server' : (kinds[status] ?? 'bad-request');
  const error = failureOf(kind, {
    ...({ code: 'HTTP_ERROR' } as const),
    ...(status === 504 && { errorType: 'timeout' as const }),
    ...(status > 0 && { status }),
  });
  return { error, retry: retryClasses[status] ?? 'none' };
}

const MAX_DETAIL = 200;

/**
 * Returns one plain sentence from a server's text, without control and direction characters, tags, and anything that looks like a key.
 * Linear: the input is first cut to 2,000 UTF-16 units.
 */
export function cleanDetail(text: string): string {
  const clean = text
    .slice(0, 2000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replace(/<[a-z/!?][^<>]*>?/gi, ' ')
    // A word of 32 letters and digits is never meant for a user.
    .replace(/\bbearer \S+|(?<![\w-])(?:sk|pk|rk|gsk|xai|key|token|ghp|xox[a-z])[-_][\w-]{4,}|[\w+/=-]{32,}/gi, '[hidden]')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : clean;
}
