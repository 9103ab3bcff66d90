/** Requests of every wire: their form, pictures, and tools only where they are offered natively. */
import { expect } from 'chai';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { leftBehind } from '../../src/transports/wire-messages.js';
import type { TurnMessage, TurnRequest, Wire } from '../../src/transports/wire.js';
import { declared, PNG, turn, withPictures, withTools } from './turns.js';

const FORBIDDEN = ['tools', 'tool_choice', 'functions', 'toolConfig', 'tool_calls', 'toolCalls', 'function_call'];
const endpoint = new URL('https://x.example/v1/models/m:streamGenerateContent?alt=sse');

/** Every key of a body, at any depth; an empty list declares nothing. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value)
    ? []
    : Object.entries(value).flatMap(([key, inner]) => (Array.isArray(inner) && inner.length === 0 ? [] : [key]));
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

/** The bodies for `turn` with a model, for its pictures and for its tools. The last two are compared only in the fields that are given. */
interface Expected {
  accept: string;
  plain: object;
  pictures: object;
  tools: object;
}

const system = { role: 'system', content: 'Be brief.' };
const asked = { role: 'user', content: '你好' };
const call = (id: string, name: string, source: string) => ({ id, type: 'function', function: { name, arguments: source } });
const inFunctions = [
  { type: 'function', function: { name: 'list_tasks', description: 'Lists tasks.', parameters: declared.listTasks } },
  { type: 'function', function: { name: 'get_user', description: 'Who asks.', parameters: declared.getUser } },
];
const WITHOUT_PDF = 'What is this?\n[a.pdf, application/pdf]';
const ONE_PICTURE = 'What is this?\n[dog.jpg, image/jpeg]\n[a.pdf, application/pdf]';
const DATA = PNG.split(',')[1];

const native: Record<string, Expected> = {
  openai: {
    accept: 'text/event-stream',
    plain: { model: 'm', messages: [system, asked], max_tokens: 2000, stream: true, stream_options: { include_usage: true } },
    pictures: {
      messages: [
        system,
        {
          role: 'user',
          content: [
            { type: 'text', text: WITHOUT_PDF },
            { type: 'image_url', image_url: { url: PNG } },
            { type: 'image_url', image_url: { url: 'https://x.example/dog.jpg' } },
          ],
        },
      ],
    },
    tools: {
      messages: [
        system,
        { role: 'user', content: 'What is due?' },
        {
          role: 'assistant',
          content: 'Checking.',
          tool_calls: [call('call_a', 'list_tasks', '{"day":"2026-11-21"}'), call('call_b', 'get_user', '{}')],
        },
        { role: 'tool', tool_call_id: 'call_a', content: '[]' },
        { role: 'tool', tool_call_id: 'call_b', content: 'no user' },
        { role: 'user', content: 'And?' },
      ],
      tools: inFunctions,
    },
  },
  'openai-responses': {
    accept: 'text/event-stream',
    plain: { model: 'm', instructions: 'Be brief.', input: [asked], max_output_tokens: 2000, store: false, stream: true },
    pictures: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: WITHOUT_PDF },
            { type: 'input_image', image_url: PNG, detail: 'auto' },
            { type: 'input_image', image_url: 'https://x.example/dog.jpg', detail: 'auto' },
          ],
        },
      ],
    },
    tools: {
      input: [
        { role: 'user', content: 'What is due?' },
        { type: 'message', role: 'assistant', content: 'Checking.' },
        { type: 'function_call', call_id: 'call_a', name: 'list_tasks', arguments: '{"day":"2026-11-21"}' },
        { type: 'function_call', call_id: 'call_b', name: 'get_user', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_a', output: '[]' },
        { type: 'function_call_output', call_id: 'call_b', output: 'no user' },
        { role: 'user', content: 'And?' },
      ],
      tools: inFunctions.map(({ type, function: declaration }) => ({ type, ...declaration, strict: false })),
    },
  },
  anthropic: {
    accept: 'text/event-stream',
    plain: { model: 'm', max_tokens: 2000, system: 'Be brief.', messages: [asked], stream: true },
    pictures: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } },
            { type: 'image', source: { type: 'url', url: 'https://x.example/dog.jpg' } },
            { type: 'text', text: WITHOUT_PDF },
          ],
        },
      ],
    },
    tools: {
      messages: [
        { role: 'user', content: 'What is due?' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Checking.' },
            { type: 'tool_use', id: 'call_a', name: 'list_tasks', input: { day: '2026-11-21' } },
            { type: 'tool_use', id: 'call_b', name: 'get_user', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_a', content: '[]' },
            { type: 'tool_result', tool_use_id: 'call_b', content: 'no user', is_error: true },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
      tools: [
        { name: 'list_tasks', description: 'Lists tasks.', input_schema: declared.listTasks },
        { name: 'get_user', description: 'Who asks.', input_schema: declared.getUser },
      ],
    },
  },
  ollama: {
    accept: 'application/x-ndjson',
    plain: { model: 'm', messages: [system, asked], stream: true, options: { num_predict: 2000 } },
    pictures: { messages: [system, { role: 'user', content: ONE_PICTURE, images: [DATA] }] },
    tools: {
      messages: [
        system,
        { role: 'user', content: 'What is due?' },
        {
          role: 'assistant',
          content: 'Checking.',
          tool_calls: [
            { id: 'call_a', function: { name: 'list_tasks', arguments: { day: '2026-11-21' } } },
            { id: 'call_b', function: { name: 'get_user', arguments: {} } },
          ],
        },
        { role: 'tool', tool_name: 'list_tasks', tool_call_id: 'call_a', content: '[]' },
        { role: 'tool', tool_name: 'get_user', tool_call_id: 'call_b', content: 'no user' },
        { role: 'user', content: 'And?' },
      ],
      tools: inFunctions,
    },
  },
  gemini: {
    accept: 'text/event-stream',
    plain: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: '你好' }] }],
      generationConfig: { maxOutputTokens: 2000 },
    },
    pictures: { contents: [{ role: 'user', parts: [{ text: ONE_PICTURE }, { inlineData: { mimeType: 'image/png', data: DATA } }] }] },
    tools: {
      contents: [
        { role: 'user', parts: [{ text: 'What is due?' }] },
        {
          role: 'model',
          parts: [
            { text: 'Checking.' },
            { functionCall: { id: 'call_a', name: 'list_tasks', args: { day: '2026-11-21' } }, thoughtSignature: 'c2ln' },
            { functionCall: { id: 'call_b', name: 'get_user', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'call_a', name: 'list_tasks', response: { result: '[]' } } },
            { functionResponse: { id: 'call_b', name: 'get_user', response: { error: 'no user' } } },
            { text: 'And?' },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: inFunctions.map(({ function: { parameters, ...more } }) => ({ ...more, parametersJsonSchema: parameters })),
        },
      ],
    },
  },
};

/** Which of these pictures each wire carries; it names all others. */
const attachments = [
  { type: 'image/png', name: 'small.png', url: PNG },
  { type: 'image/png', name: 'on-the-web.png', url: 'https://x.example/on-the-web.png' },
  { type: 'image/png', name: 'in-the-clear.png', url: 'http://x.example/in-the-clear.png' },
  { type: 'image/tiff', name: 'scan.tiff', url: 'data:image/tiff;base64,SUkqAA==' },
  { type: 'image/png', name: 'of-the-page.png', url: 'blob:https://x.example/1' },
  { type: 'image/svg+xml', name: 'no-base64.svg', url: 'data:image/svg+xml,<svg/>' },
  { type: 'application/pdf', name: 'paper.pdf', url: 'data:application/pdf;base64,JVBERg==' },
];
const most = ['small.png', 'on-the-web.png', 'in-the-clear.png', 'scan.tiff'];
const carried: Record<string, string[]> = {
  ...{ cutie: [], text: [], 'prompt-api': [], wllama: [] },
  ...{ openai: most, 'openai-responses': most, 'ui-message-stream': most, 'ag-ui': most },
  ...{ anthropic: ['small.png', 'on-the-web.png'], ollama: ['small.png', 'scan.tiff'], gemini: ['small.png', 'scan.tiff'] },
};

const { tools: _, ...taught } = withTools;
const withoutTools: TurnRequest[] = [turn, withPictures, taught, { ...taught, tools: [] }];

for (const { id, load } of builtInWires) {
  describe(`requests of the wire ${id}`, () => {
    let wire: Wire;
    before(async () => void (wire = await load()));

    it('speak of no tools under a text protocol', () => {
      for (const request of withoutTools)
        expect(keysOf(wire.request(request, endpoint).body).filter((key) => FORBIDDEN.includes(key))).to.deep.equal([]);
    });

    it('are the same for the same turn, which is not changed', () => {
      for (const request of [turn, withPictures, withTools]) {
        const before = JSON.stringify(request);
        // AG-UI wants every run to have an id of its own.
        const send = () => JSON.stringify(wire.request({ ...request, sessionId: 's' }, endpoint)).replace(/"runId":"[^"]*"/, '');
        expect(send()).to.equal(send());
        expect(JSON.stringify(request)).to.equal(before);
        expect(endpoint.search).to.equal('?alt=sse');
      }
    });

    it('carry the pictures that the wire says, and name all others (S0-189)', () => {
      const left = leftBehind(attachments, wire.images).map(({ name }) => name);
      expect(attachments.map(({ name }) => name).filter((name) => !left.includes(name))).to.deep.equal(carried[id]);
      for (const one of attachments) {
        const request = { ...turn, messages: [{ role: 'user', text: 'See', attachments: [one] }] };
        const sent = JSON.stringify(wire.request(request, endpoint).body);
        expect(sent.includes(`[${one.name}, ${one.type}]`), `${one.name} is named`).to.equal(left.includes(one.name));
        expect(sent.includes(one.url.split(',')[1] ?? one.url), `${one.name} is carried`).to.equal(!left.includes(one.name));
      }
    });

    const expected = native[id];
    if (!expected) return;

    it('have the form of the service', () => {
      const { url, headers, body } = wire.request({ ...turn, model: 'm' }, endpoint);
      expect(url.href).to.equal(endpoint.href);
      expect(headers).to.include({ 'content-type': 'application/json', accept: expected.accept });
      expect(body).to.deep.equal(expected.plain);
      expect(wire.request(withPictures, endpoint).body).to.deep.include(expected.pictures);
      expect(wire.request(withTools, endpoint).body).to.deep.include(expected.tools);
      const whole = wire.request({ ...turn, stream: false }, endpoint);
      expect(whole.headers['accept']).to.equal('application/json');
      if (id !== 'gemini') expect(whole.body).to.have.property('stream', false).and.not.to.have.property('stream_options');
      const withoutPrompt = wire.request({ ...turn, system: '' }, endpoint).body;
      expect(JSON.stringify(withoutPrompt)).not.to.match(/system|instructions/i);
    });

    it('tell a result without its call in words, and leave out a call without its result', () => {
      const bodyFor = (messages: TurnMessage[]) => JSON.stringify(wire.request({ ...withTools, messages }, endpoint).body);
      const orphan = bodyFor([{ role: 'tool', text: 'an orphan', toolCallId: 'call_x', toolName: 'get_user' }]);
      expect(orphan).to.contain('an orphan').and.not.to.contain('call_x');
      const called: TurnMessage = { role: 'assistant', text: 'Calling.', toolCalls: [{ id: 'call_x', name: 'get_user', arguments: {} }] };
      expect(bodyFor([called, { role: 'user', text: 'And?' }]))
        .to.contain('Calling.')
        .and.not.to.contain('call_x');
      expect(bodyFor([called, { role: 'tool', text: 'Ada', toolCallId: 'call_x' }])).to.match(/call_x.*get_user.*call_x/);
    });
  });
}

it('the keys of tools are found in a request that speaks of them, and no pictures are named where nobody knows what a wire carries', async () => {
  const openai = await builtInWires.find(({ id }) => id === 'openai')!.load();
  expect(keysOf(openai.request(withTools, endpoint).body)).to.include.members(['tools', 'tool_calls']);
  expect(leftBehind(attachments, undefined)).to.deep.equal([]);
});
