/** The scripted services as programs of others see them: each is asked by the official client of its wire. */
import Anthropic from '@anthropic-ai/sdk';
import { HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { expect } from 'chai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { scriptedEndpoint, scriptedPaths, type ScriptedWireId } from '../../src/scripted-model/index.js';
import wrong from '../fixtures/turns/wrong.json' with { type: 'json' };

const PARAMETERS = {
  type: 'object' as const,
  properties: { name: { type: 'string' }, quantity: { type: 'integer' } },
  required: ['name'],
};
const TOOL = { name: 'add_item', description: 'Adds an item to the shopping list' };
const WORDS = 'Add 2 "oat milk" to the list';
const CALL = { name: 'oat milk', quantity: 2 };

/** The service as a `fetch`. */
function serve(wire: ScriptedWireId): typeof fetch {
  const endpoint = scriptedEndpoint(wire, { delayMs: 0 });
  return (url, init) => endpoint(new Request(url, init), init?.signal ?? undefined);
}

describe('scripted services', () => {
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

    const answer = await client.chat.completions.create({
      model: 'm',
      messages: [
        { role: 'user', content: WORDS },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'Added it' },
      ],
      tools,
    });
    expect(answer.choices[0]!.message.content).to.equal('Done: Added it');
  });

  it('speaks to the client of OpenAI Responses', async () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: 'http://service.test/v1', fetch: serve('openai-responses') });
    const tools = [{ type: 'function' as const, ...TOOL, parameters: PARAMETERS, strict: false }];
    const input = [{ role: 'user' as const, content: WORDS }];
    const response = await client.responses.stream({ model: 'm', store: false, input, tools }).finalResponse();
    expect(response.status).to.equal('completed');
    const { call_id, name, arguments: json } = response.output.find((item) => item.type === 'function_call')!;
    expect(JSON.parse(json)).to.deep.equal(CALL);
    const call = { type: 'function_call' as const, call_id, name, arguments: json };
    const output = { type: 'function_call_output' as const, call_id, output: 'Added it' };
    const answer = await client.responses.create({ model: 'm', store: false, input: [...input, call, output], tools });
    expect(answer.output_text).to.equal('Done: Added it');
  });

  it('speaks to the client of Anthropic', async () => {
    const client = new Anthropic({ apiKey: 'none', baseURL: 'http://service.test', fetch: serve('anthropic') });
    const tools = [{ ...TOOL, input_schema: PARAMETERS }];
    const ask = { model: 'm', max_tokens: 100, tools };
    const message = await client.messages.stream({ ...ask, messages: [{ role: 'user', content: WORDS }] }).finalMessage();
    expect(message.stop_reason).to.equal('tool_use');
    const call = message.content.find((block) => block.type === 'tool_use')!;
    expect(call.input).to.deep.equal(CALL);
    expect(message.usage.output_tokens).to.be.above(0);
    const answer = await client.messages.create({
      ...ask,
      messages: [
        { role: 'user', content: WORDS },
        { role: 'assistant', content: message.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'no', is_error: true }] },
      ],
    });
    expect(answer.content).to.deep.equal([{ type: 'text', text: 'Sorry, that failed: no' }]);
  });

  it('speaks to the client of Ollama', async () => {
    const client = new Ollama({ host: 'http://service.test', fetch: serve('ollama') });
    const tools = [{ type: 'function', function: { ...TOOL, parameters: PARAMETERS } }];
    const messages: { role: string; content: string; tool_name?: string; tool_calls?: never[] }[] = [{ role: 'user', content: WORDS }];
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
    messages.push({ role: 'assistant', content: text, tool_calls: calls as never[] });
    messages.push({ role: 'tool', tool_name: 'add_item', content: 'Added it' });
    expect((await client.chat({ model: 'm', messages, tools })).message.content).to.equal('Done: Added it');
  });

  /** One turn by a transport of the AI SDK. */
  async function ask(transport: DefaultChatTransport<UIMessage>, messages: UIMessage[]) {
    const rest = { chatId: 'c', messageId: undefined, abortSignal: undefined };
    const stream = await transport.sendMessages({ trigger: 'submit-message', messages, ...rest });
    let message: UIMessage | undefined;
    for await (const state of readUIMessageStream({ stream })) message = state;
    return message!;
  }

  it('speaks to the AI SDK', async () => {
    const body = { tools: [{ ...TOOL, parameters: PARAMETERS }] };
    const transport = new DefaultChatTransport({ api: 'http://service.test/chat', fetch: serve('ui-message-stream'), body });
    const words: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: WORDS }] };
    const { parts } = await ask(transport, [words]);
    const call = parts.find((part) => part.type === 'tool-add_item') as { input: unknown; state: string } | undefined;
    expect(call).to.deep.include({ state: 'input-available', input: CALL });
    const answered = { ...call, state: 'output-available', output: 'Added it' } as never;
    const answer = await ask(transport, [words, { id: '2', role: 'assistant', parts: [answered] }]);
    expect(answer.parts.find(({ type }) => type === 'text')).to.deep.include({ text: 'Done: Added it', state: 'done' });
  });

  it('speaks to the client of AG-UI', async () => {
    const agent = new HttpAgent({ url: 'http://service.test/agent', fetch: serve('ag-ui') as never });
    agent.addMessage({ id: '1', role: 'user', content: WORDS });
    await agent.runAgent({ tools: [{ ...TOOL, parameters: PARAMETERS }] });
    const last = agent.messages.at(-1)!;
    if (last.role !== 'assistant') throw new Error('There is no answer');
    const [call] = last.toolCalls ?? [];
    expect(JSON.parse(call!.function.arguments)).to.deep.equal(CALL);
    agent.addMessage({ id: '3', role: 'tool', toolCallId: call!.id, content: 'Added it' });
    await agent.runAgent({ tools: [{ ...TOOL, parameters: PARAMETERS }] });
    expect(agent.messages.at(-1)).to.deep.include({ role: 'assistant', content: 'Done: Added it' });
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
