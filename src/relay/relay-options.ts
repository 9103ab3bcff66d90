/** The options of a relay, their defaults, and the environment variables that set them. */
import { numbersOf, optionTable, positive, type OptionRow } from './option-table.js';
import { defaultGateOptions, type GateOptions } from './gate/relay-gate.js';
import type { UsageRecord } from './usage-record.js';
import type { RelayLogger } from './relay-log.js';
import { defaultReplayLimits, type RateLimit, type RelayStore, type ReplayLimits } from './store.js';
import type { Authorise } from './tenant.js';
import { anthropic } from '../transports/anthropic.js';
import { gemini } from '../transports/gemini.js';
import { ollama } from '../transports/ollama.js';
import { openai } from '../transports/openai.js';
import type { Wire } from '../transports/wire.js';

/** Answers an OpenAI-shaped request with an OpenAI-shaped response, as `fetch` and the scripted model do. */
export type Upstream = (request: Request, signal: AbortSignal) => Promise<Response>;

export interface RelayOptions {
  /**
   * The base address of the model: `https://host/v1` (OpenAI and compatible services), `https://api.anthropic.com/v1`,
   * `http://localhost:11434` (Ollama), `https://generativelanguage.googleapis.com/v1beta`. `/chat/completions` or the equivalent path is
   * appended.
   */
  baseUrl?: string;
  /** The API of the model. Default `openai`. */
  api?: ModelApiName;
  /** The key for the model. Sent only upstream, in the header that the API requires. */
  apiKey?: string;
  /** The model used if a request names none. */
  model?: string;
  /** Further models that a request may name. A request for any other model is refused. */
  models?: readonly string[];
  /** Maximum milliseconds to wait for the upstream's first byte, and between two pieces of its answer. Default 60,000. */
  timeout?: number;
  /**
   * Maximum milliseconds of a whole answer. Default 600,000. After that, the text so far is kept, and the `error` event has the code
   * `time_limit`.
   */
  maxDuration?: number;
  /** Maximum number of active answers. Further requests get 503 with `Retry-After`. Default 500. */
  maxStreams?: number;
  /**
   * The relay's own origin (`https://example.org`), whose pages may send requests. Never taken from `Host`. Default: the requested address,
   * if it is a loopback address (`http://localhost:5173`).
   */
  publicOrigin?: string;
  /** Further origins (`https://example.org`) whose pages may send requests. Default: none. */
  allowedOrigins?: readonly string[];
  /** The prefix of all routes, such as `/api/ai`. Default: any prefix, or none. */
  basePath?: string;
  /**
   * The limit of requests per client. Each client has three token buckets in `store`: for new requests, for resuming, and for stopping.
   * Default: none.
   */
  rateLimit?: RateLimit;
  /** Number of proxies in front of the relay, each of which adds to `X-Forwarded-For`. Default 0: the header is ignored. */
  trustProxy?: number;
  /**
   * Returns the client address of a request, for platforms other than Node, Bun and Deno. Default: the address of the socket, or the one
   * that `trustProxy` proxies report; IPv6 counts by /64. All clients with an unknown address share one bucket.
   */
  clientAddress?: (request: Request) => string | undefined;
  /** Maximum bytes of a request's body. Default 1,000,000. */
  maxBodyBytes?: number;
  /** Milliseconds in which the body of a request has to arrive. Default 15,000. */
  bodyTimeout?: number;
  /** The upper limit of a request's `max_tokens`. Default 8,192. */
  maxTokens?: number;
  /** Text in front of the system prompt that the page sends. */
  systemPrefix?: string;
  /** Milliseconds of silence after which a comment is sent to keep the connection alive. Default 8,000. */
  pingInterval?: number;
  /**
   * The store of answers for clients that lose their connection, and of the buckets of `rateLimit`. The address of a Redis
   * (`redis://host:6379`, `rediss://…`) is shared by all relays that use it, and needs the package `redis`. Default: this process's memory.
   */
  store?: RelayStore | string;
  /**
   * Milliseconds for which the model is read on after a client has left without stopping the answer. Default 15,000, somewhat longer than
   * the widget tries to reconnect. At 0 the model is not read on, and answers are not stored.
   */
  resumeWindow?: number;
  /** Limits of the stored answers. For Redis only `streamBytes` and `ageMs` apply: its own `maxmemory` limits the rest. */
  replay?: Partial<ReplayLimits>;
  /**
   * `relay-gated`: the relay compares every request with its own record of the conversation before it goes to the model. A request that
   * skips, forges or repeats a call or its result gets 409. Needs pages with `orchestration="relay-gated"`: others are refused. Default:
   * `client`, which checks nothing.
   */
  orchestration?: 'client' | 'relay-gated';
  /** The gate's limits. Default: 25 rounds per message, 20 calls per reply, states kept for an hour. */
  gate?: Partial<GateOptions>;
  /** Refuses requests without an origin: every browser sends one with a POST. Default false, so that programs can send requests, too. */
  requireOrigin?: boolean;
  /** The model behind `POST /api/ai/embeddings`, requested at `baseUrl` + `/embeddings`. Default: none, and the route does not exist. */
  embeddingsModel?: string;
  /** Decides who may send requests, with which key, model and limits. Default: any client with an allowed origin, or with none. */
  authorise?: Authorise;
  /** Called for each answer that has ended, for billing and audits. The record contains no text of the conversation. Errors are logged. */
  onAnswer?: (record: UsageRecord) => void | Promise<void>;
  /** Serves metrics for Prometheus at `GET /metrics`. They are not public: a proxy must not forward the route. Default false. */
  metrics?: boolean;
  /** The logger; `false` logs nothing. Default: pino if it is installed, else the console. All loggers get redacted data only. */
  logger?: RelayLogger | false;
  /** The `fetch` for upstream requests. Default: the global one. */
  fetch?: typeof fetch;
  /** Replaces the network: gets the request that `baseUrl` would get. */
  upstream?: Upstream;
}

export interface RelayConfig extends ReturnType<typeof numbersOf> {
  api: ModelApi;
  endpointOf: (model: string | undefined) => URL;
  apiKey: string | undefined;
  model: string | undefined;
  models: ReadonlySet<string>;
  publicOrigin: string | undefined;
  allowedOrigins: ReadonlySet<string>;
  basePath: string | undefined;
  rateLimit: RateLimit | undefined;
  clientAddress: ((request: Request) => string | undefined) | undefined;
  systemPrefix: string;
  store: RelayStore | string | undefined;
  replay: ReplayLimits;
  upstream: Upstream;
  /** `undefined`: requests are not checked. */
  gate: GateOptions | undefined;
  requireOrigin: boolean;
  authorise: Authorise | undefined;
  metrics: boolean;
  embeddings: { endpoint: URL; model: string } | undefined;
}

/**
 * Checks the options and fills in the defaults.
 *
 *   @throws TypeError for an invalid option, with a hint how to fix it
 */
export function resolveOptions(options: RelayOptions): RelayConfig {
  if (!options.baseUrl && !options.upstream) {
    throw new TypeError('createRelay: give `baseUrl` (for example https://host/v1) or `upstream`.');
  }
  // `fetch` is read for each request, so that a replaced global one is used.
  const fetchUpstream: Upstream = (request, signal) => (options.fetch ?? fetch)(request, { signal });
  const { model, rateLimit } = options;
  const api = modelApi(options);
  const baseUrl = options.baseUrl ?? NO_HOST;
  upstreamUrl(baseUrl, ''); // throws now for an invalid address
  if (rateLimit) {
    positive('rateLimit.requests', rateLimit.requests);
    positive('rateLimit.perMs', rateLimit.perMs);
  }
  return {
    ...numbersOf(options),
    api,
    endpointOf: (asked) => upstreamUrl(baseUrl, api.path(asked)),
    apiKey: checkedKey(options.apiKey),
    model,
    models: new Set([...(model ? [model] : []), ...(options.models ?? [])]),
    publicOrigin:
      options.publicOrigin === undefined ? undefined : cleanOrigin(options.publicOrigin, '`publicOrigin` (PUBLIC_ORIGIN) is an origin'),
    allowedOrigins: new Set(
      (options.allowedOrigins ?? []).map((origin) =>
        cleanOrigin(origin, '`allowedOrigins` (ALLOWED_ORIGINS) lists origins, one for each site'),
      ),
    ),
    basePath: cleanPath(options.basePath),
    rateLimit,
    clientAddress: options.clientAddress,
    systemPrefix: options.systemPrefix ?? '',
    store: checkedStore(options.store),
    replay: replayLimits(options.replay),
    upstream: options.upstream ?? fetchUpstream,
    gate: gateOptions(options),
    requireOrigin: options.requireOrigin ?? false,
    authorise: options.authorise,
    metrics: options.metrics ?? false,
    embeddings: options.embeddingsModel ? { endpoint: upstreamUrl(baseUrl, 'embeddings'), model: options.embeddingsModel } : undefined,
  };
}

/**
 * Reads the options from environment variables (`MODEL_BASE_URL`, `ALLOWED_ORIGINS` …), which docs/relay.md and `tool-chat-relay --help`
 * list. An empty variable counts as unset.
 *
 * @throws TypeError for a value that cannot be read, naming the variable.
 */
export function relayOptionsFromEnv(env: Readonly<Record<string, string | undefined>>): RelayOptions {
  const rows = Object.entries<OptionRow>(optionTable satisfies Partial<Record<keyof RelayOptions, OptionRow>>);
  const given = rows.flatMap(([name, { env: variable, read = (value: string) => value }]) => {
    const value = env[variable]?.trim();
    return value ? [[name, read(value, variable)] as const] : [];
  });
  return Object.fromEntries(given);
}

function replayLimits(given: Partial<ReplayLimits> = {}): ReplayLimits {
  const limits = { ...defaultReplayLimits, ...given };
  for (const [name, value] of Object.entries(limits)) positive(`replay.${name}`, value as number);
  return limits;
}

/** Checks that a key can be sent in a header: a placeholder such as `…` cannot, and each request would fail. The error does not quote it. */
function checkedKey(key: RelayOptions['apiKey']): RelayConfig['apiKey'] {
  if (!key || /^[\u0020-\u007e\u00a0-\u00ff]+$/.test(key)) return key;
  throw new TypeError('`apiKey` (MODEL_API_KEY) has a character that no HTTP header can have. Set the key, or leave the variable out.');
}

/**
 * Checks the address of a Redis. The error does not quote it, since it may contain a password. A `%` that encodes nothing is escaped,
 * because the Redis client would fail on it.
 */
function checkedStore(store: RelayOptions['store']): RelayConfig['store'] {
  if (typeof store !== 'string') return store;
  if (URL.canParse(store) && /^rediss?:$/.test(new URL(store).protocol)) return store.replace(/%(?![0-9a-f]{2})/gi, '%25');
  throw new TypeError('`store` (REDIS_URL) must be the address of a Redis, such as redis://localhost:6379.');
}

function gateOptions({ orchestration = 'client', gate, store }: RelayOptions): GateOptions | undefined {
  if (orchestration !== 'client' && orchestration !== 'relay-gated')
    throw new TypeError('`orchestration` (ORCHESTRATION) is `client` or `relay-gated`.');
  if (orchestration === 'client') return undefined;
  if (typeof store === 'object' && !store.states) throw new TypeError('`orchestration: "relay-gated"` needs a `store` with `states`.');
  const options = { ...defaultGateOptions, ...gate };
  for (const name of ['maxRounds', 'maxCalls', 'ageMs'] as const) positive(`gate.${name}`, options[name]);
  return options;
}

function modelApi({ api = 'openai', model, embeddingsModel }: RelayOptions): ModelApi {
  const names = Object.keys(modelApis);
  if (!names.includes(api)) throw new TypeError(`\`api\` (MODEL_API) is one of ${names.join(', ')}.`);
  if (api === 'gemini' && !model) throw new TypeError('`api: "gemini"` needs a `model` (MODEL_NAME): its address names it.');
  if (api !== 'openai' && embeddingsModel) throw new TypeError('`embeddingsModel` (MODEL_EMBEDDINGS) needs `api: "openai"`.');
  return modelApis[api];
}

/** The placeholder address if only `upstream` is used. */
const NO_HOST = 'http://upstream.invalid/v1';

/** Appends the path to the base address. Keeps its query, where Azure needs `api-version`. */
function upstreamUrl(baseUrl: string, path: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    throw new TypeError('`baseUrl` (MODEL_BASE_URL) must be a plain http(s) address such as https://host/v1.');
  }
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  return url;
}

/**
 * Normalizes a base path.
 *
 *   @returns the path with a leading slash and no trailing one; '' for the root
 */
function cleanPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const { pathname } = new URL(path.replace(/^\/*/, '/'), NO_HOST);
  if (!/^\/*[^?#\\]*$/.test(path) || pathname.includes('//')) throw new TypeError('`basePath` (BASE_PATH) is a path such as /api/ai.');
  return pathname.replace(/\/$/, '');
}

/** Checks an origin. Refuses a wildcard, since it would let every page on the web use the key. */
function cleanOrigin(origin: string, which: string): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!url || url.origin === 'null' || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new TypeError(`${which}: https://example.org, with neither path nor wildcard.`);
  }
  return url.origin;
}

/** The APIs of models behind the relay: the path, the header for the key, and the wire that reads the answers. */
interface ModelApi {
  readonly wire: Wire;
  /** Returns the path that is appended to `baseUrl`. */
  path(model: string | undefined): string;
  keyHeader(key: string): Record<string, string>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The APIs by the value of the option `api`. */
const modelApis = {
  openai: { wire: openai, path: () => 'chat/completions', keyHeader: bearer },
  anthropic: { wire: anthropic, path: () => 'messages', keyHeader: (key) => ({ 'x-api-key': key }) },
  ollama: { wire: ollama, path: () => 'api/chat', keyHeader: bearer },
  gemini: {
    wire: gemini,
    path: (model = '') => `models/${encodeURIComponent(model.replace(/^models\//, ''))}:streamGenerateContent`,
    keyHeader: (key) => ({ 'x-goog-api-key': key }),
  },
} satisfies Record<string, ModelApi>;

export type ModelApiName = keyof typeof modelApis;
