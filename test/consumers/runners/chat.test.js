/** A component test as somebody has it, for Vitest and for Jest. */
import 'tool-chat/define';
import { rename } from './tool.js';

const events = (...list) => list.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
const CALL = '<tool_use><invoke name="rename"><parameter name="title">Hello</parameter></invoke></tool_use>';

test('the page has a chat that answers, and calls what `decide` allows', async () => {
  const replies = [CALL, 'It is called Hello now.'];
  const chat = document.createElement('tool-chat');
  chat.endpoint = '/api/ai/chat/stream';
  chat.decide = async () => 'allow';
  chat.fetch = async () =>
    new Response(events(['message', { type: 'text', content: replies.shift() }], ['done', { type: 'done' }]), {
      headers: { 'content-type': 'text/event-stream' },
    });
  document.body.append(chat);
  chat.registerTool(rename);
  expect(await chat.sendMessage('Call it Hello')).toMatchObject({ reason: 'stop', text: 'It is called Hello now.' });
  expect(document.title).toBe('Hello');
  const shown = () => chat.shadowRoot.querySelector('tool-chat-panel').shadowRoot.querySelectorAll('tool-chat-message');
  while ([...shown()].every(({ shadowRoot }) => !shadowRoot.textContent.includes('It is called Hello now.')))
    await new Promise((resolve) => setTimeout(resolve, 10));
});
