/**
 * The limit: the same bytes through the same wire into plain text, one node a block, pinned to the bottom. What is left out is what
 * a chat does with the text.
 */
import { cutie } from '/dist/modules/transports/cutie.js';
import { fakeEndpoint } from './answer.js';

export async function mount(root) {
  const scroller = document.createElement('div');
  scroller.style.cssText = 'height:600px;overflow-y:auto;contain:strict';
  root.append(scroller);
  let block;
  let pinning = 0;
  const pin = () => {
    pinning = 0;
    scroller.scrollTop = 1e9;
  };
  function write(text) {
    for (const [index, part] of text.split('\n\n').entries()) {
      if (index > 0 || !block) {
        const paragraph = document.createElement('p');
        paragraph.style.whiteSpace = 'pre-wrap';
        block = paragraph.appendChild(new Text());
        scroller.append(paragraph);
      }
      block.appendData(part);
    }
    pinning ||= requestAnimationFrame(pin);
  }

  const endpoint = fakeEndpoint();
  const response = await endpoint.fetch();
  const reader = cutie.createReader((event) => event.type === 'text' && write(event.text), {
    status: response.status,
    contentType: response.headers.get('content-type'),
  });
  const bytes = response.body.getReader();
  void (async () => {
    for (;;) {
      const { done, value } = await bytes.read();
      if (done) return reader.end('close');
      reader.push(value);
    }
  })();
  return endpoint;
}
