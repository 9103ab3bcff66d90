/** Against backends made with the AI SDK, as its documentation and docs/ai-sdk.md make them for `useChat`. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  convertToModelMessages,
  isStepCount,
  jsonSchema,
  pipeUIMessageStreamToResponse,
  simulateReadableStream,
  streamText,
  tool,
  toUIMessageStream,
  validateUIMessages,
  type UIMessage,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect } from 'chai';
import { uiMessageStream } from '../../../src/transports/ui-message-stream.js';
import { closeSamples, load, openSamples, withGlobals } from '../../docs/pages.js';
import { ask, CALL, PROVED, talk, useService } from './serve.js';

type Part = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Chunk> ? Chunk : never;

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 4, text: 4, reasoning: undefined },
};
const finish = (unified: 'stop' | 'tool-calls' = 'stop'): Part => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });
const words = (text: string): Part[] => [
  { type: 'text-start', id: 't' },
  // In pieces that split words, calls and pairs of surrogates alike.
  ...(text.match(/[^]{1,5}/g) ?? []).map((delta): Part => ({ type: 'text-delta', id: 't', delta })),
  { type: 'text-end', id: 't' },
];
const call = (toolCallId: string, toolName: string, input: object): Part[] => [
  { type: 'tool-input-start', id: toolCallId, toolName },
  { type: 'tool-input-delta', id: toolCallId, delta: JSON.stringify(input) },
  { type: 'tool-input-end', id: toolCallId },
  { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) },
];

function model(...replies: Part[][]) {
  let next = 0;
  return new MockLanguageModelV4({
    async doStream() {
      const reply = replies[next++];
      if (reply === undefined) throw new Error('No reply is left');
      return { stream: simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...reply], chunkDelayInMs: null }) };
    },
  });
}

interface Body {
  id: string;
  messages: UIMessage[];
  system?: string;
}

type AppOptions = Pick<Parameters<typeof streamText>[0], 'tools' | 'stopWhen' | 'toolApproval' | 'experimental_toolApprovalSecret'>;

function useApp(mock: MockLanguageModelV4, more: (body: Body) => AppOptions = () => ({})) {
  return useService(async ({ body, response }) => {
    const { messages, system } = body as Body;
    const result = streamText({
      model: mock,
      ...(system && { instructions: system }),
      messages: await convertToModelMessages(await validateUIMessages({ messages })),
      maxRetries: 0,
      onError() {},
      ...more(body as Body),
    });
    const stream = toUIMessageStream({ stream: result.stream, sendReasoning: true, onError: () => 'The model did not answer' });
    await pipeUIMessageStreamToResponse({ response, stream });
  });
}

/** The route of docs/ai-sdk.md. */
function useRoute(model: MockLanguageModelV4) {
  before(openSamples);
  after(closeSamples);
  return useService(async ({ body, response }) => {
    const { POST } = await load<{ POST(request: Request): Promise<Response> }>('ai-sdk', 'route');
    const asked = new Request('http://x.test', { method: 'POST', body: JSON.stringify(body) });
    const answer = await withGlobals({ model }, () => POST(asked));
    await pipeline(Readable.fromWeb(answer.body as never), response.writeHead(200, Object.fromEntries(answer.headers)));
  });
}

describe('a backend made with the AI SDK', () => {
  const thought: Part[] = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: '嗯…' },
    { type: 'reasoning-end', id: 'r' },
  ];
  const mock = model([...thought, ...words(`好的。\n${CALL}`), finish()], [...words('已经加好了 ✅'), finish()]);
  const service = useRoute(mock);
  const endpoint = () => `${service.origin}/api/assistant`;

  it('streams a reply, whose call runs here, and gets the result with the whole history', async () => {
    const { chat, ran } = talk({ wire: 'ui-message-stream', sessionId: 'chat-1', endpoint: endpoint() });
    expect(await chat.sendMessage('买牛奶')).to.include({ success: true, reason: 'stop', text: '已经加好了 ✅' });
    expect(ran).to.deep.equal([{ title: '买牛奶 🥛' }]);
    expect(chat.messages[1]?.reasoning).to.equal('嗯…');
    const prompts = mock.doStreamCalls.map(({ prompt }) => prompt);
    expect(prompts.map((prompt) => prompt.map(({ role }) => role))).to.deep.equal([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'user'],
    ]);
    expect(JSON.stringify(prompts[0]?.[0])).to.include('add_task');
    expect(JSON.stringify(prompts[1]?.at(-1))).to.include('Task added');
    const [first, second] = service.asked as [Body, Body];
    expect([first.id, second.id]).to.deep.equal(['chat-1', 'chat-1']);
    expect(second.messages[0]?.id).to.equal(first.messages[0]?.id);
  });
});

describe('tools of an AI SDK backend', () => {
  const city = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
  const done: object[] = [];
  const tools = {
    pay: tool({
      inputSchema: city,
      execute(input) {
        done.push(input);
        return 'paid';
      },
    }),
  };
  const mock = model(
    [...words('May I?'), ...call('c3', 'pay', { city: 'Rome' }), finish('tool-calls')],
    [...words('Paid.'), finish()],
    [...words('Then not.'), finish()],
  );
  const service = useApp(mock, () => ({
    tools,
    stopWhen: isStepCount(3),
    toolApproval: { pay: { type: 'user-approval', reason: 'It costs money' } },
    experimental_toolApprovalSecret: 'a secret of the server that nobody else knows',
  }));

  it('that need a person are asked about, and run only when it allows them, as shown', async () => {
    const asked = await ask(uiMessageStream, service.origin);
    const question = asked.tools.find(({ approval }) => approval);
    expect(question?.approval?.reason).to.equal('It costs money');
    expect(asked.outcome).to.deep.equal({ ...PROVED, finish: 'tool-calls' });
    expect(done).to.deep.equal([]);
    const { id, keep } = question!.approval!;
    const answer = { id, toolCallId: 'c3', toolName: 'pay', arguments: { city: 'Rome' }, ...(keep && { keep }) };
    const messages = [
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: 'May I?' },
    ];

    const allowed = await ask(uiMessageStream, service.origin, { messages, answers: [{ ...answer, approved: true }] });
    expect(done).to.deep.equal([{ city: 'Rome' }]);
    expect(allowed.tools.find(({ result }) => result !== undefined)).to.deep.include({ id: 'c3', by: 'service', result: 'paid' });
    expect(allowed.text).to.equal('Paid.');

    const denied = await ask(uiMessageStream, service.origin, { messages, answers: [{ ...answer, approved: false, reason: 'too dear' }] });
    expect(done).to.have.length(1);
    expect(denied.text).to.equal('Then not.');
    expect(JSON.stringify(mock.doStreamCalls.at(-1)?.prompt)).to.include('too dear');

    // The server signed what it asked: other arguments than those are refused by it.
    const forged = await ask(uiMessageStream, service.origin, {
      messages,
      answers: [{ ...answer, arguments: { city: 'Paris' }, approved: true }],
    });
    expect(forged.outcome.type).to.equal('failed');
    expect(done).to.have.length(1);
  });
});

/** The tools of the page, as an app declares them that passes them on. */
const declared = (body: Body): AppOptions => {
  const { tools = [] } = body as { tools?: { name: string; description: string; parameters: object }[] };
  return {
    tools: Object.fromEntries(
      tools.map(({ name, description, parameters }) => [name, tool({ description, inputSchema: jsonSchema(parameters) })]),
    ),
  };
};

describe('what an AI SDK backend is told again', () => {
  const metadata = (value: string) => ({ thinker: { signature: value } });
  const thought = (id: string): Part[] => [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: `thought ${id}` },
    { type: 'reasoning-end', id, providerMetadata: metadata(`of ${id}`) },
  ];
  const signedCall = (id: string, name: string, input: object): Part[] =>
    call(id, name, input).map((part): Part => (part.type === 'tool-call' ? { ...part, providerMetadata: metadata(`of ${id}`) } : part));
  const partsOf = (mock: MockLanguageModelV4, at: number) =>
    (mock.doStreamCalls[at]?.prompt ?? []).flatMap(({ role, content }) =>
      typeof content === 'string' ? [] : content.map((part) => ({ role, ...part }) as Record<string, unknown>),
    );

  describe('of a model that thinks, and the page’s tools', () => {
    const mock = model(
      [...thought('r1'), ...words('Let me see.'), ...signedCall('c1', 'count', {}), ...call('c2', 'none', {}), finish('tool-calls')],
      [...words('Three.'), finish()],
      [...words('Three, again.'), finish()],
    );
    const service = useRoute(mock);

    it('are its thoughts, what the provider put on them, the results as they are, and that it is to answer once more', async () => {
      const { chat } = talk({ wire: 'ui-message-stream', protocol: 'native', endpoint: service.origin });
      chat.registerTool({ name: 'count', description: 'Counts.', risk: 'query', execute: () => ({ n: 3, of: ['a'] }) });
      chat.registerTool({ name: 'none', description: 'Finds nothing.', risk: 'query', execute: () => [] });
      expect(await chat.sendMessage('How many?')).to.include({ success: true, text: 'Three.' });
      const told = partsOf(mock, 1).filter(({ role }) => role !== 'user');
      expect(told.map(({ type }) => type)).to.deep.equal(['reasoning', 'text', 'tool-call', 'tool-call', 'tool-result', 'tool-result']);
      expect(told[0]).to.deep.include({ text: 'thought r1', providerOptions: metadata('of r1') });
      expect(told[2]).to.deep.include({ toolCallId: 'c1', providerOptions: metadata('of c1') });
      expect(told[3]?.['providerOptions']).to.equal(undefined);
      expect(told.slice(4).map(({ output }) => output)).to.deep.equal([
        { type: 'json', value: { n: 3, of: ['a'] } },
        { type: 'json', value: [] },
      ]);

      expect(await chat.regenerate()).to.include({ text: 'Three, again.' });
      const bodies = service.asked as (Body & { trigger: string; messageId?: string })[];
      expect(bodies.map(({ trigger }) => trigger)).to.deep.equal(['submit-message', 'submit-message', 'regenerate-message']);
      expect(bodies[2]?.messageId).to.equal(bodies[0]?.messages[0]?.id);
      expect(bodies[0]).to.not.have.property('messageId');
    });
  });

  for (const protocol of ['auto', 'native'])
    describe(`of the service’s own tools, under ${protocol}`, () => {
      const weather = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: () => ({ degrees: 7 }) });
      const broken = tool({
        inputSchema: jsonSchema<object>({ type: 'object' }),
        execute: () => Promise.reject<string>(new Error('secret')),
      });
      const mock = model(
        [...thought('r1'), ...signedCall('c1', 'weather', { city: 'Bern' }), ...call('c2', 'broken', {}), finish('tool-calls')],
        [...words('Seven degrees.'), finish()],
        [...words('As I said.'), finish()],
      );
      const service = useApp(mock, (body) => {
        const { tools } = protocol === 'native' ? declared(body) : {};
        return { tools: { ...tools, weather, broken }, stopWhen: isStepCount(3) };
      });

      it('is what they found, before what was said of it', async () => {
        const { chat } = talk({ wire: 'ui-message-stream', protocol, endpoint: service.origin });
        expect(await chat.sendMessage('Weather?')).to.include({ text: 'Seven degrees.' });
        expect(await chat.sendMessage('Sure?')).to.include({ text: 'As I said.' });
        const told = partsOf(mock, 2).slice(1);
        expect(told.map(({ type }) => type)).to.deep.equal([
          ...['reasoning', 'tool-call', 'tool-call', 'tool-result', 'tool-result', 'text', 'text'],
        ]);
        expect(told[1]).to.deep.include({ toolName: 'weather', input: { city: 'Bern' }, providerOptions: metadata('of c1') });
        expect(told[3]?.['output']).to.deep.equal({ type: 'json', value: { degrees: 7 } });
        expect(told[4]?.['output']).to.deep.include({ type: 'error-text' });
      });
    });

  describe('of parts that are not shown', () => {
    const parts = ['data-weather', 'data-weather', 'source-url', 'file', 'yet-to-come'].map((type) => ({ type, data: {} }));
    const service = useService(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' });
      const all = [...parts, { type: 'text-delta', id: 't', delta: 'Hi' }, { type: 'finish' }];
      response.end([...all.map((part) => JSON.stringify(part)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
    });

    it('is nothing; the developer is told, once a kind', async () => {
      const kinds: unknown[] = [];
      const nothing = () => undefined;
      const logger = {
        debug: nothing,
        info: nothing,
        error: nothing,
        warn: (_: string, { kind }: { kind?: unknown } = {}) => void (kind && kinds.push(kind)),
      };
      const { chat } = talk({ wire: 'ui-message-stream', endpoint: service.origin, logger, logLevel: 'warn' });
      for (const text of ['one', 'two']) expect(await chat.sendMessage(text)).to.include({ text: 'Hi' });
      expect(kinds).to.deep.equal(['data-weather', 'source-url', 'file']);
    });
  });
});
