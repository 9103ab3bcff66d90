/**
 * One request, one reply: converts a turn to a stream of wire events and exactly one outcome. Enforces the limits and classifies the
 * failure; does not retry (the conversation does, with `retry.ts`), does not parse tool calls, and has no texts for users.
 */
import { load } from '../base/load.js';
import { nextTask } from '../base/next-task.js';
import { own } from '../base/objects.js';
import { createAutoReader } from './auto-reader.js';
import { failureOf } from './failure.js';
import type { Failure } from './failure.js';
import type { EndpointError } from './endpoint-errors.js';
import { baseUrl, prepareRequest } from './prepare-request.js';
import { createDeadline, ABORTED } from './request-deadline.js';
import type { RequestDeadline } from './request-deadline.js';
import { connectionAdvice } from './ip-address-space.js';
import type { WireEvent } from './wire.js';
import type { ReplyOutcome, ReplyRequest, ReplySink, ResumeState } from './reply-request.js';

export type { Failure, FailureKind, RetryClass } from './failure.js';
export type { OutgoingRequest } from './prepare-request.js';
export type { SetTimer } from './request-deadline.js';

/** Milliseconds after which an answer is likely to continue for a while. */
const LONG = 1000;

/**
 * Sends the turn and reads the reply to its end. Always resolves, unless a sink or a wire throws. When it resolves, the connection is
 * closed and no timer runs; the connection of a complete answer is closed within a second, if the server has not closed it.
 *
 * Headers without an event count as "before the first event", and so do comments and empty deltas: a retry cannot duplicate anything. If
 * the reply is cut after that, the rest is requested from that point, if the wire supports it (`Wire.resume`).
 */
export async function readReply(request: ReplyRequest, on: ReplySink): Promise<ReplyOutcome> {
  let resuming: Promise<typeof import('./resume.js') | void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const loadResume = () => (resuming ??= load(() => import('./resume.js')).catch(ignore));
  const resumeState: ResumeState = {
    begun: false,
    take(id) {
      if (request.wire.resume && id?.includes('.')) {
        resumeState.lastId = id;
        // Loaded while the network and the page still work, because it is needed when they do not. Most answers end sooner.
        timer ??= setTimeout(() => void loadResume(), LONG);
      }
      return true;
    },
  };
  const outcome = await readOnce(request, on, resumeState);
  clearTimeout(timer);
  if (outcome.type === 'ended' || resumeState.lastId === undefined) return outcome;
  const settled = loadResume().then((module) => module?.resume({ request, on, resumeState, readOnce }, outcome) ?? outcome);
  return outcome.type === 'cut' ? settled : outcome;
}

/** Reads one connection, for callers with their own `Trail`. */
export async function readOnce(request: ReplyRequest, on: ReplySink, resumeState: ResumeState): Promise<ReplyOutcome> {
  if (request.signal.aborted) return { type: 'aborted' };
  const deadline = createDeadline(request);
  try {
    const prepared = await deadline.race(prepareRequest(request));
    if (prepared.warning !== undefined) on.warn?.(prepared.warning);
    if ('error' in prepared) return failedOutcome({ error: prepared.error });
    const { url, init } = prepared;
    const fetch = request.wire.fetch ?? request.fetch; // called without a receiver: as a method it would get the wrong `this`
    let response: Response;
    try {
      response = await deadline.race(fetch(url, { ...init, signal: deadline.signal }), (late) => void late.body?.cancel().catch(ignore));
    } catch (error) {
      if (error === ABORTED) throw error;
      return failedOutcome({ error: failureOf('connect', connectionAdvice(url, baseUrl())), retry: 'network' });
    }
    // An error response still has its status if its body was already read.
    const isTaken = response.bodyUsed || response.body?.locked === true;
    if (!response.ok) {
      const { parseHttpError } = await deadline.race(load(() => import('./endpoint-errors.js')));
      return failedOutcome(await parseHttpError(response, deadline, isTaken));
    }
    if (isTaken) return failedOutcome({ error: failureOf('body-taken', { status: response.status }) });
    on.answered?.(response.headers);
    // A replacement for `Response` may offer only `text()`.
    let { body } = response;
    if (!body && typeof response.text === 'function') {
      const whole = await deadline.race(response.text().catch(ignore));
      if (whole === undefined) return connectionDropped(false, failureOf('cut'));
      if (whole !== '') ({ body } = new Response(whole));
    }
    if (!body) return failedOutcome({ error: failureOf('bad-response', { status: response.status }) });
    return await readBody(request, on, resumeState, deadline, response, body.getReader());
  } catch (error) {
    if (error !== ABORTED) throw error;
    return deadline.stopped === 'signal' ? { type: 'aborted' } : failedOutcome({ error: failureOf('timeout'), retry: 'network' });
  } finally {
    deadline.release();
  }
}

// Bytes that are read in one go, and the time after which other tasks run: a burst of 100,000 small events would otherwise block the page
// until all are read.
const SLICE_BYTES = 16_384;
const SLICE_MS = 20;

/** Maximum length of text that is emitted at once, in UTF-16 units: a complete answer may come in one piece. */
const SLICE_CHARS = 65_536;

async function readBody(
  request: ReplyRequest,
  on: ReplySink,
  resumeState: ResumeState,
  deadline: RequestDeadline,
  response: Response,
  body: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReplyOutcome> {
  let carried = false;
  let pinged = false;
  let outcome: ReplyOutcome | Promise<ReplyOutcome> | undefined;
  let busyMs = 0;
  let readsAs = request.wire.id;
  let place = resumeState.lastId;
  deadline.attach(() => void body.cancel().catch(ignore));

  /** A long text, and the events after it. */
  const late: WireEvent[] = [];

  function take(event: WireEvent) {
    if (late.length > 0 || isLong(event)) late.push(event);
    else handOn(event);
  }

  async function catchUp() {
    for (let started = performance.now(); late.length > 0 && !outcome && !deadline.stopped;) {
      const event = late[0]!;
      if (isLong(event)) {
        late[0] = { ...event, text: event.text.slice(SLICE_CHARS) };
        handOn({ ...event, text: event.text.slice(0, SLICE_CHARS) });
      } else {
        late.shift();
        handOn(event);
      }
      if (performance.now() - started < SLICE_MS) continue;
      deadline.bytes(resumeState.begun);
      await nextTask();
      started = performance.now();
    }
  }

  function handOn(event: WireEvent) {
    if (outcome || deadline.stopped) return;
    if (event.type === 'ping') {
      pinged = true;
      return;
    }
    carried = true;
    if (event.type === 'finish') outcome = { type: 'ended', finish: event.finish, proof: event.proved ? 'proved' : 'unproved' };
    else if (event.type === 'error') outcome = streamError(event, resumeState.begun, readsAs === 'cutie');
    else {
      // A model that is still being downloaded has not answered yet.
      resumeState.begun ||= !['progress', 'state', 'part'].includes(event.type);
      on.event(event);
    }
  }

  const info = {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    headers: response.headers,
    ...(request.lineChars !== undefined && { maxLine: request.lineChars }),
    ...(on.heard && { heard: on.heard }),
    warn: (message: string) => on.warn?.(message),
    missing: () => {
      if (!outcome && !deadline.stopped) on.missing?.();
    },
    frameId: (id: string | undefined) => resumeState.take(id),
  };
  function chose(id: string, why: string) {
    readsAs = id;
    resumeState.take = () => true; // these ids belong to another wire
    delete resumeState.lastId;
    on.chose?.(id, why);
  }
  const auto = request.auto ? createAutoReader(request.wire, take, info, new URL(request.endpoint, baseUrl()), chose) : undefined;
  const reader = auto ?? request.wire.createReader(take, info);
  if (auto) await auto.settle();
  if (!outcome && !resumeState.begun) on.opened?.();

  while (!outcome) {
    deadline.bytes(resumeState.begun);
    // No `for await`: Safari cannot iterate a body.
    const { done, value } = await body.read().catch(() => ({ done: 'reset' as const, value: undefined }));
    if (deadline.stopped) break;
    if (value === undefined) {
      reader.end(done === 'reset' ? 'reset' : 'close');
      if (auto) await auto.settle();
      await catchUp();
      if (deadline.stopped) break;
      // A clean close proves nothing: WebKit reports one for a broken connection.
      outcome ??= connectionDropped(resumeState.begun, failureOf('cut'));
      break;
    }
    for (let at = 0; at < value.length && !outcome && !deadline.stopped; at += SLICE_BYTES) {
      const started = performance.now();
      reader.push(value.subarray(at, at + SLICE_BYTES));
      const unsettled = auto?.settle();
      if (unsettled) await unsettled;
      if (late.length > 0) await catchUp();
      busyMs += performance.now() - started;
      if (carried) deadline.progress();
      else if (pinged && !resumeState.begun) deadline.waiting();
      carried = pinged = false;
      if (resumeState.lastId !== undefined && resumeState.lastId !== place && !outcome) on.place?.((place = resumeState.lastId));
      if (busyMs < SLICE_MS) continue;
      busyMs = 0;
      deadline.bytes(resumeState.begun);
      await nextTask();
    }
  }
  if (outcome) {
    const { type } = await outcome;
    if (type === 'ended') deadline.release(drain(body));
    return outcome;
  }
  if (deadline.stopped === 'signal') return { type: 'aborted' };
  // The server has the message and is working on it. Sending it again would start over.
  if (deadline.stopped === 'progress' && !resumeState.begun) return failedOutcome({ error: failureOf('timeout', { afterHeaders: true }) });
  return connectionDropped(resumeState.begun, failureOf(resumeState.begun ? 'stall' : 'timeout'));
}

/** Reads the rest of a complete answer, which contains only its end. */
async function drain(body: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let left = SLICE_BYTES; left > 0;) {
    const { value } = await body.read();
    if (!value) return;
    left -= value.byteLength;
  }
}

function connectionDropped(begun: boolean, error: Failure): ReplyOutcome {
  return begun ? { type: 'cut', error } : failedOutcome({ error, retry: 'network' });
}

function failedOutcome(refusal: Partial<EndpointError> & { error: Failure }, afterFirstEvent = false): ReplyOutcome {
  return { type: 'failed', retry: 'none', afterFirstEvent, ...refusal };
}

/** Errors that the readers find, not the endpoint. */
const ownCodes = {
  TOO_LARGE: 'too-large',
  BAD_RESPONSE: 'bad-response',
  NO_MODEL: 'no-model',
  NEEDS_GESTURE: 'needs-gesture',
  OVERFLOW: 'overflow',
  NEEDS_DOWNLOAD: 'needs-download',
  NO_ROOM: 'no-room',
} as const;

/** Converts an error inside a reply: the reader's own, or one that the endpoint reported. */
async function streamError(event: WireEvent & { type: 'error' }, begun: boolean, isRelays: boolean): Promise<ReplyOutcome> {
  // An endpoint may report one of our own codes, too, so the texts of errors are loaded for all of them.
  const { parseStreamError } = await load(() => import('./endpoint-errors.js'));
  const kind = own(ownCodes, event.code ?? '') as (typeof ownCodes)[keyof typeof ownCodes] | undefined;
  // A body that is not a reply may contain the reason, in the sender's text.
  if (kind && !(kind === 'bad-response' && event.message))
    return failedOutcome({ error: failureOf(kind, event.message ? { detail: event.message } : {}) }, begun);
  const { cut, ...refusal } = parseStreamError(event, begun, isRelays);
  return cut && begun ? { type: 'cut', error: refusal.error } : failedOutcome(refusal, begun);
}

const isLong = (event: WireEvent): event is WireEvent & { type: 'text' } => event.type === 'text' && event.text.length > SLICE_CHARS;

function ignore() {}
