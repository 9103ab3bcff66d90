/** What is done when a tool or the endpoint fails, by the class of the error: data first, then whole conversations. */
import { expect } from 'chai';
import { SimulatedClock } from 'xstate';
import type { ErrorType } from '../../src/base/errors.js';
import { ToolError } from '../../src/base/errors.js';
import { endpointSteps } from '../../src/conversation/calls/strategies.js';
import { effectStrategies, queryStrategies, toolSteps } from '../../src/conversation/calls/tool-strategies.js';
import { createMemoryJournal } from '../../src/storage/journal.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { openaiCalls, openaiText } from './scripted-fetch.js';
import { call, deferred, settlesWell, talk, until, useFaultServer, type ScriptedTurn, type Talk, type TalkOptions } from './talk.js';

const types: readonly ErrorType[] = ['rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format'];

describe('the matrix of strategies', () => {
  it('knows every class of error, for tools with and without effects', () => {
    expect(Object.keys(queryStrategies).sort()).to.deep.equal([...types].sort());
    expect(Object.keys(effectStrategies).sort()).to.deep.equal([...types].sort());
  });

  it('never repeats by itself, nor hands to another tool, what may have had an effect', () => {
    for (const type of types)
      for (const overrides of [{}, { [type]: [{ retry: 9 }, 'degrade', 'explain'] }]) {
        const { retrying, steps } = toolSteps(type, false, overrides);
        expect(retrying.times, type).to.equal(0);
        expect(steps, type).to.not.include('degrade');
      }
  });

  it('takes the row of the host instead of its own, and of a row only what makes sense', () => {
    expect(toolSteps('network', true, { network: ['fail'] })).to.deep.equal({ retrying: { times: 0, baseMs: 1000 }, steps: ['fail'] });
    const odd = ['nonsense', { retry: 1e9, baseMs: -5 }, null, 'explain'] as never;
    expect(toolSteps('network', true, { network: odd })).to.deep.equal({ retrying: { times: 10, baseMs: 1000 }, steps: ['explain'] });
    expect(toolSteps('network', true, { network: 'fail' as never }).retrying.times).to.equal(2);
    expect(toolSteps('network', true, Object.create({ network: ['fail'] }) as object).retrying.times).to.equal(2);
  });

  it('leaves the endpoint the table of the contract, unless the host has a row for the class', () => {
    const outcome = {
      type: 'failed',
      afterFirstEvent: false,
      retry: 'server',
      error: { kind: 'rate-limit', code: 'HTTP_ERROR', layer: 'network', retryable: true, errorType: 'rate_limit' },
    } as const;
    const steps = (errorStrategies: object) => endpointSteps({ retries: 'balanced', errorStrategies }, outcome);
    expect(steps({})).to.deep.include({ degrade: true, hint: outcome });
    expect(steps({}).table.server).to.deep.equal([1000, 2000]);
    expect(steps({ rate_limit: [{ retry: 3, baseMs: 10 }] }).table.server).to.deep.equal([10, 20, 40]);
    expect(steps({ rate_limit: ['fail'] })).to.deep.include({ degrade: false });
    expect(steps({ rate_limit: ['fail'] }).table.server).to.deep.equal([]);
  });
});

/** A conversation whose waits pass at once, and are written down. */
function hurried(turns: ScriptedTurn[], options: TalkOptions = {}): Talk & { waits: number[] } {
  const waits: number[] = [];
  const clock = {
    setTimeout(run: (...args: unknown[]) => void, ms: number) {
      // Time limits of requests are not waits.
      if (ms > 5000) return setTimeout(run, ms);
      waits.push(ms);
      return setTimeout(run, 0);
    },
    clearTimeout: (id: unknown) => clearTimeout(id as ReturnType<typeof setTimeout>),
  };
  return { ...talk(turns, { clock: clock as never, blockTimeout: 0, heartbeat: 0, ...options }), waits };
}

/** Fails so, some times, then works. */
function failing(times: number, error: () => unknown): Pick<ToolDefinition, 'execute'> {
  let left = times;
  return {
    execute: () => {
      if (left-- > 0) throw error();
      return { success: true, message: 'found it' };
    },
  };
}

const network = () => new ToolError('Cannot reach the search', { errorType: 'network' });
const typed = (errorType: ErrorType) => () => new ToolError(`It is ${errorType}`, { errorType });
const total = (waits: readonly number[]) => waits.reduce((sum, ms) => sum + ms, 0);

describe('a tool that fails', () => {
  useFaultServer();

  for (const type of types)
    it(`tells history and events that it was ${type}`, async () => {
      const one = hurried([call('search'), 'Well.']);
      one.tool('search', { risk: 'query', ...failing(9, typed(type)) });
      await one.send();
      expect(one.chat.toolHistory[0]?.errorType).to.equal(type);
      const told = one.events.find((event) => event.type === 'tool-complete');
      expect(told?.type === 'tool-complete' && told.result.errorType).to.equal(type);
      await settlesWell(one);
    });

  it('runs again after a network error, in one call with one record', async () => {
    const journal = createMemoryJournal();
    let intents = 0;
    let ends = 0;
    const counting = {
      ...journal,
      intent: (entry: Parameters<typeof journal.intent>[0]) => ((intents += 1), journal.intent(entry)),
      settle: (...end: Parameters<typeof journal.settle>) => ((ends += 1), journal.settle(...end)),
    };
    const one = hurried([call('search'), 'Found.'], { journal: counting });
    one.tool('search', { risk: 'query', ...failing(2, network) });
    expect((await one.send()).results).to.have.length(1);
    expect(one.runs).to.have.length(3);
    expect(new Set(one.runs.map(({ context }) => context.requestId)).size).to.equal(1);
    expect({ intents, ends }).to.deep.equal({ intents: 1, ends: 1 });
    expect(one.cards()[0]).to.include({ status: 'success' });
    expect(one.chat.toolHistory).to.have.length(1);
    expect(one.requests()).to.have.length(2);
    // 1 s, then 2 s, each give or take a fifth.
    expect(total(one.waits)).to.be.within(2400, 3600);
    await settlesWell(one);
  });

  it('shows on its card which attempt is due, and when', async () => {
    const one = hurried([call('search'), 'Found.']);
    one.tool('search', { risk: 'query', ...failing(1, network) });
    await one.send();
    const said = one.events.flatMap((event) => (event.type === 'tool-progress' ? [event.progress.message] : []));
    expect(said[0]).to.match(/^Trying again in [12] s \(attempt 2 of 3\)$/);
    expect(said.at(-1)).to.equal('Attempt 2 of 3');
  });

  it('is not offered for the rest of the turn once it has failed for good, and is back in the next', async () => {
    const one = hurried([call('search'), call('search'), 'I do not know.', call('search'), 'Found.']);
    one.tool('search', { risk: 'query', ...failing(3, network) });
    one.tool('other', { risk: 'query' });
    const { results } = await one.send();
    expect(one.runs).to.have.length(3);
    expect(results.map(({ status }) => status)).to.deep.equal(['error', 'error']);
    const [first, second] = one.bodies();
    expect(first?.system).to.include('search');
    expect(second?.system).to.include('Does other').and.not.include('Does search');
    expect(second?.messages.at(-1)?.text).to.include('not available').and.to.include('Tried 3 times');
    expect(one.view().notices).to.equal(undefined);
    const again = await one.send('once more');
    expect(again.results[0]).to.include({ success: true });
    expect(one.bodies()[3]?.system).to.include('Does search');
    await settlesWell(one);
  });

  it('says so when no tool is left, and the chat goes on', async () => {
    const one = hurried([call('search'), 'I answer by myself.']);
    one.tool('search', { risk: 'query', ...failing(9, network) });
    expect(await one.send()).to.include({ success: true, text: 'I answer by myself.' });
    expect(one.view().notices?.map(({ text }) => text)).to.deep.equal([
      'The tools do not work at the moment; the assistant answers without them',
    ]);
    await one.send('more');
    expect(one.view().notices).to.equal(undefined);
  });

  it('asks three times in all where it is told of too many requests, then advises to come back later', async () => {
    const one = hurried([call('search'), 'Later.']);
    one.tool('search', { risk: 'query', ...failing(9, () => new Response('', { status: 429 })) });
    await one.send();
    expect(one.runs).to.have.length(3);
    expect(one.cards()[0]).to.include({ status: 'error', advice: 'Please try again later.' });
    expect(one.bodies()[1]?.messages.at(-1)?.text).to.include('Please try again later.');
  });

  it('waits as long as the service asks, to the millisecond; too long a wait is not waited', async () => {
    const after = (seconds: number) => failing(1, () => new Response('', { status: 429, headers: { 'retry-after': String(seconds) } }));
    const one = hurried([call('search'), 'Found.']);
    one.tool('search', { risk: 'query', ...after(3) });
    await one.send();
    expect(total(one.waits)).to.equal(3000);
    const long = hurried([call('search'), 'No.']);
    long.tool('search', { risk: 'query', ...after(90) });
    await long.send();
    expect(long.runs).to.have.length(1);
  });

  it('runs once where somebody has to sign in, and says what is missing', async () => {
    const one = hurried([call('search'), 'No.']);
    one.tool('search', { risk: 'query', ...failing(9, () => ({ status: 401 })) });
    await one.send();
    expect(one.runs).to.have.length(1);
    expect(one.cards()[0]?.advice).to.match(/Sign in.*configuration/);
  });

  it('succeeds where nothing was found, and advises other words', async () => {
    for (const execute of [
      () => [],
      () => {
        throw typed('empty_result')();
      },
      () => ({ code: 0, message: 'ok', data: [], errorType: 'empty_result' }),
    ]) {
      const one = hurried([call('search'), 'Nothing.']);
      one.tool('search', { risk: 'query', execute });
      const { results } = await one.send();
      expect(results[0]).to.include({ success: true, status: 'success', errorType: 'empty_result' });
      expect(results[0]).to.not.have.property('code');
      expect(one.cards()[0]?.advice).to.match(/other keywords/);
      expect(one.bodies()[1]?.messages.at(-1)?.text).to.include('No results').and.to.include('other keywords');
    }
  });

  it('explains what a service refused: gone, changed meanwhile, not allowed, not valid', async () => {
    const advice = async (status: number) => {
      const one = hurried([call('search'), 'No.']);
      one.tool('search', { risk: 'query', ...failing(9, () => ({ status, message: 'no' })) });
      await one.send();
      expect(one.runs).to.have.length(1);
      return one.cards()[0]?.advice;
    };
    const said = [await advice(404), await advice(409), await advice(403), await advice(422)];
    expect(new Set(said).size).to.equal(4);
    expect(said.every(Boolean)).to.equal(true);
  });

  it('runs once under a host that wants no repetition', async () => {
    const one = hurried([call('search'), 'No.'], { errorStrategies: { network: ['fail'] } });
    one.tool('search', { risk: 'query', ...failing(9, network) });
    await one.send();
    expect(one.runs).to.have.length(1);
    expect(one.cards()[0]).to.not.have.property('advice');
  });

  it('stops at once while it waits to run again', async () => {
    const clock = new SimulatedClock();
    const one = talk([call('search'), 'never'], { clock });
    one.tool('search', { risk: 'query', ...failing(9, network) });
    const done = one.send();
    await until(() => one.cards()[0]?.progress?.message, 'the countdown');
    one.chat.cancelStream();
    expect(one.chat.state).to.equal('idle');
    expect(await done).to.include({ reason: 'cancelled' });
    clock.increment(60_000);
    expect(one.runs).to.have.length(1);
    await settlesWell(one);
  });

  it('runs a query once more after its time was up, and tells the model that the tool is gone', async () => {
    const one = hurried([call('search'), 'No.'], { toolTimeout: 20 });
    one.tool('search', { risk: 'query', execute: () => new Promise(() => {}) });
    const { results } = await one.send();
    expect(one.runs).to.have.length(2);
    expect(one.runs.every(({ context }) => context.signal.aborted)).to.equal(true);
    expect(results[0]).to.include({ code: 'TIMEOUT', errorType: 'timeout' });
  });
});

describe('a tool that may have had an effect', () => {
  useFaultServer();

  it('runs once, and the person is asked whether it runs again', async () => {
    const one = hurried([call('write_note'), 'Saved.'], { person: true });
    one.tool('write_note', failing(1, network));
    const done = one.send();
    const [card] = await one.asked();
    expect(one.runs).to.have.length(1);
    expect(one.waits).to.deep.equal([]);
    expect(card).to.include({ again: 'Cannot reach the search' });
    expect(card?.call?.reason).to.include('may have happened');
    expect(one.names()).to.include('approval-request');
    one.decide('allow', card!, 'another digest');
    expect(one.runs).to.have.length(1);
    one.decide('allow', card!);
    expect((await done).results).to.have.length(1);
    expect(one.runs).to.have.length(2);
    expect(one.cards()[0]).to.include({ status: 'success' });
    await settlesWell(one);
  });

  it('stays failed, with what it said, where the person leaves it', async () => {
    const one = hurried([call('write_note'), 'Not saved.'], { person: true });
    one.tool('write_note', failing(9, network));
    const done = one.send();
    const [card] = await one.asked();
    one.decide('deny', card!);
    const { results } = await done;
    expect(results[0]).to.include({ status: 'error', message: 'Cannot reach the search', errorType: 'network' });
    expect(one.runs).to.have.length(1);
    await settlesWell(one);
  });

  it('does not run again once it was taken away or replaced', async () => {
    const one = hurried([call('write_note'), 'Gone.'], { person: true });
    const off = one.tool('write_note', failing(9, network));
    const done = one.send();
    const [card] = await one.asked();
    off();
    one.tool('write_note');
    one.decide('allow', card!);
    expect((await done).results[0]).to.include({ status: 'error', code: 'TOOL_NOT_FOUND' });
    expect(one.runs).to.have.length(1);
    await settlesWell(one);
  });

  it('stays failed, not merely cancelled, where the person stops instead of answering', async () => {
    const one = hurried([call('write_note'), 'never'], { person: true });
    one.tool('write_note', failing(9, network));
    const done = one.send();
    await one.asked();
    one.chat.cancelStream();
    expect((await done).results[0]).to.include({ status: 'error', errorType: 'network' });
    expect(one.runs).to.have.length(1);
    await settlesWell(one);
  });

  it('runs once where there is nobody to ask', async () => {
    const one = hurried([call('write_note'), 'Not saved.']);
    one.tool('write_note', failing(9, network));
    expect((await one.send()).results[0]).to.include({ status: 'error' });
    expect(one.runs).to.have.length(1);
    expect(one.cards()[0]?.advice).to.be.a('string');
  });

  it('runs again by itself where its maker says that this does no harm', async () => {
    const one = hurried([call('write_note'), 'Saved.']);
    one.tool('write_note', { idempotent: true, ...failing(2, network) });
    expect((await one.send()).results[0]).to.include({ success: true });
    expect(one.runs).to.have.length(3);
  });

  it('is not asked about again after its time was up: it may be at work still', async () => {
    const one = hurried([call('write_note'), 'Perhaps.'], { person: true, toolTimeout: 20 });
    one.tool('write_note', { execute: () => new Promise(() => {}) });
    expect((await one.send()).results[0]).to.include({ code: 'TIMEOUT' });
    expect(one.runs).to.have.length(1);
  });
});

describe('a tool that another one stands in for', () => {
  useFaultServer();
  const primary = { risk: 'query', fallback: 'mirror', ...failing(99, network) } as const;

  it('has it do the same, and both cards and the model are told', async () => {
    const one = hurried([call('search', { title: 'x' }) + call('later'), 'Found.']);
    one.tool('search', primary);
    one.tool('mirror', { risk: 'query', execute: () => ({ success: true, message: 'from the mirror' }) });
    one.tool('later', { risk: 'query' });
    const { results } = await one.send();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['search', 'search', 'search', 'mirror', 'later']);
    expect(one.runs[3]?.args).to.deep.equal({ title: 'x' });
    expect(results.map(({ toolName, status }) => `${toolName} ${status}`)).to.deep.equal([
      'search error',
      'mirror success',
      'later success',
    ]);
    const [failed, instead] = one.cards();
    expect(failed?.advice).to.equal('mirror is used instead');
    expect(instead?.standsInFor).to.equal('search');
    const told = one.bodies()[1]?.messages.at(-1)?.text ?? '';
    expect(told).to.include('mirror was used instead').and.to.include('from the mirror');
    // One answer to one call: two calls were made, two results are told.
    expect(told.match(/<tool_result /g)).to.have.length(2);
    await settlesWell(one);
  });

  it('asks about it like about any call of its risk', async () => {
    const one = hurried([call('search'), 'Done.'], { person: true });
    one.tool('search', primary);
    one.tool('mirror', { risk: 'danger' });
    const done = one.send();
    const [card] = await one.asked();
    expect(card).to.include({ toolName: 'mirror' });
    expect(one.runs.filter(({ name }) => name === 'mirror')).to.have.length(0);
    one.decide('deny', card!);
    await done;
    expect(one.runs.filter(({ name }) => name === 'mirror')).to.have.length(0);
    await settlesWell(one);
  });

  it('checks what it needs, may and is given', async () => {
    for (const [more, code] of [
      [{ requires: 'admin' }, undefined],
      [{ parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } }, 'MISSING_PARAMETER'],
    ] as const) {
      const one = hurried([call('search'), 'No.']);
      one.tool('search', primary);
      one.tool('mirror', { risk: 'query', ...more });
      const { results } = await one.send();
      expect(one.runs.some(({ name }) => name === 'mirror')).to.equal(false);
      expect(results.at(-1)?.code).to.equal(code ?? 'EXECUTION_FAILED');
      await settlesWell(one);
    }
  });

  it('answers a native call once, with what both said', async () => {
    const replies = [openaiCalls({ id: 'call_1', name: 'search', arguments: '{"title":"x"}' }), openaiText('Found.')];
    const bodies: { messages: { role: string; content: string; tool_call_id?: string }[] }[] = [];
    const one = hurried([], {
      ...{ endpoint: 'https://api.example/v1/chat/completions', wire: 'openai', protocol: 'native' },
      fetch: (_, init) => {
        bodies.push(JSON.parse(String(init?.body)) as (typeof bodies)[number]);
        return Promise.resolve(replies.shift()!);
      },
    });
    one.tool('search', primary);
    one.tool('mirror', { risk: 'query', execute: () => ({ success: true, message: 'from the mirror' }) });
    expect(await one.send()).to.include({ text: 'Found.' });
    const told = bodies[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(told.map(({ tool_call_id }) => tool_call_id)).to.deep.equal(['call_1']);
    expect(told[0]?.content).to.include('Cannot reach the search').and.to.include('from the mirror');
    await settlesWell(one);
  });

  it('stands in while the reply still streams, too', async () => {
    const one = hurried([`${call('search')}${call('later')}And more.`, 'Found.'], { dispatch: 'on-block' });
    one.tool('search', primary);
    one.tool('mirror', { risk: 'query' });
    one.tool('later', { risk: 'query' });
    await one.send();
    expect(one.runs.map(({ name }) => name)).to.include.members(['mirror', 'later']);
    await settlesWell(one);
  });

  it('is not handed on further, so that two tools never stand in for each other for ever', async () => {
    const one = hurried([call('search'), 'No.']);
    one.tool('search', primary);
    one.tool('mirror', { risk: 'query', fallback: 'search', ...failing(99, network) });
    await one.send();
    expect(one.runs.map(({ name }) => name).join()).to.equal('search,search,search,mirror,mirror,mirror');
    await settlesWell(one);
  });

  it('is never stood in for after it may have had an effect', async () => {
    const one = hurried([call('write_note'), 'No.']);
    one.tool('write_note', { fallback: 'mirror', ...failing(9, network) });
    one.tool('mirror', { risk: 'query' });
    await one.send();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['write_note']);
  });
});

describe('the endpoint', () => {
  useFaultServer();

  it('is asked once under a host that wants no repetition', async () => {
    const one = hurried([{ text: 'never', q: 'abort=0' }], { errorStrategies: { network: ['fail'] } });
    expect(await one.send()).to.include({ reason: 'error' });
    expect(one.requests()).to.have.length(1);
    expect(one.view().failure).to.not.have.property('offer');
  });

  it('is asked three times in all where there are too many requests', async () => {
    const one = hurried([{ text: 'never', q: 'status=429' }]);
    const { error } = await one.send();
    expect(error).to.include({ errorType: 'rate_limit', message: 'Too many requests, please try again later' });
    expect(one.requests()).to.have.length(3);
  });

  it('is asked again for a fresh key where the host says so, and each time with what its headers are then', async () => {
    let token = 0;
    const one = hurried([{ text: 'Hello.', q: 'status=401', times: 1 }], {
      errorStrategies: { auth: [{ retry: 1, baseMs: 0 }, 'explain'] },
      headers: () => ({ authorization: `t${String((token += 1))}` }),
    });
    expect(await one.send()).to.include({ text: 'Hello.' });
    expect(one.requests().map(({ headers }) => headers['authorization'])).to.deep.equal(['t1', 't2']);
  });

  it('is asked with a new key when the host retries after it was refused', async () => {
    let token = 0;
    const one = hurried([{ text: 'Hello.', q: 'status=401', times: 1 }], {
      headers: () => ({ authorization: `t${String((token += 1))}` }),
    });
    const { error } = await one.send();
    expect(error).to.include({ errorType: 'auth', status: 401 });
    expect(one.events.some((event) => event.type === 'error' && event.error.errorType === 'auth')).to.equal(true);
    expect(one.requests()).to.have.length(1);
    expect(await one.chat.retryLastMessage()).to.include({ text: 'Hello.' });
    expect(one.requests().map(({ headers }) => headers['authorization'])).to.deep.equal(['t1', 't2']);
  });

  it('is not asked again by a host’s row after a tool has run', async () => {
    const one = hurried([call('create_task'), { text: 'never', q: 'status=500' }], { errorStrategies: { network: [{ retry: 5 }] } });
    one.tool('create_task');
    await one.send();
    expect(one.requests()).to.have.length(2);
    expect(one.runs).to.have.length(1);
  });

  it('keeps a result that was told when everything after it failed, and tells it once', async () => {
    const ran = deferred();
    const one = hurried([call('create_task'), { text: 'never', q: 'status=500' }]);
    one.tool('create_task', { execute: () => ran.resolve() });
    await one.send();
    expect(one.chat.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'tool']);
    await one.chat.retryLastMessage();
    expect(one.runs).to.have.length(1);
    expect(JSON.stringify(one.bodies().at(-1)).match(/<tool_result /g)).to.have.length(1);
  });
});
