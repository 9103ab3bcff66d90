/** What a relay can be told, what it does when it is not told, and the environment variables that tell it. */
import { numbersOf, optionTable, positive } from './option-table.js';
import type { OptionRow } from './option-table.js';
import { modelApis } from './model-api.js';
import type { ModelApi, ModelApiName } from './model-api.js';
import { defaultGateOptions } from './gate/gate-options.js';
import type { GateOptions } from './gate/gate-options.js';
import type { AnswerRecord } from './answer-record.js';
import type { RelayLogger } from './relay-log.js';
import { defaultReplayLimits } from './store.js';
import type { RateLimit, RelayStore, ReplayLimits } from './store.js';
import type { Authorise } from './tenant.js';

/** Answers an OpenAI-shaped request with an OpenAI-shaped response; `fetch` is one, the scripted model another. */
export type Upstream = (request: Request, signal: AbortSignal) => Promise<Response>;

export interface RelayOptions {
  /**
   * Where the model lives, without the last part of the address: `https://host/v1` (OpenAI and all that speak like it), `https://api.anthropic.com/v1`,
   * `http://localhost:11434` (Ollama), `https://generativelanguage.googleapis.com/v1beta`. `/chat/completions` or its like is appended.
   */
  baseUrl?: string;
  /** How the model is asked. Default `openai`. */
  api?: ModelApiName;
  /** Sent upstream as the model wants it, and nowhere else. */
  apiKey?: string;
  /** The model asked for when a request names none. */
  model?: string;
  /** Further models a request may name. A request for any other is refused. */
  models?: readonly string[];
  /** Milliseconds to the upstream's first byte, and between two pieces of its answer. Default 60,000. */
  timeout?: number;
  /**
   * Milliseconds an answer may take in all. Default 600,000; what came until then is kept, and the `error` event has the code `time_limit`.
   */
  maxDuration?: number;
  /** Answers under way at once; who asks for one more is answered 503 with `Retry-After`. Default 500. */
  maxStreams?: number;
  /**
   * The relay's own origin (`https://example.org`), never taken from `Host`: pages of it may ask. Default: the address that was asked, if that
   * is on this computer (`http://localhost:5173`).
   */
  publicOrigin?: string;
  /** Origins (`https://example.org`) whose pages may ask, besides the relay's own. Default: none. */
  allowedOrigins?: readonly string[];
  /** The one prefix of all routes, such as `/api/ai`. Default: any prefix will do, and none. */
  basePath?: string;
  /** A token bucket for each client, kept in `store`: one for questions, one for coming back, one for stopping. Default: none. */
  rateLimit?: RateLimit;
  /** Proxies in front of the relay, each of which adds to `X-Forwarded-For`. Default 0: that header is not believed. */
  trustProxy?: number;
  /**
   * The address a request came from, where the platform tells it otherwise than Node, Bun and Deno do. Default: that of the socket, or what
   * `trustProxy` proxies say; IPv6 counts by /64. Where nobody knows, all clients share one bucket.
   */
  clientAddress?: (request: Request) => string | undefined;
  /** Bytes of a request's body. Default 1,000,000. */
  maxBodyBytes?: number;
  /** Milliseconds in which a request's body has to arrive. Default 15,000. */
  bodyTimeout?: number;
  /** The most that a request's `max_tokens` can ask for. Default 8,192. */
  maxTokens?: number;
  /** Put before the system prompt that the page sends. */
  systemPrefix?: string;
  /** Milliseconds of silence after which a comment is sent to keep the connection alive. Default 8,000. */
  pingInterval?: number;
  /**
   * Where answers are kept for clients that lose their connection, and the buckets of `rateLimit`. The address of a Redis
   * (`redis://host:6379`, `rediss://…`) is shared by all relays that name it, and needs the package `redis`. Default: this process's memory.
   */
  store?: RelayStore | string;
  /**
   * Milliseconds the model is read on for a client that has gone without saying that it wants no more. Default 15,000: somewhat longer
   * than our widget tries to come back. 0 = none, and answers are not kept.
   */
  resumeWindow?: number;
  /** How much is kept of answers. Of a Redis only `streamBytes` and `ageMs`: its own `maxmemory` bounds the rest. */
  replay?: Partial<ReplayLimits>;
  /**
   * `relay-gated`: every request is checked, before it goes to the model, against what this relay has itself seen of the conversation; one
   * that skips, forges or repeats a call or its result is answered 409. Needs pages of `orchestration="relay-gated"`: others are refused.
   * Default: `client`, which checks nothing.
   */
  orchestration?: 'client' | 'relay-gated';
  /** The gate's bounds. Default: 25 rounds a message, 20 calls a reply, states kept for an hour. */
  gate?: Partial<GateOptions>;
  /** Refuses requests that name no origin: no browser sends a POST without one. Default false: programs may ask, too. */
  requireOrigin?: boolean;
  /** The model behind `POST /api/ai/embeddings`, asked at `baseUrl` + `/embeddings`. Default: none, and the route is not there. */
  embeddingsModel?: string;
  /** The host's own word on who may ask, with which key, model and limits. Default: whoever has an allowed origin, or none. */
  authorise?: Authorise;
  /** Hears of each answer that has ended, of nothing that was said: for bills and audits. What it throws is logged. */
  onAnswer?: (record: AnswerRecord) => void;
  /** Answers `GET /metrics` with figures for Prometheus. Not for the public: a proxy must not pass it on. Default false. */
  metrics?: boolean;
  /** `false` = silent. Default: pino where it is installed, else the console; both get redacted data only. */
  logger?: RelayLogger | false;
  /** Default: the global one. */
  fetch?: typeof fetch;
  /** Stands in for the network: gets the request that `baseUrl` would get. */
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
  /** `undefined`: nothing is checked. */
  gate: GateOptions | undefined;
  requireOrigin: boolean;
  authorise: Authorise | undefined;
  metrics: boolean;
  embeddings: { endpoint: URL; model: string } | undefined;
}

/** @throws TypeError for an option that cannot be meant, naming the remedy. */
export function resolveOptions(options: RelayOptions): RelayConfig {
  if (!options.baseUrl && !options.upstream) {
    throw new TypeError('createRelay: give `baseUrl` (for example https://host/v1) or `upstream`.');
  }
  // Read at call time, so that a page or a test that replaces the global one is heard.
  const fetchUpstream: Upstream = (request, signal) => (options.fetch ?? fetch)(request, { signal });
  const { model, rateLimit } = options;
  const api = modelApi(options);
  const baseUrl = options.baseUrl ?? NO_HOST;
  upstreamUrl(baseUrl, ''); // what cannot be meant is said now
  if (rateLimit) {
    positive('rateLimit.requests', rateLimit.requests);
    positive('rateLimit.perMs', rateLimit.perMs);
  }
  return {
    ...numbersOf(options),
    api,
    endpointOf: (asked) => upstreamUrl(baseUrl, api.path(asked)),
    apiKey: options.apiKey,
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
 * The options that environment variables set (`MODEL_BASE_URL`, `ALLOWED_ORIGINS` …): docs/relay.md lists them, `tool-chat-relay --help` too. An
 * empty variable counts as unset.
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

/** The address may hold a password: it is not quoted. A `%` that encodes nothing stands for itself; the client of Redis would fail on it. */
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

/** Stands where only `upstream` is asked. */
const NO_HOST = 'http://upstream.invalid/v1';

/** Keeps a query, which Azure wants its `api-version` in. */
function upstreamUrl(baseUrl: string, path: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    throw new TypeError('`baseUrl` (MODEL_BASE_URL) must be a plain http(s) address such as https://host/v1.');
  }
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  return url;
}

/** @returns a slash in front, none behind: '' for the root */
function cleanPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const { pathname } = new URL(path.replace(/^\/*/, '/'), NO_HOST);
  if (!/^\/*[^?#\\]*$/.test(path) || pathname.includes('//')) throw new TypeError('`basePath` (BASE_PATH) is a path such as /api/ai.');
  return pathname.replace(/\/$/, '');
}

/** A wildcard is refused: it would lend the key to every page on the web. */
function cleanOrigin(origin: string, which: string): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!url || url.origin === 'null' || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new TypeError(`${which}: https://example.org, with neither path nor wildcard.`);
  }
  return url.origin;
}
