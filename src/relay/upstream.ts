/** One question to the model behind the relay: what is sent, and what comes back as events. The address is the config's, never the page's. */
import { openai } from '../transports/openai.js';
import type { WireEvent } from '../transports/wire.js';
import { field, parseJson, text } from '../transports/fields.js';
import { faultOfStatus, faults, RelayFault } from './faults.js';
import type { RelayConfig } from './options.js';
import type { RelayTurn } from './request-body.js';
import { within } from './within.js';

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

/** How long the rest of a finished answer may take; reading it to its end lets the connection be used again (S0-148). */
const DRAIN_MS = 1_000;
/** An error body is read for its code only, and never waited for. */
const ERROR_BODY = { bytes: 8_192, ms: 500 };

export function askUpstream(config: RelayConfig, turn: RelayTurn): UpstreamReply {
  const abort = new AbortController();
  const queue: WireEvent[] = [];
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let wire: ReturnType<typeof openai.createReader> | undefined;
  let ended = false;

  const opened = open();
  opened.catch(() => {}); // whoever awaits `opened` or `next()` hears of it

  async function open() {
    const asked = config.upstream(upstreamRequest(config, turn, abort.signal), abort.signal);
    const response = await within(asked, config.timeout, tooLate).catch((error: unknown) => {
      throw failed(error instanceof RelayFault ? error : faults.unreachable(error));
    });
    if (!response.ok) throw await refusal(response);
    if (!response.body) throw faults.notAModel('no body');
    body = response.body.getReader();
    const contentType = response.headers.get('content-type') ?? '';
    wire = openai.createReader((event) => queue.push(event), { status: response.status, contentType });
    if (queue.length > 0) throw failed(faults.notAModel({ contentType }));
  }

  async function next() {
    await opened;
    while (queue.length === 0) {
      if (ended) return undefined;
      await readMore();
    }
    const events = queue.splice(0);
    const last = events.at(-1);
    if (last?.type === 'finish') {
      ended = true;
      void drain();
    }
    return events;
  }

  /** One piece of the body into the queue. */
  async function readMore() {
    const piece = await within(body!.read(), config.timeout, tooLate).catch((error: unknown) => {
      throw failed(error instanceof RelayFault ? error : faults.cut(error));
    });
    if (!piece.done) return wire!.push(piece.value);
    wire!.end('close');
    if (queue.length === 0) throw failed(faults.cut());
  }

  function failed(fault: RelayFault): RelayFault {
    abort.abort();
    void body?.cancel().catch(() => {});
    return fault;
  }

  async function drain() {
    const timer = setTimeout(() => failed(faults.cut()), DRAIN_MS);
    try {
      while (!(await body!.read()).done);
    } catch {
      // The answer is complete; how its connection ends concerns nobody.
    } finally {
      clearTimeout(timer);
    }
  }

  return { opened, next, abort: () => void failed(faults.cut()) };
}

function tooLate(): never {
  throw faults.timeout();
}

/** Built from the checked turn alone: nothing of the client's request, its headers least of all, can be part of it (fault 143). */
function upstreamRequest(config: RelayConfig, turn: RelayTurn, signal: AbortSignal): Request {
  // The role is ours: a provider wants the id of a call of its own with it.
  const messages = turn.messages.map(({ role, text }) => ({ role: role === 'tool' ? 'user' : role, text }));
  const { url, headers, body } = openai.request({ ...turn, messages, stream: true }, config.endpoint);
  return new Request(url, {
    method: 'POST',
    headers: {
      ...headers,
      // Compression would hold tokens back until a block is full (fault 144).
      'accept-encoding': 'identity',
      ...(config.apiKey && { authorization: `Bearer ${config.apiKey}` }),
    },
    body: JSON.stringify(body),
    // Not `error`, which workers do not know: a redirect comes back as a status that is not ok, and is refused like one.
    redirect: 'manual',
    signal,
  });
}

async function refusal(response: Response): Promise<RelayFault> {
  const reason = response.body ? errorReason(parseJson(await readSome(response.body))) : undefined;
  return faultOfStatus(response.status, response.headers, reason);
}

/** The machine-readable part of an error body. Its sentence stays unread: it may quote the prompt or the key. */
function errorReason(body: unknown): string | undefined {
  const error = field(body, 'error');
  return (text(field(error, 'code')) ?? text(field(error, 'type')))?.slice(0, 80);
}

async function readSome(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let read = '';
  const collect = async () => {
    while (read.length < ERROR_BODY.bytes) {
      const { done, value } = await reader.read();
      if (done) return;
      read += decoder.decode(value, { stream: true });
    }
  };
  await within(collect(), ERROR_BODY.ms, () => {}).catch(() => {});
  void reader.cancel().catch(() => {});
  return read;
}
