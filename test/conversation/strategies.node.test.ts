/** What is done when a tool or the endpoint fails, by the class of the error: data first, then whole conversations. */
import { expect } from 'chai';
import { ToolError, type ErrorType } from '../../src/base/errors.js';
import { toolSteps } from '../../src/conversation/calls/attempts.js';
import { createMemoryJournal } from '../../src/storage/journal.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { LAST_MS } from '../../src/transports/request-deadline.js';
import { asking, play as playAsIs, ran, system, told, type PlayOptions, type Tools } from './play.js';
import { call, useFaultServer, type ScriptedTurn } from './talk.js';

const types: readonly ErrorType[] = ['rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format'];

describe('the matrix of strategies', () => {
  it('never repeats by itself, nor hands to another tool, what may have had an effect', () => {
    for (const type of types)
      for (const overrides of [{}, { [type]: [{ retry: 9 }, 'degrade', 'explain'] }]) {
        const { retrying, steps } = toolSteps(type, false, overrides);
        expect(retrying.times, type).to.equal(0);
        expect(steps, type).to.not.include('degrade');
      }
  });

  it('takes the row of the host instead of its own, and of a row only what makes sense', () => {
    const odd = ['nonsense', { retry: 1e9, baseMs: -5 }, null, 'explain'] as never;
    const retrying = (times: number) => ({ times, baseMs: 1000 });
    expect(toolSteps('network', true, { network: ['fail'] })).to.deep.equal({ retrying: retrying(0), steps: ['fail'] });
    expect(toolSteps('network', true, { network: odd })).to.deep.equal({ retrying: retrying(10), steps: ['explain'] });
    expect(toolSteps('network', true, { network: 'fail' as never }).retrying).to.deep.equal(retrying(2));
    expect(toolSteps('network', true, Object.create({ network: ['fail'] }) as object).retrying).to.deep.equal(retrying(2));
  });
});

/** A clock whose waits pass at once and are noted. Limits of requests are real: those above 5 s, and the moment in which a connection ends. */
function hurry() {
  const waits: number[] = [];
  const isLimit = (ms: number) => ms > 5000 || ms === LAST_MS;
  const clock = {
    setTimeout(run: (...args: unknown[]) => void, ms: number) {
      if (!isLimit(ms)) waits.push(ms);
      return setTimeout(run, isLimit(ms) ? ms : 0);
    },
    clearTimeout: (id: unknown) => clearTimeout(id as ReturnType<typeof setTimeout>),
  };
  return { waits, total: () => waits.reduce((sum, ms) => sum + ms, 0), options: { clock: clock as never, blockTimeout: 0, heartbeat: 0 } };
}

const play = async (turns: ScriptedTurn[], tools: Tools = {}, options: PlayOptions = {}) => {
  const { options: hurried, ...rest } = hurry();
  return { ...(await playAsIs(turns, tools, { ...hurried, ...options })), ...rest };
};

/** Fails some times, then works. */
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
const search = (times: number, error: () => unknown = network) => ({ search: { risk: 'query', ...failing(times, error) } as const });
const never = { execute: () => new Promise(() => {}) };

describe('a tool that fails', () => {
  useFaultServer({ settles: true });

  it('runs again after a network error, in one call with one record', async () => {
    const journal = createMemoryJournal();
    const written: string[] = [];
    const counting = {
      ...journal,
      intent: (entry: Parameters<typeof journal.intent>[0]) => (written.push('intent'), journal.intent(entry)),
      settle: (...end: Parameters<typeof journal.settle>) => (written.push('end'), journal.settle(...end)),
    };
    const one = await play([call('search'), 'Found.'], search(2), { journal: counting });
    expect([one.results.length, one.runs.length]).to.deep.equal([1, 3]);
    expect(new Set(one.runs.map(({ context }) => context.requestId)).size).to.equal(1);
    expect(written).to.deep.equal(['intent', 'end']);
    expect(one.cards()[0]).to.include({ status: 'success' });
    expect([one.chat.toolHistory.length, one.requests().length]).to.deep.equal([1, 2]);
    // 1 s, then 2 s, each give or take a fifth.
    expect(one.total()).to.be.within(2400, 3600);
    const progress = one.events.flatMap((event) => (event.type === 'tool-progress' ? [event.progress.message] : []));
    expect(progress[0]).to.match(/^Trying again in [12] s \(attempt 2 of 3\)$/);
    expect(progress.at(-1)).to.equal('Attempt 3 of 3');
  });

  it('is not offered for the rest of the turn once it has failed for good, and is back in the next', async () => {
    const turns = [call('search'), call('search'), 'I do not know.', call('search'), 'Found.'];
    const one = await play(turns, { ...search(3), other: { risk: 'query' } });
    expect([one.runs.length, one.results.map(({ status }) => status)]).to.deep.equal([3, ['error', 'error']]);
    expect(system(one)).to.include('search');
    expect(system(one, 1)).to.include('Does other').and.not.include('Does search');
    expect(told(one)).to.include('not available').and.to.include('Tried 3 times');
    expect(one.view().notices).to.equal(undefined);
    expect((await one.send('once more')).results[0]).to.include({ success: true });
    expect(system(one, 3)).to.include('Does search');
  });

  it('says so when no tool is left, and the chat goes on', async () => {
    const one = await play([call('search'), 'I answer by myself.'], search(9));
    expect(one).to.include({ success: true, text: 'I answer by myself.' });
    const expected = ['Tools do not work at the moment; the assistant answers without them'];
    expect(one.view().notices?.map(({ text }) => text)).to.deep.equal(expected);
    await one.send('more');
    expect(one.view().notices).to.equal(undefined);
  });

  it('waits as long as the service asks, to the millisecond; too long a wait is not waited', async () => {
    const after = (seconds: number) => search(1, () => new Response('', { status: 429, headers: { 'retry-after': String(seconds) } }));
    expect((await play([call('search'), 'Found.'], after(3))).total()).to.equal(3000);
    expect((await play([call('search'), 'No.'], after(90))).runs).to.have.length(1);
  });

  for (const [what, count, advice, error] of [
    ['three times in all where there are too many requests', 3, /^Please try again later\.$/, () => new Response('', { status: 429 })],
    ['once where the user has to sign in', 1, /Sign in.*configuration/, () => ({ status: 401 })],
  ] as const)
    it(`runs ${what}, and its card and the model get advice`, async () => {
      const one = await play([call('search'), 'Later.'], search(9, error));
      expect([one.runs.length, one.cards()[0]?.status]).to.deep.equal([count, 'error']);
      expect(one.cards()[0]?.advice).to.match(advice);
      expect(told(one)).to.include(one.cards()[0]!.advice);
    });

  it('succeeds where nothing was found, and advises other words', async () => {
    for (const execute of [
      () => [],
      failing(1, () => new ToolError('None', { errorType: 'empty_result' })).execute,
      () => ({ code: 0, message: 'ok', data: [], errorType: 'empty_result' }),
    ]) {
      const one = await play([call('search'), 'Nothing.'], { search: { risk: 'query', execute } });
      expect(one.results[0]).to.include({ success: true, status: 'success', errorType: 'empty_result' });
      expect(one.results[0]).to.not.have.property('code');
      expect(one.cards()[0]?.advice).to.match(/other keywords/);
      expect(told(one)).to.include('No results').and.to.include('other keywords');
    }
  });
});

describe('a tool that may have had an effect', () => {
  useFaultServer({ settles: true });
  const note = (times: number, more: Partial<ToolDefinition> = {}) => ({ write_note: { ...failing(times, network), ...more } });

  it('runs once, and the user is asked whether it runs again', async () => {
    const { one, turn, card } = await asking([call('write_note'), 'Saved.'], note(1));
    expect([one.runs.length, card.again, card.edit]).to.deep.equal([1, 'Cannot reach the search', undefined]);
    expect(card.call?.reason).to.include('may have gone through');
    expect(one.names()).to.include('approval-request');
    one.decide('allow', card, 'another digest');
    expect(one.runs).to.have.length(1);
    one.decide('allow', card);
    expect((await turn).results.map(({ status }) => status)).to.deep.equal(['success']);
    expect(one.runs).to.have.length(2);
  });

  for (const how of ['declines', 'stops'] as const)
    it(`remains failed, with what it said, where the user ${how}`, async () => {
      const { one, turn, card } = await asking([call('write_note'), 'Not saved.'], note(9));
      if (how === 'stops') one.chat.cancelStream();
      else one.decide('deny', card);
      const expected = { status: 'error', message: 'Cannot reach the search', errorType: 'network' };
      expect((await turn).results[0]).to.include(expected);
      expect(one.runs).to.have.length(1);
    });
});

describe('a tool that has a fallback', () => {
  useFaultServer({ settles: true });
  const primary = { risk: 'query', fallback: 'mirror', ...failing(99, network) } as const;
  const mirror = { risk: 'query', execute: () => ({ success: true, message: 'from the mirror' }) } as const;
  const later = { risk: 'query' } as const;

  it('has it do the same, and both cards and the model are told', async () => {
    const one = await play([call('search', { title: 'x' }) + call('later'), 'Found.'], { search: primary, mirror, later });
    expect([ran(one), one.runs[3]?.args]).to.deep.equal([['search', 'search', 'search', 'mirror', 'later'], { title: 'x' }]);
    expect(one.results.map(({ toolName, status }) => `${toolName} ${status}`).join()).to.equal('search error,mirror success,later success');
    expect([one.cards()[0]?.advice, one.cards()[1]?.standsInFor]).to.deep.equal(['Using mirror instead', 'search']);
    expect(told(one)).to.include('mirror was used instead').and.to.include('from the mirror');
    // One answer to one call: two calls were made, two results are told.
    expect(told(one).match(/<tool_result /g)).to.have.length(2);
  });

  const broken = (risk: 'query' | 'write', fallback: string) => ({ risk, fallback, ...failing(99, network) });
  const needs = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const;
  for (const [what, tools, options, expected] of [
    ['that is asked about like any call of its risk', { mirror: { risk: 'danger' } }, { answers: ['deny'] }, 'search,search,search'],
    ['that the user may not use', { mirror: { ...mirror, requires: 'admin' } }, {}, 'search,search,search'],
    ['whose arguments are missing', { mirror: { ...mirror, parameters: needs } }, {}, 'search,search,search'],
    ['that ends the way of another one', { mirror: broken('query', 'search') }, {}, 'search,search,search,mirror,mirror,mirror'],
    ['that is not used after an effect', { search: broken('write', 'mirror'), mirror }, {}, 'search'],
  ] as [string, Record<string, Partial<ToolDefinition>>, PlayOptions, string][])
    it(`has one ${what}`, async () => {
      const one = await play([call('search'), 'No.'], { search: primary, ...tools }, options);
      expect(ran(one).join()).to.equal(expected);
    });
});

describe('a tool that fails runs', () => {
  useFaultServer({ settles: true });
  const note = (more: Partial<ToolDefinition> = {}) => ({ act: { ...failing(2, network), ...more } });

  for (const [how, tools, options, expected, advice] of [
    ['once under a host that wants no repetition', note({ risk: 'query' }), { errorStrategies: { network: ['fail'] } }, 'error', false],
    ['once where it may have had an effect and there is nobody to ask', note(), {}, 'error', true],
    ['again by itself where its maker says that this does no harm', note({ idempotent: true }), {}, 'success', false],
    ['once where its time was up: it may be at work still', { act: never }, { person: true, toolTimeout: 20 }, 'error', true],
  ] as [string, Tools, PlayOptions, string, boolean][])
    it(how, async () => {
      const one = await play([call('act'), 'Well.'], tools, options);
      expect([one.results[0]?.status, one.runs.length]).to.deep.equal([expected, expected === 'success' ? 3 : 1]);
      expect(one.cards()[0]?.advice !== undefined).to.equal(advice);
    });
});
