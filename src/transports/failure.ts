/** Every way a reply can fail, as data: its code, its layer and class, whether it is asked for again. No words for people: those are the catalogue's. */
import type { ChatError } from '../base/errors.js';

export type FailureKind =
  /** No connection, or the browser refused it (CORS, CSP, mixed content look the same from here). */
  | 'connect'
  /** Nothing came within the request time-out. */
  | 'timeout'
  /** The stream ended without its end marker, or the socket broke. */
  | 'cut'
  /** The connection is there, but nothing comes through it any more. */
  | 'stall'
  /** These to `server`, and `redirect`: what HTTP statuses say; `refusal.ts` makes them. */
  | 'unauthorised'
  | 'forbidden'
  | 'not-found'
  | 'too-long'
  | 'rate-limit'
  | 'server'
  | 'bad-request'
  /** Our relay's gate: the request does not fit the state of the conversation there; `gate` says which rule. */
  | 'gated'
  | 'redirect'
  /** These three our relay says of the model behind it: its configuration is wrong; it cannot be reached or fails; it does not answer, or no longer. */
  | 'setup'
  | 'model-away'
  | 'model-silent'
  /** A 2xx that is no reply: a login page, JSON of an unknown shape. */
  | 'bad-response'
  /** The page's own code, such as a wrapper around `fetch`, has read the body. */
  | 'body-taken'
  /** One line, or the whole of a JSON body, is longer than the limit. */
  | 'too-large'
  /** The endpoint itself said so, inside its stream or its JSON. */
  | 'endpoint'
  | 'content-filter'
  /** The address or the headers the host gave cannot be used. */
  | 'config'
  /** The host's `beforeSend` refused the request. */
  | 'refused'
  /** The browser's own model (`prompt-api:`): there is none, it has to be fetched and that needs a click, or the conversation is too long for it. */
  | 'no-model'
  | 'needs-gesture'
  | 'overflow'
  /** A model inside the page (`wllama:`): nobody has been told of its download yet; the device has no room for it. `detail` is its size in MB. */
  | 'needs-download'
  | 'no-room';

/** Which row of the retry table applies. */
export type RetryClass = 'network' | 'server' | 'busy' | 'none';

/** A `ChatError` before somebody put it into words. */
export interface Failure extends Omit<ChatError, 'message'> {
  kind: FailureKind;
  /** What the endpoint said, cleaned: no markup, no keys, at most 200 characters. Only with kind `endpoint`, and with those that say so. */
  detail?: string;
  /** The relay's code, for logs and details. */
  said?: string;
  /** With kind `gated`: the relay's word for the rule that was broken. */
  gate?: string;
  /** With kind `timeout`: the server had taken the request. */
  afterHeaders?: true;
  /** With kind `too-long`: tokens the model can read at once, and those of the request, as far as the endpoint says. */
  window?: number;
  needed?: number;
  /** The endpoint takes no declared tools. */
  noTools?: true;
  /** The model takes no temperature but its own. */
  noTemperature?: true;
  /** With kind `connect`: the endpoint is on another origin, so it may be CORS that refused. */
  crossOrigin?: true;
  /** With kind `connect`: the browser says it is offline. */
  offline?: true;
  /** With kind `connect`: the endpoint is on this computer or in this network, the page is not, and browsers ask before they let it. */
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

/** Builds a failure from its kind; `details` adds to, or overrides, what the kind says. */
export function failureOf(kind: FailureKind, details: Partial<Failure> = {}): Failure {
  const [code, layer, retryable, errorType] = rows[kind];
  return { kind, code, layer, retryable, ...(errorType && { errorType }), ...details };
}
