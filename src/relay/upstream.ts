/** One question to the model behind the relay: what is sent, and what comes back as events. The address is the config's, never the page's. */
import type { WireEvent, WireReader } from '../transports/wire.js';
import { faults, RelayFault } from './faults.js';
import type { RelayConfig } from './relay-options.js';
import type { RelayTurn } from './relay-turn.js';
import { upstreamFault } from './upstream-error.js';
import { createClock, letGo, within } from './within.js';

export interface UpstreamReply {
  /** Settles with the upstream's headers. Rejects with a `RelayFault` when it will not answer. */
  readonly opened: Promise<void>;
  /**
   * The next events, at least one; `undefined` after `finish`. Reads the upstream only while it is awaited, so a client that does not read
   * holds the upstream back. Rejects with a `RelayFault` for every other end: a cut, a time-out, an error the upstream reports.
   */
  next(): Promise<WireEvent[] | undefined>;
  /** Closes the connection at once. */
  abort(): void;
}

/** How long the rest of a finished answer may take; reading it to its end lets the connection be used again. */
const DRAIN_MS = 1_000;

/** The models that said that they take no temperature but their own. */
export interface FixedTemperatures {
  has(model: string): boolean;
  /** Remembers it, and tells the owner. */
  add(model: string): unknown;
}

export function askUpstream(config: RelayConfig, turn: RelayTurn, fixed: FixedTemperatures): UpstreamReply {
  const abort = new AbortController();
  let queue: WireEvent[] = [];
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let wire: WireReader | undefined;
  let ended = false;
  /** Why the connection was given up from here. */
  let given: RelayFault | undefined;
  let begun = false;
  // While nobody reads, the upstream may wait as long as it likes.
  const silence = createClock(config.timeout, () => giveUp(begun ? faults.stalled() : faults.timeout()));
  const overall = setTimeout(() => giveUp(faults.timeLimit()), config.maxDuration);
  letGo(overall);

  const opened = open();
  opened.catch(() => {}); // whoever awaits `opened` or `next()` hears of it

  async function open() {
    const late = () => {
      throw faults.timeout();
    };
    const ask = (what: RelayTurn) =>
      within(config.upstream(upstreamRequest(config, what, abort.signal), abort.signal), config.timeout, late).catch((error: unknown) => {
        throw failed(given ?? (error instanceof RelayFault ? error : faults.unreachable(error)));
      });
    const { temperature, ...without } = turn;
    const model = turn.model ?? '';
    let response = await ask(fixed.has(model) ? without : turn);
    if (!response.ok) {
      const fault = await upstreamFault(response);
      if (!fault.more.noTemperature || temperature === undefined || given) throw failed(given ?? fault);
      fixed.add(model);
      response = await ask(without);
      if (!response.ok) throw failed(await upstreamFault(response));
    }
    if (!response.body) throw failed(faults.notAModel('no body'));
    body = response.body.getReader();
    const contentType = response.headers.get('content-type') ?? '';
    wire = config.api.wire.createReader((event) => queue.push(event), { status: response.status, contentType });
    if (queue.length > 0) throw failed(faults.notAModel({ contentType }));
  }

  async function next() {
    if (!body) await opened;
    if (ended) return undefined;
    // No step of its own for a piece: this is the way of every token.
    while (queue.length === 0) {
      let piece;
      silence.start();
      try {
        piece = await body!.read();
      } catch (error) {
        throw failed(given ?? faults.broken(error));
      }
      silence.pause();
      if (given) throw given;
      if (piece.value) wire!.push(piece.value);
      else wire!.end('close');
      if (piece.done && queue.length === 0) throw failed(faults.broken());
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

  function giveUp(fault: RelayFault) {
    given ??= fault;
    failed(given);
  }

  function failed(fault: RelayFault): RelayFault {
    silence.stop();
    clearTimeout(overall);
    abort.abort();
    void body?.cancel().catch(() => {});
    return fault;
  }

  async function drain() {
    silence.stop();
    clearTimeout(overall);
    const timer = setTimeout(() => failed(faults.broken()), DRAIN_MS);
    try {
      while (!(await body!.read()).done);
    } catch {
      // The answer is complete; how its connection ends concerns nobody.
    } finally {
      clearTimeout(timer);
    }
  }

  return { opened, next, abort: () => void giveUp(faults.broken()) };
}

/** Built from the checked turn alone: nothing of the client's request, its headers least of all, can be part of it. */
function upstreamRequest(config: RelayConfig, turn: RelayTurn, signal: AbortSignal): Request {
  // The role is ours: a provider wants the id of a call of its own with it.
  const messages = turn.messages.map(({ role, text }) => ({ role: role === 'tool' ? 'user' : role, text }));
  const { url, headers, body } = config.api.wire.request({ ...turn, messages, stream: true }, config.endpointOf(turn.model));
  return new Request(url, {
    method: 'POST',
    headers: {
      ...headers,
      // Compression would hold tokens back until a block is full.
      'accept-encoding': 'identity',
      ...(config.apiKey && config.api.keyHeader(config.apiKey)),
    },
    body: JSON.stringify(body),
    // Not `error`, which workers do not know: a redirect comes back as a status that is not ok, and is refused like one.
    redirect: 'manual',
    signal,
  });
}
