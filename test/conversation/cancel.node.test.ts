/** A stop in every state: idle at once, the socket closed, the signal aborted, every call with one end, nothing afterwards. */
import { expect } from 'chai';
import { SimulatedClock } from 'xstate';
import { en } from '../../src/i18n/en.js';
import type { Journal } from '../../src/storage/journal.js';
import { call, deferred, talk, tick, until, useFaultServer, type ScriptedTurn, type Talk, type TalkOptions } from './talk.js';

interface State {
  turns: ScriptedTurn[];
  options?: TalkOptions;
  prepare?(one: Talk): void;
  reached(one: Talk): unknown;
  /** Whether a request is open that the server has to see closed. */
  closes?: boolean;
  statuses?: string[];
}

const asked1 = (one: Talk) => one.requests().length === 1;
const answering = { text: 'Some prose that goes on.', q: 'hang=2&gap=1' };
const dangerous = (one: Talk) => void one.tool('erase', { risk: 'danger' });
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
  'waiting for headers': { turns: [{ text: 'x', q: 'hang=connect' }], reached: asked1, closes: true },
  'waiting for the first event': { turns: [{ text: 'x', q: 'hang=first' }], reached: asked1, closes: true },
  'streaming prose': { turns: [answering], reached: (one) => one.chat.streamingText.length > 5, closes: true },
  'inside a half-parsed call': {
    turns: [{ text: half, q: 'hang=26&gap=1' }],
    reached: (one) => one.cards().length === 2 && one.chat.currentTool?.partial && Object.keys(one.chat.currentTool.params).length > 0,
    closes: true,
    statuses: ['cancelled', 'cancelled'],
  },
  'checking: the host decides': {
    turns: [call('erase')],
    options: { decide: () => new Promise(() => {}) },
    prepare: dangerous,
    reached: (one) => one.chat.state === 'tool_call',
    statuses: ['cancelled'],
  },
  'awaiting approval': {
    turns: [call('erase') + call('change')],
    options: { person: true },
    prepare: dangerous,
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
    options: { journal: { ...neverAnswers, intent: () => Promise.resolve('start'), settle: () => new Promise(() => {}) } },
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
    turns: [call('change'), answering],
    reached: (one) => one.chat.state === 'respond' && one.chat.streamingText.length > 5,
    closes: true,
    statuses: ['success'],
  },
  'waiting to ask again': { turns: [{ text: 'x', q: 'status=500' }], reached: (one) => one.chat.matchesState('retrying') },
};

const stoppedSays = ['Cancelled before it finished. It may have gone through', 'Not executed'];

describe('a stop (S0-88)', () => {
  useFaultServer({ settles: true });

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
      one.chat.cancelStream();
      one.chat.cancelStream();
      expect(one.chat.state).to.equal('idle');
      const { results, ...end } = await done;
      expect(end).to.include({ reason: 'cancelled', success: false });
      if (name === 'executing') expect(results.map(({ message }) => message)).to.deep.equal(['quick done', ...stoppedSays]);
      expect(one.cards().map(({ status }) => status)).to.deep.equal(statuses);
      for (const run of one.runs) if (Number.isNaN(run.endedAt)) expect(run.context.signal.aborted).to.equal(true);
      if (closes) await until(() => one.requests().every(({ clientClosed, finished }) => clientClosed ?? finished), 'the close');
      clock.increment(200_000);
      await tick();
      await tick();
      expect(one.runs.length, 'tools started afterwards').to.equal(runs);
      expect(one.requests().length, 'requests made afterwards').to.equal(requests);

      // The next request is well-formed: every call that was read has its answer.
      const ended = one.cards();
      void one.send('and now?');
      await until(() => one.requests().length > requests && one.bodies().at(-1), 'the next request');
      const answered = one.bodies().at(-1)!;
      const text = answered.messages.map((message) => message.text).join('\n');
      for (const { requestId, status } of ended) expect(text).to.include(`id="${requestId}" status="${status}"`);
      expect(answered.messages.at(-1)).to.deep.equal({ role: 'user', text: 'and now?' });
    });

  it('keeps what was said, marked as stopped, and its events apart from those of the next message', async () => {
    const one = talk([{ ...answering, times: 1 }, 'x']);
    const done = one.send();
    await until(() => one.chat.streamingText.length === 14, 'text');
    one.chat.cancelStream();
    const second = one.send('two');
    expect(await done).to.include({ text: 'Some prose tha' });
    expect(one.chat.messages[1]).to.deep.include({ text: 'Some prose tha', status: { type: 'cancelled' } });
    expect([one.view().views[1]?.note, one.chat.error]).to.deep.equal(['Stopped', null]);
    await second;
    const edges = one.names().filter((name) => name === 'stream-start' || name === 'stream-end');
    expect(edges).to.deep.equal(['stream-start', 'stream-end', 'stream-start', 'stream-end']);
  });

  for (const resource of [undefined, 'money'])
    it(`runs nothing that it says has not run, at whatever moment after "allow" it comes${resource ? ', also with a resource' : ''}`, async () => {
      const seen = new Set<string>();
      for (let at = 0; at < 60; at += 1) {
        const finish = deferred();
        const one = talk([call('pay'), 'Done.'], { person: true });
        one.tool('pay', { risk: 'danger', execute: () => finish.promise, ...(resource && { resource }) });
        const done = one.send();
        one.decide('allow', await one.question());
        for (let step = 0; step < at; step += 1) await (step < 40 ? Promise.resolve() : tick());
        one.chat.cancelStream();
        await done;
        finish.resolve();
        await tick();
        const ends = one.events.filter(({ type }) => type === 'tool-complete').length;
        seen.add(`${String(one.cards()[0]?.result?.message)}: ${String(one.runs.length)} runs, ${String(ends)} ends`);
      }
      expect([...seen]).to.deep.equal([`${en.notExecuted}: 0 runs, 1 ends`, `${en.toolCancelled}: 1 runs, 1 ends`]);
    });

  const types = 'state-change stream-start stream-chunk tool-detected tool-execute tool-complete cycle approval-request';
  for (const type of types.split(' '))
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
      one.with({ look: 'query', erase: 'danger' });
      const done = one.send();
      await until(() => stops === 1, 'the listener');
      if (type === 'stream-start')
        return void (await until(() => one.chat.matchesState('awaitingApproval'), 'a turn that was not there to stop'));
      const seen = one.runs.length;
      expect(await done).to.include({ reason: 'cancelled' });
      await tick();
      expect(one.runs.length).to.equal(seen);
      expect(one.events.at(-1)).to.deep.equal({ type: 'stream-end', success: false, reason: 'cancelled' });
    });
});
