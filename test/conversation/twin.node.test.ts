/** The charts by their twins: the same states and transitions, and along every short path the same course. */
import { expect } from 'chai';
import { createActor, fromCallback, fromPromise, SimulatedClock, type AnyStateMachine, type StateValue } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { Call, PublishedResult } from '../../src/model/calls.js';
import { wholeChart } from '../../src/conversation/chart/call-steps.js';
import { conversationMachine } from '../../src/conversation/chart/conversation-machine.js';
import { defaultSettings } from '../../src/conversation/options/read-settings.js';
import { type Settings } from '../../src/conversation/options/settings.js';
import { toolCallMachine } from '../../src/conversation/chart/call-machine.js';
import type { FinishedReply } from '../../src/conversation/chart/chart-context.js';
import type { ChatMessage } from '../../src/model/messages.js';
import { answered, elapsed, failedActor, outline, twinOf } from './twin.js';

wholeChart();

type Event = { type: string; [field: string]: unknown };

describe('a twin of a chart', () => {
  const charts: Record<string, AnyStateMachine> = { conversation: conversationMachine, call: toolCallMachine };

  for (const [name, chart] of Object.entries(charts))
    it(`has every state and every transition of the chart of a ${name}, and no others`, () => {
      expect(outline(twinOf(chart))).to.deep.equal(outline(chart));
      expect(outline(chart)).to.have.length.above(15);
    });

  it('would be told from a chart that lacks one transition', () => {
    const { config } = toolCallMachine;
    const { awaitingApproval, ...states } = config.states as Record<string, { on: object }>;
    const { deny: _, ...on } = (awaitingApproval as { on: Record<string, unknown> }).on;
    const poorer = twinOf({
      ...toolCallMachine,
      config: { ...config, states: { ...states, awaitingApproval: { ...awaitingApproval, on } } },
    } as never);
    expect(outline(poorer)).not.to.deep.equal(outline(toolCallMachine));
  });

  it('invokes nothing and waits for no clock', () => {
    for (const chart of Object.values(charts)) expect(JSON.stringify(twinOf(chart).config)).not.to.match(/"(invoke|after)":/);
  });
});

// ——— A call

const call = { requestId: 'c1', toolName: 'erase', digest: 'shown' } as Call;
const result = (status: string) => ({ requestId: 'c1', toolName: 'erase', status, success: status === 'success' }) as PublishedResult;
const request = (requestId: string) => ({ requestId, toolName: 'tool', arguments: {}, raw: requestId, flags: [], protocol: 'xml-invoke' });

const callEvents: Event[] = [
  { type: 'release', proof: 'proved' },
  { type: 'allow', digest: 'shown' },
  { type: 'allow', digest: 'other' },
  { type: 'granted', call },
  { type: 'deny', digest: 'shown', result: result('denied') },
  { type: 'start' },
  answered('check', { type: 'checked', call, verdict: 'allow', ticket: {} }),
  answered('check', { type: 'checked', call, verdict: 'ask', ticket: {} }),
  answered('check', { type: 'refused', result: result('error') }),
  answered('clear', { type: 'start' }),
  answered('clear', { type: 'refused', result: result('denied') }),
  answered('clear', { type: 'differs' }),
  { type: 'recall', why: 'changed' },
  answered('rehearse', { call: { ...call, digest: 'again' }, ticket: {} }),
  answered('rehearse'),
  answered('execute', result('success')),
  answered('execute', { type: 'concluded', result: result('error'), ask: true }),
  answered('record'),
  { type: 'edit', digest: 'shown', args: {} },
  { type: 'edit', digest: 'other', args: {} },
  answered('revise', { type: 'checked', call: { ...call, digest: 'edited' }, verdict: 'allow', ticket: {} }),
  answered('revise', { type: 'refused', result: result('error') }),
  ...['check', 'revise', 'clear', 'rehearse', 'execute', 'record'].map(failedActor),
];

const silence = {
  'tell: queued': () => {},
  'tell: waiting': () => {},
  'tell: revising': () => {},
  'tell: looked at again': () => {},
  'tell: executing': () => {},
  'tell: failed': () => {},
  'tell: settled': () => {},
};
const input = { request: request('c1'), manual: false, failed: 'Tool failed' };

const callPaths = () =>
  getShortestPaths(twinOf(toolCallMachine).provide({ actions: silence } as never), {
    input: input as never,
    events: callEvents as never,
    serializeState: ({ value, context }) => JSON.stringify([value, context.decidedBy, context.result?.status, context.started]),
  });

/** What the production chart's actors are asked, until the test answers as the path says. */
function realCall() {
  const asked = new Map<string, { resolve(output: unknown): void; reject(error: unknown): void }>();
  const actor = (id: string) =>
    fromPromise<unknown, { edited?: object }>(
      ({ input: given }) => new Promise((resolve, reject) => asked.set(given.edited ? 'revise' : id, { resolve, reject })),
    );
  const actors = Object.fromEntries(['check', 'clear', 'rehearse', 'execute', 'record'].map((id) => [id, actor(id)]));
  const chart = createActor(toolCallMachine.provide({ actors: actors as never, actions: silence as never }), { input: input as never });
  chart.start();
  return {
    chart,
    async take(event: Event) {
      const [kind, id = ''] = event.type.split(':');
      if (kind === 'done') asked.get(id)?.resolve(event['output']);
      else if (kind === 'error') asked.get(id)?.reject(event['error']);
      else chart.send(event as never);
      await turns();
    },
  };
}

const turns = async () => {
  for (let at = 0; at < 6; at++) await Promise.resolve();
};

describe('the chart of a call, along the paths of its twin', () => {
  it('walks over every transition', () => {
    const walked = new Set(
      callPaths().flatMap(({ steps }) => steps.map(({ state, event }) => `${String(state.value)} ${String((event as Event).type)}`)),
    );
    const twin = twinOf(toolCallMachine);
    const all = Object.values(twin.states).flatMap((state) => [...state.transitions.keys()].map((type) => `${state.key} ${String(type)}`));
    // A shortest path leads to a state, not over every edge: the edges beside it are taken one by one.
    const edges = callPaths().flatMap(({ state }) => callEvents.map(({ type }) => `${String(state.value)} ${type}`));
    expect(all.filter((edge) => !walked.has(edge) && !edges.includes(edge))).to.deep.equal([]);
  });

  it('goes the same way as its twin, whatever is sent next', async () => {
    let compared = 0;
    for (const { steps } of callPaths()) {
      const way = steps.map(({ event }) => event as Event).filter(({ type }) => !type.startsWith('xstate.'));
      for (const next of callEvents) {
        const twin = createActor(twinOf(toolCallMachine).provide({ actions: silence } as never), { input: input as never });
        twin.start();
        const real = realCall();
        for (const event of [...way, next]) {
          twin.send(event as never);
          await real.take(event);
        }
        const seen = real.chart.getSnapshot();
        expect(seen.value, way.map(({ type }) => type).join(' → ')).to.deep.equal(twin.getSnapshot().value);
        expect(seen.context.result?.status).to.equal(twin.getSnapshot().context.result?.status);
        expect(seen.context.started).to.equal(twin.getSnapshot().context.started);
        compared += 1;
        real.chart.stop();
      }
    }
    expect(compared).to.be.above(150);
  });
});

// ——— A conversation

const settings = { ...defaultSettings, maxIterations: 3, repeatLimit: 100 } as Settings;
const user: ChatMessage = { id: 'u1', role: 'user', text: 'u1', createdAt: 0, status: { type: 'complete' }, metadata: {} };
const failure = { kind: 'cut', code: 'STREAM_CUT', layer: 'network', retryable: true } as const;
const reply: FinishedReply = {
  ...{ messageId: 't1-1', text: 'text', raw: 'text', reasoning: '', finish: 'stop', proof: 'proved' },
  parts: [{ type: 'call', requestId: 'c1' }],
};

const conversationEvents: Event[] = [
  { type: 'user.send', turnId: 't1', message: user, settings },
  { type: 'user.retry', turnId: 't2', settings },
  { type: 'user.stop', reason: 'cancelled', reply },
  { type: 'call.opened' },
  { type: 'call.closed' },
  { type: 'call.found', request: request('c1'), messageId: 't1-1' },
  { type: 'call.changed', requestId: 'c1', status: 'queued' },
  { type: 'call.changed', requestId: 'c1', status: 'awaiting_approval' },
  { type: 'call.changed', requestId: 'c1', status: 'executing', started: true },
  { type: 'call.settled', requestId: 'c1', result: result('success') },
  { type: 'reply.ended', reply },
  { type: 'reply.cut', reply, failure },
  { type: 'reply.failed', reply, failure, retry: null },
  { type: 'reply.failed', reply, failure, retry: { delayMs: 1000, attempt: 1, of: 3, class: 'network' } },
  elapsed('until the next attempt'),
];

/** Calls that answer nothing by themselves: what they tell their conversation is among the events. */
const mute = { actors: { toolCall: fromCallback(() => undefined), readReply: fromCallback(() => undefined) } } as never;

const shape = ({ value, context }: { value: StateValue; context: Record<string, unknown> }) =>
  JSON.stringify([
    value,
    (context['calls'] as { status: string }[]).map(({ status }) => status),
    (context['messages'] as unknown[]).length,
    context['failure'] !== null,
  ]);

describe('the chart of a conversation, along the paths of its twin', function () {
  this.timeout(60_000);

  const paths = () =>
    getShortestPaths(twinOf(conversationMachine).provide(mute), {
      events: conversationEvents as never,
      stopWhen: ({ context }) => context.messages.length > 3 || (context.calls.length > 0 && context.turn === null),
      limit: 3000,
      serializeState: (state) => shape(state as never),
    });

  it('goes the same way as its twin, to every state that the twin can reach', () => {
    const reached = new Set<string>();
    for (const { steps } of paths()) {
      const clock = new SimulatedClock();
      const twin = createActor(twinOf(conversationMachine).provide(mute));
      const real = createActor(conversationMachine.provide(mute), { clock });
      twin.start();
      real.start();
      for (const { event } of steps as { event: Event }[]) {
        if (event.type.startsWith('xstate.')) continue;
        twin.send(event as never);
        if (event.type.startsWith('after:')) clock.increment(1000);
        else real.send(event as never);
        expect(shape(real.getSnapshot() as never), event.type).to.equal(shape(twin.getSnapshot() as never));
        for (const id of idsOf(real.getSnapshot().value)) reached.add(id);
      }
      real.stop();
      twin.stop();
    }
    const replies = ['streaming.text', 'streaming.parsing', 'retrying', 'answered'].map((state) => `turn.reply.${state}`);
    const work = ['none', 'held', 'calls.asking', 'calls.running.alone'].map((state) => `turn.work.${state}`);
    expect([...reached]).to.include.members(['idle', 'turn.round.first', 'turn.round.later', ...replies, ...work]);
  });
});

function idsOf(value: StateValue, above = ''): string[] {
  if (typeof value === 'string') return [above + value];
  return Object.entries(value).flatMap(([key, inner]) => [above + key, ...(inner === undefined ? [] : idsOf(inner, `${above}${key}.`))]);
}
