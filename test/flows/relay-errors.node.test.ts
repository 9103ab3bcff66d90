/**
 * Every refusal of our relay, from the relay to what the user reads: a real relay on a socket, a fake model behind it, and a conversation
 * over real `fetch`. Each code comes in every shape it has: on the streaming route before the first byte, there as an event, and in one piece.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { request, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { en } from '../../src/i18n/en.js';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { createMemoryStore } from '../../src/relay/memory-store.js';
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

interface Case {
  code: string;
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

const cases: Case[] = [
  { code: 'upstream_auth', name: 'a wrong key', shapes: ALL, play: refuse(401), seen: final(en.notSetUp) },
  { code: 'upstream_auth', name: 'a model that the key does not cover', shapes: ALL, play: refuse(403), seen: final(en.notSetUp) },
  { code: 'upstream_quota', name: 'an empty account', shapes: ALL, play: refuse(402), seen: final(en.notSetUp) },
  {
    ...{ code: 'upstream_quota', name: 'an empty account, told as 429', shapes: ALL, seen: final(en.notSetUp) },
    play: refuse(429, { error: { code: 'insufficient_quota' } }),
  },
  { code: 'upstream_not_found', name: 'an unknown model', shapes: ALL, play: refuse(404), seen: final(en.notSetUp) },
  { code: 'upstream_rejected', name: 'a rejected request', shapes: ALL, play: refuse(400), seen: final(en.badRequest) },
  { code: 'upstream_rejected', name: 'a rejected parameter', shapes: ALL, play: refuse(422), seen: final(en.badRequest) },
  { code: 'context_too_long', name: 'a conversation that is too long', shapes: ALL, play: refuse(413), seen: tooLong },
  {
    ...{ code: 'context_too_long', name: 'a conversation that is too long, with its limit', shapes: ALL },
    play: refuse(400, { error: { code: 'context_length_exceeded', message: "This model's maximum context length is 8192 tokens." } }),
    // Once more, within the limit that it named.
    seen: { text: en.tooLongForModel, code: 'HTTP_ERROR', retryable: false, asked: 2 },
  },
  {
    ...{ code: 'upstream_rate_limit', name: 'a model with too many requests', shapes: ALL, seen: passing(en.tooManyRequests) },
    play: refuse(429, {}, { 'retry-after': '7' }),
  },
  { code: 'upstream_busy', name: 'an overloaded model', shapes: ALL, play: refuse(529), seen: passing(en.modelAway) },
  { code: 'upstream_error', name: 'a model that fails', shapes: ALL, play: refuse(500), seen: passing(en.modelAway) },
  {
    ...{ code: 'upstream_error', name: 'an error event of the model that no repetition mends', shapes: ['late', 'whole'] },
    play({ response }) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"error":{"code":400,"message":"No."}}\n\n');
    },
    seen: final(en.modelAway),
  },
  {
    ...{ code: 'upstream_unreachable', name: 'a model that is not there', shapes: ALL, seen: passing(en.modelAway) },
    play: ({ response }) => void response.destroy(),
  },
  {
    ...{ code: 'upstream_timeout', name: 'a model that does not answer', shapes: ALL, seen: passing(en.modelSilent) },
    ...{ play: silence, relay: { timeout: 60 } },
  },
  {
    ...{ code: 'upstream_stalled', name: 'a model that falls silent', shapes: ['late'], relay: { timeout: 60 }, play: begin() },
    seen: { text: en.modelSilent, code: 'ENDPOINT_ERROR', retryable: true, asked: 1 },
  },
  {
    code: 'upstream_broken',
    name: 'an answer that breaks off',
    shapes: ['late'],
    play: begin(),
    meanwhile: () => void last?.destroy(),
    seen: cut,
  },
  {
    ...{ code: 'upstream_broken', name: 'an answer that breaks off', shapes: ['whole'] },
    play: begin(({ response }) => void response.destroy()),
    seen: { ...cut, asked: 3 },
  },
  {
    ...{ code: 'bad_reply', name: 'a page in place of an answer', shapes: ALL, seen: final(en.notSetUp) },
    play: refuse(200, '<!doctype html>', { 'content-type': 'text/html' }),
  },
  {
    ...{ code: 'reply_too_long', name: 'an answer without end', shapes: ['late', 'whole'], seen: final(en.tooLarge) },
    play({ response, open }) {
      open();
      response.write(`data: ${'x'.repeat(4_300_000)}`);
    },
  },
  {
    ...{ code: 'time_limit', name: 'an answer that takes too long', shapes: ALL, seen: final(en.modelSilent) },
    ...{ play: silence, relay: { maxDuration: 60 } },
  },
  {
    ...{ code: 'unauthorised', name: 'a user whom the host does not know', shapes: ['streamed', 'whole'], seen: final(en.unauthorised) },
    relay: { authorise: () => undefined },
  },
  {
    ...{ code: 'rate_limit', name: 'a client that asks too often', shapes: ['streamed', 'whole'] },
    relay: { rateLimit: { requests: 1, perMs: 9_000_000 }, clientAddress: () => '192.0.2.1' },
    before: async ({ other }) => void (await (await other()).text()),
    // The wait that it names is longer than the page waits by itself.
    seen: passing(en.tooManyRequests, 1),
  },
  {
    ...{ code: 'busy', name: 'a relay with no room', shapes: ['streamed', 'whole'], relay: { maxStreams: 1 }, play: begin() },
    before: async ({ other }) => void (await other()),
    seen: passing(en.serverError),
  },
  {
    ...{ code: 'closing', name: 'a relay that is being restarted', shapes: ['streamed', 'whole'] },
    before: ({ relay }) => relay.close(),
    seen: { ...cut, asked: 3 },
  },
  {
    ...{ code: 'closing', name: 'a relay that is restarted in mid-answer', shapes: ['late'], play: begin(), seen: cut },
    meanwhile: ({ relay }) => relay.close({ graceMs: 0 }),
  },
  {
    ...{ code: 'stopped', name: 'an answer that is stopped elsewhere', shapes: ['late'], play: begin(), seen: cut },
    relay: { store: seenStore() },
    meanwhile: async ({ server }) => void (await fetch(`${server.url}${PATH}/${streamIds.at(-1)!}`, { method: 'DELETE' })),
  },
  {
    ...{ code: 'connection_lost', name: 'an answer that cannot be had again', shapes: ['late'], play: begin() },
    ...{ relay: { store: seenStore({ breaks: true }) }, meanwhile: ({ server }) => server.cut(), seen: cut },
  },
  {
    ...{ code: 'store_unavailable', name: 'a relay without its store', shapes: ['late'], play: begin() },
    // The rest of an answer is asked for again and again; then the answer stays cut.
    ...{ relay: { store: seenStore({ away: true }) }, meanwhile: ({ server }) => server.cut(), seen: cut },
  },
  {
    ...{ code: 'out_of_order', name: 'a page without claims before a gate', shapes: ['streamed', 'whole'], seen: final(en.gateRefused) },
    relay: { orchestration: 'relay-gated' },
  },
  {
    ...{ code: 'bad_request', name: 'a model that the relay does not offer', shapes: ['streamed', 'whole'], seen: final(en.badRequest) },
    page: { model: 'another' },
  },
  { code: 'forbidden', name: 'a refused origin', shapes: ['streamed', 'whole'], relay: { requireOrigin: true }, seen: final(en.notSetUp) },
  {
    ...{ code: 'not_found', name: 'an address that is none', shapes: ['streamed', 'whole'], seen: final(en.endpointNotFound) },
    page: { fetch: (url, init) => fetch(`${String(url)}/nowhere/at/all`, init) },
  },
  {
    code: 'too_large',
    name: 'a request that is too large',
    shapes: ['streamed', 'whole'],
    relay: { maxBodyBytes: 10 },
    seen: final(en.tooLong),
  },
  {
    ...{ code: 'body_timeout', name: 'a request that does not arrive', shapes: ['streamed', 'whole'], relay: { bodyTimeout: 60 } },
    page: { fetch: halfSent },
    seen: passing(en.timedOut, 4),
  },
  {
    ...{ code: 'internal', name: 'a mistake of the relay', shapes: ['streamed', 'whole'], seen: passing(en.serverError) },
    relay: { authorise: () => Promise.reject(new Error('The host has a mistake.')) },
  },
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

const silent = { debug() {}, info() {}, warn() {}, error() {} };
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
    process.on('unhandledRejection', note);
  });
  after(async () => {
    process.off('unhandledRejection', note);
    await upstream.close();
    expect(accidents).to.deep.equal([]);
  });

  async function meet({ play = refuse(500), relay: options, page, before: prepare, meanwhile }: Omit<Case, 'seen'>, shape: Shape) {
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
    const chat = createConversation({
      ...{ endpoint: server.url + PATH, stream: shape === 'whole' ? 'off' : 'on', logger: silent, clock: quick },
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
      return { text: error?.message, code: error?.code, retryable: error?.retryable, asked };
    } finally {
      chat.dispose();
      server.close();
      await relay.close({ graceMs: 0 });
    }
  }

  for (const one of cases)
    for (const shape of one.shapes)
      it(`${one.code}: ${one.name} (${shape})`, async () => {
        expect(await meet(one, shape)).to.deep.equal(typeof one.seen === 'function' ? one.seen(shape) : one.seen);
      });

  it('knows every code that the guide of the relay lists', () => {
    const guide = readFileSync(new URL('../../docs/relay.md', import.meta.url), 'utf8');
    const codes = [...guide.slice(guide.indexOf('| again?')).matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, code = '']) => code);
    expect(codes).to.include('upstream_auth');
    expect(codes.filter((code) => !cases.some((one) => one.code === code))).to.deep.equal([]);
  });

  it('is not what an answer looks like', async () => {
    for (const shape of ALL) {
      const seen = await meet({ code: '', name: '', shapes: ALL, play: begin(({ end }) => end()) }, shape);
      expect(seen, shape).to.deep.equal({ text: undefined, code: undefined, retryable: undefined, asked: 1 });
    }
  });
});
