/**
 * The server between a page and a model: keeps the key, checks what is asked, passes the answer on as it comes (S0-09, S0-114 … S0-118).
 * Web standards only: the same function serves Node, Deno, Bun and workers.
 */
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { createAnswer } from './answer.js';
import type { Answer, Outcome } from './answer.js';
import { embed } from './embeddings.js';
import { createEventStream } from './event-stream.js';
import { faultBody, faults, RelayFault } from './faults.js';
import { createGate } from './gate/gate.js';
import type { ReplyWatch } from './gate/gate.js';
import { redactedLogger } from './log.js';
import type { RelayLogger } from './log.js';
import { openStore } from './open-store.js';
import { resolveOptions } from './options.js';
import type { RelayConfig, RelayOptions } from './options.js';
import { corsHeaders, judgeOrigin, preflightHeaders } from './origin.js';
import { createReplay, findStream, lastSeen } from './replay.js';
import { createReplyReader } from './reply-end.js';
import type { ReplyEnd } from './reply-end.js';
import { readTurn } from './request-body.js';
import type { RelayTurn } from './request-body.js';
import type { RelayStore } from './store.js';
import { askUpstream } from './upstream.js';
import type { UpstreamReply } from './upstream.js';
import { within } from './within.js';

const STREAM = '/api/ai/chat/stream';
const ONE = `${STREAM}/:id` as const;
const WHOLE = '/api/ai/chat';
const EMBEDDINGS = '/api/ai/embeddings';
const METHODS: Record<string, string> = { [STREAM]: 'POST, OPTIONS', [ONE]: 'GET, DELETE, OPTIONS', [WHOLE]: 'POST, OPTIONS' };
/** UTF-16 units of an answer that is not streamed. */
const MAX_REPLY = 4_194_304;

/** A request that may go to the model, and what reads the reply along. */
interface Admission {
  turn: RelayTurn;
  watch?: ReplyWatch;
}

/** Answers requests until it is closed. */
export interface Relay {
  (request: Request): Promise<Response>;
  /** Ends what is still being read from the model, tells its readers so, and lets go of the store. */
  close(): Promise<void>;
}

/**
 * A function from `Request` to `Response` that answers `POST /api/ai/chat/stream`, `GET` and `DELETE /api/ai/chat/stream/{id}`,
 * `POST /api/ai/chat`, `POST /api/ai/embeddings` where a model for it is named, and `GET /healthz`.
 *
 * A refusal before the first byte has an HTTP status of its own *and*, on the streaming route, an `error` event as its body; later faults
 * are an `error` event. A page of an allowed origin may use the model for whatever it likes, within `rateLimit` and `maxTokens`.
 *
 * A client that loses its connection gets the rest by `GET …/{id}` with `Last-Event-ID`, for which the model is read on for
 * `resumeWindow`. One that wants no more says so by `DELETE …/{id}`; leaving before the first event is enough, too.
 *
 * @throws TypeError for options that cannot be meant
 * @example serve({ fetch: createRelay(relayOptionsFromEnv(process.env)) })
 */
export function createRelay(options: RelayOptions): Relay {
  const config = resolveOptions(options);
  const logger = redactedLogger(options.logger, secrets(config));
  const opening = openStore(config, logger);
  opening.catch((error: unknown) => logger.error({ detail: error }, 'The store cannot be used, so nothing is answered'));
  const answers = new Set<Answer>();
  const app = new Hono();

  app.use(async (context, next) => {
    await next();
    context.res.headers.append('vary', 'Origin');
    context.res.headers.set('x-content-type-options', 'nosniff');
  });
  app.use(async (context, next) => {
    const origin = judgeOrigin(context.req.raw, config.allowedOrigins, config.requireOrigin);
    if (!origin.allowed) throw faults.forbiddenOrigin();
    if (context.req.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: origin.foreign ? preflightHeaders(origin.foreign) : {} });
    await next();
    if (origin.foreign) for (const [name, value] of corsHeaders(origin.foreign)) context.res.headers.set(name, value);
    return undefined;
  });
  app.use(WHOLE, compress()); // matches this path alone: the stream beside it is never held back (S0-149)

  app.get('/healthz', async (context) => {
    const well = await opening.then(
      () => true,
      () => false,
    );
    return context.json({ status: well ? 'ok' : 'error' }, well ? 200 : 503, { 'cache-control': 'no-store' });
  });
  app.post(STREAM, async ({ req: { raw } }) => streamReply(config, logger, await opening, answers, await admit(raw), raw));
  app.get(ONE, async ({ req }) => resumeReply(config, logger, await opening, req.param('id'), req.raw));
  app.delete(ONE, async ({ req }) => {
    const { streams } = await opening;
    await findStream(streams, req.param('id'), req.raw);
    await streams.order(req.param('id'), 'stop');
    return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
  });
  app.post(WHOLE, async (context) => context.json(await wholeReply(config, logger, await admit(context.req.raw), context.req.raw.signal)));
  if (config.embeddings)
    app.post(EMBEDDINGS, async (context) => {
      await takeToken(context.req.raw);
      return context.json(await embed(config, context.req.raw), 200, { 'cache-control': 'no-store' });
    });
  const methods = config.embeddings ? { ...METHODS, [EMBEDDINGS]: 'POST, OPTIONS' } : METHODS;
  for (const [path, allow] of Object.entries(methods)) app.all(path, () => Promise.reject(faults.methodNotAllowed(allow)));
  app.notFound(() => refuse(faults.notFound()));
  app.onError((error, context) => {
    const fault = error instanceof RelayFault ? error : faults.internal(error);
    const path = context.req.path.replace(/[0-9a-f]{32}/, (id) => shown(id));
    if (error instanceof RelayFault) logger.debug({ path, status: fault.status, code: fault.code }, fault.message);
    else logger.error({ path, detail: error }, 'relay failed');
    return refuse(fault);
  });

  async function takeToken(request: Request) {
    if (!config.rateLimit) return;
    const wait = await (await opening).takeToken(config.clientAddress(request) ?? '', config.rateLimit);
    if (wait > 0) throw faults.tooManyRequests(wait);
  }

  async function admit(request: Request): Promise<Admission> {
    await takeToken(request);
    const turn = await readTurn(request, config);
    if (!config.gate) return { turn };
    const { states } = await opening;
    return createGate(config.gate, states!).admit(turn, request.headers.get('origin') ?? '');
  }

  return Object.assign(async (request: Request) => app.fetch(request), {
    async close() {
      for (const answer of [...answers]) answer.stop(faults.cut());
      await opening.then(
        (store) => store.close(),
        () => {},
      );
    },
  });
}

async function streamReply(
  config: RelayConfig,
  logger: RelayLogger,
  { streams }: RelayStore,
  answers: Set<Answer>,
  { turn, watch }: Admission,
  { signal: client, headers }: Request,
): Promise<Response> {
  const id = createStreamId();
  const reply = askUpstream(config, turn);
  const report = createReport(logger, { id: shown(id), route: 'stream', messages: turn.messages.length });
  const answer = createAnswer({
    id,
    origin: headers.get('origin') ?? '',
    reply,
    streams,
    model: turn.model,
    resumeWindow: config.resumeWindow,
    aheadBytes: config.replay.streamBytes / 2,
    watch,
    onEnd(outcome, fault) {
      answers.delete(answer);
      report(outcome, fault);
    },
  });
  answers.add(answer);
  onLeaving(client, answer.leave);

  // An upstream that refuses at once is told by status too, so that waits and retries work as everywhere. One that thinks longer than
  // a connection may be silent gets the headers sent, and pings.
  const fault = await within(faultOf(reply.opened), config.pingInterval, () => undefined);
  return eventStream(createEventStream(answer, { client, ...config }), fault);
}

async function resumeReply(
  config: RelayConfig,
  logger: RelayLogger,
  { streams }: RelayStore,
  id: string,
  request: Request,
): Promise<Response> {
  const { first, end } = await findStream(streams, id, request);
  const after = lastSeen(id, request);
  if (after + 1 < first) throw faults.forgotten();
  if (end !== undefined && after >= end) return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
  if (end === undefined) await streams.order(id, 'resume');
  const about = { id: shown(id), route: 'resume', after };
  logger.info(about, 'resumed');
  const replay = createReplay(streams, id, after, (fault) => {
    logger.warn({ ...about, code: fault.code, detail: fault.detail }, fault.message);
  });
  onLeaving(request.signal, replay.leave);
  return eventStream(createEventStream(replay, { client: request.signal, ...config }));
}

function eventStream(body: ReadableStream<Uint8Array>, fault?: RelayFault): Response {
  return new Response(body, {
    status: fault?.status ?? 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no', // nginx would collect the events
      ...(fault && faultHeaders(fault)),
    },
  });
}

async function wholeReply(config: RelayConfig, logger: RelayLogger, { turn, watch }: Admission, client: AbortSignal) {
  const started = Date.now();
  const reply = askUpstream(config, turn);
  onLeaving(client, reply.abort); // takes the upstream with it
  const log = createReport(logger, { id: shown(createStreamId()), route: 'whole', messages: turn.messages.length });
  try {
    const { text, ...end } = await collect(reply, turn.model, watch);
    log('done');
    return { reply: text, usage: null, model: null, ...end, response_time_ms: Date.now() - started };
  } catch (error) {
    reply.abort();
    await watch?.abandon();
    const fault = error instanceof RelayFault ? error : faults.internal(error);
    log(client.aborted ? 'client-left' : 'fault', fault);
    throw fault;
  }
}

async function collect(reply: UpstreamReply, model: string | undefined, watch?: ReplyWatch): Promise<ReplyEnd & { text: string }> {
  const readEnd = createReplyReader(model);
  let text = '';
  for (;;) {
    const events = await reply.next();
    if (!events) throw faults.cut();
    for (const event of events) {
      if (event.type === 'text') text += event.text;
      if (event.type === 'text') watch?.push(event.text);
      const end = readEnd(event);
      if (!end) continue;
      await watch?.end(end.finish_reason);
      return { text, ...end };
    }
    if (text.length > MAX_REPLY) throw faults.replyTooLarge();
  }
}

function onLeaving(client: AbortSignal, leave: () => void) {
  if (client.aborted) leave();
  else client.addEventListener('abort', leave, { once: true });
}

const ended = { done: 'answered', 'client-left': 'client left', stopped: 'stopped' };

function createReport(logger: RelayLogger, about: object) {
  const started = Date.now();
  return (outcome: Outcome, fault?: RelayFault) => {
    const data = { ...about, outcome, ms: Date.now() - started, ...(fault && { code: fault.code, detail: fault.detail }) };
    if (outcome === 'fault') logger[fault?.code === 'internal' ? 'error' : 'warn'](data, fault?.message ?? 'fault');
    else logger.info(data, ended[outcome]);
  };
}

function refuse(fault: RelayFault): Response {
  return new Response(JSON.stringify(faultBody(fault)), {
    status: fault.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...faultHeaders(fault) },
  });
}

function faultHeaders({ retryAfter, retryable, status, allow }: RelayFault): Record<string, string> {
  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    // A 5xx or a 409 reads like "try again": say so where that is no use.
    ...(!retryable && (status >= 500 || status === 409) && { 'x-should-retry': 'false' }),
    ...(allow !== undefined && { allow }),
  };
}

async function faultOf(opened: Promise<void>): Promise<RelayFault | undefined> {
  try {
    await opened;
    return undefined;
  } catch (error) {
    return error instanceof RelayFault ? error : faults.internal(error);
  }
}

/** Unguessable, 128 bits: whoever knows it may read the rest of the stream. */
function createStreamId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** As much of a stream's id as a log may hold: it is a key to somebody's conversation. */
const shown = (id: string) => id.slice(0, 8);

function secrets({ apiKey, store }: RelayConfig): string[] {
  const password = typeof store === 'string' ? new URL(store).password : '';
  return [apiKey ?? '', password, decodeURIComponent(password)].filter(Boolean);
}
