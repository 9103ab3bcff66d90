/** The scripted services as programs of others see them: each is asked by the official client of its wire. */
import Anthropic from '@anthropic-ai/sdk';
import { HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { expect } from 'chai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { scriptedEndpoint, scriptedPaths, type ScriptedWireId } from '../../src/scripted-model/index.js';
import wrong from '../fixtures/turns/wrong.json' with { type: 'json' };

const PARAMETERS = { type: 'object' as const, properties: { name: { type: 'string' }, quantity: { type: 'integer' } }, required: ['name'] };
const TOOL = { name: 'add_item', description: 'Adds an item to the shopping list' };
const WORDS = 'Add 2 "oat milk" to the list';
const CALL = { name: 'oat milk', quantity: 2 };

/** The service as a `fetch`. */
function serve(wire: ScriptedWireId): typeof fetch {
  const endpoint = scriptedEndpoint(wire, { delayMs: 0 });
  return (url, init) => endpoint(new Request(url, init), init?.signal ?? undefined);
}

describe('scripted services', () => {
  it('answers as the `fetch` of a server, which passes its environment as the second argument', async () => {
    const request = new Request('http://service.test/v1/chat/completions', {
      ...{ method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }) },
    });
    expect((await scriptedEndpoint('openai', { delayMs: 0 })(request, { incoming: {} })).status).to.equal(200);
  });

  it('speaks to the client of OpenAI', async () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: 'http://service.test/v1', fetch: serve('openai') });
    const tools = [{ type: 'function' as const, function: { ...TOOL, parameters: PARAMETERS } }];
    const stream = client.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: WORDS }], tools });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices[0]!.finish_reason).to.equal('tool_calls');
    expect(choices[0]!.message.content).to.include('add_item');
    const [call] = choices[0]!.message.tool_calls ?? [];
    if (call?.type !== 'function') throw new Error('There is no call');
    expect(JSON.parse(call.function.arguments)).to.deep.equal(CALL);
    expect(usage?.total_tokens).to.be.above(0);
  });

  it('speaks to the client of OpenAI Responses', async () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: 'http://service.test/v1', fetch: serve('openai-responses') });
    const tools = [{ type: 'function' as const, ...TOOL, parameters: PARAMETERS, strict: false }];
    const input = [{ role: 'user' as const, content: WORDS }];
    const { status, output } = await client.responses.stream({ model: 'm', store: false, input, tools }).finalResponse();
    expect(status).to.equal('completed');
    expect(JSON.parse(output.find((item) => item.type === 'function_call')!.arguments)).to.deep.equal(CALL);
  });

  it('speaks to the client of Anthropic', async () => {
    const client = new Anthropic({ apiKey: 'none', baseURL: 'http://service.test', fetch: serve('anthropic') });
    const tools = [{ ...TOOL, input_schema: PARAMETERS }];
    const messages = [{ role: 'user' as const, content: WORDS }];
    const message = await client.messages.stream({ model: 'm', max_tokens: 100, tools, messages }).finalMessage();
    expect(message.stop_reason).to.equal('tool_use');
    expect(message.content.find((block) => block.type === 'tool_use')!.input).to.deep.equal(CALL);
    expect(message.usage.output_tokens).to.be.above(0);
  });

  it('speaks to the client of Ollama', async () => {
    const client = new Ollama({ host: 'http://service.test', fetch: serve('ollama') });
    const tools = [{ type: 'function', function: { ...TOOL, parameters: PARAMETERS } }];
    const messages = [{ role: 'user', content: WORDS }];
    let text = '';
    const calls: object[] = [];
    let last: { done: boolean; eval_count: number } | undefined;
    for await (const row of await client.chat({ model: 'm', messages, tools, stream: true })) {
      text += row.message.content;
      calls.push(...(row.message.tool_calls ?? []));
      last = row;
    }
    expect(text).to.include('add_item');
    expect(calls).to.deep.equal([{ function: { index: 0, name: 'add_item', arguments: CALL } }]);
    expect(last).to.include({ done: true });
  });

  it('speaks to the AI SDK', async () => {
    const body = { tools: [{ ...TOOL, parameters: PARAMETERS }] };
    const transport = new DefaultChatTransport({ api: 'http://service.test/chat', fetch: serve('ui-message-stream'), body });
    const messages: UIMessage[] = [{ id: '1', role: 'user', parts: [{ type: 'text', text: WORDS }] }];
    const rest = { chatId: 'c', messageId: undefined, abortSignal: undefined };
    const stream = await transport.sendMessages({ trigger: 'submit-message', messages, ...rest });
    let message: UIMessage | undefined;
    for await (const state of readUIMessageStream({ stream })) message = state;
    const call = message!.parts.find(({ type }) => type === 'tool-add_item');
    expect(call).to.deep.include({ state: 'input-available', input: CALL });
  });

  it('speaks to the client of AG-UI', async () => {
    const agent = new HttpAgent({ url: 'http://service.test/agent', fetch: serve('ag-ui') as never });
    agent.addMessage({ id: '1', role: 'user', content: WORDS });
    await agent.runAgent({ tools: [{ ...TOOL, parameters: PARAMETERS }] });
    const last = agent.messages.at(-1)!;
    if (last.role !== 'assistant') throw new Error('There is no answer');
    const [call] = last.toolCalls ?? [];
    expect(JSON.parse(call!.function.arguments)).to.deep.equal(CALL);
  });

  const post = (wire: ScriptedWireId, body: unknown, headers: Record<string, string> = {}) =>
    serve(wire)(`http://service.test${scriptedPaths[wire]}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('answers 400 to what the service itself would refuse', async () => {
    for (const [wire, body, headers] of wrong as never as [ScriptedWireId, object, Record<string, string>?][]) {
      const response = await post(wire, body, headers);
      expect(response.status, `${wire} ${JSON.stringify(body)}`).to.equal(400);
      expect(await response.text()).to.not.equal('');
    }
  });
});
