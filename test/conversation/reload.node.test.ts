/** A page that is reloaded while the relay answers: the next page reads the rest of the reply (S0-177), and a gate knows it again. */
import { expect } from 'chai';
import type { ConversationOptions } from '../../src/conversation/conversation.js';
import { protocols } from '../../src/protocols/index.js';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { chunkFrame } from '../relay/fake-upstream.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { until } from '../storage/helpers.js';
import { page as keptPage } from './kept.js';

const ID = 'reloaded';
const KEY = `tool-chat:conversation:${ID}`;
const write = (name: string, what: string) => protocols['xml-invoke']!.writeCall!(name, { what });

interface Stored {
  head: { reply?: { raw: string; text: string; place?: object } };
  extras: { part?: string }[];
  calls: { requestId: string }[];
}

describe('a page that is reloaded in the middle of a reply', () => {
  const area = useSessionStorage();
  const stored = () => JSON.parse(area.get(KEY) ?? 'null') as Stored | null;
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** A relay whose model answers when the test says so. */
  function serve(options: RelayOptions = {}) {
    const answers: { say(text: string): void; end(text?: string): void }[] = [];
    const upstream = () => {
      let body!: ReadableStreamDefaultController<Uint8Array>;
      const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
      const send = (frame: string) => body.enqueue(new TextEncoder().encode(frame));
      const say = (content: string) => send(chunkFrame({ content }));
      answers.push({
        say,
        end(text) {
          if (text) say(text);
          send(chunkFrame({}, 'stop'));
          send('data: [DONE]\n\n');
          body.close();
        },
      });
      return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
    };
    const create = () => {
      const relay = createRelay({ model: 'm', logger: false, upstream, ...options });
      closing.push(() => relay.close({ graceMs: 0 }));
      return relay;
    };
    let relay: Relay = create();
    return {
      answers,
      answer: (nth: number) => until(() => answers[nth]),
      ask: (request: Request) => relay(request),
      restart: () => void (relay = create()),
    };
  }
  type Server = ReturnType<typeof serve>;

  const parameters = { type: 'object', properties: { what: { type: 'string' } } };

  function page(server: Server, options: Partial<ConversationOptions> = {}) {
    const methods: string[] = [];
    const connection = new AbortController();
    let isDead = false;
    const one = keptPage(ID, [], {
      ...{ endpoint: 'http://relay.test/api/ai/chat/stream', storage: 'session', approval: 'auto' },
      register: { look: { risk: 'query', parameters }, pay: { parameters } },
      fetch: (url, init) => {
        if (isDead) return new Promise(() => undefined);
        methods.push(init?.method ?? 'GET');
        const signal = AbortSignal.any([connection.signal, ...(init?.signal ? [init.signal] : [])]);
        return server.ask(new Request(url as string, { ...init, signal }));
      },
      ...options,
    });
    const { chat, events } = one;
    closing.unshift(() => {
      isDead = true;
      chat.dispose();
    });
    return {
      ...{ ...one, methods },
      said: () => events.flatMap((event) => (event.type === 'stream-chunk' ? [event.text] : [])).join(''),
      status: () => chat.messages.at(-1)?.status.type,
      isCut: () => until(() => chat.messages.some(({ status }) => status.type === 'cut')),
      /** Once this is stored: the page is gone, with its connection, and nothing more of it is stored. */
      async kill(text: string) {
        await until(() => JSON.stringify(stored()?.head.reply ?? '').includes(JSON.stringify(text).slice(1, -1)));
        const left = new Map(area);
        isDead = true;
        connection.abort();
        chat.dispose();
        await new Promise((resolve) => setTimeout(resolve));
        area.clear();
        for (const [key, words] of left) area.set(key, words);
      },
    };
  }

  /** A page that asked, was answered so far, and is gone. */
  async function left(text: string, marker = text, options: Partial<ConversationOptions> = {}) {
    const server = serve();
    const first = page(server, options);
    void first.chat.sendMessage('Go on');
    const answer = await server.answer(0);
    answer.say(text);
    if (options.dispatch) await first.card();
    await first.kill(marker);
    return { server, first, answer };
  }

  it('shows every piece of the reply exactly once, on the next page as it comes', async () => {
    const { server, answer } = await left('One, two, ');
    answer.say('three, ');
    const after = page(server);
    await until(() => after.texts()[1] === 'One, two, three,');
    expect([after.chat.isLoading, after.status()]).to.deep.equal([true, 'running']);
    answer.end('four.');
    await after.idle();
    expect(after.texts()).to.deep.equal(['Go on', 'One, two, three, four.']);
    expect([after.status(), after.view().failure]).to.deep.equal(['complete', null]);
    expect([after.methods, after.said(), server.answers.length]).to.deep.equal([['GET'], 'three, four.', 1]);
    // It is like any other from now on.
    void after.chat.sendMessage('More');
    (await server.answer(1)).say('Five, ');
    await until(() => after.texts().at(-1) === 'Five,');
  });

  for (const [where, cut] of [
    ['inside a call', 40],
    ['behind a call', 9999],
  ] as const)
    it(`runs a call that only reads once, cut ${where}, and goes on`, async () => {
      const text = `I look. ${write('look', 'the sky')}\n`;
      const { server, first, answer } = await left(text.slice(0, cut), text.slice(10, cut).split('\n')[0] ?? '');
      const id = stored()?.calls[0]?.requestId;
      const after = page(server);
      await until(() => after.texts()[1] === 'I look.');
      answer.end(text.slice(cut));
      (await server.answer(1)).end('Seen.');
      await after.idle();
      expect([first.runs, after.runs.map(({ name }) => name)]).to.deep.equal([[], ['look']]);
      expect(after.texts()).to.deep.equal(['Go on', 'I look.', 'Seen.']);
      expect([after.cards().map(({ status }) => status), after.chat.toolHistory.length]).to.deep.equal([['success'], 1]);
      // The same call, so that the journal of both pages knows it.
      if (cut > text.length) expect(after.runs[0]?.requestId).to.equal(id);
    });

  it('asks a user for everything else, whatever the page allows', async () => {
    const { server, answer } = await left(write('pay', 'Ann'), 'pay');
    answer.end();
    const after = page(server);
    await after.card();
    expect(after.runs).to.deep.equal([]);
    await after.allow();
    await until(() => after.runs.length === 1);
    (await server.answer(1)).end();
  });

  it('is cut, with all that had come, where the relay does not have it any more', async () => {
    const { server } = await left(`Once upon a time. ${write('look', 'x')}`, 'Once upon a time. ');
    server.restart();
    const after = page(server);
    await after.isCut();
    await after.idle();
    expect(after.texts()[1]).to.equal('Once upon a time.');
    expect(after.view().failure).to.deep.include({ canRetry: true });
    expect([after.cards().map(({ status }) => status), after.runs]).to.deep.equal([['cancelled'], []]);
  });

  describe('through a gated relay', () => {
    const gated = { orchestration: 'relay-gated', approval: 'by-risk' } as const;

    async function waiting() {
      const server = serve({ orchestration: 'relay-gated' });
      const first = page(server, gated);
      void first.chat.sendMessage('Pay');
      (await server.answer(0)).end(write('pay', 'Ann'));
      await first.card();
      await until(() => area.get(KEY)?.includes('awaiting_approval'));
      first.chat.dispose();
      return server;
    }

    it('goes on with a call that waited', async () => {
      const server = await waiting();
      const after = page(server, gated);
      await after.allow();
      (await server.answer(1)).end('Paid.');
      await after.idle();
      expect([after.view().failure, after.texts().at(-1), after.runs.length]).to.deep.equal([null, 'Paid.', 1]);
    });

    it('is refused without what was remembered of the gate, which proves that it is needed', async () => {
      const server = await waiting();
      const all = stored()!;
      const extras = all.extras.filter(({ part }) => part !== 'gate');
      expect(extras).to.have.length(all.extras.length - 1);
      area.set(KEY, JSON.stringify({ ...all, extras }));
      const after = page(server, gated);
      await after.allow();
      await until(() => after.view().failure);
      expect(server.answers).to.have.length(1);
    });
  });
});
