/** All failures of a reply, as data: code, layer, class, and whether it is retried. The texts for users are in the message catalog. */
import type { ChatError } from '../base/errors.js';

export type FailureKind =
  /** No connection, or the browser refused it (CORS, CSP and mixed content look the same from here). */
  | 'connect'
  /** Nothing came within the request timeout. */
  | 'timeout'
  /** The stream ended without its end marker, or the socket broke. */
  | 'cut'
  /** The connection exists, but no more data arrives. */
  | 'stall'
  /** From here to `bad-request`, and `redirect`: kinds of HTTP statuses, created by `endpoint-errors.ts`. */
  | 'unauthorised'
  | 'forbidden'
  | 'not-found'
  | 'too-long'
  | 'rate-limit'
  | 'server'
  | 'bad-request'
  /** Our relay's validation: the request does not fit the conversation state there; `gate` names the rule. */
  | 'gated'
  | 'redirect'
  /**
   * Our relay reports these three about the model behind it: its configuration is wrong; it cannot be reached or fails; it does not answer,
   * or no longer.
   */
  | 'setup'
  | 'model-away'
  | 'model-silent'
  /** A 2xx that is not a reply: a login page, JSON of an unknown shape. */
  | 'bad-response'
  /** The page's own code, such as a wrapper around `fetch`, has read the body. */
  | 'body-taken'
  /** One line, or the complete JSON body, is longer than the limit. */
  | 'too-large'
  /** The endpoint itself reported an error, inside its stream or its JSON. */
  | 'endpoint'
  | 'content-filter'
  /** The address or the headers from the host cannot be used. */
  | 'config'
  /** The host's `beforeSend` refused the request. */
  | 'refused'
  /**
   * The browser's own model (`prompt-api:`): there is none, it must be downloaded after a click, or the conversation is too long for it.
   */
  | 'no-model'
  | 'needs-gesture'
  | 'overflow'
  /**
   * A model inside the page (`wllama:`): the user has not been told of its download yet, or the device has no room for it. `detail` is its
   * size in MB.
   */
  | 'needs-download'
  | 'no-room';

/** The row of the retry table that applies. */
export type RetryClass = 'network' | 'server' | 'busy' | 'none';

/** A `ChatError` without its message for the user. */
export interface Failure extends Omit<ChatError, 'message'> {
  kind: FailureKind;
  /**
   * The endpoint's message, cleaned: no markup, no keys, at most 200 characters. Only with kind `endpoint`, and with those that mention it.
   */
  detail?: string;
  /** The relay's code, for logs and details. */
  said?: string;
  /** With kind `gated`: the relay's name for the broken rule. */
  gate?: string;
  /** With kind `timeout`: set if the server had accepted the request. */
  afterHeaders?: true;
  /** With kind `too-long`: tokens that the model can read at once, and those of the request, if the endpoint names them. */
  window?: number;
  needed?: number;
  /** Set if the endpoint does not accept declared tools. */
  noTools?: true;
  /** Set if the model accepts no temperature except its own. */
  noTemperature?: true;
  /** With kind `connect`: the endpoint is on another origin, so CORS may be the cause. */
  crossOrigin?: true;
  /** With kind `connect`: the browser reports that it is offline. */
  offline?: true;
  /**
   * With kind `connect`: the endpoint is on this computer or in this network, the page is not, and browsers require permission for that.
   */
  localNetwork?: true;
}

type Row = readonly [code: Failure['code'], layer: Failure['layer'], retryable: boolean, errorType?: Failure['errorType']];

const rows: Readonly<Record<FailureKind, Row>> = {
  connect: ['CONNECT_FAILED', 'network', true, 'network'],
  timeout: ['REQUEST_TIMEOUT', 'network', true, 'timeout'],
  cut: ['STREAM_CUT', 'network', true, 'network'],
  stall: ['STREAM_CUT', 'network', true, 'timeout'],
  'bad-response': ['BAD_RESPONSE', 'parse', false, 'invalid_format'],
  'body-taken': ['BAD_RESPONSE', 'parse', false, 'invalid_format'],
  'too-large': ['TOO_LARGE', 'parse', false, 'invalid_format'],
  endpoint: ['ENDPOINT_ERROR', 'business', true],
  'content-filter': ['ENDPOINT_ERROR', 'business', false],
  config: ['CONFIG', 'business', false],
  refused: ['CONFIG', 'business', false],
  'no-model': ['CONFIG', 'business', false],
  'needs-gesture': ['CONFIG', 'business', true],
  overflow: ['ENDPOINT_ERROR', 'business', false],
  'needs-download': ['CONFIG', 'business', true],
  'no-room': ['CONFIG', 'business', false],
  unauthorised: ['HTTP_ERROR', 'network', false, 'auth'],
  forbidden: ['HTTP_ERROR', 'network', false, 'auth'],
  'not-found': ['HTTP_ERROR', 'network', false],
  'too-long': ['HTTP_ERROR', 'network', false],
  'rate-limit': ['HTTP_ERROR', 'network', true, 'rate_limit'],
  server: ['HTTP_ERROR', 'network', true],
  'bad-request': ['HTTP_ERROR', 'network', false],
  redirect: ['HTTP_ERROR', 'network', false],
  gated: ['HTTP_ERROR', 'business', false],
  setup: ['HTTP_ERROR', 'business', false],
  'model-away': ['HTTP_ERROR', 'network', true, 'network'],
  'model-silent': ['HTTP_ERROR', 'network', true, 'timeout'],
};

/** Builds a failure from its kind; `details` adds to, or overrides, the defaults of the kind. */
export function failureOf(kind: FailureKind, details: Partial<Failure> = {}): Failure {
  const [code, layer, retryable, errorType] = rows[kind];
  return { kind, code, layer, retryable, ...(errorType && { errorType }), ...details };
}
