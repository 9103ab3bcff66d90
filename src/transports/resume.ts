/**
 * Reads the rest of a reply whose connection was lost. Loaded when a reply has ids that allow resuming.
 *
 * Every frame is taken exactly once: its number shows that it is known, the next one, or that this is not the same reply. Frames of another
 * reply are never appended: the reply then stays cut.
 */
import { baseUrl, prepareRequest } from './prepare-request.js';
import type { ReplyOutcome, ReplyRequest, ReplySink, ResumeState } from './reply-request.js';
import { nextRetry, retryTables, type RetryHint } from './retry.js';
import { createDeadline } from './request-deadline.js';
import type { Wire } from './wire.js';

export interface CutReply {
  request: ReplyRequest;
  on: ReplySink;
  resumeState: ResumeState;
  /** Sends one request and resolves with its outcome. */
  readOnce(request: ReplyRequest, on: ReplySink, resumeState: ResumeState): Promise<ReplyOutcome>;
  /** Set if the first request should not wait: the connection was lost long ago. */
  atOnce?: true;
}

/** Maximum number of connections for one reply, whatever their progress. */
const MOST = 12;
const NETWORK: RetryHint = { retry: 'network' };

/**
 * Requests the rest of a reply that was `cut`, with the delays of the retry table. Each connection that makes progress restarts the table.
 * Resolves with the end, or with the original cut if nothing helps. If the rest is not wanted or given up, and no other page continues to
 * read it, the service is told to stop, without waiting for that.
 */
export async function resume(reply: CutReply, outcome: ReplyOutcome): Promise<ReplyOutcome> {
  const end = outcome.type === 'cut' && !isSaid(outcome) ? await askForRest(reply, outcome) : outcome;
  const over = end.type === 'ended' || (end.type === 'failed' && (end.error.kind === 'endpoint' || end.error.kind === 'content-filter'));
  if (!over && reply.request.handedOn?.() !== true) void sendStop(reply);
  return end;
}

async function askForRest(reply: CutReply, cut: ReplyOutcome & { type: 'cut' }): Promise<ReplyOutcome> {
  const { request, on, resumeState } = reply;
  const table = retryTables.balanced;
  let made = { network: 0, server: 0 };
  let hint = NETWORK;
  /** The relay's last reason why the rest is not available. */
  let said: string | undefined;
  // If the service itself is silent, another request only extends the wait. Try once, in case the connection is the cause.
  let stalls = cut.error.kind === 'stall' ? 1 : 0;

  for (let tries = 0; tries < MOST; tries++) {
    const next = stalls > 1 ? null : nextRetry(table, made, hint);
    if (!next) return said === undefined ? cut : { ...cut, error: { ...cut.error, said } };
    on.warn?.('The connection was lost; asking for the rest of the reply');
    on.lost?.();
    const delayMs = reply.atOnce && tries === 0 ? 0 : next.delayMs;
    if (delayMs > 0 && !(await waitFor(request, delayMs))) return { type: 'aborted' };

    const before = resumeState.lastId;
    const outcome = await readRest(reply);
    if (request.signal.aborted) return { type: 'aborted' };
    if (outcome === 'not the same' || outcome.type === 'aborted') return cut;
    if (outcome.type === 'ended' || isSaid(outcome)) return outcome;
    made = resumeState.lastId === before ? { ...made, [next.class]: made[next.class] + 1 } : { network: 0, server: 0 };
    said = outcome.error.said;
    if (outcome.type === 'failed') {
      // The error came inside the stream, in a frame of this reply.
      if (outcome.afterFirstEvent && outcome.error.kind !== 'bad-response') return outcome;
      hint = outcome;
    } else {
      hint = NETWORK;
      stalls = outcome.error.kind === 'stall' ? stalls + 1 : 0;
    }
  }
  return cut;
}

/** Checks whether the service itself reported that there is no rest. */
function isSaid(outcome: ReplyOutcome): boolean {
  return outcome.type === 'cut' && outcome.error.said !== undefined;
}

/** Opens one connection for the frames after the last one. */
async function readRest({ request, on, resumeState, readOnce }: CutReply): Promise<ReplyOutcome | 'not the same'> {
  const rest = resumeAddress(request, resumeState);
  if (!rest) return 'not the same';
  const [stream, last] = parts(resumeState.lastId!)!;
  let seen = last;
  let same = true;
  let hasFrames = false;
  const closing = new AbortController();
  const close = () => closing.abort();
  request.signal.addEventListener('abort', close);
  if (request.signal.aborted) close();

  function refuse(): false {
    same = false;
    close();
    return false;
  }
  resumeState.take = (id) => {
    hasFrames = true;
    const [of, number] = parts(id) ?? [];
    if (!same || of !== stream || number === undefined || number > seen + 1) return refuse();
    if (number <= seen) return false; // sent again
    seen = number;
    resumeState.lastId = id!;
    return true;
  };
  try {
    // An unstreamed reply has no frames to identify it.
    const wire: Wire = {
      ...resumeFetch(request, rest, 'GET'),
      createReader: (emit, response) =>
        request.wire.createReader((event) => void (event.type === 'ping' || hasFrames ? emit(event) : refuse()), response),
    };
    const outcome = await readOnce({ ...request, wire, auto: false, signal: closing.signal }, on, resumeState);
    return same ? outcome : 'not the same';
  } finally {
    request.signal.removeEventListener('abort', close);
  }
}

function resumeAddress({ wire, endpoint }: ReplyRequest, { lastId }: ResumeState) {
  return lastId === undefined ? undefined : wire.resume?.(new URL(endpoint, baseUrl()), lastId);
}

/** Returns the same wire for another address. Headers, credentials and `beforeSend` work as for every request. */
function resumeFetch({ wire, fetch }: ReplyRequest, { url, headers }: { url: URL; headers: Record<string, string> }, method: string): Wire {
  const send = wire.fetch ?? fetch; // called without a receiver: as a method it would get the wrong `this`
  return {
    id: wire.id,
    fetch: (to, { body: _, ...init } = {}) => send(to, { ...init, method }),
    request: () => ({ url, headers, body: undefined }),
    createReader: (emit, response) => wire.createReader(emit, response),
  };
}

/** Tells the service to stop reading the model for us. The caller does not wait for it. */
async function sendStop({ request, resumeState }: CutReply): Promise<void> {
  const rest = resumeAddress(request, resumeState);
  if (!rest) return;
  const wire = resumeFetch(request, rest, 'DELETE');
  const prepared = await prepareRequest({ ...request, wire });
  if ('error' in prepared) return;
  const signal = AbortSignal.timeout(5_000);
  // The page may be closing.
  await wire.fetch!(prepared.url, { ...prepared.init, signal, keepalive: true }).then(
    ({ body }) => body?.cancel(),
    () => {},
  );
}

/** @returns false if the user stopped it meanwhile */
async function waitFor({ signal, setTimer }: ReplyRequest, ms: number): Promise<boolean> {
  const deadline = createDeadline({ signal, requestTimeout: 0, heartbeat: 0, ...(setTimer && { setTimer }) });
  let cancel = () => {};
  try {
    if (signal.aborted) return false;
    await deadline.race(
      new Promise<void>((resolve) => {
        cancel = deadline.timer(resolve, ms);
      }),
    );
    return true;
  } catch {
    return false;
  } finally {
    cancel();
    deadline.release();
  }
}

/** Splits an id: `<stream>.<n>`. */
function parts(id: string | undefined): [stream: string, number: number] | undefined {
  const dot = id?.lastIndexOf('.') ?? -1;
  const number = id?.slice(dot + 1) ?? '';
  return dot > 0 && /^\d{1,9}$/.test(number) ? [id!.slice(0, dot), Number(number)] : undefined;
}
