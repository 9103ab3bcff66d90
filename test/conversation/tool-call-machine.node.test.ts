/** The chart of one call, walked over all its short paths. It has no parent here, so its messages to one are silenced. */
import { expect } from 'chai';
import { getShortestPaths } from 'xstate/graph';
import type { Call, PublishedResult } from '../../src/model/calls.js';
import type { Conclusion } from '../../src/conversation/chart/chart-context.js';
import type { Checked, Clearance } from '../../src/conversation/chart/call-context.js';
import { toolCallMachine } from '../../src/conversation/chart/call-machine.js';

const call = { requestId: 'c1', toolName: 'erase', digest: 'shown' } as Call;
const result = (status: string) => ({ requestId: 'c1', toolName: 'erase', status, success: status === 'success' }) as PublishedResult;
const checked = (verdict: 'allow' | 'ask'): Checked => ({ type: 'checked', call, verdict, ticket: {} });
const done = (id: string, output?: Checked | Clearance | PublishedResult | Conclusion) => ({ type: `xstate.done.actor.${id}`, output });
const failed = (id: string) => ({ type: `xstate.error.actor.${id}`, error: new Error(id) });

const events = [
  { type: 'release', proof: 'proved' },
  { type: 'allow', digest: 'shown' },
  { type: 'allow', digest: 'other' },
  { type: 'deny', digest: 'shown', result: result('denied') },
  { type: 'deny', digest: 'other', result: result('denied') },
  { type: 'edit', digest: 'shown', args: {} },
  { type: 'start' },
  ...(['drift', 'changed'] as const).map((why) => ({ type: 'recall', why })),
  done('rehearse'),
  { type: 'xstate.done.actor.rehearse', output: { call, ticket: {} } },
  done('revise', checked('allow')),
  done('revise', { type: 'refused', result: result('error') }),
  done('check', checked('allow')),
  done('check', checked('ask')),
  done('check', { type: 'refused', result: result('error') }),
  done('clear', { type: 'start' }),
  done('clear', { type: 'differs' }),
  done('clear', { type: 'refused', result: result('denied') }),
  done('execute', result('success')),
  done('execute', { type: 'concluded', result: result('error'), ask: true }),
  done('record'),
  ...['check', 'revise', 'rehearse', 'clear', 'execute', 'record'].map(failed),
];

const input = {
  request: { requestId: 'c1', toolName: 'erase', arguments: {}, raw: '', flags: [], protocol: 'xml-invoke' },
  manual: false,
  failed: 'Tool failed',
};

function paths(machine: typeof toolCallMachine, possible: readonly object[] = events) {
  const tells = ['queued', 'waiting', 'revising', 'looked at again', 'executing', 'failed', 'settled'];
  const silent = machine.provide({ actions: Object.fromEntries(tells.map((what) => [`tell: ${what}`, () => {}])) as never });
  return getShortestPaths(silent, {
    input,
    events: possible as never,
    serializeState: ({ value, status, context }) =>
      JSON.stringify([value, status, context.decidedBy, context.result?.status, context.started, context.ticket !== undefined]),
    // An error of an actor that does not run; nobody sends it.
  }).filter(({ state }) => state.status !== 'error');
}

const said = (event: object) => JSON.stringify(event);
const typesOf = (path: { steps: { event: object }[] }) => path.steps.map(({ event }) => said(event));
const executing = (machine: typeof toolCallMachine, possible?: readonly object[]) =>
  paths(machine, possible).filter(({ state }) => state.matches('executing'));

/** Paths that start a tool that asks, though nobody allowed what was shown. */
function unapproved(machine: typeof toolCallMachine): string[][] {
  const approvals = [{ type: 'allow', digest: 'shown' }, done('check', checked('allow'))].map(said);
  return executing(
    machine,
    events.filter((event) => !approvals.includes(said(event))),
  ).map(typesOf);
}

describe('the chart of a call', () => {
  it('reaches every state', () => {
    const reached = new Set(paths(toolCallMachine).map(({ state }) => String(state.value)));
    expect([...reached].sort()).to.deep.equal(Object.keys(toolCallMachine.states).sort());
  });

  it('executes only after its turn came and the journal said so, and again only after a failure that a user allows to repeat', () => {
    const all = executing(toolCallMachine);
    const again = all.filter(({ state }) => state.context.result);
    expect([again.length > 0, all.length > again.length]).to.deep.equal([true, true]);
    for (const path of all) {
      const steps = typesOf(path);
      expect(steps).to.include(said({ type: 'release', proof: 'proved' }));
      expect(steps).to.include(said(done('clear', { type: 'start' })));
      const isAgain = again.includes(path);
      expect(steps.at(-1)).to.equal(said(isAgain ? { type: 'allow', digest: 'shown' } : done('clear', { type: 'start' })));
      expect(steps.at(-2)).to.include(isAgain ? '"ask":true' : said({ type: 'start' }));
    }
  });

  it('executes a call that asks only after an approval of exactly what was shown', () => {
    expect(executing(toolCallMachine).filter(({ state }) => state.context.decidedBy === 'person')).to.have.length.above(0);
    expect(unapproved(toolCallMachine)).to.deep.equal([]);
  });

  it('would not pass for a chart that takes any digest', () => {
    const skips = toolCallMachine.provide({ guards: { 'it is about what was shown': () => true } });
    expect(unapproved(skips)).to.have.length.above(0);
  });

  it('settles with exactly one result, whichever of its actors fails', () => {
    const settled = paths(toolCallMachine).filter(({ state }) => state.matches('settled'));
    expect(settled).to.have.length.above(3);
    for (const { state } of settled) {
      expect(state.status).to.equal('done');
      expect(state.context.result?.requestId).to.equal('c1');
    }
  });

  it('starts no tool when a check or the journal fails', () => {
    for (const { steps, state } of paths(toolCallMachine)) {
      const all = steps.map(({ event }) => event.type as string);
      if (!all.includes('xstate.error.actor.check') && !all.includes('xstate.error.actor.clear')) continue;
      expect(state.context.started).to.equal(false);
      expect(state.context.result).to.include({ status: 'error', code: 'EXECUTION_FAILED', message: 'Tool failed' });
    }
  });
});
