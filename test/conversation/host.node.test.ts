/** What a host page gets to see and to hold: plain copies, queues, its own faults contained, and nothing that approves. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { stage } from './play.js';
import { call, talk, tick, until, useFaultServer, type Talk } from './talk.js';

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

describe('several messages', () => {
  useFaultServer({ settles: true });

  it('answers messages in order, one request after the other, and clears all of it, waiting messages too (S0-112)', async () => {
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

  it('refuses an empty text, and one the host holds back', async () => {
    const one = talk(['Hello.'], { onEach: ({ type }) => type !== 'send' });
    const texts = ['', '  \n', undefined, 5].map((text) => one.chat.sendMessage(text as never));
    for (const refused of [...texts, one.chat.editMessage('nobody', 'x'), one.chat.editMessage('', ' ')])
      expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect(await one.send('text')).to.include({ reason: 'cancelled' });
    expect([one.chat.messages, one.requests()]).to.deep.equal([[], []]);
  });
});

describe('the prompt that a host can ask for (S2-42)', () => {
  useFaultServer({ settles: true });
  it('lists no tool where the configuration it is given switches them off', async () => {
    const { chat } = stage([], 'look');
    expect(await chat.generatePrompt()).to.contain('look');
    expect(await chat.generatePrompt({ config: { enabled: false } })).to.not.contain('look');
  });
});
