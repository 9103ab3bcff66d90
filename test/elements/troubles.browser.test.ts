/** Bad days of a whole `<tool-chat>`: offline and back, simpler modes, the check, feedback. */
import { expect } from '@open-wc/testing';
import { appears, deepText, find, part, until } from './helpers.js';
import { chatOnPage, scripted } from './tool-chat-stage.js';

type Chat = Awaited<ReturnType<typeof chatOnPage>>;

/** Makes the browser say that it has no network; requests then fail, as they do. */
function offline(chat: Chat) {
  let online = false;
  let sent = 0;
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  chat.fetch = (input, init) => {
    if (!online) return Promise.reject(new TypeError('Failed to fetch'));
    sent += 1;
    return fetch(input, init);
  };
  return {
    sent: () => sent,
    back() {
      online = true;
      window.dispatchEvent(new Event('online'));
    },
  };
}

describe('a <tool-chat> on a bad day', () => {
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'onLine'); // the browser's own again
  });

  it('B43 says that it is offline, loses nothing, and sends once when the network is back', async () => {
    const { endpoint, log } = await scripted('Hello there.');
    const chat = await chatOnPage({ endpoint, 'log-level': 'off' });
    const network = offline(chat);
    const turn = chat.sendMessage('hello');
    const bar = await appears(chat, '[data-offline]');
    expect(deepText(bar)).to.include('You are offline');
    expect(chat.isLoading).to.equal(true);
    network.back();
    expect(await turn).to.include({ success: true, text: 'Hello there.' });
    expect(network.sent()).to.equal(1);
    expect(await log()).to.have.length(1);
    expect(find(chat, part('error-bar'))).to.equal(undefined);
  });

  it('can be stopped while it waits for the network', async () => {
    const chat = await chatOnPage({ endpoint: '/__fault/chat?wire=cutie', 'log-level': 'off' });
    const network = offline(chat);
    const turn = chat.sendMessage('hello');
    (await appears(chat, '[data-offline]')).querySelector<HTMLElement>(part('close-button'))?.click();
    expect(await turn).to.include({ reason: 'cancelled' });
    network.back();
    expect(network.sent()).to.equal(0);
  });

  it('answers in one piece where streaming does not work, says so, and can be told to try again', async () => {
    const chat = await chatOnPage({ endpoint: '/api/ai/chat/stream', wire: 'cutie', 'log-level': 'off' });
    const asked: string[] = [];
    let broken = true;
    chat.errorStrategies = { network: [{ retry: 2, baseMs: 1 }, 'degrade'] };
    chat.fetch = (input) => {
      const { pathname } = new URL(String(input));
      asked.push(pathname);
      if (!pathname.endsWith('/stream')) return Promise.resolve(Response.json({ reply: 'All at once.' }));
      const frames = 'data: {"type":"text","content":"Bit by bit."}\n\ndata: {"type":"done"}\n\n';
      return Promise.resolve(
        broken ? new Response('', { status: 500 }) : new Response(frames, { headers: { 'content-type': 'text/event-stream' } }),
      );
    };
    expect(await chat.sendMessage('hello')).to.include({ text: 'All at once.' });
    expect(asked).to.deep.equal(['/api/ai/chat/stream', '/api/ai/chat/stream', '/api/ai/chat']);
    const notice = await appears(chat, part('notice'));
    broken = false;
    notice.querySelector('button')?.click();
    expect(await chat.sendMessage('again')).to.include({ text: 'Bit by bit.' });
    await until(() => !find(chat, part('notice')), 'the notice stays');
  });

  it('finds out why its endpoint does not let it in, and tells the page what a person has to say (Y-15)', async () => {
    const chat = await chatOnPage({ endpoint: '/__fault/chat?wire=cutie&status=401', 'log-level': 'off' });
    const told: unknown[] = [];
    chat.addEventListener('tool-chat-feedback', ({ error }) => told.push(error));
    const { error } = await chat.sendMessage('hello');
    (await appears(chat, part('check-button'))).click();
    const found = await appears(chat, part('check-result'));
    expect(found.dataset['finding']).to.equal('auth');
    find(chat, part('feedback-button'))?.click();
    expect(told).to.deep.equal([error]);
    chat.setAttribute('feedback-url', 'https://help.example/report');
    await until(() => find<HTMLAnchorElement>(chat, part('feedback-button'))?.href === 'https://help.example/report', 'no link');
  });
});
