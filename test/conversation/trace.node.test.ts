import { expect } from 'chai';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { createTrace } from '../../src/conversation/host/trace.js';
import { en } from '../../src/i18n/en.js';
import { ToolError, type ErrorType } from '../../src/base/errors.js';
import { call, talk, until, useFaultServer, type Talk } from './talk.js';

const said = ({ chat }: Talk): string[] => chat.trace.map(({ what }) => what);
const why = ({ chat }: Talk, what: string): string => chat.trace.find((entry) => entry.what === what)?.reason ?? '';

describe('the decision trace (S4-08, S4-09, S4-13)', () => {
  useFaultServer();

  it('tells a turn with a question from its beginning to its end, in order and in words', async () => {
    const t = talk([call('delete_task'), 'Done.'], { person: true });
    t.tool('delete_task', { risk: 'danger' });
    const turn = t.send();
    t.decide('allow', (await t.asked())[0]!);
    await turn;
    expect(said(t).filter((what) => what !== 'wire')).to.deep.equal(['begin', 'ask', 'allow', 'run', 'end', 'go-on', 'stop']);
    const [card] = t.cards();
    for (const entry of t.chat.trace) {
      expect(entry.reason, entry.what).to.match(/\w/);
      expect(entry.turnId).to.equal(t.chat.trace[0]?.turnId);
      if (['ask', 'allow', 'run', 'end'].includes(entry.what)) expect(entry.requestId).to.equal(card?.requestId);
    }
    expect(why(t, 'ask')).to.equal('delete_task: Asks because it could do harm');
    expect(why(t, 'allow')).to.equal('delete_task: Allowed by you');
    expect(why(t, 'wire')).to.include('cutie');
  });

  it('says the same in Chinese', async () => {
    const t = talk([call('look'), 'Done.'], { texts: zhCN, lang: 'zh-CN' });
    t.tool('look', { risk: 'query' });
    await t.send();
    expect(why(t, 'allow')).to.equal('look：按本页规则允许');
    expect(why(t, 'stop')).to.equal('本轮结束：没有其他要做的');
  });

  it('shows the three exits of `decide`: go on, ask, stop', async () => {
    const goesOn = talk([call('look'), 'Done.']);
    goesOn.tool('look', { risk: 'query' });
    await goesOn.send();
    expect(said(goesOn)).to.include('go-on');

    const asks = talk([call('look'), call('look', { title: 'again' }), 'Done.'], { person: true, callsPerTurn: 'confirm-chain' });
    asks.tool('look', { risk: 'query' });
    const turn = asks.send();
    asks.decide('allow', (await asks.asked())[0]!);
    await turn;
    expect(said(asks).indexOf('ask')).to.be.greaterThan(said(asks).indexOf('go-on'));
    expect(why(asks, 'ask')).to.equal(`look: ${en.reasonChain}`);

    const stops = talk([call('delete_task'), 'Never asked for.'], { decide: () => Promise.resolve('deny'), onDeny: 'stop' });
    stops.tool('delete_task', { risk: 'danger' });
    await stops.send();
    expect(said(stops)).not.to.include('go-on');
    expect(why(stops, 'stop')).to.equal('The turn is over: it was declined');
    expect(why(stops, 'end')).to.equal(`delete_task: ${en.reasonHostDeny}`);
  });

  const classes: ErrorType[] = ['rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format'];
  for (const errorType of classes)
    it(`leads ${errorType} to its branch`, async () => {
      const t = talk([call('fetch_it'), 'I see.'], {
        person: true,
        errorStrategies: { network: ['explain'], timeout: ['explain'], rate_limit: ['explain'] },
      });
      t.tool('fetch_it', {
        risk: 'query',
        execute: () => Promise.reject(new ToolError('It did not work.', { errorType })),
      });
      const turn = t.send();
      await until(() => said(t).includes('end') || t.cards().some(({ status }) => status === 'awaiting_approval'), 'its end');
      for (const card of t.cards()) if (card.status === 'awaiting_approval') t.decide('deny', card);
      await turn;
      const branches = t.chat.trace.filter(({ what }) => what === 'end' || what === 'strategy').map(({ reason }) => reason);
      expect(branches.join('\n')).to.include(errorType);
      expect(said(t)).to.include('strategy');
    });

  it('tells of outside content, of a chosen tool that was not called, and of limits', async () => {
    const tainted = talk([call('read_page'), call('delete_task'), 'No.'], { decide: () => Promise.resolve('ask') });
    tainted.tool('read_page', { risk: 'query', untrusted: true });
    tainted.tool('delete_task', { risk: 'danger' });
    await tainted.send();
    // The host asks for the first, too, and there is nobody: nothing is read, and nothing is tainted.
    expect(said(tainted)).not.to.include('taint');
    const reads = talk([call('read_page'), 'Read.']);
    reads.tool('read_page', { risk: 'query', untrusted: true });
    await reads.send();
    expect(why(reads, 'taint')).to.include('read_page');

    const locked = talk(['No.', 'Still no.']);
    locked.tool('look', { risk: 'query' });
    await locked.chat.sendMessage('Look', { tool: 'look' });
    expect(why(locked, 'lock')).to.include('look');
    expect(why(locked, 'stop')).to.equal(`The turn is over: it failed: ${en.lockedNotUsed('look')}`);

    const limited = talk(
      Array.from({ length: 4 }, (_, at) => call('look', { title: String(at) })),
      { maxIterations: 2 },
    );
    limited.tool('look', { risk: 'query' });
    await limited.send();
    expect(why(limited, 'stop')).to.equal(`The turn is over: it reached a limit: ${en.limitReached(2)}`);
  });

  it('shows each way out of `decide`: go on, sum up after the last round, ask the person', async () => {
    const rounds = (count: number) => Array.from({ length: count }, (_, at) => call('look', { title: String(at) }));
    const lastWays = (one: Talk) => said(one).filter((what) => ['go-on', 'sum-up', 'ask'].includes(what));

    const goesOn = talk([...rounds(1), 'Seen.']);
    goesOn.tool('look', { risk: 'query' });
    await goesOn.send();
    expect(lastWays(goesOn)).to.deep.equal(['go-on']);
    expect(goesOn.bodies()[1]?.messages.some(({ text }) => text === en.answerNow)).to.equal(false);

    const sumsUp = talk([...rounds(2), 'Both are seen.'], { maxIterations: 2 });
    sumsUp.tool('look', { risk: 'query' });
    expect(await sumsUp.send()).to.include({ reason: 'stop', text: 'Both are seen.' });
    expect(lastWays(sumsUp)).to.deep.equal(['go-on', 'sum-up']);
    expect(sumsUp.bodies()[2]?.messages.at(-1)).to.deep.equal({ role: 'user', text: en.answerNow });
    expect(
      sumsUp.chat.messages.some(({ text }) => text === en.answerNow),
      'nobody said it',
    ).to.equal(false);

    const asks = talk([call('look')], { exhaust: 'repeat', maxIterations: 50 });
    asks.tool('look', { risk: 'query' });
    expect((await asks.send()).reason).to.equal('limit');
    expect(lastWays(asks)).to.deep.equal(['go-on', 'go-on', 'ask']);
    expect(asks.view().views.findLast(({ message }) => message.role === 'assistant')).to.include({ canContinue: true });
  });

  it('tells of retries and of calls that wait their turn', async () => {
    let failing = true;
    const t = talk(['Fine.'], {
      clock: { setTimeout: (run, ms) => setTimeout(run, ms < 5000 ? 1 : ms), clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout) },
      fetch: (...request) => {
        if (!failing) return fetch(...request);
        failing = false;
        return Promise.resolve(new Response('', { status: 503 }));
      },
    });
    await t.send();
    expect(said(t)).to.deep.equal(['begin', 'wire', 'retry', 'wire', 'stop']);
    let attempts = 0;
    const tool = talk([call('look'), 'Seen.'], { errorStrategies: { network: [{ retry: 1, baseMs: 1 }, 'explain'] } });
    tool.tool('look', {
      risk: 'query',
      execute: () =>
        (attempts += 1) < 2 ? Promise.reject(new ToolError('Gone.', { errorType: 'network' })) : { success: true, message: 'Seen.' },
    });
    await tool.send();
    expect(why(tool, 'retry')).to.equal(`look: ${en.toolRetrying(2, 2)}`);
    const queue = talk([call('one') + call('two'), 'Done.']);
    queue.tool('one', { risk: 'query', execute: () => until(() => said(queue).includes('queue'), 'the second call') });
    queue.tool('two', { risk: 'query' });
    await queue.send();
    expect(said(queue).filter((what) => what === 'queue')).to.have.length(1);
  });

  it('is a copy, and keeps the newest 1,000', async () => {
    const trace = createTrace(() => en);
    for (let at = 0; at < 1500; at++) trace.note('run', String(at));
    expect(trace.entries).to.have.length(1000);
    expect([trace.entries[0]?.reason, trace.entries.at(-1)?.reason]).to.deep.equal(['500', '1499']);
    trace.note('end', 'x'.repeat(10_000));
    expect(trace.entries.at(-1)?.reason).to.have.length(500);
    const t = talk(['Hi.']);
    await t.send();
    (t.chat.trace as unknown[]).length = 0;
    expect(t.chat.trace.length).to.be.greaterThan(0);
    expect(Object.isFrozen(t.chat.trace[0])).to.equal(true);
  });
});
