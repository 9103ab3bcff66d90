/**
 * Everything that can go wrong in the relay (S0-116, S0-118). A page goes by the `code` and finds words of its own, in its reader's language;
 * the one English sentence beside it is for programs and logs.
 */

/** `code` of an `error` event, and of the body of a refusal. `docs/relay.md` says of each what it means and what helps. */
export type RelayErrorCode = RequestErrorCode | ModelErrorCode;

/** What the relay itself says of a request or of its own state. */
type RequestErrorCode =
  | 'bad_request'
  | 'forbidden'
  | 'unauthorised'
  | 'not_found'
  | 'too_large'
  | 'body_timeout'
  | 'rate_limit'
  | 'busy'
  | 'closing'
  | 'connection_lost'
  | 'out_of_order'
  | 'store_unavailable'
  | 'stopped'
  | 'internal';

/** What happened between the relay and the model. */
type ModelErrorCode =
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'upstream_stalled'
  | 'upstream_broken'
  | 'upstream_auth'
  | 'upstream_not_found'
  | 'upstream_rejected'
  | 'upstream_rate_limit'
  | 'upstream_quota'
  | 'upstream_busy'
  | 'upstream_error'
  | 'context_too_long'
  | 'bad_reply'
  | 'reply_too_long'
  | 'time_limit';

/** Which rule of the gate a request breaks (S4-03). */
export type GateReason = keyof typeof gateReasons;

const gateReasons = {
  no_claims: 'This service checks the order of tool calls, and the request does not say where it stands.',
  no_message: 'The request is said to bring a message of the person, and brings none.',
  unreadable: 'This service cannot read the notation of these tool calls.',
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

export interface RelayFaultDetails {
  code: RelayErrorCode;
  /** HTTP status to answer with while nothing has been sent yet. */
  status: number;
  /** Whether sending the same again can help. */
  retryable?: boolean;
  /** Whole seconds to wait first. */
  retryAfter?: number | undefined;
  /** With 405: the methods that are answered. */
  allow?: string;
  /** With `out_of_order`. */
  reason?: GateReason;
  /** With `context_too_long`: tokens that the model takes, where it said so. */
  contextSize?: number | undefined;
  /** For the log only: may name hosts and causes, never reaches a client. */
  detail?: unknown;
}

/** `message` is for people: no key, no address, nothing of an upstream's body. */
export class RelayFault extends Error {
  readonly code: RelayErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  readonly allow: string | undefined;
  readonly reason: GateReason | undefined;
  readonly contextSize: number | undefined;
  readonly detail: unknown;

  constructor(message: string, { code, status, retryable = false, retryAfter, allow, reason, contextSize, detail }: RelayFaultDetails) {
    super(message);
    this.name = 'RelayFault';
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.retryAfter = retryAfter;
    this.allow = allow;
    this.reason = reason;
    this.contextSize = contextSize;
    this.detail = detail;
  }
}

/** The object of an `error` event, and the body of an answer that is no stream. */
export function faultBody({ message, code, retryable, reason, contextSize }: RelayFault) {
  return { type: 'error', message, code, retryable, ...(reason && { reason }), ...(contextSize !== undefined && { n_ctx: contextSize }) };
}

/** Seconds that a relay which is full, or about to go, asks to wait. */
const WAIT_S = 5;

type About = Omit<RelayFaultDetails, 'code' | 'status'>;
const fault = (message: string, code: RelayErrorCode, status: number, about: About = {}) =>
  new RelayFault(message, { code, status, ...about });
/** The same again may help. */
const passing = (message: string, code: RelayErrorCode, status: number, about: About = {}) =>
  fault(message, code, status, { retryable: true, ...about });

export const faults = {
  badRequest: (message: string) => fault(message, 'bad_request', 400),
  forbiddenOrigin: () => fault('This site may not use this service.', 'forbidden', 403),
  unauthorised: () => fault('This service does not know who asks.', 'unauthorised', 401),
  notFound: () => fault('There is nothing at this address.', 'not_found', 404),
  unknownStream: () => fault('This answer is no longer kept here.', 'not_found', 404),
  forgotten: () => fault('This part of the answer is no longer kept.', 'not_found', 410),
  methodNotAllowed: (allow: string) => fault('This address does not answer that method.', 'bad_request', 405, { allow }),
  bodyTooLarge: () => fault('The conversation is too long to send.', 'too_large', 413),
  bodyTimeout: () => fault('The request did not arrive in time.', 'body_timeout', 408, { retryable: true }),
  notJson: () => fault('The request must be JSON.', 'bad_request', 415),
  tooManyRequests: (retryAfter: number) => passing('Too many requests, please try again later.', 'rate_limit', 429, { retryAfter }),
  busy: () => passing('This service has as many answers under way as it can.', 'busy', 503, { retryAfter: WAIT_S }),
  closing: () => passing('This service is being restarted.', 'closing', 503, { retryAfter: WAIT_S }),
  connectionLost: (detail: unknown) => passing('The connection to the answer was lost.', 'connection_lost', 502, { detail }),
  outOfOrder: (reason: GateReason) => fault(gateReasons[reason], 'out_of_order', 409, { reason }),
  noStore: (detail: unknown) => passing('What was kept cannot be read right now.', 'store_unavailable', 503, { detail }),
  stopped: () => fault('The answer was stopped.', 'stopped', 409),
  internal: (detail: unknown) => passing('Something went wrong on the server. Please try again.', 'internal', 500, { detail }),

  unreachable: (detail: unknown) => passing('The model service cannot be reached right now.', 'upstream_unreachable', 502, { detail }),
  timeout: () => passing('The model service took too long to answer.', 'upstream_timeout', 504),
  stalled: () => passing('The model service fell silent in the middle of the answer.', 'upstream_stalled', 504),
  broken: (detail?: unknown) => passing('The answer of the model service broke off.', 'upstream_broken', 502, { detail }),
  notAModel: (detail: unknown) => fault('The model service gave an answer that is not readable.', 'bad_reply', 502, { detail }),
  replyTooLong: () => fault('The answer is too long.', 'reply_too_long', 502),
  timeLimit: () => fault('The answer took longer than this service allows.', 'time_limit', 504),
  contextTooLong: (contextSize: number | undefined, detail: unknown) =>
    fault('The conversation is too long for the model.', 'context_too_long', 413, { contextSize, detail }),
  reported: (detail: unknown, retryable: boolean) =>
    fault('The model service reported an error.', 'upstream_error', 502, { retryable, detail }),
};

/** What an upstream said beside its status, or inside its stream. */
export interface UpstreamReason {
  /** Its own error code. */
  reason?: string | undefined;
  tooLong?: { contextSize: number | undefined } | undefined;
}

/** What an upstream's refusal means to the client. */
export function faultOfStatus(status: number, headers: Headers, { reason, tooLong }: UpstreamReason = {}): RelayFault {
  const detail = { upstreamStatus: status, reason };
  const waiting = { retryAfter: retryAfterSeconds(headers), detail };
  if (tooLong || status === 413) return faults.contextTooLong(tooLong?.contextSize, detail);
  // An exhausted account answers 429 too, and no waiting helps it.
  if (status === 402 || reason === 'insufficient_quota')
    return fault('The account with the model service is used up.', 'upstream_quota', 502, { detail });
  // A refused key is the operator's to mend: a 401 would tell the visitor to sign in.
  if (status === 401 || status === 403) return fault('The model service does not accept this server.', 'upstream_auth', 502, { detail });
  if (status < 400 || status === 404 || status === 405 || status === 410)
    return fault('The model service knows neither this address nor this model.', 'upstream_not_found', 502, { detail });
  if (status === 429)
    return passing('The model service has too many requests, please try again later.', 'upstream_rate_limit', 429, waiting);
  if (status === 408 || status === 504) return passing('The model service took too long to answer.', 'upstream_timeout', 504, waiting);
  if (status === 503 || status === 529) return passing('The model service is busy right now.', 'upstream_busy', 503, waiting);
  if (status >= 500 || status === 409 || status === 425)
    return passing('The model service has a problem right now.', 'upstream_error', 502, waiting);
  return fault('The model service did not accept the request.', 'upstream_rejected', 502, { detail });
}

function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(86_400, Math.max(0, Math.ceil(seconds))) : undefined;
}
