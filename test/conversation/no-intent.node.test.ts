/** Calls that nobody can have meant: what was done a moment ago (R21), and what stands in the prompt as an example. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { en } from '../../src/i18n/en.js';
import { call, settlesWell, statuses, talk, until, useFaultServer } from './talk.js';

describe('a call that was done before', () => {
  useFaultServer();
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
    await settlesWell(one);
  });

  it('is answered in the same reply, too, where one call waits for the other', async () => {
    const one = talk([create + create, 'Done.']);
    one.tool('create');
    const { results } = await one.send();
    expect(one.runs).to.have.length(1);
    expect(results.map(({ message }) => message)).to.deep.equal(['create done', en.alreadyDone]);
    await settlesWell(one);
  });

  it('puts no question to a person, and runs where a person allows it', async () => {
    const danger = talk([call('erase', { title: 'a' }), call('erase', { title: 'a' }), 'Done.'], { person: true });
    danger.tool('erase', { risk: 'danger' });
    const done = danger.send();
    danger.decide('allow', (await danger.asked())[0]!);
    await done;
    expect(danger.runs).to.have.length(1);
    const both = talk([create + create, 'Done.'], { person: true, approval: 'always' });
    both.tool('create');
    const turn = both.send();
    for (const card of await both.asked(2)) both.decide('allow', card);
    await turn;
    expect(both.runs).to.have.length(2);
  });

  it('runs when the person asks again, when it had failed, was taken back, was only a query or had other arguments', async () => {
    const asked = talk([create, 'Done.', create, 'Done.']);
    asked.tool('create');
    await asked.send();
    await asked.send('once more');
    expect(asked.runs).to.have.length(2);

    let failing = true;
    const failed = talk([create, create, 'Done.']);
    failed.tool('create', {
      execute() {
        if (!failing) return 'created';
        failing = false;
        throw new Error('full');
      },
    });
    await failed.send();
    expect(failed.runs).to.have.length(2);

    const query = talk([call('look', { title: 'a' }), call('look', { title: 'a' }), 'Done.']);
    query.tool('look', { risk: 'query' });
    await query.send();
    expect(query.runs).to.have.length(2);

    const other = talk([create, call('create', { title: 'Buy tea' }), 'Done.']);
    other.tool('create');
    await other.send();
    expect(other.runs).to.have.length(2);
  });

  it('is known as done also when the answer behind it is asked for anew', async () => {
    const one = talk([create, { text: create, q: 'status=400', times: 1 }, 'Done.']);
    one.tool('create');
    await one.send();
    await one.chat.retryLastMessage();
    expect(one.runs).to.have.length(1);
    expect(one.chat.toolHistory.at(-1)?.message).to.equal(en.alreadyDone);
  });
});

describe('a call that recites the example of the prompt', () => {
  useFaultServer();
  const recited = call('set_title', { title: 'some title' });

  for (const approval of ['auto', 'by-risk'] as const)
    it(`asks under ${approval}, unless it is a query`, async () => {
      const one = talk([recited, 'Done.'], { person: true, approval });
      one.tool('set_title');
      const done = one.send('hi');
      const [card] = await one.asked();
      expect(card?.call?.reason).to.equal(en.reasonRecited);
      one.decide('deny', card!);
      await done;
      expect(one.runs).to.deep.equal([]);
      const query = talk([recited, 'Done.'], { approval });
      query.tool('set_title', { risk: 'query' });
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

  it('runs by a grant that a person gave for exactly this', async () => {
    const one = talk([recited, 'Done.', recited, 'Done.'], { person: true });
    one.tool('set_title');
    const done = one.send();
    const [card] = await one.asked();
    internalsOf(one.chat).decide({ requestId: card!.requestId, digest: card!.call!.digest, verdict: 'allow', remember: 0 });
    await done;
    await one.send('again');
    await until(() => one.runs.length === 2, 'the second run');
  });
});
