/** A page that is left while an answer arrives: it is read on where the conversation is kept, and stopped where nobody could (S0-177). */
import { expect } from 'chai';
import { fresh, until } from '../storage/helpers.js';
import { closeAll, page, stored, type Page } from './kept.js';

const ID = 'b'.repeat(32);

/** A relay with one answer, which it gives on from where it is asked. */
function relay() {
  const methods: string[] = [];
  const pieces = ['One, ', 'two, ', 'three.'];
  const frame = (n: number, event: string, data: object) => `id: ${ID}.${String(n)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const bytes = (text: string) => new TextEncoder().encode(text);
  const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
    const method = init?.method ?? 'GET';
    methods.push(method);
    if (method === 'DELETE') return Promise.resolve(new Response(null, { status: 204 }));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const rest = method === 'GET';
        for (let n = rest ? 2 : 1; n <= (rest ? 3 : 1); n += 1)
          controller.enqueue(bytes(frame(n, 'message', { type: 'text', content: pieces[n - 1] })));
        if (!rest) return; // and no end
        controller.enqueue(bytes(frame(4, 'done', { type: 'done', finish_reason: 'stop' })));
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  return { methods, fetch: fetch as typeof globalThis.fetch };
}

const endpoint = 'https://relay.test/api/ai/chat/stream';
const leavePage = (persisted: boolean) => dispatchEvent(new PageTransitionEvent('pagehide', { persisted }));
const comeBack = () => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));

describe('an answer whose page is left', () => {
  afterEach(closeAll);

  async function arriving(chat: Page): Promise<void> {
    void chat.chat.sendMessage('Count');
    await until(() => chat.chat.streamingText === 'One, ');
  }

  it('is read on by the next page, and the service hears of no stop, under storage="indexeddb"', async () => {
    const id = fresh('left');
    const service = relay();
    const one = page(id, [], { endpoint, fetch: service.fetch });
    await arriving(one);
    await stored(id, (found) => found?.reply?.place);
    leavePage(false);
    await until(() => one.chat.state === 'idle');
    const two = page(id, [], { endpoint, fetch: service.fetch });
    await until(() => two.texts().includes('One, two, three.'));
    expect(service.methods).to.deep.equal(['POST', 'GET']);
    comeBack();
    await until(() => one.texts().includes('One, two, three.'));
  });

  it('is read on by the page itself when it comes back', async () => {
    const id = fresh('left');
    const service = relay();
    const one = page(id, [], { endpoint, fetch: service.fetch });
    await arriving(one);
    await stored(id, (found) => found?.reply?.place);
    leavePage(true);
    comeBack();
    await until(() => one.texts().includes('One, two, three.'));
    expect(service.methods).to.deep.equal(['POST', 'GET']);
  });

  for (const storage of ['session', 'indexeddb'] as const)
    it(`is read on by the next element when its own is taken away, under storage="${storage}"`, async () => {
      const id = fresh('left');
      const service = relay();
      const one = page(id, [], { endpoint, storage, fetch: service.fetch });
      await arriving(one);
      one.internals.leave();
      await until(() => one.chat.state === 'idle');
      one.leave();
      const two = page(id, [], { endpoint, storage, fetch: service.fetch });
      await until(() => two.texts().includes('One, two, three.'));
      expect(service.methods).to.deep.equal(['POST', 'GET']);
    });

  it('is stopped where it is not kept whole: of a page with sensitive values', async () => {
    const id = fresh('left');
    const service = relay();
    const one = page(id, [], { endpoint, fetch: service.fetch });
    one.tool('login', { sensitive: true });
    await arriving(one);
    leavePage(false);
    await until(() => service.methods.includes('DELETE'));
    expect(service.methods).to.deep.equal(['POST', 'DELETE']);
    comeBack();
  });

  for (const [how, act] of [
    ['a person stops it', (one: Page) => one.chat.cancelStream()],
    ['the conversation is forgotten', (one: Page) => void one.chat.forget()],
  ] as const)
    it(`is stopped at the service when ${how}`, async () => {
      const service = relay();
      const one = page(fresh('left'), [], { endpoint, fetch: service.fetch });
      await arriving(one);
      act(one);
      await until(() => service.methods.includes('DELETE'));
      expect(service.methods).to.deep.equal(['POST', 'DELETE']);
    });

  it('is stopped at the service when the element is taken away and nothing is kept', async () => {
    const service = relay();
    const one = page(fresh('left'), [], { endpoint, storage: 'none', fetch: service.fetch });
    await arriving(one);
    one.internals.leave();
    await until(() => service.methods.includes('DELETE'));
    expect(service.methods).to.deep.equal(['POST', 'DELETE']);
  });

  for (const [kept, storage] of [
    ['and nothing is kept', 'none'],
    ['but not where it is kept', 'session'],
  ] as const)
    it(`is stopped at the service when the page is left for good ${kept}`, async () => {
      const service = relay();
      const one = page(fresh('left'), [], { endpoint, storage, fetch: service.fetch });
      await arriving(one);
      one.internals.leavePage();
      if (storage === 'none') await until(() => service.methods.includes('DELETE'));
      else await new Promise((resolve) => requestAnimationFrame(resolve));
      expect(service.methods).to.deep.equal(storage === 'none' ? ['POST', 'DELETE'] : ['POST']);
    });
});
