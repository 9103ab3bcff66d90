/** Going on after a limit (S2-60), sending results before all have run (S3-22), taking back what waits to be sent. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { call, deferred, settlesWell, talk, tick, until, useFaultServer } from './talk.js';

describe('“continue” after the last round', () => {
  useFaultServer();

  it('gives a fresh number of rounds: the sixth call runs after the click', async () => {
    const replies = Array.from({ length: 7 }, (_, at) => call('note', { title: String(at) }));
    const one = talk([...replies, 'Done.']);
    one.tool('note');
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
    expect(
      one.bodies()[7]!.messages.filter(({ text }) => text === 'Continue'),
      'said once',
    ).to.deep.equal([]);
    expect(one.view().failure).to.equal(null);
    await settlesWell(one);
  });

  it('stops again after as many rounds', async () => {
    const one = talk([call('note')], { exhaust: 'repeat', maxIterations: 2, repeatLimit: 99 });
    one.tool('note', { risk: 'query' });
    await one.send();
    expect(one.runs).to.have.length(2);
    internalsOf(one.chat).surface.continue();
    await until(() => one.runs.length === 4 && !one.chat.isLoading, 'the next limit');
    await tick();
    expect(one.runs).to.have.length(4);
    expect(one.chat.error).to.contain('2 rounds');
  });

  it('keeps outside content in mind', async () => {
    const one = talk([call('read'), call('read'), call('note'), 'Done.'], { maxIterations: 1, person: true });
    one.tool('read', { risk: 'query', untrusted: true });
    one.tool('note');
    await one.send();
    internalsOf(one.chat).surface.continue();
    const [card] = await one.asked();
    expect(card?.call?.reason).to.contain('outside content');
    one.decide('deny', card!);
    await until(() => !one.chat.isLoading, 'the end');
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
  useFaultServer();

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
    await settlesWell(one);
  });

  it('need no such button where the page does not ask for every run', async () => {
    const one = talk([call('erase') + call('erase', { title: 'b' }), 'Done.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    const [first] = await one.asked(2);
    one.decide('allow', first!);
    const [second] = await one.asked(1);
    expect(one.view().canSendResults).to.equal(undefined);
    one.decide('deny', second!);
    await done;
  });
});

describe('a message that waits', () => {
  useFaultServer();

  it('can be taken back by its place and its text, until it is sent', async () => {
    const one = talk([call('erase'), 'Done.', 'Third.'], { person: true });
    one.tool('erase', { risk: 'danger' });
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
  useFaultServer();

  it('goes in this order: what the person says, what goes on by itself, what is tried again', async () => {
    const one = talk([call('erase'), 'First.', 'Second.', 'Third.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    one.tool('note');
    const order: string[] = [];
    const first = one.send('first');
    const [card] = await one.asked();
    const again = one.chat.retryLastMessage().then(({ reason }) => order.push(`retry: ${reason}`));
    const byPage = one.chat
      .executeToolManually({ type: 'tool_use', name: 'note', params: {}, partial: false })
      .then(({ status }) => order.push(`call: ${status}`));
    const second = one.chat.sendMessage('second').then(({ text }) => order.push(`said: ${text}`));
    one.decide('deny', card!);
    await first;
    await Promise.all([again, byPage, second]);
    // What was to be tried again is not the last word any more.
    expect(order).to.deep.equal(['said: Second.', 'call: success', 'retry: cancelled']);
    expect(one.chat.messages.filter(({ role }) => role === 'user').map(({ text }) => text)).to.deep.equal(['first', 'second']);
  });

  it('keeps the order of equals', async () => {
    const one = talk(['1', '2', '3', '4']);
    const texts = await Promise.all(['a', 'b', 'c', 'd'].map((text) => one.send(text)));
    expect(texts.map(({ text }) => text)).to.deep.equal(['1', '2', '3', '4']);
  });

  it('under `serial`, what a person allowed goes before what the rules allow', async () => {
    const gate = deferred();
    const one = talk([call('slow') + call('note') + call('erase'), 'Done.'], { person: true });
    one.tool('slow', { execute: () => gate.promise });
    one.tool('note');
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    const [card] = await one.asked();
    one.decide('allow', card!);
    await until(() => one.cards().filter(({ status }) => status === 'queued').length === 2, 'two that wait');
    gate.resolve();
    await done;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['slow', 'erase', 'note']);
    await settlesWell(one);
  });
});

describe('tools to choose', () => {
  useFaultServer();

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
      const one = talk(['Done.'], options);
      one.tool('look', { risk: 'query' });
      one.tool('note', { risk: 'write' });
      one.tool('wipe', { risk: 'danger' });
      return (await internalsOf(one.chat).surface.tools()).filter(({ asks }) => asks).map(({ name }) => name);
    };
    expect(await asking({})).to.deep.equal(['wipe']);
    expect(await asking({ approval: 'always' })).to.deep.equal(['look', 'note', 'wipe']);
    expect(await asking({ approval: 'auto' })).to.deep.equal([]);
    expect(await asking({ decide: () => 'ask' })).to.deep.equal([]);
  });

  it('are locked for one message by a person, too', async () => {
    const one = talk([call('change'), 'Done.', 'Again.']);
    one.tool('change');
    internalsOf(one.chat).surface.send('go', { tool: 'change' });
    await until(() => one.requests().length === 2 && !one.chat.isLoading, 'the answer');
    expect(one.bodies()[0]?.system).to.contain('The user has chosen the tool change');
    internalsOf(one.chat).surface.send('and now?');
    await until(() => one.requests().length === 3 && !one.chat.isLoading, 'the second answer');
    expect(one.bodies()[2]?.system).to.not.contain('has chosen');
  });

  it('are none where tools are off', () => {
    const one = talk(['Done.'], { tools: 'off' });
    one.tool('change');
    expect(one.view().hasTools).to.equal(false);
  });
});
