/** What an endpoint says instead of a reply: an HTTP status with its headers, or an error in the stream. Loaded when it does. */
import { own } from '../base/objects.js';
import { readBody } from '../base/read-body.js';
import { errorCodes } from '../model/error-codes.js';
import type { Failure, FailureKind, RetryClass } from './failure.js';
import { failureOf } from './failure.js';
import { field, parseJson, readError } from './read-fields.js';
import type { RetryHint } from './retry.js';
import { readRetryHeaders } from './retry-headers.js';
import { refusesTemperature } from './no-temperature.js';
import { readTooLong } from './too-long.js';
import { STOPPED } from './watch.js';
import type { Watch } from './watch.js';
import type { WireEvent } from './wire.js';

export interface Refusal extends RetryHint {
  error: Failure;
  /** In mid-answer: the rest of it is lost. */
  cut?: boolean;
}

type Complaint = WireEvent & { type: 'error' };

/**
 * An error inside a reply. Asked again by itself only where the endpoint says so and nothing of the reply was there yet.
 *
 * @param isRelays It came in the form that our relay speaks. The codes of others may be the same words, and mean another thing.
 */
export function readComplaint(event: Complaint, begun: boolean, isRelays = true): Refusal {
  const detail = cleanDetail(event.message);
  // Neither a web page nor plain text is a word of the service.
  if (event.code === 'PLAIN_TEXT' || (event.code === 'BAD_RESPONSE' && event.message.trimStart().startsWith('<')))
    return { error: failureOf('bad-response', { detail }), retry: 'none' };
  const error =
    known(isRelays ? event : { ...event, code: '' }, `${event.code ?? ''} ${event.message}`) ??
    failureOf('endpoint', detail === '' ? {} : { detail });
  // The user can always retry a reply that was cut off.
  const cut = error.kind === 'cut';
  const retryable = cut || (error.retryable && event.retryable !== false);
  return { error: { ...error, retryable }, cut, retry: event.retryable === true && error.retryable && !begun ? 'server' : 'none' };
}

const HEAD_BYTES = 4096;
const HEAD_MS = 2000;

/**
 * A status that is not 2xx. Of its body only the cleaned message is shown, under Details; it is looked at because it may tell a conversation that is too long, or an endpoint
 * that takes no tools, from a bad request or a server's fault, or hold a code of our relay.
 */
export async function readRefusal({ status, body, headers }: Response, watch: Watch, isTaken = false): Promise<Refusal> {
  const text = body && !isTaken ? await readHead(body, watch) : '';
  const byStatus = failureOfStatus(status);
  const hints = readRetryHeaders(headers);
  // On its streaming route our relay refuses with an event, as it answers there; elsewhere, and everybody else, with plain JSON.
  const said = parseJson(text) ?? parseJson(/^data: ?(.+)/m.exec(text)?.[1] ?? '');
  // The codes of others stand in an object of their own.
  const complaint: Complaint = field(said, 'error') === undefined ? readError(said) : { type: 'error', message: '' };
  const error = known(complaint, text, status);
  if (error) {
    const retryable = error.retryable && complaint.retryable !== false;
    return { error: { ...error, retryable }, ...hints, retry: retryable ? byStatus.retry : 'none' };
  }
  const detail = cleanDetail(readError(said).message);
  const noTools = NO_TOOLS.test(text) && { noTools: true as const };
  const noTemperature = refusesTemperature(status, text) && { noTemperature: true as const };
  const unknown = { ...byStatus.error, ...noTools, ...noTemperature, ...(detail !== '' && { detail }) };
  return { error: unknown, ...hints, retry: noTools ? 'none' : byStatus.retry };
}

async function readHead(body: NonNullable<Response['body']>, watch: Watch): Promise<string> {
  const stop = new AbortController();
  watch.attach(() => stop.abort());
  const stopTimer = watch.timer(() => stop.abort(), HEAD_MS);
  const { text } = await readBody(body, HEAD_BYTES, { signal: stop.signal });
  stopTimer();
  if (watch.stopped === 'signal') throw STOPPED; // a clock that rang meanwhile changes nothing: the status is known
  return text;
}

/** llama.cpp without its templates, Ollama, vLLM, OpenRouter. */
const NO_TOOLS =
  /requires --jinja|does(?: not|n't) support tools|tools? (?:is|are) not supported|support tool use|--enable-auto-tool-choice/i;

/**
 * A code of our relay, or a conversation that is too long, in whatever shape it came.
 *
 * @param text all that was said
 * @param status none inside a stream
 */
export function known({ code = '', reason = '', window }: Complaint, text: string, status?: number): Failure | undefined {
  const row = own(errorCodes, code) as (typeof errorCodes)[keyof typeof errorCodes] | undefined;
  const tooLong = row?.[2] !== 'gated' && readTooLong(text);
  if (tooLong)
    return failureOf('too-long', {
      status: status ?? 413,
      ...(row && { said: code }),
      ...(window !== undefined && { window }),
      ...tooLong,
    });
  // Which rule of the gate was broken is in our relay's own word for it.
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

// No other status of the 500s: a 501 or a 505 does not get better by asking again.
const retried: Readonly<Record<number, RetryClass>> = {
  ...{ 408: 'network', 409: 'busy', 429: 'busy' },
  ...{ 500: 'server', 502: 'server', 503: 'server', 504: 'server', 529: 'server' },
};

/** What an HTTP status says. `status` 0 stands for a redirect that the browser kept to itself. */
export function failureOfStatus(status: number): { error: Failure; retry: RetryClass } {
  const kind = status < 400 ? 'redirect' : status >= 500 ? 'server' : (kinds[status] ?? 'bad-request');
  const error = failureOf(kind, {
    ...({ code: 'HTTP_ERROR' } as const),
    ...(status === 504 && { errorType: 'timeout' as const }),
    ...(status > 0 && { status }),
  });
  return { error, retry: retried[status] ?? 'none' };
}

const MAX_DETAIL = 200;

/**
 * One plain sentence out of what a server sent: control and direction characters, tags, and whatever looks like a key are taken out.
 * Linear: the input is cut to 2,000 UTF-16 units first.
 */
export function cleanDetail(text: string): string {
  const clean = text
    .slice(0, 2000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replace(/<[a-z/!?][^<>]*>?/gi, ' ')
    // Nothing a person reads is one word of 32 letters and digits.
    .replace(/\bbearer \S+|(?<![\w-])(?:sk|pk|rk|gsk|xai|key|token|ghp|xox[a-z])[-_][\w-]{4,}|[\w+/=-]{32,}/gi, '[hidden]')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : clean;
}
