/** Against servers whose every chunk has the types of OpenAI's own package, and its client against what the scripted model sends. */
import { expect } from 'chai';
import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { ResponseCreateParams, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { ServerResponse } from 'node:http';
import { createRelay } from '../../../src/relay/index.js';
import { scriptedEndpoint } from '../../../src/scripted-model/index.js';
import { cutie } from '../../../src/transports/cutie.js';
import { openai } from '../../../src/transports/openai.js';
import { ask, CALL, PROVED, talk, useService } from './serve.js';

const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' } as const;
type Delta = ChatCompletionChunk.Choice.Delta & { reasoning_content?: string };
const chunk = (delta: Delta, finish_reason: ChatCompletionChunk.Choice['finish_reason'] = null): ChatCompletionChunk => ({
  ...base,
  choices: [{ index: 0, delta, finish_reason, logprobs: null }],
});
const usage: ChatCompletionChunk = { ...base, choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } };
const pieces = (text: string): ChatCompletionChunk[] => (text.match(/[^]{1,5}/g) ?? []).map((content) => chunk({ content }));

function send(response: ServerResponse, frames: readonly (object | string)[]) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of frames) response.write(`data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`);
  response.end();
}

describe('a server of chat completions', () => {
  const service = useService(({ path, body, response, count }) => {
    const { stream, messages } = body as ChatCompletionCreateParams;
    expect(messages[0]?.role).to.equal('system');
    if (path.endsWith('?error'))
      return send(response, [...pieces('Half'), { error: { message: 'overloaded', type: 'server_error', code: null } }, '[DONE]']);
    if (path.endsWith('?whole')) {
      expect(stream).to.equal(false);
      const whole: ChatCompletion = {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Whole.', refusal: null }, finish_reason: 'stop', logprobs: null }],
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(whole));
    }
    const [thought, text] =
      count === 0 ? [[chunk({ role: 'assistant', content: '' }), chunk({ reasoning_content: '嗯…' })], `好的。\n${CALL}`] : [[], '好了 ✅'];
    return send(response, [...thought, ...pieces(text), chunk({}, 'stop'), usage, '[DONE]']);
  });
  const endpoint = () => `${service.origin}/v1/chat/completions`;

  it('streams a reply, whose call runs here, and gets the result', async () => {
    const { chat, ran } = talk({ endpoint: endpoint() });
    expect(await chat.sendMessage('买牛奶')).to.include({ success: true, text: '好了 ✅' });
    expect(ran).to.deep.equal([{ title: '买牛奶 🥛' }]);
    expect(chat.messages[1]?.reasoning).to.equal('嗯…');
    expect(chat.messages.at(-1)?.metadata).to.deep.include({ usage: { input: 3, output: 4 }, model: 'm', finishReason: 'stop' });
    const { messages } = service.asked[1] as ChatCompletionCreateParams;
    expect(messages.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user']);
  });

  it('fails by an error frame, whatever follows, and answers in one piece when asked to', async () => {
    const { text, outcome } = await ask(openai, `${endpoint()}?error`);
    expect(text).to.equal('Half');
    expect(outcome.type === 'failed' && outcome.error.detail).to.equal('overloaded');
    const whole = await ask(openai, `${endpoint()}?whole`, { stream: false });
    expect([whole.text, whole.outcome]).to.deep.equal(['Whole.', PROVED]);
  });
});

describe('the relay in front of such a server', () => {
  const service = useService(({ body, response, count }) => {
    expect((body as ChatCompletionCreateParams).stream).to.equal(true);
    const frames: (object | string)[][] = [
      [
        chunk({ role: 'assistant', content: '' }),
        chunk({ reasoning_content: '嗯…' }),
        ...pieces(`好的。\n${CALL}`),
        chunk({}, 'stop'),
        usage,
        '[DONE]',
      ],
      [...pieces('好了 ✅'), chunk({}, 'stop'), usage, '[DONE]'],
      [
        ...pieces('Half'),
        { error: { message: 'key sk-SECRET is out of money', type: 'insufficient_quota', param: null, code: 'insufficient_quota' } },
      ],
      [...pieces('Half a'), chunk({}, 'length'), '[DONE]'],
    ];
    return send(response, frames[count] ?? []);
  });
  const relayed = (): typeof fetch => {
    const relay = createRelay({ baseUrl: `${service.origin}/v1`, apiKey: 'sk-SECRET', model: 'm', logger: false });
    return (address, init) => relay(new Request(address as string | URL, { ...init, redirect: 'follow' }));
  };
  const endpoint = 'http://relay.test/api/ai/chat/stream';

  it('passes words, thoughts and usage on', async () => {
    const { chat, ran } = talk({ endpoint, fetch: relayed() });
    expect(await chat.sendMessage('买牛奶')).to.include({ success: true, text: '好了 ✅' });
    expect(ran).to.deep.equal([{ title: '买牛奶 🥛' }]);
    expect(chat.messages[1]?.reasoning).to.equal('嗯…');
    expect(chat.messages.at(-1)?.metadata).to.deep.include({ usage: { input: 3, output: 4 } });
  });

  it('passes on that it failed, and nothing of what was said about it', async () => {
    const { text, outcome } = await ask(cutie, endpoint, {}, { fetch: relayed() });
    expect(text).to.equal('Half');
    expect(outcome.type).to.equal('failed');
    expect(JSON.stringify(outcome)).not.to.match(/SECRET|money/);
  });

  it('passes on that it ran out of length', async () => {
    const { text, outcome } = await ask(cutie, endpoint, {}, { fetch: relayed() });
    expect([text, outcome]).to.deep.equal(['Half a', { ...PROVED, finish: 'length' }]);
  });
});

describe('a server of responses', () => {
  const response = { id: 'resp_1', object: 'response', model: 'm', status: 'in_progress', output: [] };
  const item = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const say = (text: string): object[] =>
    (text.match(/[^]{1,5}/g) ?? []).map((delta) => ({ type: 'response.output_text.delta', ...item, delta, logprobs: [] }));
  const service = useService(({ body, response: answer, count }) => {
    const { instructions, stream, store } = body as ResponseCreateParams;
    expect([typeof instructions, stream, store]).to.deep.equal(['string', true, false]);
    const tokens = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
    const frames = [
      { type: 'response.created', response },
      { type: 'response.reasoning_summary_text.delta', item_id: 'r', output_index: 0, summary_index: 0, delta: '嗯…' },
      ...say(count === 0 ? `好的。\n${CALL}` : '好了 ✅'),
      { type: 'response.made_up.event' },
      { type: 'response.completed', response: { ...response, status: 'completed', usage: tokens } },
    ].map((event, sequence_number) => ({ ...event, sequence_number }) as unknown as ResponseStreamEvent);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of frames) answer.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    answer.end();
  });

  it('streams a reply, whose call runs here, and gets the result', async () => {
    const { chat, ran } = talk({ endpoint: `${service.origin}/v1/responses` });
    expect(await chat.sendMessage('买牛奶')).to.include({ success: true, text: '好了 ✅' });
    expect(ran).to.deep.equal([{ title: '买牛奶 🥛' }]);
    expect(chat.messages[1]?.reasoning).to.equal('嗯…');
  });
});

describe('the client of OpenAI', () => {
  const client = (wire: 'openai' | 'openai-responses') => {
    const endpoint = scriptedEndpoint(wire);
    return new OpenAI({
      apiKey: 'none',
      baseURL: 'http://scripted.test/v1',
      maxRetries: 0,
      fetch: (url, init) => endpoint(new Request(url, init)),
    });
  };
  const messages = [{ role: 'user' as const, content: 'Hello' }];

  it('reads what the scripted model streams', async () => {
    let text = '';
    let finish: string | null = null;
    const stream = await client('openai').chat.completions.create({
      model: 'scripted',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let tokens = 0;
    for await (const { choices, usage: told } of stream) {
      text += choices[0]?.delta.content ?? '';
      finish = choices[0]?.finish_reason ?? finish;
      tokens = told?.completion_tokens ?? tokens;
    }
    expect(text).not.to.equal('');
    expect(finish).to.equal('stop');
    expect(tokens).to.be.above(0);
    const whole = await client('openai').chat.completions.create({ model: 'scripted', messages });
    expect(whole.choices[0]?.message.content).to.equal(text);
  });

  it('reads its responses', async () => {
    const stream = client('openai-responses').responses.stream({ model: 'scripted', input: messages, store: false });
    const { output_text, status } = await stream.finalResponse();
    expect([status, output_text !== '']).to.deep.equal(['completed', true]);
  });
});
