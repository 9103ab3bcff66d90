/** Answers the chat routes: a new reply, the rest of one, a reply in one piece. */
import { createAnswer } from './reply-stream.js';
import type { AnswerFigures } from './reply-stream.js';
import { createEventStream } from './event-stream.js';
import { faultHeaders, faults, RelayFault } from './errors.js';
import type { ReplyWatch } from './gate/relay-gate.js';
import type { Health } from './health.js';
import type { RelayLogger } from './relay-log.js';
import type { RelayConfig } from './relay-options.js';
import { createReplay, findStream, lastSeen } from './replay.js';
import { createReplyEndReader } from './reply-end.js';
import type { ReplyEnd } from './reply-end.js';
import { createAnswerReport, shown } from './usage-report.js';
import type { AnswerRecord } from './usage-record.js';
import type { RelayTurn } from './relay-turn.js';
import type { Running } from './active-replies.js';
import type { Holding } from './fair-shares.js';
import type { StreamStore } from './store.js';
import type { Ticks } from './write-batches.js';
import { askUpstream } from './upstream.js';
import type { FixedTemperatures, UpstreamReply } from './upstream.js';
import { within } from './timeouts.js';

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
  watch?: ReplyWatch;
}

/** The parts that all requests of a relay share. */
export interface RelayParts {
  config: RelayConfig;
  logger: RelayLogger;
  /** Called for each answer that has ended. */
  listeners: readonly ((record: AnswerRecord) => void)[];
  running: Running;
  ticks: Ticks;
  fixed: FixedTemperatures;
  health: Health;
  /** @throws RelayFault 503 if no further request may go to the model, 429 if the client has its share */
  assertRoom(holder: string): void;
}

/** The client: its request, and a function that closes its connection. */
export interface Client {
  request: Request;
  hangUp: (() => void) | undefined;
}

export async function streamReply(place: RelayParts, streams: StreamStore, admission: Admission, client: Client): Promise<Response> {
  const { running, health } = place;
  const { turn, watch, config, holder } = admission;
  const refused = roomFault(place, holder);
  if (refused) return turnAway(refused, watch);
  const id = createStreamId();
  const origin = client.request.headers.get('origin') ?? '';
  const reply = askUpstream(config, turn, place.fixed);
  const report = createAnswerReport(place, { id, route: 'stream', origin, ...tenantOf(admission) }, turn);
  let forget = () => {};
  const answer = createAnswer({
    id,
    origin,
    holder,
    reply,
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
  forget = onLeaving(client.request.signal, answer.leave);
  const body = createEventStream(answer, sending(place, client, { id: shown(id), route: 'stream', origin }));

  // An upstream's immediate refusal sets the HTTP status too, so that waits and retries work as with any server. If the upstream thinks for
  // longer than a connection may be silent, the headers are sent first, and pings follow.
  return eventStream(body, await within(faultOf(reply.opened), config.pingInterval, () => undefined));
}

/**
 * Resumes a stream.
 *
 *   @param memory the client's share of the memory; freed when nothing more is sent
 */
export async function resumeReply(place: RelayParts, streams: StreamStore, id: string, client: Client, memory: Holding): Promise<Response> {
  const { logger } = place;
  const { request } = client;
  const { first, end } = await findStream(streams, id, request);
  const after = lastSeen(id, request);
  if (after + 1 < first) throw faults.forgotten();
  if (end !== undefined && after >= end) return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
  memory.add(RESUME_BYTES);
  if (end === undefined)
    await streams.order(id, 'resume').catch((error: unknown) => {
      memory.end();
      throw faults.noStore(error);
    });
  const about = { id: shown(id), route: 'resume', origin: request.headers.get('origin') ?? '', after };
  logger.info(about, 'resumed');
  const replay = createReplay(streams, id, after, (fault) => {
    logger.warn({ ...about, code: fault.code, detail: fault.detail }, fault.message);
  });
  const forget = onLeaving(request.signal, () => {
    replay.leave();
    memory.end();
  });
  const onClose = () => {
    forget();
    memory.end();
  };
  return eventStream(createEventStream(replay, sending(place, client, about, onClose)));
}

function sending({ config, logger, running, ticks }: RelayParts, { request, hangUp }: Client, about: object, onClose = () => {}) {
  const { pingInterval, timeout } = config;
  const onStall = () => logger.warn({ ...about, outcome: 'client-stalled' }, 'The client stopped reading and was given up');
  const sent = running.open();
  return {
    client: request.signal,
    pingInterval,
    timeout,
    ticks,
    hangUp,
    onStall,
    onClose() {
      sent();
      onClose();
    },
  };
}

function eventStream(body: ReadableStream<Uint8Array>, fault?: RelayFault): Response {
  return new Response(body, {
    status: fault?.status ?? 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no', // nginx would buffer the events
      ...(fault && faultHeaders(fault)),
    },
  });
}

export async function wholeReply(place: RelayParts, admission: Admission, { request }: Client) {
  const { running, health } = place;
  const { turn, watch, config, holder } = admission;
  const refused = roomFault(place, holder);
  if (refused) return turnAway(refused, watch);
  const started = Date.now();
  const id = createStreamId();
  const origin = request.headers.get('origin') ?? '';
  const reply = askUpstream(config, turn, place.fixed);
  let given: RelayFault | undefined;
  running.add(id, {
    ...{ origin, holder },
    stop(fault) {
      given = fault;
      reply.abort();
    },
  });
  const forget = onLeaving(request.signal, reply.abort); // aborts the upstream request, too
  const report = createAnswerReport(place, { id, route: 'whole', origin, ...tenantOf(admission) }, turn);
  const figures: AnswerFigures = { pieces: 0 };
  try {
    const { text, ...end } = await collect(reply, turn.model, figures, watch);
    health.asked();
    report('done', { ...figures, end });
    return { reply: text, usage: null, model: null, ...end, response_time_ms: Date.now() - started };
  } catch (error) {
    reply.abort();
    await watch?.abandon();
    const fault = given ?? (error instanceof RelayFault ? error : faults.internal(error));
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
  figures: AnswerFigures,
  watch?: ReplyWatch,
): Promise<ReplyEnd & { text: string }> {
  const readEnd = createReplyEndReader(model);
  let text = '';
  for (;;) {
    const events = await reply.next();
    if (!events) throw faults.broken();
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
    if (text.length > MAX_REPLY) throw faults.replyTooLong();
  }
}

const tenantOf = ({ tenant }: Admission) => (tenant === undefined ? {} : { tenant });

/** Checks for room a last time: nothing is awaited between this and the request to the model. */
function roomFault({ assertRoom }: RelayParts, holder: string): unknown {
  try {
    assertRoom(holder);
    return undefined;
  } catch (fault) {
    return fault;
  }
}

/** Undoes what the gate has recorded for the request, then throws. */
async function turnAway(fault: unknown, watch: ReplyWatch | undefined): Promise<never> {
  await watch?.abandon();
  throw fault;
}

/**
 * Calls `leave` when the client leaves.
 *
 *   @returns removes the listener. Must be called: Node never frees a request whose signal has a listener that refers back to it, nor
 *   anything attached to it.
 */
function onLeaving(client: AbortSignal, leave: () => void): () => void {
  if (client.aborted) leave();
  else client.addEventListener('abort', leave, { once: true });
  return () => client.removeEventListener('abort', leave);
}

async function faultOf(opened: Promise<void>): Promise<RelayFault | undefined> {
  try {
    await opened;
    return undefined;
  } catch (error) {
    return error instanceof RelayFault ? error : faults.internal(error);
  }
}

/** Creates an id of 128 random bits. It must be unguessable, because anyone who knows it may read the rest of the stream. */
export function createStreamId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
