/** Answers the chat routes: a new reply, the rest of one, a reply in one piece. */
import { createReplyStream, type ReplyFigures, createReplyEndReader, type ReplyEnd } from './reply-stream.js';
import { createEventStream, type WriteBatches } from './event-stream.js';
import { errorHeaders, relayErrors, RelayError } from './errors.js';
import type { ReplyTracker } from './gate/relay-gate.js';
import type { Health } from './health.js';
import type { RelayLogger } from './relay-log.js';
import type { RelayConfig } from './relay-options.js';
import { createReplay, findStream, lastSeen } from './replay.js';
import { createUsageReport, shortId } from './usage-report.js';
import type { UsageRecord } from './usage-record.js';
import type { RelayTurn } from './relay-turn.js';
import type { ActiveReplies } from './active-replies.js';
import type { ShareHold } from './fair-shares.js';
import type { StreamStore } from './store.js';
import { askUpstream } from './upstream.js';
import type { FixedTemperatures, UpstreamReply } from './upstream.js';
import { inTurn } from './time-slices.js';
import { withTimeout } from './timeouts.js';
import type { Yield } from '../tools/yield-to-main.js';

/** Maximum UTF-16 units of an answer that is not streamed. */
const MAX_REPLY = 4_194_304;

/** Bytes counted for a client that resumes: the unread part of a piece, as text and as sent. */
const RESUME_BYTES = 65_536;

/** A request that may go to the model, and the watch that follows its reply. */
export interface Admission {
  turn: RelayTurn;
  /** The relay's settings, merged with those of the tenant. */
  config: RelayConfig;
  /** The client's name for the limits. */
  holder: string;
  /** The id of the tenant, if the host uses `authorise`. */
  tenant?: string;
  watch?: ReplyTracker;
}

/** The parts that all requests of a relay share. */
export interface RelayParts {
  config: RelayConfig;
  logger: RelayLogger;
  /** Called for each answer that has ended. */
  listeners: readonly ((record: UsageRecord) => unknown)[];
  running: ActiveReplies;
  ticks: WriteBatches;
  fixed: FixedTemperatures;
  /** Gives each answer of a client the function to await before a piece of it is read. */
  pieces: (client: string) => Yield;
  health: Health;
  /** @throws RelayError 503 if no further request may go to the model, 429 if the client has its share */
  assertRoom(holder: string): void;
}

/** The client: its request, and a function that closes its connection. */
export interface Client {
  request: Request;
  closeConnection: (() => void) | undefined;
}

export async function streamReply(place: RelayParts, streams: StreamStore, admission: Admission, client: Client): Promise<Response> {
  const { running, health } = place;
  const { turn, watch, config, holder } = admission;
  const refused = capacityError(place, holder);
  if (refused) return rejectAdmission(refused, watch);
  const id = createStreamId();
  const origin = client.request.headers.get('origin') ?? '';
  const breathe = place.pieces(holder);
  const reply = askUpstream(config, turn, place.fixed, breathe);
  const report = createUsageReport(place, { id, route: 'stream', origin, ...tenantOf(admission) }, turn);
  let forget = () => {};
  const answer = createReplyStream({
    id,
    origin,
    holder,
    reply,
    breathe,
    streams,
    model: turn.model,
    resumeWindow: config.resumeWindow,
    aheadBytes: config.replay.streamBytes / 2,
    watch,
    onEnd(outcome, figures, fault) {
      forget();
      running.delete(id);
      health.asked(fault);
      report(outcome, figures, fault);
    },
  });
  running.add(id, answer);
  forget = onClientLeft(client.request.signal, answer.leave);
  const body = createEventStream(answer, sendStream(place, client, { id: shortId(id), route: 'stream', origin }));

  // An upstream's immediate refusal sets the HTTP status too, so that waits and retries work as with any server. If the upstream thinks for
  // longer than a connection may be silent, the headers are sent first, and pings follow.
  return eventStream(body, await withTimeout(errorOf(reply.opened), config.pingInterval, () => undefined));
}

/**
 * Resumes a stream.
 *
 *   @param memory the client's share of the memory; freed when nothing more is sent
 */
export async function resumeReply(
  place: RelayParts,
  streams: StreamStore,
  id: string,
  client: Client,
  memory: ShareHold,
): Promise<Response> {
  const { logger } = place;
  const { request } = client;
  const { first, end } = await findStream(streams, id, request);
  const after = lastSeen(id, request);
  if (after + 1 < first) throw relayErrors.forgotten();
  if (end !== undefined && after >= end) return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
  memory.add(RESUME_BYTES);
  if (end === undefined)
    await streams.order(id, 'resume').catch((error: unknown) => {
      memory.end();
      throw relayErrors.noStore(error);
    });
  const about = { id: shortId(id), route: 'resume', origin: request.headers.get('origin') ?? '', after };
  logger.info(about, 'resumed');
  const replay = createReplay(streams, id, after, (fault) => {
    logger.warn({ ...about, code: fault.code, detail: fault.detail }, fault.message);
  });
  const forget = onClientLeft(request.signal, () => {
    replay.leave();
    memory.end();
  });
  const onClose = () => {
    forget();
    memory.end();
  };
  return eventStream(createEventStream(replay, sendStream(place, client, about, onClose)));
}

function sendStream(
  { config, logger, running, ticks }: RelayParts,
  { request, closeConnection }: Client,
  about: object,
  onClose = () => {},
) {
  const { pingInterval, timeout } = config;
  const onStall = () => logger.warn({ ...about, outcome: 'client-stalled' }, 'The client stopped reading and was given up');
  const sent = running.open();
  return {
    client: request.signal,
    pingInterval,
    timeout,
    ticks,
    closeConnection,
    onStall,
    onClose() {
      sent();
      onClose();
    },
  };
}

function eventStream(body: ReadableStream<Uint8Array>, fault?: RelayError): Response {
  return new Response(body, {
    status: fault?.status ?? 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no', // nginx would buffer the events
      ...(fault && errorHeaders(fault)),
    },
  });
}

export async function wholeReply(place: RelayParts, admission: Admission, { request }: Client) {
  const { running, health } = place;
  const { turn, watch, config, holder } = admission;
  const refused = capacityError(place, holder);
  if (refused) return rejectAdmission(refused, watch);
  const started = Date.now();
  const id = createStreamId();
  const origin = request.headers.get('origin') ?? '';
  const breathe = place.pieces(holder);
  const reply = askUpstream(config, turn, place.fixed, breathe);
  let given: RelayError | undefined;
  running.add(id, {
    ...{ origin, holder },
    stop(fault) {
      given = fault;
      reply.abort();
    },
  });
  const forget = onClientLeft(request.signal, () => inTurn(breathe, reply.abort)); // aborts the upstream request, too
  const report = createUsageReport(place, { id, route: 'whole', origin, ...tenantOf(admission) }, turn);
  const figures: ReplyFigures = { pieces: 0 };
  try {
    const { text, ...end } = await collect(reply, turn.model, figures, watch);
    await breathe(); // an answer of megabytes takes time to be written
    health.asked();
    report('done', { ...figures, end });
    return { reply: text, usage: null, model: null, ...end, response_time_ms: Date.now() - started };
  } catch (error) {
    reply.abort();
    await watch?.abandon();
    const fault = given ?? (error instanceof RelayError ? error : relayErrors.internal(error));
    const outcome = given ? 'stopped' : request.signal.aborted ? 'client-left' : 'fault';
    if (outcome === 'fault') health.asked(fault);
    report(outcome, figures, fault);
    throw fault;
  } finally {
    forget();
    running.delete(id);
  }
}

async function collect(
  reply: UpstreamReply,
  model: string | undefined,
  figures: ReplyFigures,
  watch?: ReplyTracker,
): Promise<ReplyEnd & { text: string }> {
  const readEnd = createReplyEndReader(model);
  let text = '';
  for (;;) {
    const events = await reply.next();
    if (!events) throw relayErrors.broken();
    for (const event of events) {
      if (event.type === 'text') {
        text += event.text;
        figures.pieces += 1;
        watch?.push(event.text);
      }
      const end = readEnd(event);
      if (!end) continue;
      await watch?.end(end.finish_reason);
      return { text, ...end };
    }
    if (text.length > MAX_REPLY) throw relayErrors.replyTooLong();
  }
}

const tenantOf = ({ tenant }: Admission) => (tenant === undefined ? {} : { tenant });

/** Checks for room a last time: nothing is awaited between this and the request to the model. */
function capacityError({ assertRoom }: RelayParts, holder: string): unknown {
  try {
    assertRoom(holder);
    return undefined;
  } catch (fault) {
    return fault;
  }
}

/** Undoes what the gate has recorded for the request, then throws. */
async function rejectAdmission(fault: unknown, watch: ReplyTracker | undefined): Promise<never> {
  await watch?.abandon();
  throw fault;
}

/**
 * Calls `leave` when the client leaves.
 *
 *   @returns removes the listener. Must be called: Node never frees a request whose signal has a listener that refers back to it, nor
 *   anything attached to it.
 */
function onClientLeft(client: AbortSignal, leave: () => void): () => void {
  if (client.aborted) leave();
  else client.addEventListener('abort', leave, { once: true });
  return () => client.removeEventListener('abort', leave);
}

async function errorOf(opened: Promise<void>): Promise<RelayError | undefined> {
  try {
    await opened;
    return undefined;
  } catch (error) {
    return error instanceof RelayError ? error : relayErrors.internal(error);
  }
}

/** Creates an id of 128 random bits. It must be unguessable, because anyone who knows it may read the rest of the stream. */
export function createStreamId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
