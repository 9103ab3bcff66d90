/**
 * The server between a page and a model: keeps the key, checks requests, and streams the answers.
 *
 * Uses web standards only: the same function serves Node, Deno, Bun and workers.
 */
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { resolveAccount, type Account } from './account.js';
import { addressOf, clientOf, connectionCloserOf, hasPlainPath } from './client.js';
import { embed, sendWithPings, type EmbeddingUse } from './embeddings.js';
import { relayErrors, errorResponse, RelayError } from './errors.js';
import { createGate } from './gate/relay-gate.js';
import { createHealth } from './health.js';
import { createMetrics } from './metrics.js';
import { redactedLogger, type RelayLogger } from './relay-log.js';
import { resolveOptions, type RelayConfig, type RelayOptions } from './relay-options.js';
import { corsHeaders, checkOrigin, mayRead, preflightHeaders } from './origin.js';
import { findStream } from './replay.js';
import { createStreamId, resumeReply, streamReply, wholeReply, type Admission, type Client, type RelayParts } from './replies.js';
import { logOnce, throttleLog, shortId } from './usage-report.js';
import { LEAST_BODY, readTurn } from './request-body.js';
import { createActiveReplies } from './active-replies.js';
import { createShares, holdShare, type ShareHold } from './fair-shares.js';
import { sha256 } from '../tools/digest.js';
import { createYield } from '../tools/yield-to-main.js';
import { createClientLimit, createTimeSlices, createTurnLimit, SLICE_MS } from './time-slices.js';
import { createWriteBatches } from './event-stream.js';
import type { RelayStore } from './store.js';
import { routeOf, routes } from './routes.js';
import { withTimeout } from './timeouts.js';
import { createMemoryStore } from './memory-store.js';

const METHODS: Record<string, string> = {
  [routes.stream]: 'POST, OPTIONS',
  [routes.answer]: 'GET, DELETE, OPTIONS',
  [routes.whole]: 'POST, OPTIONS',
};

/** Milliseconds that readers have to get the last event, once everything has been stopped. */
const LAST_WORDS_MS = 1_000;
const SAY_AGAIN_MS = 10_000;
/** Number of tenants' keys that the log hides. */
const HIDDEN_KEYS = 1_000;

/** Length above which the limits know a tenant by the digest of its id. */
const LONG_ID = 100;

/** Number of bodies of maximum size that fit into memory together. */
const BODIES = 64;

/** Maximum number of embedding requests of one client at the model, because answers that arrive together are parsed together. */
const EMBEDDINGS_AT_ONCE = 8;

/** A relay that answers requests until it is closed. */
export interface Relay {
  /**
   * @param platform the server's second argument, as passed by `@hono/node-server`, Bun and Deno: it contains the client's address for
   *   `rateLimit`
   */
  (request: Request, platform?: unknown): Promise<Response>;
  /**
   * Rejects further requests to the model (503 with `Retry-After`) and lets the active answers finish. After `graceMs` (30,000) it ends the
   * others with an `error` event that has `retryable` and the code `closing`. Then it closes the store. If it is called again, the shorter
   * time counts.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/**
 * Creates a function from `Request` to `Response` that serves `POST …/chat/stream`, `GET` and `DELETE …/chat/stream/{id}`, `POST …/chat`,
 * `POST …/embeddings` if a model for it is configured, `GET …/healthz`, and with `metrics` `GET /metrics`. It accepts any prefix
 * (`/api/ai`, or none if a server strips it), unless `basePath` sets one.
 *
 * An error before the first byte has its own HTTP status *and*, on the streaming route, an `error` event as its body. Later errors are an
 * `error` event. A page of an allowed origin may use the model for any purpose, within `rateLimit` and `maxTokens`.
 *
 * A client that loses its connection gets the rest by `GET …/{id}` with `Last-Event-ID`. The model is read on for `resumeWindow` for this,
 * at the owner's cost. A client stops an answer by `DELETE …/{id}`; leaving before the first event is enough, too.
 *
 * @throws TypeError for invalid options
 * @example serve({ fetch: createRelay(relayOptionsFromEnv(process.env)) }) // of `@hono/node-server`; `node:http` alone has no `Request`
 */
export function createRelay(options: RelayOptions): Relay {
  const config = resolveOptions(options);
  const ownSecrets = secrets(config);
  const tenantKeys = new Set<string>();
  const logger = redactedLogger(options.logger, () => [...ownSecrets, ...tenantKeys]);
  const opening = openStore(config, logger);
  let store: RelayStore | undefined;
  opening.then(
    (opened) => (store = opened),
    (error: unknown) => logger.error({ detail: error }, 'The store cannot be used, so nothing is answered'),
  );
  const running = createActiveReplies(config.maxStreams);
  const memory = createShares(BODIES * Math.max(config.maxBodyBytes, LEAST_BODY));
  const accounts = createShares(config.maxStreams);
  const health = createHealth();
  const turns = createTimeSlices();
  const places = createClientLimit(EMBEDDINGS_AT_ONCE);
  let gate: ReturnType<typeof createGate> | undefined;
  let closing = false;
  let shutdown: Promise<void> | undefined;
  const once = logOnce();
  const sayFull = throttleLog(SAY_AGAIN_MS, (refused) =>
    logger.warn(
      { refused, maxStreams: config.maxStreams },
      'Refused: as many answers are in progress as `maxStreams` (MAX_STREAMS) allows',
    ),
  );
  const sayShare = throttleLog(SAY_AGAIN_MS, (refused) =>
    logger.warn(
      { refused },
      'Refused: a client that has its share of all requests; `trustProxy` (TRUST_PROXY) tells those behind a proxy apart',
    ),
  );
  const sayNoMemory = throttleLog(SAY_AGAIN_MS, (refused) =>
    logger.warn(
      { refused, maxBodyBytes: config.maxBodyBytes },
      'Refused: as much of requests is held as `maxBodyBytes` (MAX_BODY_BYTES) allows',
    ),
  );
  const sayLimited = throttleLog(SAY_AGAIN_MS, (refused) => logger.warn({ refused }, 'Refused: `rateLimit` (RATE_LIMIT)'));
  const metrics = config.metrics ? createMetrics() : undefined;
  const listeners = [options.onAnswer, metrics?.answered].filter((one) => one !== undefined);
  const temperatures = new Set<string>();
  const fixed: RelayParts['fixed'] = {
    has: (model) => temperatures.has(model),
    add(model) {
      if (temperatures.has(model)) return;
      temperatures.add(model);
      logger.warn({ model }, 'The model takes no `temperature` but its own, so none is sent to it any more');
    },
  };
  const place: RelayParts = {
    config,
    logger,
    listeners,
    running,
    ticks: createWriteBatches(running),
    fixed,
    pieces: createTurnLimit(),
    health,
    assertRoom,
  };
  const app = new Hono<{ Bindings: { platform: unknown } }>({ getPath: (request) => routeOf(request, config.basePath) });

  app.use(async (context, next) => {
    await next();
    context.res.headers.append('vary', 'Origin');
    context.res.headers.set('x-content-type-options', 'nosniff');
    // A page in gated mode checks this header: without the gate, nothing would check its requests.
    if (config.gate) context.res.headers.set('tool-chat-gate', 'on');
  });
  app.use(async (context, next) => {
    const { raw } = context.req;
    if (!hasPlainPath(raw, context.env.platform)) throw relayErrors.notFound();
    const origin = checkOrigin(raw, config);
    if (!origin.allowed) {
      const named = raw.headers.get('origin');
      once(named ?? '', () =>
        logger.warn({ origin: named ?? '' }, 'Refused: an origin that neither `publicOrigin` nor `allowedOrigins` names'),
      );
      throw relayErrors.forbiddenOrigin(named);
    }
    if (raw.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: origin.foreign ? preflightHeaders(origin.foreign) : {} });
    await next();
    if (origin.foreign) for (const [name, value] of corsHeaders(origin.foreign)) context.res.headers.set(name, value);
    return undefined;
  });
  app.use(routes.whole, compress()); // matches this path alone, so that the stream is never held back

  app.get(routes.health, async (context) => {
    await opening.catch(() => {});
    const report = health.report({ store, closing, full: running.size >= config.maxStreams });
    const well = report.status === 'ok' || report.status === 'degraded';
    return context.json(report, well ? 200 : 503, { 'cache-control': 'no-store' });
  });
  if (metrics)
    app.get(routes.metrics, (context) => {
      const now = { streams: running.size, maxStreams: config.maxStreams, closing, isStoreWell: !!store && !store.troubled?.() };
      return context.text(metrics.text(now), 200, {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'cache-control': 'no-store',
      });
    });
  app.post(routes.stream, async ({ req: { raw }, env }) => {
    const { streams } = await opening;
    return streamReply(place, streams, await admit(raw, env.platform), clientOfRequest(raw, env.platform));
  });
  app.get(routes.answer, async ({ req, env }) => {
    // HEAD would open an answer that nothing reads.
    if (req.raw.method === 'HEAD') throw relayErrors.methodNotAllowed(METHODS[routes.answer]!);
    const client = nameClient(req.raw, env.platform);
    await takeToken(client, config, 'resume:');
    const { streams } = await opening;
    return resumeReply(place, streams, req.param('id'), clientOfRequest(req.raw, env.platform), memoryOf(client));
  });
  app.delete(routes.answer, async ({ req, env }) => {
    await takeToken(nameClient(req.raw, env.platform), config, 'stop:');
    const id = req.param('id');
    const own = running.get(id);
    if (own) {
      if (!mayRead(req.raw, own.origin)) throw relayErrors.unknownStream();
      own.stop(relayErrors.stopped());
    } else {
      const { streams } = await opening;
      await findStream(streams, id, req.raw);
      await streams.order(id, 'stop').catch((error: unknown) => Promise.reject(relayErrors.noStore(error)));
    }
    return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
  });
  app.post(routes.whole, async (context) => {
    const { raw } = context.req;
    const { platform } = context.env;
    return context.json(await wholeReply(place, await admit(raw, platform), clientOfRequest(raw, platform)));
  });
  if (config.embeddings)
    app.post(routes.embeddings, async (context) => {
      assertRoom();
      const { raw } = context.req;
      const { platform } = context.env;
      const account = await readAccount(raw, platform);
      const client = account.name;
      await takeToken(client, account.config);
      assertRoom(client);
      const held = memoryOf(client);
      const counted: EmbeddingUse = (stop) => {
        assertRoom(client);
        const id = createStreamId();
        running.add(id, { origin: raw.headers.get('origin') ?? '', holder: client, stop });
        return () => running.delete(id);
      };
      const reading = { pause: turns(client), memory: held, counted, place: places(client) };
      const pieces = await embed(account.config, raw, reading, platform).catch((error: unknown) => {
        held.end();
        throw error;
      });
      const body = sendWithPings(pieces, config.timeout, (isLate) => {
        held.end();
        if (isLate) connectionCloserOf(platform)?.();
      });
      return context.body(body, 200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    });
  const methods = config.embeddings ? { ...METHODS, [routes.embeddings]: 'POST, OPTIONS' } : METHODS;
  for (const [path, allow] of Object.entries(methods)) app.all(path, () => Promise.reject(relayErrors.methodNotAllowed(allow)));
  app.notFound(() => errorResponse(relayErrors.notFound(config.basePath)));
  app.onError((error, context) => {
    const fault = error instanceof RelayError ? error : relayErrors.internal(error);
    metrics?.refused(fault.code);
    const path = new URL(context.req.url).pathname.replace(/[0-9a-f]{32}/, (id) => shortId(id));
    if (error instanceof RelayError) logger.debug({ path, status: fault.status, code: fault.code, detail: fault.detail }, fault.message);
    else logger.error({ path, detail: error }, 'relay failed');
    return errorResponse(fault);
  });

  /**
   * Checks that another request may go to the model.
   *
   *   @param client '' while the client is unknown
   */
  function assertRoom(client = '') {
    if (closing) throw relayErrors.closing();
    const lack = running.lacks(client);
    if (lack) throw refusal(lack, sayFull);
  }

  function refusal(lack: 'all' | 'share', say: () => void): RelayError {
    if (lack === 'all') say();
    else sayShare();
    return lack === 'all' ? relayErrors.busy() : relayErrors.share();
  }

  const memoryOf = (client: string): ShareHold => holdShare(memory, client, (lack) => refusal(lack, sayNoMemory));

  /** Names the client for every limit by its address. All clients with an unknown address count as one. */
  function nameClient(request: Request, platform: unknown): string {
    const address = config.clientAddress ? config.clientAddress(request) : addressOf(request, platform, config.trustProxy);
    if (address !== undefined) return clientOf(address);
    if (config.rateLimit)
      once('no address', () => logger.warn({}, '`rateLimit` counts all clients together: the platform does not tell their addresses'));
    return '';
  }

  /**
   * @param bucket prefix of the bucket: each kind of request has its own, so that a client that has used up its requests can still stop an
   *   answer
   */
  async function takeToken(client: string, { rateLimit }: RelayConfig, bucket = '') {
    if (!rateLimit) return;
    const wait = await (await opening).takeToken(bucket + client, rateLimit);
    if (wait === 0) return;
    sayLimited();
    throw relayErrors.tooManyRequests(wait);
  }

  async function readAccount(request: Request, platform: unknown): Promise<Account & { name: string }> {
    const address = nameClient(request, platform);
    const { authorise } = config;
    if (!authorise) return { tenant: undefined, config, name: address };
    // The account is not known before, so one address must not keep `authorise` busy for all.
    const asking = holdShare(accounts, address, (lack) => refusal(lack, sayFull));
    asking.add(1);
    const account = await resolveAccount(request, config, authorise).finally(asking.end);
    const { id, apiKey: key } = account.tenant;
    if (key) {
      // An error of a request may quote its key, so the log hides the keys of recent tenants.
      tenantKeys.delete(key);
      tenantKeys.add(key);
      const [oldest = ''] = tenantKeys;
      if (tenantKeys.size > HIDDEN_KEYS) tenantKeys.delete(oldest);
    }
    return { ...account, name: `tenant:${id.length > LONG_ID ? await sha256(id) : id}` };
  }

  async function admit(request: Request, platform: unknown): Promise<Admission> {
    assertRoom(); // before the body is read
    const account = await readAccount(request, platform);
    const client = account.name;
    await takeToken(client, account.config);
    assertRoom(client);
    const held = memoryOf(client);
    // The memory is freed here, because `running` counts the request while it is at the model.
    return read(request, platform, account, client, held).finally(held.end);
  }

  async function read(request: Request, platform: unknown, account: Account, client: string, held: ShareHold): Promise<Admission> {
    const pause = turns(client);
    const turn = await readTurn(request, account.config, { pause, memory: held }, platform);
    const admission = { turn, config: account.config, holder: client, ...(account.tenant && { tenant: account.tenant.id }) };
    if (!config.gate) return admission;
    assertRoom(client);
    gate ??= createGate(config.gate, (await opening).states!);
    const asker = { origin: request.headers.get('origin') ?? '', holder: client, breathe: createYield(SLICE_MS, pause) };
    const admitted = await gate.admit(turn, asker);
    await asker.breathe(); // before the request to the model is written
    return { ...admission, ...admitted };
  }

  async function answer(request: Request, platform?: unknown): Promise<Response> {
    if (typeof (request as Partial<Request> | undefined)?.headers?.get !== 'function')
      throw new TypeError(
        'A relay takes a `Request` and gives a `Response`: behind `node:http` use `serve({ fetch: relay })` of @hono/node-server.',
      );
    return app.fetch(request, { platform });
  }

  async function close({ graceMs = 30_000 } = {}) {
    closing = true;
    await withTimeout(running.idle(), graceMs, () => {});
    running.stopAll(relayErrors.closing());
    await withTimeout(running.idle(), LAST_WORDS_MS, () => {});
    await (shutdown ??= opening.then(
      (opened) => opened.close(),
      () => {},
    ));
  }
  return Object.assign(answer, { close });
}

const clientOfRequest = (request: Request, platform: unknown): Client => ({ request, closeConnection: connectionCloserOf(platform) });

function secrets({ apiKey, store }: RelayConfig): string[] {
  const password = typeof store === 'string' ? new URL(store).password : '';
  return [apiKey ?? '', password, decodeURIComponent(password)].filter(Boolean);
}

/**
 * Opens the store. A store object of the host is used as it is, and not closed with the relay.
 *
 * Rejects if the package `redis` is missing. An unreachable Redis is not an error: the relay works without it until it is available.
 */
async function openStore({ store, replay }: RelayConfig, logger: RelayLogger): Promise<RelayStore> {
  if (store === undefined) return createMemoryStore(replay);
  if (typeof store !== 'string')
    return {
      streams: store.streams,
      ...(store.states && { states: store.states }),
      takeToken: (client, limit) => store.takeToken(client, limit),
      ...(store.troubled && { troubled: () => store.troubled!() }),
      close: () => Promise.resolve(),
    };
  const { createRedisStore } = await import('./redis-store.js');
  return createRedisStore(store, { ...replay, logger });
}
