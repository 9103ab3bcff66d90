import { expect } from 'chai';
import { shortened } from '../../src/conversation/view/session-view.js';
import { call, deferred, talk, until, useFaultServer } from './talk.js';

describe('the session of a conversation (S4-05, S4-53, S4-54, S4-55)', () => {
  useFaultServer();

  it('is exact and live: it requires a confirmation only while a call waits', async () => {
    const t = talk([call('delete_task', { title: 'Buy milk' }), 'Done.'], { person: true });
    const running = deferred();
    t.tool('delete_task', {
      risk: 'danger',
      execute: () => running.promise.then(() => ({ success: true, message: 'Deleted “Buy milk”. 3 are left.' })),
    });
    const seen: string[] = [];
    t.chat.subscribe(({ session }) => {
      const line = `${session.state} ${String(session.requiresConfirm)}`;
      if (seen.at(-1) !== line) seen.push(line);
    });
    expect(t.chat.session).to.deep.equal({ state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null });
    const turn = t.send();
    const [card] = await t.asked();
    expect(t.chat.session).to.deep.equal({
      state: 'tool_call',
      requiresConfirm: true,
      lastTool: null,
      lastResultSummary: null,
      plan: null,
    });
    t.decide('allow', card!);
    await until(() => t.runs.length === 1, 'the tool');
    expect(t.chat.session.requiresConfirm).to.equal(false);
    running.resolve();
    await turn;
    expect(t.chat.session).to.deep.equal({
      ...{ state: 'idle', requiresConfirm: false, lastTool: 'delete_task', plan: null },
      lastResultSummary: 'Deleted “Buy milk”.',
    });
    expect(seen.filter((line) => line.endsWith('true'))).to.deep.equal(['tool_call true']);
    expect(seen.at(-1)).to.equal('idle false');
  });

  it('sums a big result up in at most 500 characters, and keeps the result', async () => {
    const t = talk([call('read_log'), 'Read.']);
    const long = 'line of a log '.repeat(400);
    t.tool('read_log', { risk: 'query', execute: () => ({ success: true, message: long }) });
    await t.send();
    expect(t.chat.session.lastResultSummary)
      .to.have.length(500)
      .and.match(/^line of a log .*…$/);
    expect(t.chat.toolHistory[0]?.message).to.equal(long);
  });

  it('takes the first sentence, in any of both languages, on one line', () => {
    expect(shortened('Two\n  lines. And more.')).to.equal('Two lines.');
    expect(shortened('版本 1.5 已保存。还有别的。')).to.equal('版本 1.5 已保存。');
    expect(shortened('Costs 3.50 today')).to.equal('Costs 3.50 today');
    expect(shortened('😀'.repeat(400))).to.satisfy((text: string) => text.length <= 500 && !/[\ud800-\udbff]…/.test(text));
    expect(shortened('')).to.equal('');
  });

  it('logs every call once, however it ended', async () => {
    const t = talk(
      [
        call('good') + call('bad') + call('nobody_knows') + call('risky'),
        '<tool_use>\n<invoke name="good">\n<parameter name="title">never closed',
        call('slow'),
      ],
      { person: true, execution: 'parallel', onBrokenCall: 'report', errorStrategies: { rate_limit: ['explain'] } },
    );
    t.tool('good', { risk: 'query' });
    t.tool('bad', {
      risk: 'query',
      execute: () => Promise.reject(Object.assign(new Error('Too many'), { status: 429 })),
      idempotent: false,
    });
    t.tool('risky', { risk: 'danger' });
    t.tool('slow', { risk: 'query', execute: () => new Promise(() => undefined) });
    const before = Date.now();
    const turn = t.send();
    const [card] = await t.asked();
    t.decide('deny', card!);
    await until(() => t.runs.some(({ name }) => name === 'slow'), 'the slow tool');
    t.chat.cancelStream();
    await turn;
    const { toolLog, id } = await t.chat.exportSession();
    const ended = toolLog.map(({ toolName, status }) => `${toolName} ${status}`);
    expect(ended.toSorted()).to.deep.equal(
      ['bad error', 'good error', 'good success', 'nobody_knows error', 'risky denied', 'slow cancelled'].toSorted(),
    );
    expect(toolLog.find(({ toolName }) => toolName === 'bad')?.errorType).to.equal('rate_limit');
    for (const line of toolLog) {
      expect(line.chatId).to.equal(id);
      expect(line.createdAt).to.be.within(before, Date.now());
      expect(Object.keys(line)).to.include.members(['chatId', 'createdAt', 'status', 'toolName']);
    }
  });

  it('keeps the settings of the agent out of requests (S2-12)', async () => {
    const toolCallConfig = {
      ...{ enabled: true, mode: 'auto' as const, toolToggles: { good: true }, defaultToolEnabled: true, maxIterations: 3, timeout: 5000 },
      ...{ requireConfirmation: false, parallelExecution: true, protocol: 'xml-invoke' },
    };
    const t = talk([call('good'), 'Done.'], { preset: 'aio-vcp', toolCallConfig });
    t.tool('good', { risk: 'query' });
    await t.send();
    expect(t.runs).to.have.length(1);
    for (const { body } of t.requests())
      for (const name of [...Object.keys(toolCallConfig), 'toolCallConfig', 'config'].filter((key) => key !== 'protocol'))
        expect(body, name).not.to.include(`"${name}"`);
  });

  it('writes no mail address, phone number, key or password into the log, whatever was said (S0-147)', async () => {
    const t = talk([call('sign_in', { password: 'hunter2', note: 'call 415-555-0199' }), 'Your key is sk-abcdef0123456789.'], {
      logLevel: 'debug',
    });
    t.tool('sign_in', {
      risk: 'query',
      parameters: { type: 'object', properties: { password: { type: 'string' }, note: { type: 'string' } } },
      sensitive: ['password'],
      execute: () => {
        throw new Error('bob@example.com has no key sk-zyxwv9876543210');
      },
    } as never);
    await t.send('I am bob@example.com, 415-555-0199, sk-abcdef0123456789');
    const log = JSON.stringify(t.entries);
    expect(t.entries.length).to.be.greaterThan(20);
    for (const secret of ['bob@example.com', '415-555-0199', 'sk-abcdef0123456789', 'sk-zyxwv9876543210', 'hunter2'])
      expect(log).not.to.include(secret);
  });

  it('is gone with the conversation', async () => {
    const t = talk([call('good'), 'Done.']);
    t.tool('good', { risk: 'query' });
    await t.send();
    expect((await t.chat.exportSession()).toolLog).to.have.length(1);
    await t.chat.clear();
    const file = await t.chat.exportSession();
    expect([file.toolLog, file.messages, file.calls]).to.deep.equal([[], [], []]);
    expect(t.chat.session.lastTool).to.equal(null);
  });
});
