/** Calls that nobody can have meant: what was done a moment ago (R21), and what stands in the prompt as an example. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { call, statuses, talk, useFaultServer } from './talk.js';

describe('a call that was done before', () => {
  useFaultServer({ settles: true });
  const create = call('create', { title: 'Buy milk' });

  it('is answered with its first result from the second on, and the turn ends when the model does not notice', async () => {
    const one = talk([create], { maxIterations: 50 });
    one.tool('create', { execute: () => ({ success: true, message: 'Created', data: { id: 7 } }) });
    const { reason, results } = await one.send();
    expect(one.runs).to.have.length(1);
    expect(statuses(results)).to.deep.equal(['success', 'success', 'success']);
    expect(results[1]).to.deep.include({ message: en.alreadyDone, data: { id: 7 } });
    expect(results[1]?.result).to.contain(en.alreadyDoneSays).and.contain(results[0]?.result);
    expect(one.bodies()[2]?.messages.at(-1)?.text).to.contain('Already done');
    expect(reason).to.equal('limit');
    expect(one.chat.error).to.equal(en.repeatReached);
  });

  it('is answered in the same reply, too, where one call waits for the other', async () => {
    const one = talk([create + create, 'Done.']).with({ create: 'write' });
    const { results } = await one.send();
    expect(one.runs).to.have.length(1);
    expect(results.map(({ message }) => message)).to.deep.equal(['create done', en.alreadyDone]);
  });

  it('puts no question to a person, and runs where a person allows it', async () => {
    const danger = talk([call('erase', { title: 'a' }), call('erase', { title: 'a' }), 'Done.'], { person: true });
    danger.tool('erase', { risk: 'danger' });
    const done = danger.send();
    danger.decide('allow', (await danger.asked())[0]!);
    await done;
    expect(danger.runs).to.have.length(1);
    const both = talk([create + create, 'Done.'], { person: true, approval: 'always' }).with({ create: 'write' });
    const turn = both.send();
    for (const card of await both.asked(2)) both.decide('allow', card);
    await turn;
    expect(both.runs).to.have.length(2);
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
      const one = talk([...replies]);
      one.tool('create', tool);
      await one.send();
      if (one.runs.length === 1) await one.send('once more');
      expect(one.runs).to.have.length(2);
    }
  });
});

describe('a call that recites the example of the prompt', () => {
  useFaultServer({ settles: true });
  const recited = call('set_title', { title: 'some title' });

  for (const approval of ['auto', 'by-risk'] as const)
    it(`asks under ${approval}, unless it is a query`, async () => {
      const one = talk([recited, 'Done.'], { person: true, approval }).with({ set_title: 'write' });
      const done = one.send('hi');
      const [card] = await one.asked();
      expect(card?.call?.reason).to.equal(en.reasonRecited);
      one.decide('deny', card!);
      await done;
      expect(one.runs).to.deep.equal([]);
      const query = talk([recited, 'Done.'], { approval }).with({ set_title: 'query' });
      await query.send('hi');
      expect(query.runs).to.have.length(1);
    });

  it('is one of the tool’s own examples, too, and no call without arguments or with others', async () => {
    const one = talk([call('set_title', { title: 'Spring' }), call('refresh'), call('set_title', { title: 'some title' }), 'Done.']);
    one.tool('set_title', { examples: [{ title: 'Spring' }] });
    one.tool('refresh', { parameters: { type: 'object', properties: {} } });
    await one.send();
    expect(one.runs.map(({ name, args }) => [name, args])).to.deep.equal([
      ['refresh', {}],
      ['set_title', { title: 'some title' }],
    ]);
  });
});
