/** Everything that can go wrong in the relay, and the one sentence people get to read about it (S0-116, S0-118). */
import type { ErrorType } from '../errors.js';

/** `code` of an `error` event. The error classes are the page's own, so that it can translate and choose a strategy by them. */
export type RelayErrorCode =
  ErrorType | 'upstream_error' | 'bad_request' | 'forbidden' | 'not_found' | 'too_large' | 'stopped' | 'out_of_order' | 'internal';

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
  retryAfter?: number;
  /** With 405: the methods that are answered. */
  allow?: string;
  /** With `out_of_order`. */
  reason?: GateReason;
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
  readonly detail: unknown;

  constructor(message: string, { code, status, retryable = false, retryAfter, allow, reason, detail }: RelayFaultDetails) {
    super(message);
    this.name = 'RelayFault';
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.retryAfter = retryAfter;
    this.allow = allow;
    this.reason = reason;
    this.detail = detail;
  }
}

/** The object of an `error` event, and the body of an answer that is no stream. */
export function faultBody({ message, code, retryable, reason }: RelayFault) {
  return { type: 'error', message, code, retryable, ...(reason && { reason }) };
}

export const faults = {
  badRequest: (message: string) => new RelayFault(message, { code: 'bad_request', status: 400 }),
  forbiddenOrigin: () => new RelayFault('This site may not use this service.', { code: 'forbidden', status: 403 }),
  notFound: () => new RelayFault('There is nothing at this address.', { code: 'not_found', status: 404 }),
  unknownStream: () => new RelayFault('This answer is no longer kept here.', { code: 'not_found', status: 404 }),
  forgotten: () => new RelayFault('This part of the answer is no longer kept.', { code: 'not_found', status: 410 }),
  methodNotAllowed: (allow: string) =>
    new RelayFault('This address does not answer that method.', { code: 'bad_request', status: 405, allow }),
  bodyTooLarge: () => new RelayFault('The conversation is too long to send.', { code: 'too_large', status: 413 }),
  notJson: () => new RelayFault('The request must be JSON.', { code: 'bad_request', status: 415 }),
  tooManyRequests: (retryAfter: number) =>
    new RelayFault('Too many requests, please try again later.', { code: 'rate_limit', status: 429, retryable: true, retryAfter }),
  internal: (detail: unknown) =>
    new RelayFault('Something went wrong on the server. Please try again.', { code: 'internal', status: 500, retryable: true, detail }),
  unreachable: (detail: unknown) =>
    new RelayFault('The model service cannot be reached right now.', { code: 'network', status: 502, retryable: true, detail }),
  timeout: () => new RelayFault('The model service took too long to answer.', { code: 'timeout', status: 504, retryable: true }),
  cut: (detail?: unknown) =>
    new RelayFault('The answer broke off before its end.', { code: 'network', status: 502, retryable: true, detail }),
  outOfOrder: (reason: GateReason) => new RelayFault(gateReasons[reason], { code: 'out_of_order', status: 409, reason }),
  noState: (detail: unknown) =>
    new RelayFault('The state of the conversation cannot be read right now.', { code: 'internal', status: 503, retryable: true, detail }),
  stopped: () => new RelayFault('The answer was stopped.', { code: 'stopped', status: 409 }),
  notAModel: (detail: unknown) =>
    new RelayFault('The model service gave an answer that is not readable.', { code: 'invalid_format', status: 502, detail }),
  replyTooLarge: () => new RelayFault('The answer is too long.', { code: 'too_large', status: 502 }),
  reported: (detail: unknown, retryable: boolean) =>
    new RelayFault('The model service reported an error.', { code: 'upstream_error', status: 502, retryable, detail }),
};

/** What an upstream's refusal means to the client. `reason`: the upstream's own error code, where it gave one. */
export function faultOfStatus(status: number, headers: Headers, reason: string | undefined): RelayFault {
  const detail = { upstreamStatus: status, reason };
  // A refused key is the operator's to mend: a 401 would tell the visitor to sign in.
  if (status === 401 || status === 403) {
    return new RelayFault('The model service does not accept this server. Please tell the site.', { code: 'auth', status: 502, detail });
  }
  if (status === 413 || reason === 'context_length_exceeded') {
    return new RelayFault('The conversation is too long for the model.', { code: 'too_large', status: 413, detail });
  }
  const retryAfter = retryAfterSeconds(headers);
  const wait = retryAfter === undefined ? {} : { retryAfter };
  if (status === 429) {
    return new RelayFault('The model service has too many requests, please try again later.', {
      code: 'rate_limit',
      status: 429,
      // An exhausted account answers 429 too, and no waiting helps it.
      retryable: reason !== 'insufficient_quota',
      ...wait,
      detail,
    });
  }
  if (status === 408 || status === 504) {
    return new RelayFault('The model service took too long to answer.', { code: 'timeout', status: 504, retryable: true, ...wait, detail });
  }
  if (status === 503 || status === 529) {
    return new RelayFault('The model service is busy right now.', {
      code: 'upstream_error',
      status: 503,
      retryable: true,
      ...wait,
      detail,
    });
  }
  if (status >= 500 || status === 409 || status === 425) {
    return new RelayFault('The model service has a problem right now.', {
      code: 'upstream_error',
      status: 502,
      retryable: true,
      ...wait,
      detail,
    });
  }
  return new RelayFault('The model service did not accept the request.', { code: 'invalid_format', status: 502, detail });
}

function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(86_400, Math.max(0, Math.ceil(seconds))) : undefined;
}
