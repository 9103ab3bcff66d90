/**
 * Sends one request to the model behind the relay and reads its answer as events. The address comes from the config, never from the page.
 */
import type { WireEvent, WireReader } from '../transports/wire.js';
import { relayErrors, RelayError } from './errors.js';
import type { RelayConfig } from './relay-options.js';
import type { RelayTurn } from './relay-turn.js';
import { parseUpstreamError } from './upstream-error.js';
import { createIdleTimer, unref, withTimeout } from './timeouts.js';
import type { Yield } from '../tools/yield-to-main.js';

export interface UpstreamReply {
  /** Settles when the upstream's headers arrive. Rejects with a `RelayError` if the upstream refuses. */
  readonly opened: Promise<void>;
  /**
   * Resolves to the next events, at least one; `undefined` after `finish`. Reads the upstream only while it is awaited, so that a slow
   * client slows down the upstream. Rejects with a `RelayError` for every other end: a lost connection, a time-out, an error that the
   * upstream reports.
   */
  next(): Promise<WireEvent[] | undefined>;
  /** Closes the connection at once. */
  abort(): void;
}

/** Maximum milliseconds to read the rest of a finished answer. Reading it to its end lets the connection be used again. */
const DRAIN_MS = 1_000;

/** Maximum bytes of an answer that are read at once: a thousand events of a few bytes each take some milliseconds. */
const PIECE = 16_384;

/** The models that accept only their default temperature. */
export interface FixedTemperatures {
  has(model: string): boolean;
  /** Records the model, and logs it for the owner. */
  add(model: string): unknown;
}

/** @param breathe awaited before each piece of the answer is read */
export function askUpstream(config: RelayConfig, turn: RelayTurn, fixed: FixedTemperatures, breathe: Yield): UpstreamReply {
  const abort = new AbortController();
  let queue: WireEvent[] = [];
  /** Received bytes that have not been read yet. */
  let rest: Uint8Array | undefined;
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let wire: WireReader | undefined;
  let ended = false;
  /** The reason why this side closed the connection. */
  let given: RelayError | undefined;
  let begun = false;
  // The timeout counts only during a read: while the client does not read, the upstream may pause.
  const silence = createIdleTimer(config.timeout, () => giveUp(begun ? relayErrors.stalled() : relayErrors.timeout()));
  const overall = setTimeout(() => giveUp(relayErrors.timeLimit()), config.maxDuration);
  unref(overall);

  const opened = open();
  opened.catch(() => {}); // callers get the error by awaiting `opened` or `next()`

  async function open() {
    const late = () => {
      throw relayErrors.timeout();
    };
    const ask = (what: RelayTurn) =>
      withTimeout(config.upstream(upstreamRequest(config, what, abort.signal), abort.signal), config.timeout, late).catch(
        (error: unknown) => {
          throw failed(given ?? (error instanceof RelayError ? error : relayErrors.unreachable(error)));
        },
      );
    const { temperature, ...without } = turn;
    const model = turn.model ?? '';
    let response = await ask(fixed.has(model) ? without : turn);
    if (!response.ok) {
      const fault = await parseUpstreamError(response);
      if (!fault.more.noTemperature || temperature === undefined || given) throw failed(given ?? fault);
      fixed.add(model);
      response = await ask(without);
      if (!response.ok) throw failed(await parseUpstreamError(response));
    }
    if (!response.body) throw failed(relayErrors.notAModel('no body'));
    body = response.body.getReader();
    const contentType = response.headers.get('content-type') ?? '';
    wire = config.api.wire.createReader((event) => queue.push(event), { status: response.status, contentType });
    if (queue.length > 0) throw failed(relayErrors.notAModel({ contentType }));
  }

  async function next() {
    if (!body) await opened;
    if (ended) return undefined;
    // Pieces are read inline, without another async function, because every token passes here.
    while (queue.length === 0) {
      if (!rest?.length) {
        silence.start();
        try {
          rest = (await body!.read()).value;
        } catch (error) {
          throw failed(given ?? relayErrors.broken(error));
        }
        silence.pause();
      }
      const pause = breathe();
      if (pause) await pause;
      if (given) throw given;
      if (rest) wire!.push(rest.subarray(0, PIECE));
      else wire!.end('close');
      if (!rest && queue.length === 0) throw failed(relayErrors.broken());
      rest = rest?.subarray(PIECE);
    }
    const events = queue;
    queue = [];
    begun ||= events.some(({ type }) => type !== 'ping');
    if (events.at(-1)!.type === 'finish') {
      ended = true;
      void drain();
    }
    return events;
  }

  function giveUp(fault: RelayError) {
    given ??= fault;
    failed(given);
  }

  function failed(fault: RelayError): RelayError {
    silence.stop();
    clearTimeout(overall);
    abort.abort();
    void body?.cancel().catch(() => {});
    return fault;
  }

  async function drain() {
    silence.stop();
    clearTimeout(overall);
    const timer = setTimeout(() => failed(relayErrors.broken()), DRAIN_MS);
    try {
      while (!(await body!.read()).done);
    } catch {
      // The answer is complete, so an error of its connection does not matter.
    } finally {
      clearTimeout(timer);
    }
  }

  return { opened, next, abort: () => void giveUp(relayErrors.broken()) };
}

/** Builds the upstream request from the checked turn alone: no part of the client's request, in particular no header, can get into it. */
function upstreamRequest(config: RelayConfig, turn: RelayTurn, signal: AbortSignal): Request {
  // The role `tool` is our own: a provider would require the id of its own call.
  const messages = turn.messages.map(({ role, text }) => ({ role: role === 'tool' ? 'user' : role, text }));
  const { url, headers, body } = config.api.wire.request({ ...turn, messages, stream: true }, config.endpointOf(turn.model));
  return new Request(url, {
    method: 'POST',
    headers: {
      ...headers,
      // Compression would delay tokens until a block is full.
      'accept-encoding': 'identity',
      ...(config.apiKey && config.api.keyHeader(config.apiKey)),
    },
    body: JSON.stringify(body),
    // Workers do not support `error`. With `manual`, a redirect has a status that is not ok, and is refused like any other.
    redirect: 'manual',
    signal,
  });
}
