/** Tools that misbehave, calls that are wrong, and calls the host makes itself. */
import { expect } from 'chai';
import { hostile } from '../tools/hostile.js';
import { call, deferred, settlesWell, statuses, talk, tick, until, useFaultServer } from './talk.js';

describe('tools that misbehave', () => {
  useFaultServer();

  const heavy = /50 MB|million|billion/;
  for (const [name, make] of Object.entries(hostile)) {
    it(`C52 ends in one bounded result when a tool returns ${name}`, async function () {
      if (heavy.test(name)) this.timeout(20_000);
      const one = talk([call('odd'), 'Done.']);
      one.chat.registerTool({ name: 'odd', description: 'x', risk: 'query', execute: make });
      expect(await one.send()).to.include({ text: 'Done.' });
      expect(one.chat.toolHistory).to.have.length(1);
      expect(one.requests()[1]?.body.length).to.be.below(60_000);
      await settlesWell(one);
    });
  }

  const thrown: Record<string, () => unknown> = {
    undefined: () => undefined,
    null: () => null,
    'a text': () => 'x',
    'an empty object': () => ({}),
    'a hostile proxy': hostile['a hostile proxy']!,
    'an error whose message throws': () =>
      Object.defineProperty(new Error(), 'message', {
        get() {
          throw new Error('no');
        },
      }),
    'an AbortError': () => new DOMException('stopped', 'AbortError'),
  };
  for (const [name, make] of Object.entries(thrown))
    it(`C49 ends in one result when a tool throws ${name}`, async () => {
      const one = talk([call('odd') + call('after'), 'Done.']);
      one.tool('odd', {
        execute() {
          throw make();
        },
      });
      one.tool('after');
      const { results, reason } = await one.send();
      expect(reason).to.equal('stop');
      expect(results[0]?.success).to.equal(false);
      expect(results[0]?.message).to.be.a('string').and.not.equal('');
      expect(statuses(results)[1]).to.equal('success');
      await settlesWell(one);
    });

  it('C50 waits for a tool that never settles no longer than its limit, and ignores it afterwards', async () => {
    const late = deferred();
    const one = talk([call('slow'), 'Done.', 'Next.'], { toolTimeout: 30 });
    one.tool('slow', { execute: () => late.promise });
    const { results } = await one.send();
    expect(results[0]).to.include({ status: 'error', code: 'TIMEOUT' });
    expect(results[0]?.message).to.match(/may have happened/);
    expect(one.runs[0]?.context.signal.aborted).to.equal(true);
    late.resolve();
    await tick();
    await one.send('next');
    expect(
      one
        .bodies()
        .at(-1)
        ?.messages.filter(({ text }) => text.includes('<tool_result')),
    ).to.have.length(1);
    await settlesWell(one);
  });

  it('takes the first of two endings', async () => {
    const one = talk([call('twice'), 'Done.']);
    one.chat.registerTool({
      name: 'twice',
      description: 'x',
      risk: 'query',
      execute: () => ({
        then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
          resolve('first');
          resolve('second');
          reject(new Error('third'));
          throw new Error('fourth');
        },
      }),
    });
    const { results } = await one.send();
    expect(results.map(({ message }) => message)).to.deep.equal(['first']);
    await settlesWell(one);
  });

  it('C63 is not held up by a tool that sends, stops or registers while it runs', async () => {
    const one = talk([call('busy') + call('busy', { title: 'second' }), 'Done.', 'Second.', 'Third.']);
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
    expect(one.chat.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []))).to.deep.equal([
      'hello',
      'from the tool 0',
      'from the tool 1',
    ]);
    expect(one.runs).to.have.length(2);
    await settlesWell(one);

    const other = talk([call('quit') + call('quit', { title: 'second' }), 'Done.']);
    other.tool('quit', {
      execute() {
        other.chat.cancelStream();
        return 'ok';
      },
    });
    expect(await other.send()).to.include({ reason: 'cancelled' });
    expect(other.runs).to.have.length(1);
    await settlesWell(other);
  });

  it('ends a tool that waits for its own turn by its limit', async () => {
    const one = talk([call('waits'), 'Done.', 'Second.'], { toolTimeout: 50 });
    let inner: Promise<unknown> | undefined;
    one.tool('waits', { execute: () => (inner = one.send('from the tool')) });
    const { results } = await one.send();
    expect(results[0]?.code).to.equal('TIMEOUT');
    await inner;
    expect(one.runs).to.have.length(1);
    await settlesWell(one);
  });

  it('survives a tool that keeps the thread busy', async () => {
    const one = talk([call('busy'), 'Done.'], { toolTimeout: 5000, heartbeat: 100, requestTimeout: 100 });
    one.tool('busy', {
      execute() {
        for (const end = performance.now() + 300; performance.now() < end;);
        return 'ok';
      },
    });
    expect(await one.send()).to.include({ text: 'Done.' });
  });
});

describe('calls that are wrong', () => {
  useFaultServer();

  for (const name of ['unknown', 'Erase', 'erasе', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'erase\u200b', 'then'])
    it(`C54 executes nothing for ${JSON.stringify(name)}`, async () => {
      const one = talk([call(name), 'Sorry.']);
      one.tool('erase', { risk: 'query' });
      const { results } = await one.send();
      expect(one.runs).to.deep.equal([]);
      expect(results[0]?.success).to.equal(false);
      expect(['TOOL_NOT_FOUND', 'MALFORMED_CALL']).to.include(results[0]?.code);
      expect(one.requests()).to.have.length(2);
      await settlesWell(one);
    });

  it('reads a name without the blanks around it, as the notation says', async () => {
    const one = talk([call(' erase '), 'Done.']);
    one.tool('erase', { risk: 'query' });
    const { results } = await one.send();
    expect(statuses(results)).to.deep.equal(['success']);
  });

  it('tells calls apart by ids of its own, whatever a protocol of the host calls them', async () => {
    const one = talk(['any', 'any', 'Done.'], { protocol: 'mine' });
    let replies = 0;
    one.chat.registerProtocol({
      id: 'mine',
      generateToolDefinitions: () => '',
      parseToolRequests: () => [],
      formatToolResults: (results) => results.map(({ status }) => status).join(' '),
      createParser: (emit) => ({
        push() {},
        end() {
          if ((replies += 1) > 2) return;
          for (const title of ['a', 'b']) {
            emit({ type: 'call-start', id: 'same', name: 'change' });
            emit({ type: 'call', id: 'same', name: 'change', arguments: { title: title + String(replies) }, raw: title });
          }
        },
      }),
    });
    one.tool('change');
    const { results } = await one.send();
    expect(statuses(results)).to.deep.equal(Array(4).fill('success'));
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['a1', 'b1', 'a2', 'b2']);
    expect(new Set(results.map(({ requestId }) => requestId)).size).to.equal(4);
    await settlesWell(one);
  });

  it('C56 executes nothing that its schema refuses, and lets the model correct itself', async () => {
    const parameters = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } as const;
    for (const params of [
      {},
      { count: 'x' },
      { count: '1.5' },
      { count: '1e400' },
      { count: 'NaN' },
      { count: '9007199254740993' },
      { count: '1', more: 'x' },
    ]) {
      const one = talk([call('add', params as never), call('add', { count: '2' }), 'Done.']);
      one.tool('add', { parameters });
      const { results } = await one.send();
      expect(
        one.runs.map(({ args }) => args),
        JSON.stringify(params),
      ).to.deep.equal([{ count: 2 }]);
      expect(statuses(results)).to.deep.equal(['error', 'success']);
      expect(one.chat.toolHistory).to.have.length(2);
      expect(one.bodies()[1]?.messages.at(-1)?.text).to.match(/MISSING_PARAMETER|INVALID_PARAMETER/);
      await settlesWell(one);
    }
  });

  it('C57 shows and tells the original arguments, whatever a tool or a listener does to its own', async () => {
    const spoil = (value: unknown) => {
      try {
        (value as Record<string, unknown>)['title'] = 'spoiled';
      } catch {
        // Frozen: as it should be.
      }
    };
    const one = talk([call('change', { title: 'original' }), 'Done.'], {
      person: true,
      approval: 'always',
      onEach(event) {
        if ('tool' in event) spoil(event.tool.params);
        if (event.type === 'approval-request') for (const each of event.calls) spoil(each.args);
        if (event.type === 'cycle') for (const each of event.cycle.parsedRequests) spoil(each.args);
        if (event.type === 'tool-complete') spoil(event.result);
      },
      decide(seen) {
        spoil(seen.args);
        return 'ask';
      },
    });
    const got: unknown[] = [];
    one.tool('change', {
      execute(args) {
        got.push({ ...args });
        spoil(args);
        return 'ok';
      },
    });
    one.chat.subscribe((snapshot) => {
      for (const message of snapshot.messages) for (const each of message.metadata.toolCallsRequested ?? []) spoil(each.args);
    });
    const done = one.send();
    const [card] = await one.asked();
    one.decide('allow', card!);
    await done;
    expect(got).to.deep.equal([{ title: 'original' }]);
    expect(JSON.stringify([one.chat.messages, one.bodies(), one.cards()])).to.not.include('spoiled');
    const cycle = one.events.find((event) => event.type === 'cycle');
    expect(cycle?.cycle.executionResults).to.have.length(1);
  });

  it('keeps the values a tool calls sensitive out of events and logs, at every level', async () => {
    const one = talk([{ text: `Now. ${call('login', { user: 'ann', password: 'hunter2-hunter2' })}`, q: 'tok=3&gap=1' }, 'Done.'], {
      logLevel: 'debug',
    });
    one.tool('login', {
      sensitive: ['password'],
      parameters: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' } } },
    });
    await one.send();
    expect(one.runs[0]?.args).to.deep.equal({ user: 'ann', password: 'hunter2-hunter2' });
    expect(JSON.stringify(one.events)).to.include('[hidden]').and.not.include('hunter2');
    const logged = one.entries.flatMap(({ code, context }) => (code === 'stream.chunk' ? [(context as { text: string }).text] : []));
    expect(logged.join(''))
      .to.include('Now. ')
      .and.not.match(/hunt|ter2/);
    expect(JSON.stringify(one.entries)).to.not.include('hunter2');
  });
});

describe('calls the host makes', () => {
  useFaultServer();
  const use = (name: string, params: Record<string, unknown> = {}) => ({ type: 'tool_use', name, params, partial: false }) as const;

  it('run without a request, and resolve with the published result', async () => {
    const one = talk(['Hello.']);
    one.tool('change');
    const result = await one.chat.executeToolManually(use('change', { title: 'x' }));
    expect(result).to.include({ status: 'success', toolName: 'change', message: 'change done' });
    expect(result).to.include.keys('requestId', 'durationMs', 'result');
    expect(one.requests()).to.deep.equal([]);
    expect(one.chat.toolHistory).to.have.length(1);
    expect(one.chat.state).to.equal('idle');
    await one.send();
    expect(one.bodies()[0]?.messages, 'the model did not make this call').to.deep.equal([{ role: 'user', text: 'hello' }]);
  });

  it('are validated and approved like any other', async () => {
    const one = talk([], { person: true });
    one.tool('erase', { risk: 'danger' });
    expect(await one.chat.executeToolManually(use('erase', { title: { not: 'text' } }))).to.include({
      status: 'error',
      code: 'INVALID_PARAMETER',
    });
    expect(await one.chat.executeToolManually(use('nothing'))).to.include({ code: 'TOOL_NOT_FOUND' });
    const done = one.chat.executeToolManually(use('erase'));
    const [card] = await one.asked();
    expect(one.runs).to.deep.equal([]);
    one.decide('deny', card!);
    expect(await done).to.include({ status: 'denied' });
    const other = talk([]);
    other.tool('erase', { risk: 'danger' });
    expect(await other.chat.executeToolManually(use('erase'))).to.include({ status: 'denied' });
    expect([...one.runs, ...other.runs]).to.deep.equal([]);
  });

  it('wait their turn, and end when the turn or the queue is ended', async () => {
    const one = talk([{ text: 'Some prose that goes on.', q: 'hang=2&gap=1' }]);
    one.tool('change');
    one.tool('endless', { execute: () => new Promise(() => {}) });
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
    const one = talk([]);
    for (const wrong of [undefined, null, {}, { name: 1, params: {} }, { name: 'x' }, { name: 'x', params: null }, 'x']) {
      const answer = await one.chat.executeToolManually(wrong as never).catch((error: unknown) => error);
      expect(answer instanceof TypeError || (answer as { success?: boolean }).success === false).to.equal(true);
    }
    const cycle: Record<string, unknown> = { fn: () => 1 };
    cycle['self'] = cycle;
    const answer = await one.chat.executeToolManually(use('x', cycle)).catch((error: unknown) => error);
    expect(answer instanceof TypeError || (answer as { success?: boolean }).success === false).to.equal(true);
    one.tool('change');
    expect(await one.chat.executeToolManually(use('change'))).to.include({ status: 'success' });
  });
});
