/**
 * Every refusal of our relay, from the relay to what the user reads: a real relay on a socket, a fake model behind it, and a conversation
 * over real `fetch`. Each code comes in every shape it has: on the streaming route before the first byte, there as an event, and in one piece.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { request, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { loadLog } from '../../src/base/logging.js';
import { failureLines } from '../../src/conversation/view/failure-text.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { errorCodes, type RelayErrorCode } from '../../src/model/error-codes.js';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { createMemoryStore } from '../../src/relay/memory-store.js';
import { knownError } from '../../src/transports/endpoint-errors.js';
import { startUpstream, type Play } from '../relay/fake-upstream.js';
import { listen, until, type Listening } from '../relay/listen.js';

const PATH = '/api/ai/chat/stream';

type Shape = 'streamed' | 'late' | 'whole';
const ALL: Shape[] = ['streamed', 'late', 'whole'];

/** What the page makes of it. */
interface Seen {
  text: string;
  code: string;
  retryable: boolean;
  /** Questions to the model, those that the page asks again by itself included. */
  asked: number;
}

/** What the developer finds in the log: the sentence of the user, with the relay's own code. */
interface Logged {
  message: string;
  code: string;
  said: string;
  gate?: string;
}

interface Case {
  code: RelayErrorCode;
  name: string;
  shapes: Shape[];
  play?: Play;
  relay?: RelayOptions;
  page?: Partial<ConversationOptions>;
  /** Before the page asks. */
  before?(place: Place): Promise<void> | void;
  /** Once the model has been asked. */
  meanwhile?(place: Place): Promise<void> | void;
  seen: Seen | ((shape: Shape) => Seen);
  /** The gate's word for the rule that was broken. */
  gate?: string;
}

interface Place {
  relay: Relay;
  server: Listening;
  /** Asks the relay as another page would. */
  other(): Promise<Response>;
}

const refuse =
  (status: number, body: object | string = {}, headers: Record<string, string> = {}): Play =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
/** What the model is asked by now. */
let last: ServerResponse | undefined;
const begin =
  (then: (answer: Parameters<Play>[0]) => void = () => {}): Play =>
  (answer) => {
    last = answer.response;
    answer.open();
    answer.chunk('Once upon');
    then(answer);
  };
const silence: Play = () => {};

const final = (text: string) => (shape: Shape) => ({ text, code: ofShape(shape), retryable: false, asked: 1 });
const passing =
  (text: string, asked = 3) =>
  (shape: Shape) => ({ text, code: ofShape(shape), retryable: true, asked });
const ofShape = (shape: Shape) => (shape === 'late' ? 'ENDPOINT_ERROR' : 'HTTP_ERROR');
const tooLong = { text: en.tooLong, code: 'HTTP_ERROR', retryable: false, asked: 1 };
/** In mid-answer: what came stays, and the user may ask for the rest. */
const cut = { text: en.connectionLost, code: 'STREAM_CUT', retryable: true, asked: 1 };

const AT_ONCE: Shape[] = ['streamed', 'whole'];
const unending: Play = ({ response, open }) => {
  open();
  response.write(`data: ${'x'.repeat(4_300_000)}`);
};
const events = (text: string) => refuse(200, text, { 'content-type': 'text/event-stream' });
const breakOff = { meanwhile: () => void last?.destroy() };
const cutOff: Pick<Case, 'meanwhile'> = { meanwhile: ({ server }) => server.cut() };
const elsewhere: Pick<Case, 'meanwhile'> = {
  meanwhile: async ({ server }) => void (await fetch(`${server.url}${PATH}/${streamIds.at(-1)!}`, { method: 'DELETE' })),
};
const oneRequest = { rateLimit: { requests: 1, perMs: 9_000_000 }, clientAddress: () => '192.0.2.1' };
const tooManyTokens = { error: { code: 'context_length_exceeded', message: "This model's maximum context length is 8192 tokens." } };

type Rest = Partial<Pick<Case, 'play' | 'relay' | 'page' | 'before' | 'meanwhile' | 'gate'>>;
const of = (code: RelayErrorCode, name: string, shapes: Shape[], seen: Case['seen'], rest: Rest): Case => ({
  code,
  name,
  shapes,
  seen,
  ...rest,
});

const cases: Case[] = [
  of('upstream_auth', 'a wrong key', ALL, final(en.notSetUp), { play: refuse(401) }),
  of('upstream_auth', 'a model that the key does not cover', ALL, final(en.notSetUp), { play: refuse(403) }),
  of('upstream_quota', 'an empty account', ALL, final(en.notSetUp), { play: refuse(402) }),
  of('upstream_quota', 'an empty account, told as 429', ALL, final(en.notSetUp), {
    play: refuse(429, { error: { code: 'insufficient_quota' } }),
  }),
  of('upstream_not_found', 'an unknown model', ALL, final(en.notSetUp), { play: refuse(404) }),
  of('upstream_rejected', 'a rejected request', ALL, final(en.badRequest), { play: refuse(400) }),
  of('upstream_rejected', 'a rejected parameter', ALL, final(en.badRequest), { play: refuse(422) }),
  of('context_too_long', 'a conversation that is too long', ALL, tooLong, { play: refuse(413) }),
  // Once more, within the limit that it named.
  of(
    'context_too_long',
    'a limit that is named',
    ALL,
    { ...tooLong, text: en.tooLongForModel, asked: 2 },
    { play: refuse(400, tooManyTokens) },
  ),
  of('upstream_rate_limit', 'a model with too many requests', ALL, passing(en.tooManyRequests), {
    play: refuse(429, {}, { 'retry-after': '7' }),
  }),
  of('upstream_busy', 'an overloaded model', ALL, passing(en.modelAway), { play: refuse(529) }),
  of('upstream_error', 'a model that fails', ALL, passing(en.modelAway), { play: refuse(500) }),
  of('upstream_error', 'an error event of the model that no repetition mends', ['late', 'whole'], final(en.modelAway), {
    play: events('data: {"error":{"code":400,"message":"No."}}\n\n'),
  }),
  of('upstream_unreachable', 'a model that is not there', ALL, passing(en.modelAway), { play: ({ response }) => void response.destroy() }),
  of('upstream_timeout', 'a model that does not answer', ALL, passing(en.modelSilent), { play: silence, relay: { timeout: 60 } }),
  of('upstream_stalled', 'a model that falls silent', ['late'], passing(en.modelSilent, 1), { play: begin(), relay: { timeout: 800 } }),
  of('upstream_broken', 'an answer that breaks off', ['late'], cut, { play: begin(), ...breakOff }),
  of(
    'upstream_broken',
    'an answer that breaks off',
    ['whole'],
    { ...cut, asked: 3 },
    { play: begin(({ response }) => void response.destroy()) },
  ),
  of('bad_reply', 'a page in place of an answer', ALL, final(en.notSetUp), {
    play: refuse(200, '<!doctype html>', { 'content-type': 'text/html' }),
  }),
  of('reply_too_long', 'an answer without end', ['late', 'whole'], final(en.tooLarge), { play: unending }),
  of('time_limit', 'an answer that takes too long', ALL, final(en.modelSilent), { play: silence, relay: { maxDuration: 60 } }),
  of('unauthorised', 'a user whom the host does not know', AT_ONCE, final(en.unauthorised), { relay: { authorise: () => undefined } }),
  // The wait that it names is longer than the page waits by itself.
  of('rate_limit', 'a client that asks too often', AT_ONCE, passing(en.tooManyRequests, 1), {
    relay: oneRequest,
    before: async ({ other }) => void (await (await other()).text()),
  }),
  of('busy', 'a relay with no room', AT_ONCE, passing(en.serverError), {
    relay: { maxStreams: 1 },
    play: begin(),
    before: async ({ other }) => void (await other()),
  }),
  of('closing', 'a relay that is being restarted', AT_ONCE, { ...cut, asked: 3 }, { before: ({ relay }) => relay.close() }),
  of('closing', 'a relay that is restarted in mid-answer', ['late'], cut, {
    play: begin(),
    meanwhile: ({ relay }) => relay.close({ graceMs: 0 }),
  }),
  of('stopped', 'an answer that is stopped elsewhere', ['late'], cut, { play: begin(), relay: { store: seenStore() }, ...elsewhere }),
  of('connection_lost', 'an answer that cannot be had again', ['late'], cut, {
    play: begin(),
    relay: { store: seenStore({ breaks: true }) },
    ...cutOff,
  }),
  // The rest of an answer is asked for again and again; then the answer stays cut.
  of('store_unavailable', 'a relay without its store', ['late'], cut, {
    play: begin(),
    relay: { store: seenStore({ away: true }) },
    ...cutOff,
  }),
  of('out_of_order', 'a page without claims before a gate', AT_ONCE, final(en.gateRefused), {
    gate: 'no_claims',
    relay: { orchestration: 'relay-gated' },
  }),
  of('bad_request', 'a model that the relay does not offer', AT_ONCE, final(en.badRequest), { page: { model: 'another' } }),
  of('forbidden', 'a refused origin', AT_ONCE, final(en.notSetUp), { relay: { requireOrigin: true } }),
  of('not_found', 'an address that is none', AT_ONCE, final(en.endpointNotFound), {
    page: { fetch: (url, init) => fetch(`${String(url)}/nowhere/at/all`, init) },
  }),
  of('too_large', 'a request that is too large', AT_ONCE, final(en.tooLong), { relay: { maxBodyBytes: 10 } }),
  of('body_timeout', 'a request that does not arrive', AT_ONCE, passing(en.timedOut, 4), {
    relay: { bodyTimeout: 60 },
    page: { fetch: halfSent },
  }),
  of('internal', 'a mistake of the relay', AT_ONCE, passing(en.serverError), {
    relay: { authorise: () => Promise.reject(new Error('The host has a mistake.')) },
  }),
];

/** A `fetch` whose network loses the rest of what it sends. */
function halfSent(url: unknown, init?: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), 'content-length': '999' };
    const sending = request(String(url), { method: 'POST', headers }, (answer) => {
      const body = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
      resolve(new Response(body, { status: answer.statusCode ?? 0, headers: answer.headers as Record<string, string> }));
    });
    sending.on('error', reject).write('{');
  });
}

const streamIds: string[] = [];

/** Notes the ids of streams. `breaks`: what is asked for again is lost. `away`: nothing can be read. */
function seenStore({ breaks = false, away = false } = {}) {
  const store = createMemoryStore();
  const streams: typeof store.streams = {
    ...store.streams,
    begin(id, ...rest) {
      streamIds.push(id);
      store.streams.begin(id, ...rest);
    },
    find: (id) => (away ? Promise.reject(new Error('away')) : store.streams.find(id)),
    async *follow(...given) {
      if (breaks) throw new Error('lost');
      yield* store.streams.follow(...given);
    },
  };
  return { ...store, streams };
}

/** Waits of retries pass at once; limits of requests are kept. The wait for a refusal's body is the only one of 2,000. */
const quick = {
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms === 2000 || ms > 20_000 ? ms : ms / 500),
  clearTimeout: (id: unknown) => clearTimeout(id as number),
};

describe('a refusal of the relay reaches the user', () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  const accidents: unknown[] = [];
  const note = (error: unknown) => void accidents.push(error);

  before(async () => {
    upstream = await startUpstream(silence);
    await loadLog(); // else the first entries wait for it
    process.on('unhandledRejection', note);
  });
  after(async () => {
    process.off('unhandledRejection', note);
    await upstream.close();
    expect(accidents).to.deep.equal([]);
  });

  async function meet({ play = refuse(500), relay: options, page, before: prepare, meanwhile }: Omit<Case, 'seen' | 'code'>, shape: Shape) {
    const late = shape === 'late';
    let hits = 0;
    upstream.play(async (answer, received) => {
      // Headers are sent before the model says anything: so the refusal is an event.
      if (late) await new Promise((resolve) => setTimeout(resolve, 25));
      await play(answer, received);
    });
    const relay = createRelay({
      ...{ baseUrl: upstream.baseUrl, apiKey: 'sk-x', model: 'm', logger: false, resumeWindow: 1000, pingInterval: late ? 10 : 8000 },
      ...options,
    });
    let asked = 0;
    const server = await listen((request) => {
      if (request.method === 'POST') asked += 1;
      return relay(request);
    });
    const other = () =>
      fetch(server.url + PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', text: 'Hi' }], system: '', max_tokens: 9, stream: true }),
      });
    const logged: Logged[] = [];
    const error = (message: string, { code, said, gate }: Logged) => void logged.push({ message, code, said, ...(gate && { gate }) });
    const logger = { debug() {}, info() {}, warn() {}, error } as ConversationOptions['logger'];
    const chat = createConversation({
      ...{ endpoint: server.url + PATH, stream: shape === 'whole' ? 'off' : 'on', logger, clock: quick },
      onEvent({ type }) {
        if (type === 'stream-chunk') hits += 1;
        return true;
      },
      ...page,
    });
    try {
      await prepare?.({ relay, server, other });
      asked = 0;
      const ended = chat.sendMessage('Hello');
      if (meanwhile) {
        await until(() => hits > 0);
        await meanwhile({ relay, server, other });
      }
      const { error } = await ended;
      if (error) expect(internalsOf(chat).surface.view.failure?.canRetry, 'Retry').to.equal(error.message !== en.notSetUp);
      return { seen: { text: error?.message, code: error?.code, retryable: error?.retryable, asked }, logged };
    } finally {
      chat.dispose();
      server.close();
      await relay.close({ graceMs: 0 });
    }
  }

  for (const one of cases)
    for (const shape of one.shapes)
      it(`${one.code}: ${one.name} (${shape})`, async () => {
        const wanted = typeof one.seen === 'function' ? one.seen(shape) : one.seen;
        const { seen, logged } = await meet(one, shape);
        expect(seen).to.deep.equal(wanted);
        const { text: message, code } = wanted;
        expect(logged).to.deep.equal([{ message, code, said: one.code, ...(one.gate && { gate: one.gate }) }]);
      });

  it('is tried here for every code, and listed in the guide of the relay with its status and whether to ask again', () => {
    const codes = Object.entries(errorCodes);
    expect(codes.map(([code]) => code).filter((code) => !cases.some((one) => one.code === code))).to.deep.equal([]);
    const guide = readFileSync(new URL('../../docs/relay.md', import.meta.url), 'utf8');
    const rows = [...guide.slice(guide.indexOf('| again?')).matchAll(/^\| `([a-z_]+)` +\|([^|]+)\| (yes|no) /gm)];
    const listed = new Map(rows.map(([, code = '', status = '', again]) => [code, { status, again }]));
    expect([...listed.keys()]).to.have.members(codes.map(([code]) => code));
    for (const [code, [status, retryable]] of codes) {
      expect(listed.get(code)?.again, code).to.equal(retryable ? 'yes' : 'no');
      // Where nothing but the stream can tell it, the status is of no use to anybody.
      if (listed.get(code)?.status.trim() !== 'in the stream') expect(listed.get(code)?.status, code).to.include(String(status));
    }
  });

  it('is put into Chinese without a word of the relay’s English, and never blames the user’s network for what is behind the relay (Y-19)', () => {
    for (const code of Object.keys(errorCodes)) {
      const error = knownError({ type: 'error', message: 'The model fell silent.', code, reason: 'calls' }, '')!;
      for (const line of failureLines(error, zhCN)) expect(line, code).to.match(/^[^A-Za-z]+$/);
      if (error.kind !== 'timeout') expect(failureLines(error, en), code).to.not.include(en.checkNetwork);
    }
    for (const code of ['constructor', 'invalid_api_key']) expect(knownError({ type: 'error', message: '', code }, '')).to.equal(undefined);
  });
});
