/**
 * The server between a page and a model: keeps the key, checks what is asked, passes the answer on as it comes (S0-09, S0-114 … S0-118).
 * Web standards only: the same function serves Node, Deno, Bun and workers.
 */
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { createEventStream, createReplyReader } from './event-stream.js';
import type { ReplyEnd } from './event-stream.js';
import { faultBody, faults, RelayFault } from './faults.js';
import { redactedLogger } from './log.js';
import type { RelayLogger } from './log.js';
import { resolveOptions } from './options.js';
import type { RelayConfig, RelayOptions } from './options.js';
import { corsHeaders, judgeOrigin, preflightHeaders } from './origin.js';
import { createRateLimiter } from './rate-limit.js';
import { readTurn } from './request-body.js';
import type { RelayTurn } from './request-body.js';
import { askUpstream } from './upstream.js';
import type { UpstreamReply } from './upstream.js';
import { within } from './within.js';

const STREAM = '/api/ai/chat/stream';
const WHOLE = '/api/ai/chat';
/** UTF-16 units of an answer that is not streamed. */
const MAX_REPLY = 4_194_304;

/**
 * A function from `Request` to `Response` that answers `POST /api/ai/chat/stream`, `POST /api/ai/chat` and `GET /healthz`.
 *
 * A refusal before the first byte has an HTTP status of its own *and*, on the streaming route, an `error` event as its body; later faults
 * are an `error` event. A page of an allowed origin may use the model for whatever it likes, within `rateLimit` and `maxTokens`.
 *
 * @throws TypeError for options that cannot be meant
 * @example serve({ fetch: createRelay(relayOptionsFromEnv(process.env)) })
 */
export function createRelay(options: RelayOptions): (request: Request) => Promise<Response> {
  const config = resolveOptions(options);
  const logger = redactedLogger(options.logger, config.apiKey ? [config.apiKey] : []);
  const takeToken = config.rateLimit ? createRateLimiter(config.rateLimit) : () => 0;
  const app = new Hono();

  app.use(async (context, next) => {
    await next();
    context.res.headers.append('vary', 'Origin');
    context.res.headers.set('x-content-type-options', 'nosniff');
  });
  app.use(async (context, next) => {
    const origin = judgeOrigin(context.req.raw, config.allowedOrigins);
    if (!origin.allowed) throw faults.forbiddenOrigin();
    if (context.req.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: origin.foreign ? preflightHeaders(origin.foreign) : {} });
    await next();
    if (origin.foreign) for (const [name, value] of corsHeaders(origin.foreign)) context.res.headers.set(name, value);
    return undefined;
  });
  app.use(WHOLE, compress()); // matches this path alone: the stream beside it is never held back (S0-149)

  app.get('/healthz', (context) => context.json({ status: 'ok' }, 200, { 'cache-control': 'no-store' }));
  app.post(STREAM, async (context) => streamReply(config, logger, await admit(context.req.raw), context.req.raw.signal));
  app.post(WHOLE, async (context) => context.json(await wholeReply(config, logger, await admit(context.req.raw), context.req.raw.signal)));
  for (const path of [STREAM, WHOLE]) app.all(path, () => Promise.reject(faults.methodNotAllowed()));
  app.notFound(() => refuse(faults.notFound()));
  app.onError((error, context) => {
    const fault = error instanceof RelayFault ? error : faults.internal(error);
    if (error instanceof RelayFault) logger.debug({ path: context.req.path, status: fault.status, code: fault.code }, fault.message);
    else logger.error({ path: context.req.path, detail: error }, 'relay failed');
    return refuse(fault);
  });

  async function admit(request: Request) {
    const wait = takeToken(config.clientAddress(request) ?? '');
    if (wait > 0) throw faults.tooManyRequests(wait);
    return readTurn(request, config);
  }

  return async (request) => app.fetch(request);
}

async function streamReply(config: RelayConfig, logger: RelayLogger, turn: RelayTurn, client: AbortSignal): Promise<Response> {
  const id = createStreamId();
  const reply = startReply(config, turn, client);
  const log = createReport(logger, { id, route: 'stream', messages: turn.messages.length });
  const { pingInterval, timeout } = config;
  const body = createEventStream({ id, reply, client, model: turn.model, pingInterval, timeout, onEnd: log });

  // An upstream that refuses at once is told by status too, so that waits and retries work as everywhere. One that thinks longer than
  // a connection may be silent gets the headers sent, and pings.
  const fault = await within(faultOf(reply.opened), pingInterval, () => undefined);
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

async function wholeReply(config: RelayConfig, logger: RelayLogger, turn: RelayTurn, client: AbortSignal) {
  const started = Date.now();
  const reply = startReply(config, turn, client);
  const log = createReport(logger, { id: createStreamId(), route: 'whole', messages: turn.messages.length });
  try {
    const { text, ...end } = await collect(reply, turn.model);
    log('done');
    return { reply: text, usage: null, model: null, ...end, response_time_ms: Date.now() - started };
  } catch (error) {
    reply.abort();
    const fault = error instanceof RelayFault ? error : faults.internal(error);
    log(client.aborted ? 'client-left' : 'fault', fault);
    throw fault;
  }
}

async function collect(reply: UpstreamReply, model: string | undefined): Promise<ReplyEnd & { text: string }> {
  const readEnd = createReplyReader(model);
  let text = '';
  for (;;) {
    const events = await reply.next();
    if (!events) throw faults.cut();
    for (const event of events) {
      if (event.type === 'text') text += event.text;
      const end = readEnd(event);
      if (end) return { text, ...end };
    }
    if (text.length > MAX_REPLY) throw faults.replyTooLarge();
  }
}

/** A client that leaves takes the upstream with it. */
function startReply(config: RelayConfig, turn: RelayTurn, client: AbortSignal): UpstreamReply {
  const reply = askUpstream(config, turn);
  if (client.aborted) reply.abort();
  else client.addEventListener('abort', reply.abort, { once: true });
  return reply;
}

function createReport(logger: RelayLogger, about: object) {
  const started = Date.now();
  return (outcome: 'done' | 'fault' | 'client-left', fault?: RelayFault) => {
    const data = { ...about, outcome, ms: Date.now() - started, ...(fault && { code: fault.code, detail: fault.detail }) };
    if (outcome === 'fault') logger[fault?.code === 'internal' ? 'error' : 'warn'](data, fault?.message ?? 'fault');
    else logger.info(data, outcome === 'done' ? 'answered' : 'client left');
  };
}

function refuse(fault: RelayFault): Response {
  return new Response(JSON.stringify(faultBody(fault)), {
    status: fault.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...faultHeaders(fault) },
  });
}

function faultHeaders({ retryAfter, retryable, status }: RelayFault): Record<string, string> {
  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    // A 5xx reads like "try again": say so where that is no use.
    ...(!retryable && status >= 500 && { 'x-should-retry': 'false' }),
    ...(status === 405 && { allow: 'POST, OPTIONS' }),
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

/** Unguessable: whoever knows it may later read the rest of the stream. */
function createStreamId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
