import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import type { AnswerCache } from '../../src/conversation/options/option-shapes.js';
import { events, plainWire, scriptedFetch } from './scripted-fetch.js';
import { play } from './play.js';
import { call, deferred, talk, useFaultServer, type TalkOptions } from './talk.js';

const stop = { type: 'finish', finish: 'stop', proved: true } as const;
const answer = (text: string, usage?: { input: number; output: number }) =>
  events({ type: 'text', text }, ...(usage ? [{ type: 'usage' as const, ...usage }] : []), stop);

/** A conversation whose service answers with these, each a list of wire events. */
function plain(replies: Response[], options: TalkOptions) {
  const { fetch, asked } = scriptedFetch(replies);
  const t = talk([], { fetch, wire: 'plain', ...options });
  t.chat.registerWire(plainWire as never);
  return { t, asked };
}

function mapCache(): AnswerCache & { map: Map<string, string> } {
  const map = new Map<string, string>();
  return { map, get: (key) => map.get(key), set: (key, text) => void map.set(key, text) };
}

describe('the token budget of a session (S0-182)', () => {
  useFaultServer({ settles: true });

  it('refuses the next message when what was reported is over it, says so, and sends nothing', async () => {
    const replies = [answer('One.', { input: 300, output: 100 }), answer('Two.', { input: 90, output: 10 }), answer('Three.')];
    const { t, asked } = plain(replies, { tokenBudget: 500 });
    expect([(await t.send('first')).reason, (await t.send('second')).reason]).to.deep.equal(['stop', 'stop']);
    const refused = await t.send('third');
    expect(refused).to.include({ success: false, reason: 'budget' });
    expect(refused.error).to.include({ code: 'LIMIT', layer: 'business', message: en.budgetReached(500), retryable: false });
    expect(asked).to.have.length(2);
    expect(t.chat.error).to.equal(en.budgetReached(500));
    expect(t.view().failure).to.deep.include({ lines: [en.budgetReached(500), en.budgetAdvice], canRetry: false });
    expect(t.view().views.some(({ canContinue }) => canContinue)).to.equal(false);
    expect(t.chat.messages.at(-1)).to.include({ role: 'user', text: 'third' });
    expect(t.events.filter(({ type }) => type === 'stream-end').at(-1)).to.include({ reason: 'budget' });
    expect([(await t.chat.regenerate()).reason, asked.length]).to.deep.equal(['budget', 2]);
  });

  it('estimates where nothing is reported, and lets a larger budget go on', async () => {
    const { fetch, asked } = scriptedFetch([answer('Word '.repeat(100)), answer('Fine.')]);
    const options: ConversationOptions = { endpoint: 'http://model.test/', wire: 'plain', fetch, logLevel: 'off', tokenBudget: 50 };
    const chat = createConversation(options);
    chat.registerWire(plainWire as never);
    expect((await chat.sendMessage('hello')).reason).to.equal('stop');
    expect((await chat.sendMessage('hello')).reason).to.equal('budget');
    options.tokenBudget = 5000;
    expect([(await chat.sendMessage('hello')).reason, asked.length]).to.deep.equal(['stop', 2]);
    chat.dispose();
  });

  it('does not stop a turn that has begun: what tools did is told', async () => {
    const replies = [answer(call('look'), { input: 900, output: 1 }), answer('Seen.', { input: 1, output: 1 })];
    const { t, asked } = plain(replies, { tokenBudget: 500 });
    t.tool('look', { risk: 'query' });
    expect([(await t.send()).reason, asked.length, (await t.send()).reason]).to.deep.equal(['stop', 2, 'budget']);
  });
});

describe('answers from a cache (S0-182, S0-197)', () => {
  useFaultServer({ settles: true });

  it('asks once for the same question in the same state, and marks the answer', async () => {
    const answerCache = mapCache();
    const t = talk(['Forty-two.', 'Something else.'], { answerCache });
    const first = await t.send('What is it?');
    const second = await t.send('What is it?');
    expect([first.text, second.text]).to.deep.equal(['Forty-two.', 'Forty-two.']);
    expect(t.requests()).to.have.length(1);
    const last = t.view().views.at(-1);
    expect(last?.message.metadata.cached).to.equal(true);
    expect(last?.note).to.equal(en.answerCached);
    expect(t.view().views[1]?.message.metadata.cached).to.equal(undefined);
    expect(t.chat.trace.some(({ what }) => what === 'cache')).to.equal(true);
    await t.chat.clear();
    expect([(await t.send('What is it?')).text, t.requests().length]).to.deep.equal(['Forty-two.', 1]);
    expect(t.events.filter(({ type }) => type === 'stream-chunk').length).to.be.greaterThan(2);
  });

  it('asks again in another state: other words before it, another model, another prompt', async () => {
    const answerCache = mapCache();
    const { fetch, asked } = scriptedFetch(['One.', 'Two.', 'Three.', 'Four.', 'Five.'].map((text) => answer(text)));
    const options: ConversationOptions = { endpoint: 'http://model.test/', wire: 'plain', fetch, answerCache, model: 'a' };
    const chat = createConversation(options);
    chat.registerWire(plainWire as never);
    const ask = async (text: string) => (await chat.sendMessage(text)).text;
    expect([await ask('Tell me'), await ask('Continue'), await ask('Continue')]).to.deep.equal(['One.', 'Two.', 'Three.']);
    for (const [change, said] of [
      [{}, 'One.'],
      [{ model: 'b' }, 'Four.'],
      [{ systemPrompt: 'Be brief.' }, 'Five.'],
    ] as const) {
      await chat.clear();
      Object.assign(options, change);
      expect(await ask('Tell me')).to.equal(said);
    }
    expect(asked).to.have.length(5);
    chat.dispose();
  });

  it('keeps no reply with a call, and none that follows one', async () => {
    const answerCache = mapCache();
    const t = talk([call('look'), 'Seen.', call('look'), 'Seen again.'], { answerCache }).with({ look: 'query' });
    await t.send('Look');
    expect(answerCache.map.size).to.equal(0);
    await t.send('Look');
    expect(t.runs).to.have.length(2);
  });

  it('keeps none that was cut, or reached its length', async () => {
    const answerCache = mapCache();
    const half = (finish: 'length' | 'aborted') => events({ type: 'text', text: 'Half of' }, { type: 'finish', finish, proved: true });
    const { t, asked } = plain([half('length'), half('aborted'), answer('Whole.')], { answerCache });
    for (const reason of ['length', 'error', 'stop']) {
      expect((await t.send('Tell me')).reason).to.equal(reason);
      await t.chat.clear();
    }
    expect(asked).to.have.length(3);
    expect([...answerCache.map.values()]).to.deep.equal(['Whole.']);
  });

  it('asks the model when the cache throws, gives no text, or does not answer', async () => {
    const never = deferred<string>();
    const caches: AnswerCache[] = [
      { get: () => Promise.reject(new Error('down')), set: () => Promise.reject(new Error('down')) },
      { get: () => 42 as never, set() {} },
      { get: () => never.promise, set() {} },
    ];
    for (const answerCache of caches) {
      const t = talk(['From the model.'], { answerCache });
      expect((await t.send()).text).to.equal('From the model.');
    }
  });

  it('forgets by `clearCache`: by the cache itself, or by asking no more for what it has', async () => {
    const answerCache = mapCache();
    const t = talk(['One.', 'Two.'], { answerCache });
    await t.send('Tell me');
    await t.chat.clear();
    await t.chat.clearCache();
    expect((await t.send('Tell me')).text).to.equal('Two.');
    let cleared = 0;
    const own = talk(['One.'], { answerCache: { ...mapCache(), clear: () => void (cleared += 1) } });
    await own.chat.clearCache();
    expect(cleared).to.equal(1);
  });

  it('treats a call in a kept answer like any other: it is checked, and asks', async () => {
    const answerCache = { get: () => call('delete_task'), set() {} };
    expect((await play(['Declined, then.'], { delete_task: 'danger' }, { answerCache, answers: ['deny'] })).runs).to.have.length(0);
  });
});
