/** Going on after a limit (S2-60), sending results before all have run (S3-22), taking back what waits to be sent. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { asking, ran, stage, told } from './play.js';
import { call, deferred, statuses, tick, until, useFaultServer, type Talk } from './talk.js';

const surface = ({ chat }: Talk) => internalsOf(chat).surface;
const saidByUser = ({ chat }: Talk) => chat.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
const asked = (one: Talk, count: number) => until(() => one.requests().length === count && !one.chat.isLoading, 'the answer');

describe('“continue”', () => {
  useFaultServer({ settles: true });

  it('gives a fresh number of rounds: the sixth call runs after the click', async () => {
    const replies = Array.from({ length: 7 }, (_, at) => call('note', { title: String(at) }));
    const one = stage([...replies, 'Done.'], 'note');
    expect((await one.send()).reason).to.equal('limit');
    expect([one.runs.length, one.view().views.at(-1)?.canContinue]).to.deep.equal([5, true]);
    expect(one.view().failure?.lines[0]).to.contain('step limit reached (5)');
    surface(one).continue();
    await asked(one, 8);
    expect(one.runs.slice(5).map(({ args }) => args)).to.deep.equal([{ title: '6' }]);
    expect(saidByUser(one), 'nobody said anything').to.deep.equal(['hello']);
    const { messages } = one.bodies()[6]!;
    expect(messages.at(-2)?.text).to.contain('Not executed');
    expect(messages.at(-1)).to.deep.equal({ role: 'user', text: 'Continue' });
    expect(JSON.stringify(one.bodies()[7]), 'said once').to.not.contain('"Continue"');
    expect(one.view().failure).to.equal(null);
  });

  it('is a message where an answer was only too long', async () => {
    const one = stage([{ text: 'Once upon', q: 'finish=length' }, 'a time.']);
    await one.send();
    expect(one.view().views.at(-1)?.canContinue).to.equal(true);
    surface(one).continue();
    await asked(one, 2);
    expect(saidByUser(one).at(-1)).to.equal('Continue');
  });
});

describe('“continue” after a call that was cut off', () => {
  useFaultServer(); // the first attempt is hidden once a later one has run

  it('is offered, and the reason is said, where the answer was too long in the middle of a call', async () => {
    const half = { text: call('note', { title: 'x' }).split('</parameter>')[0]!, q: 'finish=length' };
    const one = stage([half, half, call('note'), 'Done.'], 'note');
    const { reason } = await one.send();
    const { failure, views } = one.view();
    expect([reason, ran(one), failure?.lines[0], views.at(-1)?.canContinue]).to.deep.equal(['limit', [], en.callTooLong, true]);
    surface(one).dismissError();
    expect(one.view().views.at(-1)?.note).to.equal(en.callTooLong);
    surface(one).continue();
    await asked(one, 4);
    expect(ran(one)).to.deep.equal(['note']);
    const skipping = stage([half], 'note', { onBrokenCall: 'skip' });
    expect((await skipping.send()).reason).to.equal('length');
    expect(skipping.view().views.at(-1)).to.include({ note: en.answerTooLong, canContinue: true });
  });
});

describe('what waits', () => {
  useFaultServer({ settles: true });

  it('until all calls are run by a person is sent as it is, if the person wants that', async () => {
    const turns = [['a', 'b', 'c'].map((title) => call('note', { title })).join(''), 'Done.'];
    const { one, turn, card } = await asking(turns, 'note', { approval: 'user-run', count: 3 });
    expect(one.view().canSendResults, 'nothing to send').to.equal(undefined);
    one.decide('allow', card);
    await until(() => one.cards()[0]?.status === 'success', 'the first');
    await tick();
    expect([one.requests().length, one.view().canSendResults]).to.deep.equal([1, true]);
    surface(one).sendResults();
    expect(statuses((await turn).results)).to.deep.equal(['success', 'cancelled', 'cancelled']);
    expect([one.runs.length, one.requests().length]).to.deep.equal([1, 2]);
    expect(told(one)).to.contain('note done').and.to.contain('Not executed');
  });

  it('to be said can be taken back by its place and its text, until it is sent', async () => {
    const { one, turn, card } = await asking([call('erase'), 'Done.', 'Third.'], { erase: 'danger' });
    const [second, third] = [one.send('second'), one.send('third')];
    surface(one).unqueue(1, 'second');
    expect(one.view().queue, 'another one stands there').to.deep.equal(['second', 'third']);
    surface(one).unqueue(0, 'second');
    expect([one.view().queue, (await second).reason]).to.deep.equal([['third'], 'cancelled']);
    one.decide('deny', card);
    await turn;
    expect((await third).text).to.equal('Third.');
    surface(one).unqueue(0, 'third');
    expect(saidByUser(one)).to.deep.equal(['hello', 'third']);
  });
});

describe('what a person says', () => {
  useFaultServer({ settles: true });

  it('ends a turn that waits for nothing but an answer to a question, and waits for one in which a tool works', async () => {
    const gate = deferred();
    const tools = { slow: { execute: () => gate.promise }, erase: 'danger' } as const;
    const { one, turn, card } = await asking([call('slow') + call('erase'), 'Second.', 'Third.'], tools);
    await until(() => one.runs.length === 1, 'the tool at work');
    surface(one).send('second');
    await tick();
    expect([one.view().queue, one.cards().map(({ status }) => status)]).to.deep.equal([['second'], ['executing', 'awaiting_approval']]);
    gate.resolve();
    await until(() => one.cards()[0]?.status === 'success', 'its end');
    expect(one.view().queue).to.deep.equal(['second']);
    surface(one).send('third');
    expect(statuses((await turn).results)).to.deep.equal(['success', 'cancelled']);
    await asked(one, 3);
    expect(saidByUser(one)).to.deep.equal(['hello', 'second', 'third']);
    one.decide('allow', card);
    expect(ran(one)).to.deep.equal(['slow']);
  });
});

describe('tools to choose', () => {
  useFaultServer({ settles: true });

  it('are those that can be used now', async () => {
    const examples = ['Plan it for {today}', '看看'].map((say) => ({ say, args: {} }));
    const one = stage(['Done.'], {}, { context: { permissions: ['b'] }, toolToggles: { off: false } });
    expect(one.view().hasTools).to.equal(false);
    one.tool('look', { risk: 'query', label: '查看', icon: '👁', examples });
    one.tool('off');
    one.tool('needsA', { requires: 'a' });
    one.tool('needsB', { requires: 'b' });
    expect(one.view().hasTools).to.equal(true);
    expect(await surface(one).tools()).to.deep.equal([
      { name: 'look', label: '查看', icon: '👁', risk: 'query', asks: false, says: '看看' },
      { name: 'needsB', label: 'needsB', risk: 'write', asks: false },
    ]);
  });
});
