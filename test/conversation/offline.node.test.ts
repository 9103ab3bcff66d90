/** Offline and back (faults.md B43, B44): nothing is lost, nothing is sent twice, never two requests at once. */
import { expect } from 'chai';
import { createConnection } from '../../src/conversation/reply/connection.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { cutieText } from './scripted-fetch.js';
import { talk, until, useFaultServer, type Talk } from './talk.js';

/** What a browser says of its network. */
const network = new (class extends EventTarget {
  onLine = true;
  set online(online: boolean) {
    this.onLine = online;
    this.dispatchEvent(new Event(online ? 'online' : 'offline'));
  }
})();

const names = ['navigator', 'addEventListener', 'removeEventListener'] as const;

describe('offline', () => {
  useFaultServer({ settles: true });
  const kept = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);

  before(() => {
    const values = {
      navigator: network,
      addEventListener: network.addEventListener.bind(network),
      removeEventListener: network.removeEventListener.bind(network),
    };
    for (const name of names) Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: values[name] });
  });
  after(() => {
    for (const [name, descriptor] of kept) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });
  beforeEach(() => (network.online = true));

  /** Waits pass at once; an endpoint far away answers each request with the next reply, or breaks the connection. */
  function away(replies: (string | 'broken')[]): Talk & { sent(): number; atOnce(): number } {
    let sent = 0;
    let now = 0;
    let atOnce = 0;
    const one = talk([], {
      endpoint: 'https://api.example/api/ai/chat/stream',
      heartbeat: 0,
      clock: {
        setTimeout: (run: () => void, ms: number) => setTimeout(run, ms > 5000 ? ms : 1),
        clearTimeout: (id: unknown) => clearTimeout(id as ReturnType<typeof setTimeout>),
      } as never,
      async fetch() {
        atOnce = Math.max(atOnce, (now += 1));
        try {
          await new Promise((resolve) => setTimeout(resolve, 2));
          if (!network.onLine) throw new TypeError('Failed to fetch');
          sent += 1;
          const reply = replies.shift() ?? 'broken';
          if (reply === 'broken') throw new TypeError('Failed to fetch');
          return cutieText(reply);
        } finally {
          now -= 1;
        }
      },
    });
    return { ...one, sent: () => sent, atOnce: () => atOnce };
  }
  const isWaiting = (one: Talk) => until(() => one.view().offline, 'the wait for the network');

  it('waits for the network before it sends, and then sends once', async () => {
    const one = away(['Hello there.']);
    network.online = false;
    const done = one.send();
    await isWaiting(one);
    expect(one.chat.isLoading).to.equal(true);
    expect(one.chat.messages[0]).to.include({ role: 'user', text: 'hello' });
    // Browsers can be wrong about it, so a person can try; that it fails is no reason to give up.
    internalsOf(one.chat).surface.retry();
    await isWaiting(one);
    network.online = true;
    expect(await done).to.include({ success: true, text: 'Hello there.' });
    expect([one.sent(), one.view().offline, one.view().failure]).to.deep.equal([1, undefined, null]);
  });

  it('B44 never has two requests at once, however often the network comes and goes', async () => {
    const one = away(['broken', 'Hello there.']);
    const done = one.send();
    let over = false;
    void done.then(() => (over = true));
    for (let at = 0; at < 20 && !over; at++) {
      network.online = at % 2 === 1;
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    network.online = true;
    await done;
    expect(one.atOnce()).to.be.at.most(1);
  });
});

describe('the connection', () => {
  it('asks what is on this computer first, and believes its refusal', async () => {
    const page = Object.assign(new EventTarget(), { navigator: { onLine: false } });
    const connection = createConnection(() => {}, page as never);
    const stop = new AbortController().signal;
    const here = new URL('http://localhost:11434/api/chat');
    await connection.ready(here, false, stop);
    const waits = connection.ready(here, true, stop);
    expect([connection.waiting, connection.tryNow()]).to.deep.equal([true, true]);
    await waits;
    expect([connection.waiting, connection.tryNow()]).to.deep.equal([false, false]);
  });
});
