/** What a host page gets to see and to hold: plain copies, queues, its own faults contained, and nothing that approves. */
import { expect } from 'chai';
import { createConversation } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { cutieText, scriptedFetch } from './scripted-fetch.js';
import { stage } from './play.js';
import { call, deferred, talk, tick, until, useFaultServer, type Talk } from './talk.js';

/** Every function that can be reached from a value by properties, own and inherited, with what it hangs on. */
function functionsIn(root: unknown) {
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
  const one = stage([call('erase', { title: 'a' }), 'Done.'], { erase: 'danger' }, { person: true });
  const snapshots: unknown[] = [];
  one.chat.subscribe((snapshot) => snapshots.push(snapshot));
  const done = one.send();
  const { requestId, call: shown } = await one.question();
  const { digest } = shown!;
  const decision = { requestId, digest, verdict: 'allow' };
  const arguments_: unknown[][] = [[], [requestId], [requestId, digest], [decision], [{ ...decision, type: 'user.allow' }]];
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
  useFaultServer({ settles: true });

  it('approves nothing: not on the conversation, nor in its snapshots and events', async () => {
    expect(await startsByEverythingReachable(({ chat }) => chat)).to.equal(0);
  });

  it('would be found, were it there', async () => {
    expect(await startsByEverythingReachable(({ chat }) => ({ chat, leak: { decide: internalsOf(chat).decide } }))).to.be.above(0);
  });

  it('is not troubled by listeners that throw', async () => {
    const throws = () => expect.fail('listener');
    const one = stage([call('change'), 'Done.'], 'change', { onEach: ({ type }) => (type === 'tool-execute' ? true : throws()) });
    let heard = 0;
    one.chat.subscribe(throws);
    one.chat.subscribe(() => (heard += 1));
    internalsOf(one.chat).surface.subscribe(throws);
    expect(await one.send()).to.include({ success: true, text: 'Done.' });
    expect(heard).to.be.above(3);
    expect(one.entries.filter(({ code }) => code === 'host.failed').length).to.be.above(3);
  });
});

describe('settings', () => {
  useFaultServer({ settles: true });

  it('whose getter throws have their default', async () => {
    const { fetch, asked } = scriptedFetch([cutieText('Done.')]);
    const chat = createConversation({
      ...{ endpoint: 'http://localhost/x', wire: 'cutie', logLevel: 'off', fetch },
      get maxTokens(): number {
        throw new Error('no');
      },
    });
    await chat.sendMessage('hi');
    expect(asked[0]?.body['max_tokens']).to.equal(2000);
    chat.dispose();
  });
});

describe('several messages, several conversations', () => {
  useFaultServer({ settles: true });

  it('answers messages in order, one request after the other, and clears all of it, waiting messages too', async () => {
    const endless = { text: 'Some prose.', q: 'hang=2&gap=1', times: 1 };
    const one = talk([{ text: 'First.', q: 'delay=20' }, 'Second.', 'Third.', endless, 'Hello.']);
    await Promise.all(['a', 'b', 'c'].map((text) => one.send(text)));
    expect(one.bodies().map(({ messages }) => messages.at(-1)?.text)).to.deep.equal(['a', 'b', 'c']);
    const edges = one.names().filter((name) => name === 'stream-start' || name === 'stream-end');
    expect(edges).to.deep.equal(Array(3).fill(['stream-start', 'stream-end']).flat());
    const cleared = [one.send('d'), one.send('e')];
    await until(() => one.chat.streamingText, 'text');
    await one.chat.clear();
    expect(one.chat.messages).to.deep.equal([]);
    expect((await Promise.all(cleared)).map(({ reason }) => reason)).to.deep.equal(['cancelled', 'cancelled']);
    await one.send('f');
    expect(one.bodies().at(-1)?.messages).to.deep.equal([{ role: 'user', text: 'f' }]);
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
    const said = one.chat.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    expect(said).to.deep.equal(['first', 'from a listener', 'from a subscriber']);
    await until(() => !one.chat.isLoading, 'the end');
    await tick();
  });

  it('refuses an empty text, and one the host holds back', async () => {
    const one = talk(['Hello.'], { onEach: ({ type }) => type !== 'send' });
    const texts = ['', '  \n', undefined, 5].map((text) => one.chat.sendMessage(text as never));
    for (const refused of [...texts, one.chat.editMessage('nobody', 'x'), one.chat.editMessage('', ' ')])
      expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect(await one.send('text')).to.include({ reason: 'cancelled' });
    expect([one.chat.messages, one.requests()]).to.deep.equal([[], []]);
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
    for (const ended of [turn, queued, one.send('later')]) expect((await ended).reason).to.equal('cancelled');
    one.chat.cancelStream();
    one.chat.dispose();
    await one.chat.clear();
    await until(() => one.requests()[0]?.clientClosed, 'the close');
    expect(heard).to.equal(before);
    expect(one.requests()).to.have.length(1);
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

describe('the prompt that a host can ask for (S2-42), and an undo as soon as a call has ended', () => {
  useFaultServer({ settles: true });
  it('lists no tool where the configuration it is given switches them off', async () => {
    const { chat } = stage([], 'look');
    expect(await chat.generatePrompt()).to.contain('look');
    expect(await chat.generatePrompt({ config: { enabled: false } })).to.not.contain('look');
  });

  it('undoes at once when the host asks as soon as the call has ended', async () => {
    let takenBack = 0;
    const one = stage([call('add'), 'Done.'], { add: { undo: () => Promise.resolve(void (takenBack += 1)) } });
    const undone = deferred();
    const off = one.chat.subscribe(({ toolHistory }) => {
      if (toolHistory.length === 0) return;
      off();
      one.chat.undo(toolHistory[0]!.requestId).then(undone.resolve, undone.reject);
    });
    await one.send();
    await undone.promise;
    expect(takenBack).to.equal(1);
  });
});
