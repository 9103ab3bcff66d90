/** The services' own clients against what the scripted model sends. */
import Anthropic from '@anthropic-ai/sdk';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { HttpAgent } from '@ag-ui/client';
import { expect } from 'chai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { scriptedEndpoint } from '../../../src/scripted-model/index.js';

const messages = [{ role: 'user' as const, content: 'Hello' }];
function service(wire: Parameters<typeof scriptedEndpoint>[0], path = '') {
  const endpoint = scriptedEndpoint(wire, { delayMs: 0 });
  const fetch = (url: string | URL | Request, init?: RequestInit) => endpoint(new Request(url, init));
  return { apiKey: 'none', baseURL: `http://scripted.test${path}`, maxRetries: 0, fetch };
}

const clients: Record<string, () => Promise<{ text: string } & Record<string, unknown>>> = {
  async 'OpenAI, chat completions'() {
    const { chat } = new OpenAI(service('openai', '/v1'));
    let [text, finish, tokens] = ['', '', 0];
    const options = { model: 'scripted', messages, stream_options: { include_usage: true } };
    for await (const { choices, usage } of await chat.completions.create({ ...options, stream: true })) {
      text += choices[0]?.delta.content ?? '';
      finish = choices[0]?.finish_reason ?? finish;
      tokens = usage?.completion_tokens ?? tokens;
    }
    const whole = await chat.completions.create({ model: 'scripted', messages });
    return { text, same: whole.choices[0]?.message.content === text, ended: finish === 'stop', counted: tokens > 0 };
  },
  async 'OpenAI, responses'() {
    const { responses } = new OpenAI(service('openai-responses', '/v1'));
    const { output_text, status } = await responses.stream({ model: 'scripted', input: messages, store: false }).finalResponse();
    return { text: output_text, ended: status === 'completed' };
  },
  async Anthropic() {
    const { messages: route } = new Anthropic(service('anthropic'));
    const { content, stop_reason, usage } = await route.stream({ model: 'scripted', max_tokens: 100, messages }).finalMessage();
    return {
      text: content[0]?.type === 'text' ? content[0].text : '',
      ended: stop_reason === 'end_turn',
      counted: usage.output_tokens > 0,
    };
  },
  async Ollama() {
    const { baseURL, fetch } = service('ollama');
    const client = new Ollama({ host: baseURL, fetch });
    let [text, reason] = ['', ''];
    for await (const { message, done_reason } of await client.chat({ model: 'scripted', messages, stream: true })) {
      text += message.content;
      reason = done_reason;
    }
    const whole = await client.chat({ model: 'scripted', messages });
    return { text, same: whole.message.content === text, ended: reason === 'stop' };
  },
  async 'the AI SDK'() {
    const { baseURL, fetch } = service('ui-message-stream', '/api/chat');
    const transport = new DefaultChatTransport({ api: baseURL, fetch });
    const question: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
    const ids = { chatId: 'c', messageId: undefined, abortSignal: undefined };
    const stream = await transport.sendMessages({ trigger: 'submit-message', ...ids, messages: [question] });
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
    return { text: last?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ?? '' };
  },
  async 'AG-UI'() {
    const { baseURL: url, fetch } = service('ag-ui');
    const agent = new HttpAgent({ url, fetch, threadId: 't', initialMessages: [{ id: 'u', ...messages[0]! }] });
    const { newMessages } = await agent.runAgent({ runId: 'r' });
    return { text: String(newMessages[0]?.content), ended: newMessages.length === 1 };
  },
};

describe('what the scripted model sends', () => {
  for (const [name, read] of Object.entries(clients))
    it(`is read by the client of ${name}`, async () => {
      const { text, ...rest } = await read();
      expect(text).to.match(/^Hello!/);
      for (const [what, holds] of Object.entries(rest)) expect(holds, what).to.equal(true);
    });
});
