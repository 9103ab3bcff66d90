/** Every way a reply can fail, as data: its code, its layer and class, whether it is asked for again. No words for people: those are the catalogue's. */
import type { ChatError } from '../errors.js';

export type FailureKind =
  /** No connection, or the browser refused it (CORS, CSP, mixed content look the same from here). */
  | 'connect'
  /** Nothing came within the request time-out. */
  | 'timeout'
  /** The stream ended without its end marker, or the socket broke. */
  | 'cut'
  /** The connection is there, but nothing comes through it any more. */
  | 'stall'
  | 'unauthorised'
  | 'forbidden'
  | 'not-found'
  | 'too-long'
  | 'rate-limit'
  | 'server'
  | 'bad-request'
  | 'redirect'
  /** A 2xx that is no reply: a login page, JSON of an unknown shape. */
  | 'bad-response'
  /** One line, or the whole of a JSON body, is longer than the limit. */
  | 'too-large'
  /** The endpoint itself said so, inside its stream or its JSON. */
  | 'endpoint'
  | 'content-filter'
  /** The address or the headers the host gave cannot be used. */
  | 'config'
  /** The host's `beforeSend` refused the request. */
  | 'refused';

/** Which row of the retry table applies (contract §7 D). */
export type RetryClass = 'network' | 'server' | 'none';

/** A `ChatError` before somebody put it into words. */
export interface Failure extends Omit<ChatError, 'message'> {
  kind: FailureKind;
  /** What the endpoint said, cleaned: no markup, no keys, at most 200 characters. Only with kind `endpoint`. */
  detail?: string;
  /** With kind `connect`: the endpoint is on another origin, so it may be CORS that refused. */
  crossOrigin?: true;
  /** With kind `connect`: the browser says it is offline. */
  offline?: true;
}

type Row = Omit<Failure, 'kind' | 'status'>;

const network = (code: Failure['code'], errorType: 'network' | 'timeout'): Row => ({ code, layer: 'network', errorType, retryable: true });
const http = (retryable: boolean, errorType?: Failure['errorType']): Row => ({
  code: 'HTTP_ERROR',
  layer: 'network',
  retryable,
  ...(errorType && { errorType }),
});

const rows: Readonly<Record<FailureKind, Row>> = {
  connect: network('CONNECT_FAILED', 'network'),
  timeout: network('REQUEST_TIMEOUT', 'timeout'),
  cut: network('STREAM_CUT', 'network'),
  stall: network('STREAM_CUT', 'timeout'),
  unauthorised: http(false, 'auth'),
  forbidden: http(false, 'auth'),
  'not-found': http(false),
  'too-long': http(false),
  'rate-limit': http(true, 'rate_limit'),
  server: http(true),
  'bad-request': http(false),
  redirect: http(false),
  'bad-response': { code: 'BAD_RESPONSE', layer: 'parse', errorType: 'invalid_format', retryable: false },
  'too-large': { code: 'TOO_LARGE', layer: 'parse', errorType: 'invalid_format', retryable: false },
  endpoint: { code: 'ENDPOINT_ERROR', layer: 'business', retryable: true },
  'content-filter': { code: 'ENDPOINT_ERROR', layer: 'business', retryable: false },
  config: { code: 'CONFIG', layer: 'business', retryable: false },
  refused: { code: 'CONFIG', layer: 'business', retryable: false },
};

/** Builds a failure from its kind; `details` adds to, or overrides, what the kind says. */
export function failureOf(kind: FailureKind, details: Partial<Failure> = {}): Failure {
  return { kind, ...rows[kind], ...details };
}

const kindByStatus = new Map<number, FailureKind>([
  [401, 'unauthorised'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'not-found'],
  [408, 'timeout'],
  [409, 'server'],
  [410, 'not-found'],
  [413, 'too-long'],
  [429, 'rate-limit'],
]);

// Exactly the statuses of contract §7 D: a 501 or a 505 does not get better by asking again.
const busyStatuses = new Set([409, 429, 500, 502, 503, 504, 529]);

/** What an HTTP status says (S0-93 … S0-97). `status` 0 stands for a redirect that the browser kept to itself. */
export function failureOfStatus(status: number, tooLong = false): { error: Failure; retry: RetryClass } {
  const kind = status < 400 ? 'redirect' : status >= 500 ? 'server' : tooLong ? 'too-long' : (kindByStatus.get(status) ?? 'bad-request');
  const error = failureOf(kind, { code: 'HTTP_ERROR', ...(status > 0 && { status }), ...(status === 504 && { errorType: 'timeout' }) });
  return { error, retry: status === 408 ? 'network' : busyStatuses.has(status) ? 'server' : 'none' };
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
    .replace(/\bbearer \S+/gi, '[hidden]')
    .replace(/(?<![\w-])(?:sk|pk|rk|gsk|xai|key|token|ghp|xox[a-z])[-_][\w-]{4,}/gi, '[hidden]')
    // Nothing a person reads is one word of 32 letters and digits.
    .replace(/[\w+/=-]{32,}/g, '[hidden]')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : clean;
}
