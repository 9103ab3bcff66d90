/** A page that is reloaded while the relay answers: the rest of the reply is read on the next page (S0-177), and a gate knows it again. */
import { expect } from 'chai';
import type { CardView } from '../../src/model/calls.js';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { protocols } from '../../src/protocols/index.js';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { chunkFrame } from '../relay/fake-upstream.js';
import { useSessionStorage } from '../helpers/session-storage.js';

const ENDPOINT = 'http://relay.test/api/ai/chat/stream';
const ID = 'reloaded';
const KEY = `tool-chat:conversation:${ID}`;

const write = (name: string, what: string) => protocols['xml-invoke']!.writeCall!(name, { what });

async function until<T>(condition: () => T): Promise<NonNullable<T>> {
  for (const end = performance.now() + 8000; ;) {
    const found = condition();
    if (found) return found;
    if (performance.now() > end) throw new Error(`Waited in vain: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a page that is reloaded in the middle of a reply', () => {
  const area = useSessionStorage();
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** A relay whose model says what the test says, when the test says it. */
  function serve(options: RelayOptions = {}) {
    const answers: { say(text: string): void; end(): void }[] = [];
    const create = () => {
      const relay = createRelay({
        model: 'm',
        logger: false,
        upstream: () => {
          let body!: ReadableStreamDefaultController<Uint8Array>;
          const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
          const send = (frame: string) => {
            body.enqueue(new TextEncoder().encode(frame));
          };
          answers.push({
            say: (content) => send(chunkFrame({ content })),
            end() {
              send(chunkFrame({}, 'stop'));
              send('data: [DONE]\n\n');
              body.close();
            },
          });
          return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
        },
        ...options,
      });
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

  function page(server: Server, options: Partial<ConversationOptions> = {}) {
    const methods: string[] = [];
    const said: string[] = [];
    const runs: { name: string; requestId: string }[] = [];
    const connection = new AbortController();
    let isDead = false;
    const chat = createConversation({
      ...{ endpoint: ENDPOINT, wire: 'cutie', storage: 'session', sessionId: ID, logLevel: 'off', approval: 'auto' },
      onEvent(event) {
        if (event.type === 'stream-chunk') said.push(event.text);
        return true;
      },
      fetch: (url, init) => {
        if (isDead) return new Promise(() => undefined);
        methods.push(init?.method ?? 'GET');
        const signal = AbortSignal.any([connection.signal, ...(init?.signal ? [init.signal] : [])]);
        return server.ask(new Request(url as string, { ...init, signal }));
      },
      ...options,
    });
    const internals = internalsOf(chat);
    internals.attachPerson();
    const view = () => internals.surface.view;
    const cards = () => Object.values(view().cards);
    closing.unshift(() => {
      isDead = true;
      chat.dispose();
    });
    return {
      ...{ chat, methods, said, runs, view, cards },
      texts: () =>
        view().views.map(({ parts, message }) => parts.map((one) => (one.type === 'text' ? one.text : '')).join('') || message.text),
      card: (status: CardView['status'] = 'awaiting_approval') => until(() => cards().find((one) => one.status === status)),
      decide: (verdict: 'allow' | 'deny', card: CardView) =>
        internals.decide({ requestId: card.requestId, digest: card.call?.digest ?? '', verdict }),
      stop: () => internals.surface.stop(),
      tool(name: string, risk: NonNullable<ToolDefinition['risk']>) {
        chat.registerTool({
          ...{ name, risk, description: `Does ${name}.` },
          parameters: { type: 'object', properties: { what: { type: 'string' } } },
          execute(_: object, { requestId }: { requestId: string }) {
            runs.push({ name, requestId });
            return `${name} is done`;
          },
        });
      },
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

  interface Stored {
    head: { reply?: { raw: string; text: string; place?: object }; kept?: Record<string, unknown> };
    calls: { requestId: string }[];
  }
  const stored = () => JSON.parse(area.get(KEY) ?? 'null') as Stored | null;

  async function asked(server: Server, options: Partial<ConversationOptions> = {}) {
    const first = page(server, options);
    first.tool('look', 'query');
    first.tool('pay', 'danger');
    void first.chat.sendMessage('Go on');
    return { first, answer: await server.answer(0) };
  }

  function next(server: Server, options: Partial<ConversationOptions> = {}) {
    const after = page(server, options);
    after.tool('look', 'query');
    after.tool('pay', 'danger');
    return after;
  }

  it('shows every piece of the reply exactly once, on the next page as it comes', async () => {
    const server = serve();
    const { first, answer } = await asked(server);
    answer.say('One, ');
    answer.say('two, ');
    await first.kill('One, two, ');
    answer.say('three, ');
    const after = next(server);
    await until(() => after.texts()[1] === 'One, two, three, ');
    expect(after.chat.isLoading).to.equal(true);
    expect(after.chat.messages.at(-1)?.status.type).to.equal('running');
    answer.say('four.');
    answer.end();
    await until(() => !after.chat.isLoading);
    expect(after.texts()).to.deep.equal(['Go on', 'One, two, three, four.']);
    expect(after.chat.messages.at(-1)).to.deep.include({ status: { type: 'complete' } });
    expect(after.view().failure).to.equal(null);
    expect(after.methods).to.deep.equal(['GET']);
    expect(after.said.join('')).to.equal('three, four.');
    expect(server.answers).to.have.length(1);
    // It is like any other from now on.
    void after.chat.sendMessage('More');
    (await server.answer(1)).say('Five.');
    await until(() => after.texts().at(-1) === 'Five.');
  });

  it('goes on over several reloads', async () => {
    const server = serve();
    const { first, answer } = await asked(server);
    answer.say('One');
    await first.kill('One');
    for (const said of ['One|b', 'One|b|c', 'One|b|c|d']) {
      const after = next(server);
      answer.say(said.slice(-2));
      await until(() => after.texts()[1] === said);
      await after.kill(said);
    }
    answer.end();
    const last = next(server);
    await until(() => last.chat.messages.at(-1)?.status.type === 'complete');
    expect(last.texts()).to.deep.equal(['Go on', 'One|b|c|d']);
  });

  for (const [where, cut] of [
    ['inside a call', 40],
    ['behind a call', 9999],
  ] as const)
    it(`runs a call that only reads once, cut ${where}, and goes on`, async () => {
      const server = serve();
      const { first, answer } = await asked(server);
      const text = `I look. ${write('look', 'the sky')}\n`;
      answer.say(text.slice(0, cut));
      await first.kill(text.slice(10, cut).split('\n')[0] ?? '');
      const id = stored()?.calls[0]?.requestId;
      const after = next(server);
      await until(() => after.texts()[1] === 'I look. ');
      answer.say(text.slice(cut));
      answer.end();
      const then = await server.answer(1);
      then.say('Seen.');
      then.end();
      await until(() => !after.chat.isLoading);
      expect(first.runs).to.deep.equal([]);
      expect(after.runs.map(({ name }) => name)).to.deep.equal(['look']);
      expect(after.texts().map((one) => one.trim())).to.deep.equal(['Go on', 'I look.', 'Seen.']);
      expect(after.cards().map(({ status }) => status)).to.deep.equal(['success']);
      expect(after.chat.toolHistory).to.have.length(1);
      // The same call, so that the journal of both pages knows it.
      if (cut > text.length) expect(after.runs[0]?.requestId).to.equal(id);
    });

  it('asks a person for everything else, whatever the page allows', async () => {
    const server = serve();
    const { first, answer } = await asked(server);
    answer.say(write('pay', 'Ann'));
    await first.kill('pay');
    answer.end();
    const after = next(server);
    const card = await after.card();
    expect(after.runs).to.deep.equal([]);
    after.decide('allow', card);
    await until(() => after.runs.length === 1);
    (await server.answer(1)).end();
  });

  it('is cut, with all that had come, where the relay does not have it any more', async () => {
    const server = serve();
    const { first, answer } = await asked(server);
    answer.say(`Once upon a time. ${write('look', 'x')}`);
    await first.kill('Once upon a time. ');
    server.restart();
    const after = next(server);
    await until(() => after.chat.messages.some(({ status }) => status.type === 'cut'));
    await until(() => !after.chat.isLoading);
    expect(after.texts()[1]?.trim()).to.equal('Once upon a time.');
    expect(after.view().failure).to.deep.include({ canRetry: true });
    expect(after.cards().map(({ status }) => status)).to.deep.equal(['cancelled']);
    expect(after.runs).to.deep.equal([]);
  });

  it('is cut where a call had been let go before the end', async () => {
    const server = serve();
    const { first, answer } = await asked(server, { dispatch: 'on-block', approval: 'by-risk' });
    answer.say(`${write('pay', 'Ann')}`);
    await first.card();
    await first.kill('Ann');
    const after = next(server, { dispatch: 'on-block' });
    await until(() => after.chat.messages.some(({ status }) => status.type === 'cut'));
    expect(after.methods).to.deep.equal([]);
  });

  it('is cut without its place, which proves that the place is what it goes on from', async () => {
    const server = serve();
    const { first, answer } = await asked(server);
    answer.say('One, ');
    await first.kill('One, ');
    const left = stored()!;
    expect(left.head.reply?.place).to.be.an('object');
    delete left.head.reply?.place;
    area.set(KEY, JSON.stringify(left));
    const after = next(server);
    await until(() => after.chat.messages.some(({ status }) => status.type === 'cut'));
    expect(after.methods).to.deep.equal([]);
  });

  it('keeps what had come when a person stops it before the rest is there', async () => {
    const server = serve();
    const { first, answer } = await asked(server);
    answer.say('One, two');
    await first.kill('One, two');
    let reach: (() => void) | undefined;
    const after = page(server, {
      fetch: () => new Promise(() => void reach?.()),
    });
    const reached = new Promise<void>((resolve) => (reach = resolve));
    await reached;
    after.stop();
    await until(() => !after.chat.isLoading);
    expect(after.texts()).to.deep.equal(['Go on', 'One, two']);
    expect(after.chat.messages.at(-1)?.status.type).to.equal('cancelled');
  });

  describe('through a gated relay', () => {
    const gated = { orchestration: 'relay-gated', approval: 'by-risk' } as const;

    async function waiting(server: Server) {
      const first = page(server, gated);
      first.tool('pay', 'danger');
      void first.chat.sendMessage('Pay');
      const answer = await server.answer(0);
      answer.say(write('pay', 'Ann'));
      answer.end();
      await first.card();
      await until(() => area.get(KEY)?.includes('awaiting_approval'));
      first.chat.dispose();
      return first;
    }

    it('goes on with a call that waited', async () => {
      const server = serve({ orchestration: 'relay-gated' });
      await waiting(server);
      const after = page(server, gated);
      after.tool('pay', 'danger');
      after.decide('allow', await after.card());
      const then = await server.answer(1);
      then.say('Paid.');
      then.end();
      await until(() => !after.chat.isLoading);
      expect(after.view().failure).to.equal(null);
      expect(after.texts().at(-1)).to.equal('Paid.');
      expect(after.runs).to.have.length(1);
    });

    it('is refused without what was remembered of the gate, which proves that it is needed', async () => {
      const server = serve({ orchestration: 'relay-gated' });
      await waiting(server);
      const left = stored()!;
      expect(left.head.kept).to.have.property('gate');
      delete left.head.kept?.['gate'];
      area.set(KEY, JSON.stringify(left));
      const after = page(server, gated);
      after.tool('pay', 'danger');
      after.decide('allow', await after.card());
      await until(() => after.view().failure);
      expect(server.answers).to.have.length(1);
    });
  });
});
