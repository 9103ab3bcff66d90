/** Calls that nobody can have meant: what was done a moment ago (R21), and what stands in the prompt as an example. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { asking, play, told } from './play.js';
import { call, statuses, useFaultServer } from './talk.js';

describe('a call that was done before', () => {
  useFaultServer({ settles: true });
  const create = call('create', { title: 'Buy milk' });

  it('is answered with its first result from the second on, and the turn ends when the model does not notice', async () => {
    const execute = () => ({ success: true, message: 'Created', data: { id: 7 } });
    const one = await play([create], { create: { execute } }, { maxIterations: 50 });
    const { results } = one;
    expect([one.reason, one.chat.error, one.runs.length]).to.deep.equal(['limit', en.repeatReached, 1]);
    expect(statuses(results)).to.deep.equal(['success', 'success', 'success']);
    expect(results[1]).to.deep.include({ message: en.alreadyDone, data: { id: 7 } });
    expect(results[1]?.result).to.contain(en.alreadyDoneSays).and.contain(results[0]?.result);
    expect(told(one, 2)).to.contain('Already done');
  });

  it('is answered in the same reply, too, where one call waits for the other', async () => {
    const one = await play([create + create, 'Done.'], 'create');
    expect([one.runs.length, one.results.map(({ message }) => message)]).to.deep.equal([1, ['create done', en.alreadyDone]]);
  });

  it('puts no question to a person, and runs where a person allows it', async () => {
    const erase = call('erase', { title: 'a' });
    expect((await play([erase, erase, 'Done.'], { erase: 'danger' }, { answers: ['allow'] })).runs).to.have.length(1);
    const { one, turn, cards } = await asking([create + create, 'Done.'], 'create', { approval: 'always', count: 2 });
    for (const card of cards) one.decide('allow', card);
    await turn;
    expect(one.runs).to.have.length(2);
  });

  it('runs when the person asks again, when it had failed, was only a query or had other arguments', async () => {
    let failures = 0;
    const fails = () => ((failures += 1) === 1 ? Promise.reject(new Error('full')) : Promise.resolve('created'));
    for (const [replies, tool] of [
      [[create, 'Done.', create, 'Done.'], {}],
      [[create, create, 'Done.'], { execute: fails }],
      [[create, create, 'Done.'], { risk: 'query' }],
      [[create, call('create', { title: 'Buy tea' }), 'Done.'], {}],
    ] as const) {
      const one = await play(replies, { create: tool });
      if (one.runs.length === 1) await one.send('once more');
      expect(one.runs).to.have.length(2);
    }
  });
});

describe('a call that recites the example of the prompt', () => {
  useFaultServer({ settles: true });
  const recited = [call('set_title', { title: 'some title' }), 'Done.'];

  for (const approval of ['auto', 'by-risk'] as const)
    it(`asks under ${approval}, unless it is a query`, async () => {
      const { one, turn, card } = await asking(recited, 'set_title', { approval });
      expect(card.call?.reason).to.equal(en.reasonRecited);
      one.decide('deny', card);
      await turn;
      expect([one.runs, (await play(recited, { set_title: 'query' }, { approval })).runs.length]).to.deep.equal([[], 1]);
    });

  it('is one of the tool’s own examples, too, and no call without arguments or with others', async () => {
    const refresh = { parameters: { type: 'object', properties: {} } };
    const turns = [call('set_title', { title: 'Spring' }), call('refresh'), ...recited];
    const one = await play(turns, { set_title: { examples: [{ title: 'Spring' }] }, refresh });
    expect(one.runs.map(({ name, args }) => `${name} ${String(args['title'])}`)).to.deep.equal([
      'refresh undefined',
      'set_title some title',
    ]);
  });
});
