/** The chart of one call, walked over all its short paths. What it tells its parent is silenced: here it has none. */
import { expect } from 'chai';
import { getShortestPaths, type StatePath } from 'xstate/graph';
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
  const silent = machine.provide({
    actions: {
      'tell: queued': () => {},
      'tell: waiting': () => {},
      'tell: revising': () => {},
      'tell: looked at again': () => {},
      'tell: executing': () => {},
      'tell: failed': () => {},
      'tell: settled': () => {},
    },
  });
  return getShortestPaths(silent, {
    input,
    events: possible as never,
    serializeState: ({ value, status, context }) =>
      JSON.stringify([value, status, context.decidedBy, context.result?.status, context.started, context.ticket !== undefined]),
    // An error of an actor that does not run; nobody sends it.
  }).filter(({ state }) => state.status !== 'error');
}

const typesOf = (path: StatePath<never, never>) => path.steps.map(({ event }) => JSON.stringify(event));
const said = (event: object) => JSON.stringify(event);

/** Paths that start a tool that asks, though nobody allowed what was shown. */
function unapproved(machine: typeof toolCallMachine): string[][] {
  const withoutApproval = events.filter(
    (event) => ![said({ type: 'allow', digest: 'shown' }), said(done('check', checked('allow')))].includes(said(event)),
  );
  return paths(machine, withoutApproval)
    .filter(({ state }) => state.matches('executing'))
    .map((path) => typesOf(path as never));
}

describe('the chart of a call', () => {
  it('reaches every state', () => {
    const reached = new Set(paths(toolCallMachine).map(({ state }) => String(state.value)));
    expect([...reached].sort()).to.deep.equal(Object.keys(toolCallMachine.states).sort());
  });

  it('executes again only what has failed, once a person allows exactly what was shown', () => {
    const again = paths(toolCallMachine).filter(({ state }) => state.matches('executing') && state.context.result);
    expect(again).to.have.length.above(0);
    for (const path of again) {
      const steps = typesOf(path as never);
      expect(steps.at(-1)).to.equal(said({ type: 'allow', digest: 'shown' }));
      expect(steps.at(-2)).to.include('"ask":true');
      expect(steps).to.include(said(done('clear', { type: 'start' })));
    }
  });

  it('executes only after its turn came and the journal said so', () => {
    const executing = paths(toolCallMachine).filter(({ state }) => state.matches('executing') && !state.context.result);
    expect(executing).to.have.length.above(0);
    for (const path of executing) {
      const steps = typesOf(path as never);
      expect(steps.at(-1)).to.equal(said(done('clear', { type: 'start' })));
      expect(steps.at(-2)).to.equal(said({ type: 'start' }));
      expect(steps).to.include(said({ type: 'release', proof: 'proved' }));
    }
  });

  it('executes a call that asks only after an approval of exactly what was shown', () => {
    const asked = paths(toolCallMachine).filter(({ state }) => state.matches('executing') && state.context.decidedBy === 'person');
    expect(asked).to.have.length.above(0);
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
