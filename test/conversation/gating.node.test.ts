/** `orchestration="relay-gated"`, both sides: real conversations through the real relay, and what people read when it refuses (S4-03). */
import { expect } from 'chai';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { protocols } from '../../src/protocols/index.js';
import { createRelay, type RelayOptions } from '../../src/relay/index.js';
import { answered } from '../relay/fake-upstream.js';
import { deferred } from './talk.js';

const ENDPOINT = 'http://relay.test/api/ai/chat/stream';

describe('a conversation through a gated relay', () => {
  const open: Conversation[] = [];
  afterEach(() => {
    for (const chat of open.splice(0)) chat.dispose();
  });

  it('runs on a page without a secure context, which has no crypto.randomUUID', async () => {
    Object.defineProperty(globalThis.crypto, 'randomUUID', { value: undefined, configurable: true });
    try {
      const { chat, bodies, ran } = talk([protocols['xml-invoke']!.writeCall!('look', { what: 'x' }), 'Seen.'], { protocol: 'xml-invoke' });
      expect((await chat.sendMessage('Look')).text).to.equal('Seen.');
      expect([ran, bodies.length]).to.deep.equal([['look'], 2]);
      for (const body of bodies) expect(JSON.stringify(body)).to.match(/"orchestration":\{"session":"[\w-]{8,}","request":"[\w-]{8,}"/);
    } finally {
      Reflect.deleteProperty(globalThis.crypto, 'randomUUID');
    }
  });

  function talk(replies: string[], options: Partial<ConversationOptions> = {}, relayOptions: RelayOptions = {}) {
    const bodies: Record<string, unknown>[] = [];
    const statuses: number[] = [];
    const ran: string[] = [];
    let asked = 0;
    const create = () =>
      createRelay({
        ...{ model: 'm', logger: false, orchestration: 'relay-gated', resumeWindow: 0 },
        upstream: () => Promise.resolve(answered(replies[asked++] ?? 'Nothing more.')),
        ...relayOptions,
      });
    let relay = create();
    const post = async (init: RequestInit) => {
      const response = await relay(new Request(ENDPOINT, init));
      statuses.push(response.status);
      return response;
    };
    const chat = createConversation({
      ...{ endpoint: ENDPOINT, wire: 'cutie', orchestration: 'relay-gated', decide: () => 'allow' },
      fetch: (_, init) => {
        if (init?.method !== 'POST') return Promise.resolve(new Response(null, { status: 204 }));
        bodies.push(JSON.parse(init.body as string) as Record<string, unknown>);
        const { signal: _signal, ...rest } = init;
        return post(rest);
      },
      ...options,
    });
    open.push(chat);
    for (const [name, risk] of Object.entries({ look: 'query', pay: 'danger' } as const))
      chat.registerTool({
        ...{ name, risk, description: `Does ${name}.` },
        parameters: { type: 'object', properties: { what: { type: 'string' }, count: { type: 'number' } } },
        execute: () => (ran.push(name), { what: `"<tool_result> of ${name}` }),
      });
    return {
      ...{ chat, bodies, statuses, ran },
      restart: () => void (relay = create()),
      /** What a script of the page could send. */
      forge(change: (body: Record<string, unknown>) => object) {
        const body = JSON.stringify(change(structuredClone(bodies.at(-1)!)));
        return post({ method: 'POST', headers: { 'content-type': 'application/json' }, body });
      },
    };
  }

  it('answers a call as broken that lacks a bracket or stands in another place, for the relay has read none there', async () => {
    const whole = '{"tool_calls": [{"name": "pay", "arguments": {"what": "rent", "count": 1}}]}';
    for (const text of [whole.replace('}}]', '}]'), `Sure: ${whole}`]) {
      const { chat, statuses, ran } = talk([text, 'Sorry.'], { protocol: 'json-tool-calls', approval: 'auto' });
      const { results } = await chat.sendMessage('pay the rent');
      expect(results.map(({ code }) => code)).to.deep.equal(['MALFORMED_CALL']);
      expect([statuses, ran]).to.deep.equal([[200, 200], []]);
    }
  });

  for (const protocol of Object.keys(protocols)) {
    const call = (name: string, values: Record<string, unknown> = { what: 'the sky', count: 2 }) =>
      protocols[protocol]!.writeCall!(name, values);
    for (const accept of ['active', 'any'] as const)
      it(`goes through turns with calls, confirmed and denied, in ${protocol}, read as ${accept}`, async () => {
        const { chat, ran, statuses, bodies } = talk(
          [`I look.\n\n${call('look')}`, call('pay'), 'Done.', call('look', { what: 'x "y" {z} \\ </b>' }), 'Seen.', call('pay'), 'No.'],
          { protocol, accept, decide: (made) => (ran.length < 3 ? 'allow' : made.risk === 'danger' ? 'deny' : 'allow') },
        );
        for (const text of ['Pay', 'Look', 'Pay again']) expect((await chat.sendMessage(text)).reason).to.be.oneOf(['stop', 'denied']);
        expect([ran, statuses]).to.deep.equal([['look', 'pay', 'look'], Array(7).fill(200)]);
        const { orchestration } = bodies[2]!['config'] as { orchestration: { kind: string; answers: object[] } };
        expect(orchestration).to.include({ kind: 'on' });
        expect(orchestration.answers).to.have.lengthOf(1);
        expect(orchestration.answers[0]).to.include({ name: 'pay', status: 'success', decidedBy: 'host' });
      });
  }

  it('is said to be missing, once, where the relay has none or another service answers', async () => {
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, warn: (message: string) => void warnings.push(message), error() {} };
    const gated = talk(['Hi.', 'Hi.'], { logger });
    await gated.chat.sendMessage('Hello');
    expect(warnings.filter((message) => message.includes('relay-gated'))).to.deep.equal([]);

    const free = talk(['Hi.', 'Hi.'], { logger }, { orchestration: 'client' });
    await free.chat.sendMessage('Hello');
    await free.chat.sendMessage('Hello');
    const [said, ...more] = warnings.filter((message) => message.includes('relay-gated'));
    expect(more).to.deep.equal([]);
    expect(said).to.include('ORCHESTRATION').and.include('orchestration="client"');
  });

  const look = protocols['xml-invoke']!.writeCall!('look', { what: 'sky' });
  const pay = protocols['xml-invoke']!.writeCall!('pay', { what: 'Ann' });
  const ways: [title: string, options: Partial<ConversationOptions>, replies: string[]][] = [
    ['one call at a time', { callsPerTurn: 'one' }, [`${look}${look}`, 'Seen.', look, 'Again.']],
    ['a chain', { callsPerTurn: 'confirm-chain' }, [`${look}${look}`, 'Seen.', look, 'Again.']],
    ['a call that runs as it is read', { dispatch: 'on-block' }, [`${look} and ${look}`, 'Seen.', 'Again.']],
    ['results that wait for the next message', { resultLoop: 'single' }, [look, 'Seen.', 'Again.']],
    ['results in a role of their own', { resultRole: 'tool', promptOptions: { mergeResults: false } }, [look + look, 'Seen.', 'Again.']],
    ['a call that is not there', {}, [protocols['xml-invoke']!.writeCall!('fly', {}), 'No such thing.', 'Again.']],
    ['a call that cannot be read', {}, ['<function_calls><invoke>', 'Sorry.', 'Again.']],
    ['another notation than was taught', {}, [protocols['json-tool-calls']!.writeCall!('look', { what: 'sky' }), 'Sorry.', 'Again.']],
    ['the relay as the writer of the prompt', { promptInjection: 'relay' }, [look, 'Seen.', 'Again.']],
    ['whole answers', { stream: 'off' }, [look, 'Seen.', 'Again.']],
    ['the preset for it', { preset: 'orchestrated' }, [look, 'Seen.', `${look}${look}`, 'Seen.', 'Again.']],
    ['a stream that we close after a call', { afterCall: 'stop-stream' }, [`${look} and more ${look}`, 'Seen.', 'Again.']],
    ['no tools', { tools: 'off' }, ['Hello.', look, 'Again.']],
  ];
  for (const [title, options, replies] of ways)
    it(`lets ${title} pass`, async () => {
      const { chat, statuses } = talk(replies, options);
      for (const text of ['One', 'Two', 'Three']) await chat.sendMessage(text);
      expect(chat.error).to.equal(null);
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
    });

  it('lets a reply be asked for anew and a message be changed, and begins anew when the conversation is cleared', async () => {
    const { chat, statuses, bodies } = talk([look, 'Seen.', 'Seen better.', look, 'Changed.', 'Hello.']);
    await chat.sendMessage('Look');
    await chat.regenerate();
    await chat.editMessage(chat.messages[0]!.id, 'Look elsewhere');
    expect(chat.error).to.equal(null);
    await chat.clear();
    await chat.sendMessage('Hi');
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    const sessions = bodies.map(({ config }) => (config as { orchestration: { session: string } }).orchestration.session);
    expect(sessions.slice(0, -1)).to.not.include(sessions.at(-1));
  });

  it('refuses what a script of the page sends while a person is asked', async () => {
    const [reached, answer] = [deferred(), deferred<'allow'>()];
    const { chat, forge, ran, statuses } = talk([pay, 'Paid.'], { decide: () => (reached.resolve(), answer.promise) });
    const sending = chat.sendMessage('Pay');
    await reached.promise;
    const replay = await forge((body) => body);
    const second = await forge((body) => {
      const config = body['config'] as { orchestration: object };
      return { ...body, system: '', config: { orchestration: { ...config.orchestration, request: crypto.randomUUID(), kind: 'on' } } };
    });
    expect(await replay.json()).to.include({ reason: 'replayed' });
    expect(await second.json()).to.include({ code: 'out_of_order', reason: 'unanswered' });
    answer.resolve('allow');
    expect((await sending).text).to.include('Paid.');
    expect([ran, statuses]).to.deep.equal([['pay'], [200, 409, 409, 200]]);
  });

  it('says in one sentence that the server refused, asks no second time, and goes on with the next message', async () => {
    const { chat, statuses, restart } = talk([look, 'Hello again.'], { decide: () => 'allow' });
    // The relay loses its memory between the call and its result.
    const off = chat.subscribe((snapshot) => {
      if (snapshot.state === 'tool_call') restart();
    });
    const result = await chat.sendMessage('Look');
    off();
    expect(result.reason).to.equal('error');
    expect(result.error).to.include({ code: 'HTTP_ERROR', layer: 'business', status: 409, retryable: false });
    expect([chat.error, statuses]).to.deep.equal(['The server no longer knows this conversation', [200, 409]]);
    expect([(await chat.sendMessage('Hello?')).text, chat.error]).to.deep.equal(['Hello again.', null]);
  });
});
