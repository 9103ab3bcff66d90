/** The chart of a conversation, along its short paths. */
import { expect } from 'chai';
import { transition } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { PublishedResult } from '../../src/model/calls.js';
import { phaseOf } from '../../src/conversation/chart/phase.js';
import { wholeChart } from '../../src/conversation/chart/call-steps.js';
import { conversationMachine } from '../../src/conversation/chart/conversation-machine.js';
import { defaultSettings } from '../../src/conversation/options/read-settings.js';
import { type Settings } from '../../src/conversation/options/settings.js';
import type { ConversationEvent, FinishedReply } from '../../src/conversation/chart/chart-context.js';
import type { ChatMessage } from '../../src/model/messages.js';

wholeChart();

const settings = { ...defaultSettings, maxIterations: 3, repeatLimit: 100 } as Settings;
const userMessage = (id: string): ChatMessage => ({ id, role: 'user', text: id, createdAt: 0, status: { type: 'complete' }, metadata: {} });
const resultOf = (requestId: string, status: PublishedResult['status']): PublishedResult => ({
  ...{ requestId, toolName: 'tool', success: status === 'success', status, message: status, result: status, durationMs: 0 },
});
const failure = { kind: 'cut', code: 'STREAM_CUT', layer: 'network', retryable: true } as const;
const request = (requestId: string) => ({ requestId, toolName: 'tool', arguments: {}, raw: requestId, flags: [], protocol: 'xml-invoke' });

const finished = (messageId: string): FinishedReply => ({
  ...{ messageId, text: 'text', raw: 'text', reasoning: '', finish: 'stop', proof: 'proved' },
  parts: [{ type: 'call', requestId: 'c1' }],
});

const pathEvents: ConversationEvent[] = [
  { type: 'user.send', turnId: 't1', message: userMessage('u1'), settings },
  { type: 'user.retry', turnId: 't2', settings },
  { type: 'user.stop', reason: 'cancelled', reply: finished('t1-1') },
  { type: 'call.opened' },
  { type: 'call.closed' },
  { type: 'network.gone' },
  { type: 'network.back' },
  { type: 'call.found', request: request('c1'), messageId: 't1-1' },
  { type: 'call.changed', requestId: 'c1', status: 'queued' },
  { type: 'call.changed', requestId: 'c1', status: 'awaiting_approval' },
  { type: 'call.changed', requestId: 'c1', status: 'executing', started: true },
  { type: 'call.settled', requestId: 'c1', result: resultOf('c1', 'success') },
  { type: 'reply.ended', reply: finished('t1-1') },
  { type: 'reply.cut', reply: finished('t1-1'), failure },
  { type: 'reply.failed', reply: finished('t1-1'), failure, retry: null },
  { type: 'reply.failed', reply: finished('t1-1'), failure, retry: { delayMs: 1000, attempt: 1, of: 3, class: 'network' } },
  { type: 'summary.begun' },
  { type: 'summary.over' },
  // What the chart sends to itself, which no actor does here.
  { type: 'results.told' },
  { type: 'turn.decided' },
  { type: 'turn.answered' },
];

let paths: ReturnType<typeof findPaths> | undefined;
const shortPaths = () => (paths ??= findPaths());
const findPaths = () =>
  getShortestPaths(conversationMachine, {
    events: pathEvents as never,
    // A second turn would find its one call known already.
    stopWhen: ({ context }) => context.messages.length > 3 || (context.calls.length > 0 && context.turn === null),
    limit: 3000,
    serializeState: ({ value, context }) =>
      JSON.stringify([
        value,
        context.calls.map(({ status, started }) => [status, started]),
        context.messages.length,
        context.failure !== null,
      ]),
  });

describe('the chart of a conversation', () => {
  it('reaches every phase, and every activity', () => {
    const found = shortPaths();
    const tags = new Set(found.flatMap(({ state }) => [...state.tags]));
    expect([...tags].sort()).to.deep.equal(['awaitingApproval', 'executing', 'parsing', 'retrying', 'streaming', 'summarising']);
    expect(new Set(found.map(({ state }) => phaseOf(state.value)))).to.have.all.keys(
      'idle',
      'plan',
      'tool_call',
      'tool_result',
      'decide',
      'respond',
    );
  });

  it('lets calls go on only after a reply that ended', () => {
    const working = shortPaths().filter(({ state }) => phaseOf(state.value) === 'tool_call');
    expect(working).to.have.length.above(0);
    for (const { steps } of working) expect(steps.map(({ event }) => event.type)).to.include('reply.ended');
  });

  it('comes to rest by one stop, from wherever it is, with every call answered', () => {
    const found = shortPaths();
    expect(found).to.have.length.above(20);
    for (const { state, steps } of found) {
      const [next] = transition(conversationMachine, state as never, { type: 'user.stop', reason: 'cancelled' });
      expect(next.value.talk).to.equal('idle');
      expect(next.context.turn).to.equal(null);
      const how = steps.map(({ event }) => event.type).join(' → ');
      for (const call of next.context.calls) expect(['success', 'cancelled'], how).to.include(call.status);
      const told = next.context.messages.flatMap(({ metadata }) => (metadata.toolCall ? [metadata.toolCall.requestId] : []));
      expect(told, how).to.deep.equal(next.context.calls.map(({ requestId }) => requestId));
    }
  });
});
