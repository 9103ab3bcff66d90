/** A stop in every state: idle at once, the socket closed, the signal aborted, every call with one end, nothing afterwards. */
import { expect } from 'chai';
import { SimulatedClock } from 'xstate';
import type { Journal } from '../../src/storage/journal.js';
import { call, deferred, settlesWell, talk, tick, until, useFaultServer, type ScriptedTurn, type Talk, type TalkOptions } from './talk.js';

interface State {
  turns: ScriptedTurn[];
  options?: TalkOptions;
  prepare?(one: Talk): void;
  reached(one: Talk): unknown;
  /** Whether a request is open that the server has to see closed. */
  closes?: boolean;
  statuses?: string[];
}

const half = `${call('change', { title: 'first' })}${call('change', { title: 'second, with a long title' })}`;
const intent = deferred<'start'>();
const neverAnswers: Journal = { intent: () => intent.promise, settle: () => Promise.resolve(), find: () => Promise.resolve(undefined) };

/** How often the host was asked for headers; the first answer never comes. */
let asked = 0;

const states: Record<string, State> = {
  'connecting: headers are being made': {
    turns: ['x'],
    options: { headers: () => ((asked += 1) === 1 ? new Promise(() => {}) : {}) },
    reached: () => asked === 1,
  },
  'waiting for headers': { turns: [{ text: 'x', q: 'hang=connect' }], reached: (one) => one.requests().length === 1, closes: true },
  'waiting for the first event': { turns: [{ text: 'x', q: 'hang=first' }], reached: (one) => one.requests().length === 1, closes: true },
  'streaming prose': {
    turns: [{ text: 'Some prose that goes on.', q: 'hang=2&gap=1' }],
    reached: (one) => one.chat.streamingText.length > 5,
    closes: true,
  },
  'inside a half-parsed call': {
    turns: [{ text: half, q: 'hang=26&gap=1' }],
    reached: (one) => one.cards().length === 2 && one.chat.currentTool?.partial && Object.keys(one.chat.currentTool.params).length > 0,
    closes: true,
    statuses: ['cancelled', 'cancelled'],
  },
  'between two calls': {
    turns: [{ text: `${call('change')} and some more text`, q: 'hang=17&gap=1' }],
    reached: (one) => one.cards().length === 1 && one.chat.currentTool?.partial !== true && one.chat.streamingText.length > 1,
    closes: true,
    statuses: ['cancelled'],
  },
  'checking: a tool describes itself': {
    turns: [call('slow_words')],
    prepare: (one) => void one.tool('slow_words', { describeCall: () => new Promise(() => {}) }),
    reached: (one) => one.chat.state === 'tool_call',
    statuses: ['cancelled'],
  },
  'awaiting approval': {
    turns: [call('erase') + call('change')],
    options: { person: true },
    prepare: (one) => void one.tool('erase', { risk: 'danger' }),
    reached: (one) => one.chat.matchesState('awaitingApproval') && one.cards()[1]?.status === 'queued',
    statuses: ['cancelled', 'cancelled'],
  },
  'asking the journal': {
    turns: [call('change')],
    options: { journal: neverAnswers },
    reached: (one) => one.events.some(({ type }) => type === 'tool-execute'),
    statuses: ['cancelled'],
  },
  executing: {
    turns: [call('quick') + call('endless') + call('change')],
    prepare(one) {
      one.tool('quick');
      one.tool('endless', { execute: () => new Promise(() => {}) });
    },
    reached: (one) => one.runs.length === 2,
    statuses: ['success', 'cancelled', 'cancelled'],
  },
  'recording the result': {
    turns: [call('change')],
    options: {
      journal: { intent: () => Promise.resolve('start'), settle: () => new Promise(() => {}), find: () => Promise.resolve(undefined) },
    },
    reached: (one) => one.runs[0]?.endedAt,
    statuses: ['cancelled'],
  },
  'feeding back: the second request': {
    turns: [call('change', { title: 'x' }), { text: 'x', q: 'hang=connect' }],
    reached: (one) => one.requests().length === 2,
    closes: true,
    statuses: ['success'],
  },
  'streaming the answer after a tool': {
    turns: [call('change'), { text: 'An answer that goes on.', q: 'hang=2&gap=1' }],
    reached: (one) => one.chat.state === 'respond' && one.chat.streamingText.length > 5,
    closes: true,
    statuses: ['success'],
  },
  'waiting to ask again': { turns: [{ text: 'x', q: 'status=500' }], reached: (one) => one.chat.matchesState('retrying') },
};

describe('a stop', () => {
  useFaultServer();

  for (const [name, { turns, options = {}, prepare, reached, closes = false, statuses = [] }] of Object.entries(states))
    it(`D66 ends everything while ${name}`, async () => {
      const clock = new SimulatedClock();
      const one = talk([...turns], { clock, ...options });
      prepare?.(one);
      one.tool('change');
      const done = one.send();
      await until(() => reached(one), name);
      const runs = one.runs.length;
      const requests = one.requests().length;
      const startedAt = performance.now();
      one.chat.cancelStream();
      one.chat.cancelStream();
      expect(one.chat.state).to.equal('idle');
      expect(await done).to.include({ reason: 'cancelled', success: false });
      expect(performance.now() - startedAt).to.be.below(100);
      expect(one.cards().map(({ status }) => status)).to.deep.equal(statuses);
      for (const run of one.runs) if (Number.isNaN(run.endedAt)) expect(run.context.signal.aborted).to.equal(true);
      if (closes) await until(() => one.requests().every(({ clientClosed, finished }) => clientClosed ?? finished), 'the close', 1000);
      clock.increment(200_000);
      await tick();
      await tick();
      expect(one.runs.length, 'tools started afterwards').to.equal(runs);
      expect(one.requests().length, 'requests made afterwards').to.equal(requests);
      await settlesWell(one);

      // The next request is well-formed: every call that was read has its answer.
      const ended = one.cards();
      const answered = await nextBody(one);
      const text = answered.messages.map((message) => message.text).join('\n');
      for (const { requestId, status } of ended) expect(text).to.include(`id="${requestId}" status="${status}"`);
      expect(answered.messages.at(-1)).to.deep.equal({ role: 'user', text: 'and now?' });
    });

  /** What the model would be sent next; asked of a server that answers cleanly. */
  async function nextBody(one: Talk) {
    const before = one.requests().length;
    void one.send('and now?');
    await until(() => one.requests().length > before && one.bodies().at(-1), 'the next request').catch(() => undefined);
    if (one.requests().length > before) return one.bodies().at(-1)!;
    throw new Error('no next request');
  }

  it('keeps what was said, marked as stopped', async () => {
    const one = talk([{ text: 'Some prose that goes on.', q: 'hang=2&gap=1' }]);
    const done = one.send();
    await until(() => one.chat.streamingText.length === 14, 'text');
    one.chat.cancelStream();
    expect(await done).to.include({ text: 'Some prose tha' });
    expect(one.chat.messages.at(-1)).to.deep.include({ text: 'Some prose tha', status: { type: 'cancelled' } });
    expect(one.view().views.at(-1)?.note).to.equal('Stopped');
    expect(one.chat.error).to.equal(null);
  });

  it('says of a tool that was running that it may have happened, and of the rest that they were not executed', async () => {
    const one = talk([call('endless') + call('change')]);
    one.tool('endless', { execute: () => new Promise(() => {}) });
    one.tool('change');
    const done = one.send();
    await until(() => one.runs.length === 1, 'the tool');
    one.chat.cancelStream();
    const { results } = await done;
    expect(results.map(({ code, message }) => [code, message])).to.deep.equal([
      ['CANCELLED', 'Cancelled before it finished; it may have happened'],
      ['CANCELLED', 'Not executed'],
    ]);
    expect(one.events.filter(({ type }) => type === 'cycle')).to.have.length(1);
  });

  it('D67 gives a call one end when tool and stop come together, in both orders', async () => {
    for (const stopFirst of [true, false]) {
      const one = talk([call('change'), 'Done.']);
      const finish = deferred();
      one.tool('change', { execute: () => finish.promise });
      const done = one.send();
      await until(() => one.runs.length === 1, 'the tool');
      if (stopFirst) one.chat.cancelStream();
      finish.resolve();
      if (!stopFirst) {
        await Promise.resolve();
        one.chat.cancelStream();
      }
      await done;
      await tick();
      expect(one.events.filter(({ type }) => type === 'tool-complete')).to.have.length(1);
      await settlesWell(one);
    }
  });

  it('ignores what a stopped tool says and does later', async () => {
    const one = talk([call('change'), 'Hello.']);
    const finish = deferred<unknown>();
    const said: unknown[] = [];
    one.tool('change', {
      async execute(_args, context) {
        await finish.promise;
        context.progress({ fraction: 0.9 });
        said.push(1);
        return 'late';
      },
    });
    const done = one.send();
    await until(() => one.runs.length === 1, 'the tool');
    one.chat.cancelStream();
    await done;
    finish.resolve(undefined);
    await until(() => said.length === 1, 'the late end');
    await tick();
    expect(one.chat.toolHistory.map(({ status }) => status)).to.deep.equal(['cancelled']);
    expect(one.events.some(({ type }) => type === 'tool-progress')).to.equal(false);
  });

  for (const type of [
    'state-change',
    'stream-start',
    'stream-chunk',
    'tool-detected',
    'tool-execute',
    'tool-complete',
    'cycle',
    'approval-request',
  ] as const)
    it(`may come from a listener of ${type}`, async () => {
      let stops = 0;
      const one: Talk = talk([`Text. ${call('look')}${type === 'cycle' ? '' : call('erase')}`, 'Done.'], {
        person: true,
        onEach(event, { chat }) {
          if (event.type !== type || stops > 0) return;
          stops += 1;
          chat.cancelStream();
        },
      });
      one.tool('look', { risk: 'query' });
      one.tool('erase', { risk: 'danger' });
      const done = one.send();
      await until(() => stops === 1, 'the listener');
      if (type === 'stream-start')
        return void (await until(() => one.chat.matchesState('awaitingApproval'), 'a turn that was not there to stop'));
      const seen = one.runs.length;
      expect(await done).to.include({ reason: 'cancelled' });
      await tick();
      expect(one.runs.length).to.equal(seen);
      expect(one.events.at(-1)).to.deep.equal({ type: 'stream-end', success: false, reason: 'cancelled' });
      await settlesWell(one);
    });

  it('may come from a subscriber who sees a tool about to run: then it does not run', async () => {
    const one = talk([call('change'), 'Done.']);
    one.tool('change');
    one.chat.subscribe(({ isToolExecuting }) => {
      if (isToolExecuting) one.chat.cancelStream();
    });
    expect(await one.send()).to.include({ reason: 'cancelled' });
    await tick();
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('and the next message right after it keep their events apart', async () => {
    const one = talk([{ text: 'Some prose that goes on.', q: 'hang=2&gap=1', times: 1 }, 'x']);
    const first = one.send('one');
    await until(() => one.chat.streamingText, 'text');
    one.chat.cancelStream();
    const second = one.send('two');
    await Promise.all([first, second]);
    const edges = one.names().filter((name) => name === 'stream-start' || name === 'stream-end');
    expect(edges).to.deep.equal(['stream-start', 'stream-end', 'stream-start', 'stream-end']);
  });
});
