/** What an endpoint says instead of a reply: an HTTP status with its headers, or an error in the stream. Loaded when it does. */
import type { Failure, FailureKind, RetryClass } from './failure.js';
import { failureOf } from './failure.js';
import { field, parseJson, stringOf } from './read-fields.js';
import { failureOfCode } from './relay-codes.js';
import type { RetryHint } from './retry.js';
import { readRetryHeaders } from './retry-headers.js';
import { readTooLong } from './too-long.js';
import { STOPPED } from './watch.js';
import type { Watch } from './watch.js';
import type { WireEvent } from './wire.js';

export interface Refusal extends RetryHint {
  error: Failure;
  /** In mid-answer: the rest of it is lost. */
  cut?: boolean;
}

/** An error inside a reply. Asked again by itself only where the endpoint says so and nothing of the reply was there yet. */
export function readComplaint(event: WireEvent & { type: 'error' }, begun: boolean): Refusal {
  const { code = '', window } = event;
  const gate = gateOf(code, event.reason);
  if (gate !== undefined) return { error: gated(gate), retry: 'none' };
  const tooLong = readTooLong(`${code} ${event.message}`);
  if (tooLong) return { error: { ...failureOfStatus(413).error, ...(window !== undefined && { window }), ...tooLong }, retry: 'none' };
  const known = failureOfCode(code);
  if (known) {
    // The user can always retry a reply that was cut off.
    const error = { ...known.error, retryable: known.cut || (known.error.retryable && event.retryable !== false) };
    return { error, cut: known.cut, retry: event.retryable === true && !known.final && !begun ? 'server' : 'none' };
  }
  const detail = cleanDetail(event.message);
  return {
    error: failureOf('endpoint', { retryable: event.retryable ?? true, ...(detail !== '' && { detail }) }),
    retry: event.retryable === true && !begun ? 'server' : 'none',
  };
}

const HEAD_BYTES = 4096;
const HEAD_MS = 2000;

/** Statuses with which services say more than the status does. */
const TELLING = [400, 403, 404, 408, 409, 413, 422, 429, 500, 501, 502, 503, 504];

/**
 * A status that is not 2xx. Its body is never shown; it is looked at only where it tells a conversation that is too long, or an endpoint
 * that takes no tools, from a bad request or a server's fault, or holds a code of our relay.
 */
export async function readRefusal({ status, body, headers }: Response, watch: Watch): Promise<Refusal> {
  let head = '';
  if (body && TELLING.includes(status)) head = await readHead(body, watch);
  else void body?.cancel().catch(() => {});
  const said = readBody(head);
  const code = stringOf(field(said, 'code')) ?? '';
  const gate = status === 409 ? gateOf(code, stringOf(field(said, 'reason'))) : undefined;
  if (gate !== undefined) return { error: gated(gate, status), retry: 'none' };
  const tooLong = readTooLong(head);
  if (tooLong) return { error: { ...failureOfStatus(413).error, status, ...tooLong }, retry: 'none' };
  const known = failureOfCode(code, status);
  if (known) {
    const error = { ...known.error, retryable: known.error.retryable && field(said, 'retryable') !== false };
    return { error, ...readRetryHeaders(headers), retry: known.final ? 'none' : failureOfStatus(status).retry };
  }
  const noTools = NO_TOOLS.test(head) && { noTools: true as const };
  const { error, retry } = failureOfStatus(status);
  return { error: { ...error, ...noTools }, ...readRetryHeaders(headers), retry: noTools ? 'none' : retry };
}

/** llama.cpp without its templates, Ollama, vLLM, OpenRouter. */
const NO_TOOLS =
  /requires --jinja|does(?: not|n't) support tools|tools? (?:is|are) not supported|support tool use|--enable-auto-tool-choice/i;

/** The rule that was broken, in our relay's own word for it. */
function gateOf(code: string, reason = ''): string | undefined {
  return code === 'out_of_order' && /^[a-z_]{1,40}$/.test(reason) ? reason : undefined;
}

function gated(gate: string, status?: number): Failure {
  const code = status === undefined ? 'ENDPOINT_ERROR' : 'HTTP_ERROR';
  return { kind: 'gated', code, layer: 'business', ...(status !== undefined && { status }), retryable: false, gate };
}

/** On its streaming route our relay refuses with an event, as it answers there; elsewhere, and everybody else, with plain JSON. */
function readBody(head: string): unknown {
  const event = /^data: ?(.+)/m.exec(head)?.[1];
  return parseJson(head) ?? (event === undefined ? undefined : parseJson(event));
}

async function readHead(body: ReadableStream<Uint8Array>, watch: Watch): Promise<string> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  watch.attach(cancel);
  const stopTimer = watch.timer(cancel, HEAD_MS);
  const decoder = new TextDecoder();
  let head = '';
  try {
    while (head.length < HEAD_BYTES) {
      const { value } = await reader.read();
      if (!value) break;
      head += decoder.decode(value.subarray(0, HEAD_BYTES), { stream: true });
    }
  } catch {
    // What has come so far will do.
  }
  stopTimer();
  if (watch.stopped === 'signal') throw STOPPED; // a clock that rang meanwhile changes nothing: the status is known
  return head;
}

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorised',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-found',
  408: 'timeout',
  409: 'server',
  410: 'not-found',
  413: 'too-long',
  429: 'rate-limit',
};

const errorTypes: Partial<Record<FailureKind, Failure['errorType']>> = {
  unauthorised: 'auth',
  forbidden: 'auth',
  'rate-limit': 'rate_limit',
  timeout: 'timeout',
};

// No other status of the 500s: a 501 or a 505 does not get better by asking again.
const retried: Readonly<Record<number, RetryClass>> = {
  ...{ 408: 'network', 409: 'busy', 429: 'busy' },
  ...{ 500: 'server', 502: 'server', 503: 'server', 504: 'server', 529: 'server' },
};

/** What an HTTP status says (S0-93 … S0-97). `status` 0 stands for a redirect that the browser kept to itself. */
export function failureOfStatus(status: number): { error: Failure; retry: RetryClass } {
  const kind = status < 400 ? 'redirect' : status >= 500 ? 'server' : (kinds[status] ?? 'bad-request');
  const errorType = status === 504 ? 'timeout' : errorTypes[kind];
  const error: Failure = {
    kind,
    code: 'HTTP_ERROR',
    layer: 'network',
    retryable: kind === 'server' || kind === 'rate-limit' || kind === 'timeout',
    ...(errorType && { errorType }),
    ...(status > 0 && { status }),
  };
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
