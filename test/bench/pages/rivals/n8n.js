/** n8n's chat with its streamed answers, one JSON object a line. */
import css from 'n8n-chat/style.css';
import { createChat } from 'n8n-chat/chat.bundle.es.js';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function mount(root) {
  const style = document.createElement('style');
  style.textContent = css;
  document.head.append(style);
  root.style.cssText = 'width:900px;height:600px';
  let stream;
  const { fetch } = window;
  window.fetch = async (address, init) => {
    if (!String(address).includes('/bench/hook')) return fetch(address, init);
    const headers = { 'content-type': 'application/json' };
    return new Response(new ReadableStream({ start: (controller) => (stream = controller) }), { headers });
  };
  createChat({
    ...{ webhookUrl: '/bench/hook', target: '#root', mode: 'fullscreen' },
    ...{ enableStreaming: true, loadPreviousSession: false, showWelcomeScreen: false },
  });
  let field;
  while (!(field = root.querySelector('textarea'))) await pause(30);
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, 'Tell me all about it.');
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await pause(50);
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  root.querySelector('.chat-input-send-button')?.click();
  while (!stream) await pause(30);
  const metadata = { nodeId: 'a', nodeName: 'A', timestamp: 1, runIndex: 0, itemIndex: 0 };
  const encoder = new TextEncoder();
  const line = (data) => stream.enqueue(encoder.encode(`${JSON.stringify({ ...data, metadata })}\n`));
  line({ type: 'begin' });
  return {
    push: (content) => line({ type: 'item', content }),
    end() {
      line({ type: 'end' });
      stream.close();
    },
  };
}
