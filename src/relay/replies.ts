/** What the routes of a chat answer: a new reply, the rest of one, a reply in one piece. */
import { createAnswer } from './answer.js';
import type { AnswerFigures } from './answer.js';
import { createEventStream } from './event-stream.js';
import { faultHeaders, faults, RelayFault } from './faults.js';
import type { ReplyWatch } from './gate/relay-gate.js';
import type { Health } from './health.js';
import type { RelayLogger } from './relay-log.js';
import type { RelayConfig } from './relay-options.js';
import { createReplay, findStream, lastSeen } from './replay.js';
import { createReplyEndReader } from './reply-end.js';
import type { ReplyEnd } from './reply-end.js';
import { createAnswerReport, shown } from './answer-report.js';
import type { AnswerRecord } from './answer-record.js';
import type { RelayTurn } from './relay-turn.js';
import type { Running } from './running.js';
import type { Holding } from './shares.js';
import type { StreamStore } from './store.js';
import type { Ticks } from './write-ticks.js';
import { askUpstream } from './upstream.js';
import type { FixedTemperatures, UpstreamReply } from './upstream.js';
import { within } from './within.js';

/** UTF-16 units of an answer that is not streamed. */
const MAX_REPLY = 4_194_304;

/** Bytes that a client which comes back counts for: what it has not read of a piece, as text and as sent. */
const RESUME_BYTES = 65_536;

/** A request that may go to the model, and what reads the reply along. */
export interface Admission {
  turn: RelayTurn;
  /** The relay's, or those of who asks. */
  config: RelayConfig;
  /** The client that asks, as limits count clients. */
  holder: string;
  /** Who asks, where the host knows. */
  tenant?: string;
  watch?: ReplyWatch;
}

/** What all requests of a relay share. */
export interface RelayParts {
  config: RelayConfig;
  logger: RelayLogger;
  /** Hear of each answer that has ended. */
  listeners: readonly ((record: AnswerRecord) => void)[];
  running: Running;
  ticks: Ticks;
  fixed: FixedTemperatures;
  health: Health;
  /** @throws RelayFault 503 where no further request may go to the model */
  assertRoom(holder: string): void;
}

/** Who asks: the request, and how to close the connection that it came by. */
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

  // An upstream that refuses at once is told by status too, so that waits and retries work as everywhere. One that thinks longer than
  // a connection may be silent gets the headers sent, and pings.
  return eventStream(body, await within(faultOf(reply.opened), config.pingInterval, () => undefined));
}

/** @param memory what it holds of the bytes that clients share, until nothing more is sent */
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
      'x-accel-buffering': 'no', // nginx would collect the events
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
  const forget = onLeaving(request.signal, reply.abort); // takes the upstream with it
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

/** The last look: nothing is awaited between it and the request to the model. */
function roomFault({ assertRoom }: RelayParts, holder: string): unknown {
  try {
    assertRoom(holder);
    return undefined;
  } catch (fault) {
    return fault;
  }
}

/** What the gate has noted of the request is taken back. */
async function turnAway(fault: unknown, watch: ReplyWatch | undefined): Promise<never> {
  await watch?.abandon();
  throw fault;
}

/**
 * @returns to be called when it no longer matters. Not to be left out: Node keeps a request whose signal has a listener that leads back to it,
 *   and all that hangs on it, for ever.
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

/** Unguessable, 128 bits: whoever knows it may read the rest of the stream. */
export function createStreamId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
