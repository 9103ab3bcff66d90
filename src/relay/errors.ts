/**
 * All errors of the relay. A page uses the `code` and shows its own text in the user's language; the English sentence is for programs and
 * logs.
 */
import { errorCodes } from '../model/error-codes.js';
import type { RelayErrorCode } from '../model/error-codes.js';

export type { RelayErrorCode } from '../model/error-codes.js';

/** The rule of the gate that a request breaks. */
export type GateReason = keyof typeof gateReasons;

const gateReasons = {
  no_claims: 'This service checks the order of tool calls, and the request does not say where it stands.',
  no_message: 'The request should bring a message of the user, but brings none.',
  unreadable: 'This service cannot read the format of these tool calls.',
  unknown_session: 'This conversation is not known here any more.',
  replayed: 'This request was answered before.',
  forged_call: 'The conversation tells of a tool call that the model did not make here.',
  unknown_result: 'The conversation tells of a result that belongs to no tool call.',
  unanswered: 'A tool call is still open.',
  unconfirmed: 'A tool call that needs confirmation was not confirmed.',
  rounds: 'There were too many rounds of tool calls for one message.',
  calls: 'The answer makes too many tool calls.',
  superseded: 'The conversation has gone on elsewhere.',
};

interface ErrorDetails {
  /** HTTP status of the response if nothing has been sent yet. Default: the status of the code. */
  status?: number;
  /** True if sending the same request again can succeed. Default: the value of the code in `errorCodes`. */
  retryable?: boolean;
  /** Whole seconds to wait before a retry. */
  retryAfter?: number | undefined;
  /** For 405: the allowed methods. */
  allow?: string;
  /** For `out_of_order`: the rule that was broken. */
  reason?: GateReason;
  /** For `context_too_long`: the model's limit in tokens, if the upstream reported it. */
  contextSize?: number | undefined;
  /** For `upstream_rejected`: the model accepts only its default temperature. */
  noTemperature?: boolean;
  /** For the log only, never sent to a client: may name hosts and causes. */
  detail?: unknown;
}

/** An error that is sent to the client. Its `message` must not contain a key, an address, or text from an upstream's body. */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  readonly code: RelayErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly more: Readonly<ErrorDetails>;

  constructor(message: string, code: RelayErrorCode, more: ErrorDetails = {}) {
    super(message);
    const [status, retryable] = errorCodes[code];
    this.code = code;
    this.status = more.status ?? status;
    this.retryable = more.retryable ?? retryable;
    this.more = more;
  }

  get detail(): unknown {
    return this.more.detail;
  }
}

/** Returns the object of an `error` event, which is also the body of a response that is not a stream. */
export function errorBody({ message, code, retryable, more: { reason, contextSize } }: RelayError) {
  return { type: 'error', message, code, retryable, ...(reason && { reason }), ...(contextSize !== undefined && { n_ctx: contextSize }) };
}

export function errorHeaders({ retryable, status, more: { retryAfter, allow } }: RelayError): Record<string, string> {
  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    // Clients retry a 5xx or a 409 by default: tell them if that cannot help.
    ...(!retryable && (status >= 500 || status === 409) && { 'x-should-retry': 'false' }),
    ...(allow !== undefined && { allow }),
  };
}

/** Turns an error into a response that is not a stream. */
export function errorResponse(error: RelayError): Response {
  return new Response(JSON.stringify(errorBody(error)), {
    status: error.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...errorHeaders(error) },
  });
}

/** Longest origin that a refusal quotes, in characters. */
const LONGEST_ORIGIN = 200;

/** `Retry-After` of a relay that is full or closing, in seconds. */
const WAIT_S = 5;

const createError = (message: string, code: RelayErrorCode, more?: ErrorDetails) => new RelayError(message, code, more);

const upstreamMessages = {
  upstream_quota: 'The account with the model service is used up.',
  upstream_auth: 'The model service does not accept this server.',
  upstream_not_found: 'The model service knows neither this address nor this model.',
  upstream_rate_limit: 'The model service has too many requests, please try again later.',
  upstream_timeout: 'The model service took too long to answer.',
  upstream_busy: 'The model service is busy right now.',
  upstream_error: 'The model service has a problem right now.',
  upstream_rejected: 'The model service did not accept the request.',
};

export const relayErrors = {
  badRequest: (message: string) => createError(message, 'bad_request'),
  forbiddenOrigin: (origin: string | null) =>
    createError(
      origin === null
        ? 'This service needs an Origin header (REQUIRE_ORIGIN).'
        : `This service does not allow the origin ${JSON.stringify(origin.slice(0, LONGEST_ORIGIN))}. Add it to \`allowedOrigins\` (ALLOWED_ORIGINS).`,
      'forbidden',
    ),
  unauthorised: () => createError('This service does not know who asks.', 'unauthorised'),
  notFound: (basePath = '') =>
    createError(`There is nothing at this address. A page asks by POST at an address that ends in ${basePath}/chat/stream.`, 'not_found'),
  unknownStream: () => createError('This answer is no longer kept here.', 'not_found'),
  forgotten: () => createError('This part of the answer is no longer kept.', 'not_found', { status: 410 }),
  methodNotAllowed: (allow: string) => createError('This address does not answer that method.', 'bad_request', { status: 405, allow }),
  bodyTooLarge: (most: number) => createError(`The conversation is too long to send: this service takes ${most} bytes.`, 'too_large'),
  bodyTimeout: () => createError('The request did not arrive in time.', 'body_timeout'),
  notJson: () => createError('The request must be JSON, with the content type application/json.', 'bad_request', { status: 415 }),
  tooManyRequests: (retryAfter: number) => createError('Too many requests, please try again later.', 'rate_limit', { retryAfter }),
  share: () => createError('This client already has as many open requests as it may.', 'rate_limit', { retryAfter: WAIT_S }),
  busy: () => createError('This service already has as many open answers as it can.', 'busy', { retryAfter: WAIT_S }),
  closing: () => createError('This service is being restarted.', 'closing', { retryAfter: WAIT_S }),
  connectionLost: (detail: unknown) => createError('The connection to the answer was lost.', 'connection_lost', { detail }),
  outOfOrder: (reason: GateReason) => createError(gateReasons[reason], 'out_of_order', { reason }),
  noStore: (detail: unknown) => createError('What was kept cannot be read right now.', 'store_unavailable', { detail }),
  stopped: () => createError('The answer was stopped.', 'stopped'),
  internal: (detail: unknown) => createError('Something went wrong on the server. Please try again.', 'internal', { detail }),

  unreachable: (detail: unknown) => createError('The model service cannot be reached right now.', 'upstream_unreachable', { detail }),
  timeout: () => createError(upstreamMessages.upstream_timeout, 'upstream_timeout'),
  stalled: () => createError('The model service fell silent in the middle of the answer.', 'upstream_stalled'),
  broken: (detail?: unknown) => createError('The answer of the model service broke off.', 'upstream_broken', { detail }),
  notAModel: (detail: unknown) => createError('The model service gave an answer that is not readable.', 'bad_reply', { detail }),
  replyTooLong: () => createError('The answer is too long.', 'reply_too_long'),
  timeLimit: () => createError('The answer took longer than this service allows.', 'time_limit'),
  contextTooLong: (contextSize: number | undefined, detail: unknown) =>
    createError('The conversation is too long for the model.', 'context_too_long', { contextSize, detail }),
  /** Translates an upstream's refusal for the client, with the waiting time from its headers. */
  refused: (code: keyof typeof upstreamMessages, more: ErrorDetails) => createError(upstreamMessages[code], code, more),
  reported: (detail: unknown, retryable: boolean) =>
    createError('The model service reported an error.', 'upstream_error', { retryable, detail }),
};
