/** The session of a conversation, and its log of calls. */
import { expect } from 'chai';
import { shortened } from '../../src/conversation/view/view.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { play, stage } from './play.js';
import { call, deferred, until, useFaultServer } from './talk.js';

describe('the session of a conversation (S4-05, S4-53, S4-54, S4-55)', () => {
  useFaultServer({ settles: true });

  it('is exact and live: it requires a confirmation only while a call waits', async () => {
    const running = deferred<object>();
    const tools = { delete_task: { risk: 'danger', execute: () => running.promise } } as const;
    const one = stage([call('delete_task', { title: 'Buy milk' }), 'Done.'], tools, { person: true });
    const seen: string[] = [];
    one.chat.subscribe(({ session }) => {
      const line = `${session.state} ${String(session.requiresConfirm)}`;
      if (seen.at(-1) !== line) seen.push(line);
    });
    const idle = { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null };
    expect(one.chat.session).to.deep.equal(idle);
    const turn = one.send();
    const card = await one.question();
    expect(one.chat.session).to.deep.equal({ ...idle, state: 'tool_call', requiresConfirm: true });
    one.decide('allow', card);
    await until(() => one.runs.length === 1, 'the tool');
    expect(one.chat.session.requiresConfirm).to.equal(false);
    running.resolve({ success: true, message: 'Deleted “Buy milk”. 3 are left.' });
    await turn;
    expect(one.chat.session).to.deep.equal({ ...idle, lastTool: 'delete_task', lastResultSummary: 'Deleted “Buy milk”.' });
    expect([seen.filter((line) => line.endsWith('true')), seen.at(-1)]).to.deep.equal([['tool_call true'], 'idle false']);
  });

  it('sums a big result up in at most 500 characters, and keeps the result', async () => {
    const message = 'line of a log '.repeat(400);
    const one = await play([call('read_log'), 'Read.'], { read_log: { risk: 'query', execute: () => ({ success: true, message }) } });
    expect(one.chat.session.lastResultSummary)
      .to.have.length(500)
      .and.match(/^line of a log .*…$/);
    expect(one.chat.toolHistory[0]?.message).to.equal(message);
    expect(shortened('😀'.repeat(400))).to.satisfy((text: string) => text.length <= 500 && !/[\ud800-\udbff]…/.test(text));
  });

  it('logs every call once, however it ended', async () => {
    const broken = '<tool_use>\n<invoke name="good">\n<parameter name="title">never closed';
    const fails = () => Promise.reject(Object.assign(new Error('Too many'), { status: 429 }));
    const slow = { risk: 'query', execute: () => new Promise(() => undefined) } as const;
    const tools = { good: 'query', bad: { risk: 'query', execute: fails, idempotent: false }, risky: 'danger', slow } as const;
    const options = { execution: 'parallel', onBrokenCall: 'report', errorStrategies: { rate_limit: ['explain'] } } as const;
    const turns = [['good', 'bad', 'nobody_knows', 'risky'].map((name) => call(name)).join(''), broken, call('slow')];
    const one = stage(turns, tools, { person: true, ...options } as never);
    const before = Date.now();
    const turn = one.send();
    await one.answer('deny');
    await until(() => one.runs.some(({ name }) => name === 'slow'), 'the slow tool');
    one.chat.cancelStream();
    await turn;
    const { toolLog, id } = await one.chat.exportSession();
    const ends = toolLog.map(({ toolName, status }) => `${toolName} ${status}`).toSorted();
    expect(ends).to.deep.equal(['bad error', 'good error', 'good success', 'nobody_knows error', 'risky denied', 'slow cancelled']);
    expect(toolLog.find(({ toolName }) => toolName === 'bad')?.errorType).to.equal('rate_limit');
    for (const line of toolLog) {
      expect(line.chatId).to.equal(id);
      expect(line.createdAt).to.be.within(before, Date.now());
    }
    await one.chat.clear();
    const file = await one.chat.exportSession();
    expect([file.toolLog, file.messages, file.calls, one.chat.session.lastTool]).to.deep.equal([[], [], [], null]);
  });

  it('keeps the settings of the agent out of requests (S2-12)', async () => {
    const toolCallConfig = {
      ...{ enabled: true, mode: 'auto' as const, toolToggles: { good: true }, defaultToolEnabled: true, maxIterations: 3, timeout: 5000 },
      ...{ requireConfirmation: false, parallelExecution: true, protocol: 'xml-invoke' },
    };
    const one = await play([call('good'), 'Done.'], { good: { risk: 'query' } }, { preset: 'aio-vcp', toolCallConfig });
    expect(one.runs).to.have.length(1);
    const { protocol: _, ...fields } = toolCallConfig;
    for (const { body } of one.requests())
      for (const name of [...Object.keys(fields), 'toolCallConfig', 'config']) expect(body, name).not.to.include(`"${name}"`);
  });

  it('writes no mail address, phone number, key or password into the log, whatever was said (S0-147)', async () => {
    const turns = [call('sign_in', { password: 'hunter2', note: 'call 415-555-0199' }), 'Your key is sk-abcdef0123456789.'];
    const parameters = { type: 'object', properties: { password: { type: 'string' }, note: { type: 'string' } } };
    const execute = () => Promise.reject(new Error('bob@example.com has no key sk-zyxwv9876543210'));
    const sign_in = { risk: 'query', parameters, sensitive: ['password'], execute } as never;
    const message = 'I am bob@example.com, 415-555-0199, sk-abcdef0123456789';
    const one = await play(turns, { sign_in }, { logLevel: 'debug', message });
    const log = JSON.stringify(one.entries);
    expect(one.entries.length).to.be.greaterThan(20);
    for (const secret of ['bob@example.com', '415-555-0199', 'sk-abcdef0123456789', 'sk-zyxwv9876543210', 'hunter2'])
      expect(log).not.to.include(secret);
  });

  describe('over a reload', () => {
    const area = useSessionStorage();

    it('has its log, its trace and its budget, and counts nothing twice', async () => {
      const kept = { storage: 'session', sessionId: 'kept', tokenBudget: 60 } as const;
      const look = { risk: 'query' } as const;
      const first = await play([call('look'), `Word ${'word '.repeat(80)}`], { look }, kept);
      const before = await first.chat.exportSession();
      expect(before.toolLog).to.have.length(1);
      await until(() => [...area.values()].some((text) => text.includes('"toolLog"')), 'what is stored');
      first.chat.dispose();
      const second = stage(['Never asked for.'], { look }, kept);
      await until(() => second.chat.trace.length > 0, 'the trace');
      const after = await second.chat.exportSession();
      expect(after.toolLog).to.deep.equal(before.toolLog);
      expect(after.createdAt).to.equal(before.createdAt);
      expect(after.trace?.slice(0, before.trace?.length)).to.deep.equal(before.trace);
      expect((await second.send('And now?')).reason).to.equal('budget');
    });
  });
});
