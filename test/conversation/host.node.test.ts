/** What a host page gets to see and to hold: plain copies, queues, its own faults contained, and nothing that approves. */
import { expect } from 'chai';
import { createConversation } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { call, deferred, settlesWell, talk, tick, until, useFaultServer, type Talk } from './talk.js';

/** Every function that can be reached from a value by properties, own and inherited, with what it hangs on. */
function functionsIn(root: unknown): { path: string; owner: object; call: (...args: unknown[]) => unknown }[] {
  const seen = new Set<object>();
  const found: { path: string; owner: object; call: (...args: unknown[]) => unknown }[] = [];
  const walk = (value: unknown, path: string, depth: number) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || depth > 8) return;
    seen.add(value);
    for (
      let at: object | null = value;
      at && at !== Object.prototype && at !== Function.prototype && at !== Array.prototype;
      at = Object.getPrototypeOf(at) as object | null
    )
      for (const key of Reflect.ownKeys(at)) {
        if (key === 'constructor') continue;
        let item: unknown;
        try {
          item = (value as Record<PropertyKey, unknown>)[key];
        } catch {
          continue;
        }
        if (typeof item === 'function') found.push({ path: `${path}.${String(key)}`, owner: value, call: item as never });
        walk(item, `${path}.${String(key)}`, depth + 1);
      }
  };
  walk(root, 'chat', 0);
  return found;
}

/** Waits for a person, lets everything reachable be called with everything that is known, and counts tools that started. */
async function startsByEverythingReachable(open: (one: Talk) => unknown): Promise<number> {
  const endings =
    /cancelStream|clear|forget|dispose|editMessage|retryLastMessage|regenerate|sendMessage|executeToolManually|register|(?:new|open|delete)Conversation/;
  const one = talk([call('erase', { title: 'a' }), 'Done.'], { person: true });
  one.tool('erase', { risk: 'danger' });
  const snapshots: unknown[] = [];
  one.chat.subscribe((snapshot) => snapshots.push(snapshot));
  const done = one.send();
  const [card] = await one.asked();
  const { requestId, call: shown } = card!;
  const arguments_: unknown[][] = [
    [],
    [requestId],
    [requestId, shown?.digest],
    [requestId, 'allow'],
    [{ requestId, digest: shown?.digest, verdict: 'allow' }],
    [{ type: 'user.allow', requestId, digest: shown?.digest }],
    [{ type: 'allow', digest: shown?.digest }],
  ];
  const reachable = functionsIn([open(one), snapshots, one.events]).filter(({ path }) => !endings.test(path));
  for (const { owner, call: run } of reachable)
    for (const args of arguments_)
      try {
        const answer: unknown = Reflect.apply(run, owner, args);
        if (answer instanceof Promise) answer.catch(() => {});
        for (const inner of functionsIn([answer])) {
          const derived: unknown = Reflect.apply(inner.call, inner.owner, args);
          if (derived instanceof Promise) derived.catch(() => {});
        }
      } catch {
        // Most of them want something else.
      }
  await tick();
  await tick();
  const started = one.runs.length;
  one.chat.cancelStream();
  await done;
  return started;
}

describe('what a host can reach', () => {
  useFaultServer();

  it('approves nothing: not on the conversation, nor in its snapshots and events', async () => {
    expect(await startsByEverythingReachable(({ chat }) => chat)).to.equal(0);
  });

  it('would be found, were it there', async () => {
    expect(await startsByEverythingReachable(({ chat }) => ({ chat, leak: { decide: internalsOf(chat).decide } }))).to.be.above(0);
  });

  it('is plain data that can be changed without changing anything', async () => {
    const one = talk([call('change', { title: 'x' }), 'Done.']);
    one.tool('change');
    const snapshots: unknown[] = [];
    one.chat.subscribe((snapshot) => {
      snapshots.push(snapshot);
      const { messages } = snapshot as unknown as { messages: { text: string; metadata: object }[] };
      for (const message of messages) message.text = 'spoiled';
      messages.length = 0;
      Object.assign(snapshot.session, { state: 'spoiled' });
    });
    await one.send();
    expect(functionsIn(snapshots).map(({ path }) => path)).to.deep.equal([]);
    expect(structuredClone(snapshots)).to.deep.equal(snapshots);
    (one.chat.messages as unknown[]).push({ role: 'user', text: 'spoiled' });
    (one.chat.toolHistory as unknown[]).length = 0;
    expect(one.chat.messages).to.have.length(4);
    expect(one.chat.toolHistory).to.have.length(1);
    expect(JSON.stringify([one.chat.messages, one.chat.session])).to.not.include('spoiled');
  });

  it('shows the new state to listeners of what led to it', async () => {
    const seen: string[] = [];
    const one: Talk = talk([call('change'), 'Done.'], {
      onEach(event, { chat }) {
        if (event.type === 'state-change' && event.state === 'plan') seen.push(chat.state, String(chat.messages.length));
        if (event.type === 'tool-complete') seen.push(String(chat.toolHistory.length));
        if (event.type === 'stream-end') seen.push(chat.state, String(chat.isLoading));
      },
    });
    one.tool('change');
    await one.send();
    expect(seen).to.deep.equal(['plan', '2', '1', 'idle', 'false']);
  });

  it('is not troubled by listeners that throw', async () => {
    const one = talk([call('change'), 'Done.'], {
      onEach(event) {
        if (event.type !== 'tool-execute') throw new Error('listener');
      },
    });
    one.tool('change');
    let heard = 0;
    one.chat.subscribe(() => {
      throw new Error('subscriber');
    });
    one.chat.subscribe(() => (heard += 1));
    internalsOf(one.chat).surface.subscribe(() => {
      throw new Error('viewer');
    });
    expect(await one.send()).to.include({ success: true, text: 'Done.' });
    expect(heard).to.be.above(3);
    expect(one.entries.filter(({ code }) => code === 'host.failed').length).to.be.above(3);
    await settlesWell(one);
  });
});

describe('settings', () => {
  useFaultServer();

  it('that change within a turn hold from the next one; a getter that throws stands for the default', async () => {
    const now: Record<string, unknown> = { endpoint: '', systemPrompt: 'First.' };
    const release = deferred();
    const bodies: { system: string; max_tokens: number }[] = [];
    const chat = createConversation({
      endpoint: 'http://localhost/x',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      get systemPrompt() {
        return now['systemPrompt'] as string;
      },
      get maxTokens(): number {
        throw new Error('no');
      },
      get heartbeat(): number {
        throw new Error('no');
      },
      async fetch(_url, init) {
        bodies.push(JSON.parse(String((init as RequestInit).body)) as never);
        const text = bodies.length === 1 ? call('change') : 'Done.';
        return new Response(
          `event: message\ndata: ${JSON.stringify({ type: 'text', content: text })}\n\nevent: done\ndata: {"type":"done"}\n\n`,
          {
            headers: { 'content-type': 'text/event-stream' },
          },
        );
      },
    });
    chat.registerTool({ name: 'change', description: 'x', risk: 'write', execute: () => release.promise });
    const done = chat.sendMessage('hi');
    await until(() => chat.isToolExecuting, 'the tool');
    now['systemPrompt'] = 'Second.';
    release.resolve();
    await done;
    await chat.sendMessage('again');
    expect(bodies.map(({ system }) => system.slice(0, 6))).to.deep.equal(['First.', 'First.', 'Second']);
    expect(bodies.map(({ max_tokens }) => max_tokens)).to.deep.equal([2000, 2000, 2000]);
    chat.dispose();
  });
});

describe('several messages, several conversations', () => {
  useFaultServer();

  it('answers messages in order, one request after the other', async () => {
    const one = talk([{ text: 'First.', q: 'delay=20' }, 'Second.', 'Third.']);
    const texts = await Promise.all(['a', 'b', 'c'].map(async (text) => (await one.send(text)).text));
    expect(texts).to.deep.equal(['First.', 'Second.', 'Third.']);
    expect(one.bodies().map(({ messages }) => messages.at(-1)?.text)).to.deep.equal(['a', 'b', 'c']);
    const [first, second] = one.requests();
    expect(second?.t).to.be.at.least(first?.t ?? Infinity);
    expect(one.names().filter((name) => name.startsWith('stream-') && name !== 'stream-chunk')).to.deep.equal(
      Array(3).fill(['stream-start', 'stream-end']).flat(),
    );
  });

  it('sends what a listener or subscriber sends, once, after the turn', async () => {
    let sent = 0;
    const one: Talk = talk(['First.', 'Second.', 'Third.'], {
      onEach(event, { chat }) {
        if (event.type === 'stream-end' && (sent += 1) === 1) void chat.sendMessage('from a listener');
      },
    });
    const off = one.chat.subscribe(({ state, messages }) => {
      if (state !== 'idle' || messages.length !== 4) return;
      off();
      void one.chat.sendMessage('from a subscriber');
    });
    await one.send('first');
    await until(() => one.chat.messages.at(-1)?.text === 'Third.', 'the third answer');
    expect(one.chat.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []))).to.deep.equal([
      'first',
      'from a listener',
      'from a subscriber',
    ]);
    await until(() => !one.chat.isLoading, 'the end');
    await tick();
    await settlesWell(one);
  });

  it('refuses an empty text, and one the host holds back', async () => {
    const one = talk(['Hello.'], { onEach: ({ type }) => type !== 'send' });
    for (const text of ['', '  \n', undefined, 5])
      expect(await one.chat.sendMessage(text as never).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect(await one.send('text')).to.include({ reason: 'cancelled' });
    expect(one.chat.messages).to.deep.equal([]);
    expect(one.requests()).to.deep.equal([]);
  });

  it('clears everything, waiting messages too, and starts afresh', async () => {
    const one = talk([{ text: 'Some prose that goes on.', q: 'hang=2&gap=1', times: 1 }, 'Hello.']);
    const all = [one.send('a'), one.send('b')];
    await until(() => one.chat.streamingText, 'text');
    await one.chat.clear();
    expect(one.chat.messages).to.deep.equal([]);
    expect((await Promise.all(all)).map(({ reason }) => reason)).to.deep.equal(['cancelled', 'cancelled']);
    await one.send('c');
    expect(one.bodies().at(-1)?.messages).to.deep.equal([{ role: 'user', text: 'c' }]);
  });

  it('answers an edited message anew, and nothing after it is left', async () => {
    const one = talk(['First.', 'Second.', 'Third.']);
    await one.send('a');
    await one.send('b');
    const [a] = one.chat.messages;
    expect(await one.chat.editMessage('nobody', 'x').catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect(await one.chat.editMessage(a!.id, ' ').catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect(one.chat.messages).to.have.length(4);
    await one.chat.editMessage(a!.id, 'better');
    expect(one.chat.messages.map(({ text }) => text)).to.deep.equal(['better', 'Third.']);
  });

  it('is silent and closed once disposed of', async () => {
    const one = talk([{ text: 'Some prose that goes on.', q: 'hang=2&gap=1' }]);
    let heard = 0;
    one.chat.subscribe(() => (heard += 1));
    const turn = one.send();
    const queued = one.send('b');
    await until(() => one.chat.streamingText, 'text');
    one.chat.dispose();
    const before = heard;
    expect((await turn).reason).to.equal('cancelled');
    expect((await queued).reason).to.equal('cancelled');
    expect((await one.send('later')).reason).to.equal('cancelled');
    one.chat.cancelStream();
    one.chat.dispose();
    await one.chat.clear();
    await until(() => one.requests()[0]?.clientClosed, 'the close', 1000);
    expect(heard).to.equal(before);
    expect(one.requests()).to.have.length(1);
  });

  it('may be disposed of by a listener', async () => {
    const one = talk([call('change'), 'Done.'], { onEach: ({ type }, { chat }) => void (type === 'tool-detected' && chat.dispose()) });
    one.tool('change');
    expect((await one.send()).reason).to.equal('cancelled');
    expect(one.runs).to.deep.equal([]);
  });

  it('D80 shares nothing between two conversations', async () => {
    const [one, two] = [talk([call('change', { title: 'one' }), 'From one.']), talk([call('change', { title: 'two' }), 'From two.'])];
    one.tool('change');
    two.tool('change');
    one.tool('only_one');
    const [first, second] = await Promise.all([one.send('to one'), two.send('to two')]);
    expect([first.text, second.text]).to.deep.equal(['From one.', 'From two.']);
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['one']);
    expect(two.runs.map(({ args }) => args['title'])).to.deep.equal(['two']);
    expect(two.bodies()[0]?.system).to.not.include('only_one');
    expect(JSON.stringify(two.chat.messages)).to.not.match(/to one|From one|only_one/);
    expect(one.runs[0]?.context.sessionId).to.not.equal(two.runs[0]?.context.sessionId);
    one.chat.cancelStream();
    await settlesWell(one);
    await settlesWell(two);
  });

  it('registers nothing for a signal that has been aborted, and takes back what a signal ends', () => {
    const one = talk([]);
    const tool = { name: 'change', description: 'x', execute: () => undefined };
    one.chat.registerTool(tool, { signal: AbortSignal.abort() });
    const controller = new AbortController();
    one.chat.registerTool(tool, { signal: controller.signal });
    expect(() => one.chat.registerTool(tool)).to.throw(/taken/);
    controller.abort();
    one.chat.registerTool(tool);
  });
});
