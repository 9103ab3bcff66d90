/** Tools that misbehave, calls that are wrong or hold sensitive values, and calls the host makes itself. */
import { expect } from 'chai';
import { play, stage, told } from './play.js';
import { call, deferred, talk, tick, until, useFaultServer } from './talk.js';

describe('tools that misbehave', () => {
  useFaultServer({ settles: true });

  it('C50 have until their limit, and are ignored afterwards', async () => {
    const late = deferred();
    const one = await play([call('slow'), 'Done.', 'Next.'], { slow: { execute: () => late.promise } }, { toolTimeout: 30 });
    expect(one.results[0]).to.include({ status: 'error', code: 'TIMEOUT' });
    expect(one.results[0]?.message).to.match(/may have gone through/);
    expect(one.runs[0]?.context.signal.aborted).to.equal(true);
    late.resolve();
    await tick();
    await one.send('next');
    expect(JSON.stringify(one.bodies().at(-1)).split('<tool_result').length).to.equal(2);
  });

  it('C63 do not hold up a turn in which they send, stop or register', async () => {
    const twice = (name: string) => call(name) + call(name, { title: 'second' });
    const one = talk([twice('busy'), 'Done.', 'Second.', 'Third.']);
    const sent: Promise<unknown>[] = [];
    one.tool('busy', {
      execute() {
        sent.push(one.send(`from the tool ${String(sent.length)}`));
        one.tool(`new_${String(sent.length)}`);
        return 'ok';
      },
    });
    expect(await one.send()).to.include({ text: 'Done.' });
    await Promise.all(sent);
    const users = one.chat.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    expect(users).to.deep.equal(['hello', 'from the tool 0', 'from the tool 1']);
    expect(one.runs).to.have.length(2);
    const other = talk([twice('quit'), 'Done.']);
    other.tool('quit', { execute: () => other.chat.cancelStream() });
    expect(await other.send()).to.include({ reason: 'cancelled' });
    expect(other.runs).to.have.length(1);
  });
});

describe('calls that are wrong, or hold sensitive values', () => {
  useFaultServer({ settles: true });

  it('C56 do not run where the schema refuses them, and let the model correct itself', async () => {
    const parameters = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } as const;
    for (const params of [{}, { count: '1.5' }, { count: '9007199254740993' }, { count: '1', more: 'x' }] as Record<string, string>[]) {
      const one = await play([call('add', params), call('add', { count: '2' }), 'Done.'], { add: { parameters } });
      expect(one.runs.map(({ args }) => args)).to.deep.equal([{ count: 2 }]);
      expect(told(one)).to.match(/MISSING_PARAMETER|INVALID_PARAMETER/);
    }
  });

  it('keep what is sensitive out of events and logs, at every level', async () => {
    const values = { user: 'ann', password: 'hunter2-hunter2' };
    const parameters = { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' } } } as const;
    const turns = [{ text: `Now. ${call('login', values)}`, q: 'tok=3&gap=1' }, 'Done.'];
    const one = await play(turns, { login: { sensitive: ['password'], parameters } }, { logLevel: 'debug' });
    expect(one.runs[0]?.args).to.deep.equal(values);
    expect(JSON.stringify(one.events)).to.include('[hidden]').and.not.include('hunter2');
    expect(one.read())
      .to.match(/^Now\. /)
      .and.not.match(/hunt|ter2/);
    expect(JSON.stringify(one.entries)).to.not.include('hunter2');
  });
});

describe('calls the host makes', () => {
  useFaultServer();
  const use = (name: string, params: Record<string, unknown> = {}) => ({ type: 'tool_use', name, params, partial: false }) as const;

  it('run without a request, and resolve with the published result (S0-105)', async () => {
    const one = stage(['Hello.'], 'change');
    const result = await one.chat.executeToolManually(use('change', { title: 'x' }));
    expect(result).to.include({ status: 'success', toolName: 'change', message: 'change done' });
    expect(result).to.include.keys('requestId', 'durationMs', 'result');
    expect([one.requests(), one.chat.toolHistory.length, one.chat.state]).to.deep.equal([[], 1, 'idle']);
    await one.send();
    expect(one.bodies()[0]?.messages, 'the model did not make this call').to.deep.equal([{ role: 'user', text: 'hello' }]);
  });

  it('run even if the model has just made the same one', async () => {
    const one = stage([call('change', { title: 'x' }), 'Done.'], 'change');
    await one.send();
    expect(await one.chat.executeToolManually(use('change', { title: 'x' }))).to.include({ status: 'success', message: 'change done' });
    expect(one.runs).to.have.length(2);
  });

  it('are validated and approved like any other', async () => {
    const one = stage([], { erase: 'danger' }, { person: true });
    const invalid = await one.chat.executeToolManually(use('erase', { title: { not: 'text' } }));
    expect(invalid).to.include({ status: 'error', code: 'INVALID_PARAMETER' });
    expect(await one.chat.executeToolManually(use('nothing'))).to.include({ code: 'TOOL_NOT_FOUND' });
    const done = one.chat.executeToolManually(use('erase'));
    await one.answer('deny');
    expect(await done).to.include({ status: 'denied' });
    const other = stage([], { erase: 'danger' });
    expect(await other.chat.executeToolManually(use('erase'))).to.include({ status: 'denied' });
    expect([...one.runs, ...other.runs]).to.deep.equal([]);
  });

  it('wait their turn, and end when the turn or the queue is ended', async () => {
    const endless = { execute: () => new Promise(() => {}) };
    const one = stage([{ text: 'Some prose that goes on.', q: 'hang=2&gap=1' }], { change: {}, endless });
    const turn = one.send();
    const queued = one.chat.executeToolManually(use('change'));
    await until(() => one.chat.streamingText, 'text');
    expect(one.view().queue).to.deep.equal([]);
    await one.chat.clear();
    await turn;
    expect(await queued).to.include({ status: 'cancelled', code: 'CANCELLED' });
    const running = one.chat.executeToolManually(use('endless'));
    await until(() => one.runs.length === 1, 'the tool');
    one.chat.cancelStream();
    expect(await running).to.include({ status: 'cancelled' });
    expect(one.runs).to.have.length(1);
  });

  it('refuse what is no call at all', async () => {
    const one = stage([], 'change');
    const circle: Record<string, unknown> = { fn: () => 1 };
    circle['self'] = circle;
    for (const wrong of [undefined, null, {}, { name: 1, params: {} }, { name: 'x' }, { name: 'x', params: null }, 'x', use('x', circle)]) {
      const answer = await one.chat.executeToolManually(wrong as never).catch((error: unknown) => error);
      expect(answer instanceof TypeError || (answer as { success?: boolean }).success === false).to.equal(true);
    }
    expect(await one.chat.executeToolManually(use('change'))).to.include({ status: 'success' });
  });
});
