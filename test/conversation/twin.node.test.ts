/** The charts by their twins: the same states and transitions, and along every short path the same course. */
import { expect } from 'chai';
import { createActor, fromCallback, fromPromise, SimulatedClock, type AnyStateMachine, type StateValue } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { Call, PublishedResult } from '../../src/model/calls.js';
import { wholeChart } from '../../src/conversation/chart/call-steps.js';
import { conversationMachine } from '../../src/conversation/chart/conversation-machine.js';
import { defaultSettings } from '../../src/conversation/options/read-settings.js';
import { type Settings } from '../../src/conversation/options/settings.js';
import { endedCallMachine } from '../../src/conversation/calls/ended-call-machine.js';
import { toolCallMachine } from '../../src/conversation/chart/call-machine.js';
import type { FinishedReply } from '../../src/conversation/chart/chart-context.js';
import type { ChatMessage } from '../../src/model/messages.js';
import { newTurn } from '../../src/conversation/chart/conversation-changes.js';
import { recordOf } from '../../src/conversation/chart/call-records.js';
import { tabMachine } from '../../src/conversation/keeping/tab-machine.js';
import { answered, edgesOf, elapsed, failedActor, noting, outline, twinOf } from './twin.js';

wholeChart();

type Event = { type: string; [field: string]: unknown };

describe('a twin of a chart', () => {
  const charts: Record<string, AnyStateMachine> = {
    ...{ conversation: conversationMachine, call: toolCallMachine, 'call that has ended': endedCallMachine, tab: tabMachine },
  };

  for (const [name, chart] of Object.entries(charts))
    it(`has every state and every transition of the chart of a ${name}, and no others`, () => {
      expect(outline(twinOf(chart))).to.deep.equal(outline(chart));
      expect(outline(chart)).to.have.length.above(10);
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
  { type: 'queue.filled' },
  { type: 'queue.emptied' },
  { type: 'summary.begun' },
  { type: 'summary.over' },
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
    const replies = ['streaming.text', 'streaming.parsing', 'retrying', 'answered'].map((state) => `talk.turn.reply.${state}`);
    const work = ['none', 'held', 'calls.asking', 'calls.running.alone'].map((state) => `talk.turn.work.${state}`);
    expect([...reached]).to.include.members([
      ...['talk.idle', 'talk.turn.round.first', 'talk.turn.round.later', 'memory.resting', 'memory.summarising'],
      ...[...replies, ...work],
    ]);
  });
});

// ——— Every transition

const other = (changes: Partial<Settings>) => ({ ...settings, ...changes });
const begin = (changes: Partial<Settings> = {}, tool?: string): Event => ({
  ...{ type: 'user.send', turnId: 't1', message: user, settings: other(changes) },
  ...(tool && { tool: { tool } }),
});
const found = (requestId: string): Event => ({ type: 'call.found', request: request(requestId), messageId: 't1-1' });
const ends = (parts: FinishedReply['parts'] = reply.parts): Event => ({ type: 'reply.ended', reply: { ...reply, parts } });
const becomes = (status: string, requestId = 'c1'): Event => ({ type: 'call.changed', requestId, status });
const settles = (requestId = 'c1', status = 'success'): Event => ({
  type: 'call.settled',
  requestId,
  result: { ...result(status), requestId },
});
const stop: Event = { type: 'user.stop', reason: 'cancelled' };
const running: ChatMessage = { ...user, id: 't1-1', role: 'assistant', text: 'text', status: { type: 'running' } };
const steps = [{ id: 's1', title: 'One', dependsOn: [], status: 'todo' }];
const restored = (turn: object | null, messages = [user], calls: object[] = [], open: object[] = []): Event => ({
  ...{ type: 'restore', open },
  context: { messages, parts: {}, calls, toolHistory: [], turn, failure: null },
});

/** Turns, each for the transitions that stand in no shortest path. */
const courses: Record<string, Event[]> = {
  'what is done at rest': [
    ...[{ type: 'user.retry', turnId: 't0', settings }, { type: 'user.dismiss' }, { type: 'ask.blocked', failure: null }],
    ...[restored(null), { type: 'user.rate', messageId: 'u1', feedback: null }],
    ...['call.undoing', 'call.undone'].map((type) => ({ type, requestId: 'c1' })),
    ...[{ type: 'user.truncate', messageId: 'u1' }, { type: 'user.switch', from: '', place: 1 }, { type: 'user.clear' }],
  ],
  'a summary beside a turn': [begin(), { type: 'summary.begun' }, ends([]), { type: 'summary.over' }],
  'an answer, and another one': [begin(), ends([]), { type: 'user.retry', turnId: 't2', settings }],
  'more after results': [begin(), found('c1'), ends(), settles(), stop, { type: 'user.retry', turnId: 't2', settings }],
  'a call of the host': [{ type: 'user.runTool', turnId: 't1', request: request('c1'), settings }, settles()],
  'a reply that is read on': [restored({ ...newTurn('t1', settings, false), rest: { ...reply, place: {} } }, [user, running])],
  'a turn that was cut': [
    restored(
      { ...newTurn('t1', settings, false), round: ['c1'], cut: true },
      [user],
      [recordOf(request('c1'), 't1-1')],
      [{ request: request('c1'), manual: false, recovered: { question: { type: 'ask', requestId: 'c1' }, started: false } }],
    ),
    settles(),
  ],
  'what a person does meanwhile': [
    ...[begin(), found('c1'), { type: 'queue.filled' }, { type: 'queue.emptied' }],
    ...['user.allow', 'user.deny', 'user.edit'].map((type) => ({ type, requestId: 'c1', digest: '', args: {}, result: result('denied') })),
    { type: 'call.granted', call: { requestId: 'c1' } },
  ],
  'what a reply holds': [
    ...[begin(), { type: 'plan.due', over: true, steps: 0 }, { type: 'call.opened' }, { type: 'call.closed' }],
    {
      type: 'call.broken',
      messageId: 't1-1',
      broken: { ...request('b1'), problem: 'unclosed' },
      result: { ...result('error'), requestId: 'b1' },
    },
    { type: 'call.served', messageId: 't1-1', request: request('s1') },
  ],
  'no network, and a service that fails': [
    ...[begin(), { type: 'network.gone' }, { type: 'network.back' }],
    { type: 'reply.failed', reply, failure, retry: { delayMs: 1000, attempt: 1, of: 3, class: 'network' } },
    ...[elapsed('until the next attempt'), { type: 'reply.failed', reply, failure, retry: null }],
  ],
  'no rounds': [begin({ maxIterations: 0 }), found('c1'), ends()],
  'a plan that cannot be read': [
    begin(),
    { type: 'plan.due', over: true, steps: 0 },
    { type: 'plan.broken', problem: { code: 'json' } },
    ends([]),
  ],
  'a plan and nothing else': [
    ...[begin(), { type: 'plan.due', over: true, steps: 0 }],
    { type: 'plan.found', messageId: 't1-1', id: 'p1', plan: { goal: 'g', steps } },
    ends([{ type: 'plan', id: 'p1', plan: { goal: 'g', steps } } as never]),
  ],
  'a chosen tool that is never called': [begin({}, 'tool'), ends([]), ends([])],
  'another tool than the chosen one': [begin({}, 'other'), found('c1'), ends(), settles(), found('c2'), ends(), settles('c2')],
  'calls within the reply': [begin({ dispatch: 'on-block' }), found('c1'), found('c2')],
  'calls that wait and run': [
    ...[begin(), found('c1'), found('c2'), ends(), becomes('awaiting_approval'), becomes('queued'), becomes('awaiting_approval')],
    ...[becomes('executing'), becomes('awaiting_approval', 'c2'), becomes('queued', 'c2'), settles()],
  ],
  'the same again': [begin({ repeatLimit: 1 }), found('c1'), ends(), settles()],
  'single answers': [begin({ resultLoop: 'single' }), found('c1'), ends(), settles()],
  'rounds that are used up': [begin({ maxIterations: 1 }), found('c1'), ends(), { ...becomes('executing'), started: true }, settles()],
};

describe('every transition of a chart is walked', () => {
  const all = (machine: AnyStateMachine) => edgesOf(twinOf(machine));

  it('of a conversation, by chart and twin alike', () => {
    const taken = new Set<string>();
    const walk = (events: Event[], name: string) => {
      const clock = new SimulatedClock();
      const twin = createActor(twinOf(conversationMachine).provide(mute), { inspect: noting(taken) }).start();
      const real = createActor(conversationMachine.provide(mute), { clock }).start();
      for (const event of events) {
        twin.send(event as never);
        if (event.type.startsWith('after:')) clock.increment(1000);
        else real.send(event as never);
        expect(shape(real.getSnapshot() as never), `${name}: ${event.type}`).to.equal(shape(twin.getSnapshot() as never));
      }
      twin.stop();
      real.stop();
    };
    for (const [name, events] of Object.entries(courses)) walk(events, name);
    for (const { type, ...rest } of [{ type: 'reply.cut', reply, failure }]) walk([begin(), { type, ...rest }], type);
    expect(all(conversationMachine).filter((edge) => !taken.has(edge))).to.deep.equal([]);
  });

  for (const [name, machine] of Object.entries({ 'call that has ended': endedCallMachine, tab: tabMachine }) as [string, AnyStateMachine][])
    it(`of a ${name}`, () => {
      const taken = new Set<string>();
      const events = [...new Set(all(machine).map((edge) => / (\S+) \[/.exec(edge)?.[1] ?? ''))].map((type) => ({ type }));
      for (const { steps: way } of getShortestPaths(twinOf(machine), {
        events: events as never,
        serializeState: ({ value }) => JSON.stringify(value),
      }))
        for (const next of events) {
          const actor = createActor(twinOf(machine), { inspect: noting(taken) }).start();
          for (const { event } of [...way, { event: next }]) if (!event.type.startsWith('xstate.')) actor.send(event as never);
        }
      expect(all(machine).filter((edge) => !taken.has(edge))).to.deep.equal([]);
    });
});

function idsOf(value: StateValue, above = ''): string[] {
  if (typeof value === 'string') return [above + value];
  return Object.entries(value).flatMap(([key, inner]) => [above + key, ...(inner === undefined ? [] : idsOf(inner, `${above}${key}.`))]);
}
