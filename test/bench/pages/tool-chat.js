/** `<tool-chat>` as a page uses it: the built script, an endpoint, one message. */
import { fakeEndpoint } from './answer.js';

export async function mount(root) {
  const endpoint = fakeEndpoint();
  const chat = document.createElement('tool-chat');
  chat.setAttribute('endpoint', '/bench/answer');
  chat.style.cssText = 'display:block;width:900px;height:600px';
  root.append(chat);
  await import('/dist/tool-chat.js');
  chat.fetch = endpoint.fetch;
  void chat.sendMessage('Tell me all about it.');
  await endpoint.started;
  return endpoint;
}
