/** Against a server whose every event has the types of Anthropic's own package, and its client against what the scripted model sends. */
import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParams, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { expect } from 'chai';
import { scriptedEndpoint } from '../../../src/scripted-model/index.js';
import { anthropic } from '../../../src/transports/anthropic.js';
import { ask, CALL, talk, useService } from './serve.js';

const pieces = (text: string): RawMessageStreamEvent[] =>
  (text.match(/[^]{1,5}/g) ?? []).map((piece) => ({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: piece } }));

describe('a server of Anthropic’s messages', () => {
  const service = useService(({ body, response, count, path }) => {
    const { stream, system, messages, max_tokens } = body as MessageCreateParams;
    expect([stream, typeof system, typeof max_tokens]).to.deep.equal([true, 'string', 'number']);
    expect(messages.map(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))).not.to.include(false);
    const start = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    };
    const thinking: RawMessageStreamEvent[] = [
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '嗯…' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'abc' } },
      { type: 'content_block_stop', index: 0 },
    ];
    const end = [
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
      { type: 'message_stop' },
    ] as unknown as RawMessageStreamEvent[];
    const failed = {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
      request_id: 'r',
    } as unknown as RawMessageStreamEvent;
    const events: RawMessageStreamEvent[] = [
      { type: 'message_start', message: start } as unknown as RawMessageStreamEvent,
      ...thinking,
      { type: 'ping' } as unknown as RawMessageStreamEvent,
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '', citations: null } },
      ...(path.endsWith('?error') ? [...pieces('Half'), failed] : [...pieces(count === 0 ? `好的。\n${CALL}` : '好了 ✅'), ...end]),
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  const endpoint = () => `${service.origin}/v1/messages`;

  it('streams a reply, whose call runs here, and gets the result', async () => {
    const { chat, ran } = talk({ endpoint: endpoint(), model: 'm' });
    expect(await chat.sendMessage('买牛奶')).to.include({ success: true, text: '好了 ✅' });
    expect(ran).to.deep.equal([{ title: '买牛奶 🥛' }]);
    expect(chat.messages[1]?.reasoning).to.equal('嗯…');
    expect(chat.messages.at(-1)?.metadata.usage).to.deep.equal({ input: 3, output: 4 });
  });

  it('fails by an error event', async () => {
    const { text, outcome } = await ask(anthropic, `${endpoint()}?error`);
    expect(text).to.equal('Half');
    expect(outcome.type === 'failed' && outcome.error.detail).to.equal('Overloaded');
  });
});

describe('the client of Anthropic', () => {
  it('reads what the scripted model sends', async () => {
    const endpoint = scriptedEndpoint('anthropic');
    const client = new Anthropic({
      apiKey: 'none',
      baseURL: 'http://scripted.test',
      maxRetries: 0,
      fetch: (url, init) => endpoint(new Request(url, init)),
    });
    const message = await client.messages
      .stream({ model: 'scripted', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] })
      .finalMessage();
    expect(message.stop_reason).to.equal('end_turn');
    expect(message.content[0]).to.have.property('text').that.is.not.equal('');
    expect(message.usage.output_tokens).to.be.above(0);
  });
});
