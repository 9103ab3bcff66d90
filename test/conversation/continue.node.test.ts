/** Going on after a limit (S2-60), sending results before all have run (S3-22), taking back what waits to be sent. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { call, deferred, talk, tick, until, useFaultServer } from './talk.js';

describe('“continue” after the last round', () => {
  useFaultServer({ settles: true });

  it('gives a fresh number of rounds: the sixth call runs after the click', async () => {
    const replies = Array.from({ length: 7 }, (_, at) => call('note', { title: String(at) }));
    const one = talk([...replies, 'Done.']).with({ note: 'write' });
    expect((await one.send()).reason).to.equal('limit');
    expect(one.runs).to.have.length(5);
    expect(one.view().views.at(-1)?.canContinue).to.equal(true);
    expect(one.view().failure?.lines[0]).to.contain('5 rounds');
    const users = () => one.chat.messages.filter(({ role }) => role === 'user').length;
    internalsOf(one.chat).surface.continue();
    await until(() => one.requests().length === 8 && !one.chat.isLoading, 'the end');
    expect(one.runs).to.have.length(6);
    expect(one.runs.at(-1)?.args).to.deep.equal({ title: '6' });
    expect(users(), 'nobody said anything').to.equal(1);
    const asked = one.bodies()[6]!.messages;
    expect(asked.at(-2)?.text).to.contain('Not executed');
    expect(asked.at(-1)).to.deep.equal({ role: 'user', text: 'Continue' });
    expect(JSON.stringify(one.bodies()[7]), 'said once').to.not.contain('"Continue"');
    expect(one.view().failure).to.equal(null);
  });

  it('is a message where an answer was only too long', async () => {
    const one = talk([{ text: 'Once upon', q: 'finish=length' }, 'a time.']);
    await one.send();
    expect(one.view().views.at(-1)?.canContinue).to.equal(true);
    internalsOf(one.chat).surface.continue();
    await until(() => one.requests().length === 2 && !one.chat.isLoading, 'the rest');
    expect(one.chat.messages.filter(({ role }) => role === 'user').at(-1)?.text).to.equal('Continue');
  });
});

describe('results of calls that a person runs', () => {
  useFaultServer({ settles: true });

  it('wait until all are run, or are sent as they are', async () => {
    const one = talk([call('note', { title: 'a' }) + call('note', { title: 'b' }) + call('note', { title: 'c' }), 'Done.'], {
      approval: 'user-run',
      person: true,
    });
    one.tool('note');
    const done = one.send();
    const [first] = await one.asked(3);
    expect(one.view().canSendResults, 'nothing to send').to.equal(undefined);
    one.decide('allow', first!);
    await until(() => one.cards()[0]?.status === 'success', 'the first');
    await tick();
    expect(one.requests()).to.have.length(1);
    expect(one.view().canSendResults).to.equal(true);
    internalsOf(one.chat).surface.sendResults();
    const { results } = await done;
    expect(results.map(({ status }) => status)).to.deep.equal(['success', 'cancelled', 'cancelled']);
    expect(one.runs).to.have.length(1);
    expect(one.requests()).to.have.length(2);
    const told = one.bodies()[1]!.messages.at(-1)!.text;
    expect(told).to.contain('note done').and.to.contain('Not executed');
  });
});

describe('a message that waits', () => {
  useFaultServer({ settles: true });

  it('can be taken back by its place and its text, until it is sent', async () => {
    const one = talk([call('erase'), 'Done.', 'Third.'], { person: true }).with({ erase: 'danger' });
    const { surface } = internalsOf(one.chat);
    const first = one.send('first');
    const [card] = await one.asked();
    const [second, third] = [one.chat.sendMessage('second'), one.chat.sendMessage('third')];
    expect(one.view().queue).to.deep.equal(['second', 'third']);
    surface.unqueue(1, 'second');
    expect(one.view().queue, 'another one stands there').to.deep.equal(['second', 'third']);
    surface.unqueue(0, 'second');
    expect(one.view().queue).to.deep.equal(['third']);
    expect((await second).reason).to.equal('cancelled');
    one.decide('deny', card!);
    await first;
    expect((await third).text).to.equal('Third.');
    surface.unqueue(0, 'third');
    expect(one.chat.messages.filter(({ role }) => role === 'user').map(({ text }) => text)).to.deep.equal(['first', 'third']);
  });
});

describe('what waits its turn', () => {
  useFaultServer({ settles: true });

  it('under `serial`, what a person allowed goes before what the rules allow', async () => {
    const gate = deferred();
    const one = talk([call('slow') + call('note') + call('erase'), 'Done.'], { person: true });
    one.tool('slow', { execute: () => gate.promise });
    one.with({ note: 'write', erase: 'danger' });
    const done = one.send();
    const [card] = await one.asked();
    await until(() => one.runs.length === 1, 'the first one at work');
    one.decide('allow', card!);
    await until(() => one.cards().filter(({ status }) => status === 'queued').length === 2, 'two that wait');
    gate.resolve();
    await done;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['slow', 'erase', 'note']);
  });
});

describe('tools to choose', () => {
  useFaultServer({ settles: true });

  it('are those that can be used now', async () => {
    const one = talk(['Done.'], { context: { permissions: ['b'] }, toolToggles: { off: false } });
    expect(one.view().hasTools).to.equal(false);
    one.tool('look', {
      risk: 'query',
      label: '查看',
      icon: '👁',
      examples: [
        { say: 'Plan it for {today}', args: {} },
        { say: '看看', args: {} },
      ],
    });
    one.tool('off');
    one.tool('needsA', { requires: 'a' });
    one.tool('needsB', { requires: 'b' });
    expect(one.view().hasTools).to.equal(true);
    expect(await internalsOf(one.chat).surface.tools()).to.deep.equal([
      { name: 'look', label: '查看', icon: '👁', risk: 'query', asks: false, says: '看看' },
      { name: 'needsB', label: 'needsB', risk: 'write', asks: false },
    ]);
  });

  it('say whether they ask, unless the page decides by itself', async () => {
    const asking = async (options: object) => {
      const one = talk(['Done.'], options).with({ look: 'query', note: 'write', wipe: 'danger' });
      return (await internalsOf(one.chat).surface.tools()).filter(({ asks }) => asks).map(({ name }) => name);
    };
    expect(await asking({})).to.deep.equal(['wipe']);
    expect(await asking({ approval: 'always' })).to.deep.equal(['look', 'note', 'wipe']);
    expect(await asking({ approval: 'auto' })).to.deep.equal([]);
    expect(await asking({ decide: () => 'ask' })).to.deep.equal([]);
  });

  it('are locked for one message by a person, too, and are none where tools are off', async () => {
    const one = talk([call('change'), 'Done.', 'Again.']).with({ change: 'write' });
    internalsOf(one.chat).surface.send('go', { tool: 'change' });
    await until(() => one.requests().length === 2 && !one.chat.isLoading, 'the answer');
    internalsOf(one.chat).surface.send('and now?');
    await until(() => one.requests().length === 3 && !one.chat.isLoading, 'the second answer');
    expect(one.bodies().map(({ system }) => system.includes('The user has chosen the tool change'))).to.deep.equal([true, false, false]);
    const off = talk(['Done.'], { tools: 'off' }).with({ change: 'write' });
    expect(off.view().hasTools).to.equal(false);
  });
});
