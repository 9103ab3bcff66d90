/** Against agents whose events are checked and encoded by AG-UI's own packages. */
import { EventType, type RunAgentInput } from '@ag-ui/core';
import { EventSchemas, RunAgentInputSchema } from '@ag-ui/core/schemas';
import { EventEncoder } from '@ag-ui/encoder';
import { expect } from 'chai';
import type { HostEvent } from '../../../src/conversation/chart/hooks.js';
import { agUi } from '../../../src/transports/ag-ui.js';
import { createAgUiReader } from '../../../src/transports/ag-ui-events.js';
import { isLinear } from '../../helpers/cost.js';
import { frames, read } from '../reading.js';
import { ask, CALL, PROVED, talk, useService } from './serve.js';

type AgentEvent = Parameters<EventEncoder['encode']>[0];
type Agent = (input: RunAgentInput, count: number) => AgentEvent[];

function useAgent(agent: Agent) {
  const inputs: RunAgentInput[] = [];
  const encoder = new EventEncoder({ accept: 'text/event-stream' });
  const service = useService(({ body, response, count }) => {
    const input = RunAgentInputSchema.parse(body) as RunAgentInput;
    inputs.push(input);
    const { threadId, runId } = input;
    response.writeHead(200, { 'content-type': encoder.getContentType() });
    for (const event of [{ type: EventType.RUN_STARTED, threadId, runId, protocolVersion: '1.0' }, ...agent(input, count)])
      response.write(encoder.encode(EventSchemas.parse(event) as AgentEvent));
    response.end();
  });
  return { service, inputs };
}

const say = (text: string, messageId = 'm1'): AgentEvent[] => [
  { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
  ...(text.match(/[^]{1,5}/g) ?? []).map((delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta })),
  { type: EventType.TEXT_MESSAGE_END, messageId },
];
const call = (toolCallId: string, toolCallName: string, args: object): AgentEvent[] => [
  { type: EventType.TOOL_CALL_START, toolCallId, toolCallName },
  ...(JSON.stringify(args).match(/[^]{1,3}/g) ?? []).map((delta) => ({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta })),
  { type: EventType.TOOL_CALL_END, toolCallId },
];
const finished = ({ threadId, runId }: RunAgentInput, outcome: object = { type: 'success' }): AgentEvent => ({
  type: EventType.RUN_FINISHED,
  threadId,
  runId,
  outcome,
  usage: [{ provider: 'p', model: 'm', inputTokens: 3, outputTokens: 4 }],
});

describe('an AG-UI agent that takes its orders from the system message', () => {
  const { service, inputs } = useAgent((input, count) => [
    { type: EventType.REASONING_START, messageId: 'r' },
    { type: EventType.REASONING_MESSAGE_START, messageId: 'r', role: 'reasoning' },
    { type: EventType.REASONING_MESSAGE_CONTENT, messageId: 'r', delta: '嗯…' },
    { type: EventType.REASONING_MESSAGE_END, messageId: 'r' },
    { type: EventType.REASONING_END, messageId: 'r' },
    { type: EventType.STATE_SNAPSHOT, snapshot: { count } },
    ...say(count === 0 ? `好的。\n${CALL}` : '已经加好了 ✅'),
    finished(input),
  ]);

  it('streams a reply, whose call runs here, and gets the result on the same thread', async () => {
    const { chat, ran } = talk({ wire: 'ag-ui', sessionId: 'thread-1', endpoint: service.origin });
    expect(await chat.sendMessage('买牛奶')).to.include({ success: true, reason: 'stop', text: '已经加好了 ✅' });
    expect(ran).to.deep.equal([{ title: '买牛奶 🥛' }]);
    expect(chat.messages[1]?.reasoning).to.equal('嗯…');
    expect(chat.messages.at(-1)?.metadata).to.deep.include({ usage: { input: 3, output: 4 }, model: 'm' });
    expect(inputs.map(({ threadId, tools }) => [threadId, tools.length])).to.deep.equal([
      ['thread-1', 0],
      ['thread-1', 0],
    ]);
    expect(inputs[0]?.runId).not.to.equal(inputs[1]?.runId);
    expect(inputs[1]?.messages.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user']);
    expect(inputs[1]?.messages[1]?.id).to.equal(inputs[0]?.messages[1]?.id);
  });
});

describe('an AG-UI agent with tools of its own', () => {
  const { service, inputs } = useAgent((input, count) => {
    if (count === 0)
      return [
        ...call('c1', 'weather', { city: '北京' }),
        { type: EventType.TOOL_CALL_RESULT, messageId: 't', toolCallId: 'c1', content: '7 degrees' },
        ...say('It is 7 degrees.'),
        finished(input),
      ];
    if (count === 1) {
      const interrupts = [{ id: 'i1', reason: 'tool_call', message: 'Pay 5?', toolCallId: 'c2' }];
      return [...call('c2', 'pay', { sum: 5 }), finished(input, { type: 'interrupt', interrupts })];
    }
    const approved = (input.resume?.[0]?.payload as { approved?: boolean } | undefined)?.approved === true;
    if (!approved) return [{ type: EventType.RUN_ERROR, message: 'nobody answered', code: 'NO_RESUME' }];
    return [{ type: EventType.TOOL_CALL_RESULT, messageId: 't2', toolCallId: 'c2', content: 'paid' }, ...say('Paid.'), finished(input)];
  });

  it('tells what it did, asks where it has to, and goes on with the answer', async () => {
    const did = await ask(agUi, service.origin);
    expect(did.tools.at(-1)).to.deep.include({ id: 'c1', name: 'weather', by: 'service', result: '7 degrees' });
    expect([did.text, did.outcome]).to.deep.equal(['It is 7 degrees.', PROVED]);

    const asks = await ask(agUi, service.origin);
    expect(asks.tools.at(-1)).to.deep.include({ id: 'c2', name: 'pay', approval: { id: 'i1', reason: 'Pay 5?' } });
    expect(asks.outcome).to.deep.equal({ ...PROVED, finish: 'interrupt' });

    const went = await ask(agUi, service.origin, { answers: [{ id: 'i1', toolCallId: 'c2', approved: true }] });
    expect(inputs.at(-1)?.resume).to.deep.equal([{ interruptId: 'i1', status: 'resolved', payload: { approved: true } }]);
    expect(went.tools.at(-1)).to.deep.include({ id: 'c2', by: 'service', result: 'paid' });
    expect([went.text, went.outcome]).to.deep.equal(['Paid.', PROVED]);

    const refused = await ask(agUi, service.origin, { answers: [{ id: 'i1', toolCallId: 'c2', approved: false, reason: 'no' }] });
    expect(inputs.at(-1)?.resume).to.have.deep.nested.property('[0].payload', { approved: false, reason: 'no' });
    expect(refused.outcome.type === 'failed' && refused.outcome.error.detail).to.equal('nobody answered');
  });
});

describe('what an AG-UI agent is told again', () => {
  const { service, inputs } = useAgent((input, count) => {
    if (count === 0)
      return [
        { type: EventType.STATE_SNAPSHOT, snapshot: { steps: [{ done: false }], user: 'Ann' } },
        { type: EventType.STATE_DELTA, delta: [{ op: 'replace', path: '/steps/0/done', value: true }] },
        { type: EventType.STATE_DELTA, delta: [{ op: 'add', path: '/steps/-', value: { done: false } }] },
        // Operations that do not fit change nothing, the first of them neither.
        {
          type: EventType.STATE_DELTA,
          delta: [
            { op: 'remove', path: '/user' },
            { op: 'remove', path: '/nowhere' },
          ],
        },
        ...call('w1', 'weather', { city: 'Bern' }),
        { type: EventType.TOOL_CALL_RESULT, messageId: 't', toolCallId: 'w1', content: '{"degrees":7}' },
        ...say('Seven.'),
        finished(input),
      ];
    if (count === 1)
      return [
        ...call('c1', 'count', {}),
        { type: EventType.REASONING_ENCRYPTED_VALUE, subtype: 'tool-call', entityId: 'c1', encryptedValue: 'sealed' },
        finished(input, { type: 'success', pendingToolCallIds: ['c1'] }),
      ];
    return [{ type: EventType.STATE_DELTA, delta: [{ op: 'add', path: '/user', value: 'Ben' }] }, ...say('Done.'), finished(input)];
  });

  it('is the shared state, what its tools found, what came sealed with a call, and the value that a tool gave', async () => {
    const said: string[] = [];
    const onEvent = (event: HostEvent) => (event.type === 'log' && said.push(event.entry.code), true);
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const options = {
      wire: 'ag-ui',
      protocol: 'native',
      sessionId: 's1',
      endpoint: service.origin,
      logLevel: 'debug',
      logger,
      onEvent,
    } as const;
    const { chat } = talk(options);
    chat.registerTool({ name: 'count', description: 'Counts.', risk: 'query', execute: () => ({ n: 3 }) });
    await chat.sendMessage('Weather?');
    await chat.sendMessage('How many?');
    await chat.sendMessage('Bye');
    const state = { steps: [{ done: true }, { done: false }], user: 'Ann' };
    expect(inputs.map((input) => input.state as unknown)).to.deep.equal([{}, state, state, { ...state, user: 'Ben' }]);
    expect(said.filter((code) => code === 'reply.state')).to.have.length(1);
    const told = inputs[2]!.messages.slice(1).map(({ id: _, ...message }) => message);
    const made = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } });
    expect(told).to.deep.equal([
      { role: 'assistant', content: '', toolCalls: [made('w1', 'weather', '{"city":"Bern"}')] },
      { role: 'tool', toolCallId: 'w1', content: '{"degrees":7}' },
      { role: 'assistant', content: 'Seven.' },
      { role: 'user', content: 'How many?' },
      { role: 'assistant', content: '', toolCalls: [{ ...made('c1', 'count', '{}'), encryptedValue: 'sealed' }] },
      { role: 'tool', toolCallId: 'c1', content: '{"n":3}' },
    ]);
    await chat.clear();
    await chat.sendMessage('Hello');
    expect(inputs.at(-1)?.state).to.deep.equal({});
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at));

it('the end of an AG-UI run tells in linear time which of its calls are left to the page', async () => {
  const prepare = (count: number) => {
    const readEvent = createAgUiReader();
    for (const toolCallId of numbers(count)) readEvent('TOOL_CALL_START', { toolCallId, toolCallName: 'a' });
    const outcome = { type: 'success', pendingToolCallIds: numbers(count).map((id) => `not ${id}`) };
    return () => readEvent('RUN_FINISHED', { outcome });
  };
  expect(await isLinear(prepare, 4_000)).to.equal(true);
});

describe('a change of the state that an AG-UI agent shares', () => {
  function changed(before: object, delta: object[]): unknown {
    let state: unknown;
    const given = [{ type: 'STATE_SNAPSHOT', snapshot: before }, ...delta.map((one) => ({ type: 'STATE_DELTA', delta: [one].flat() }))];
    for (const event of read(agUi, [frames(...given)]).events) if (event.type === 'state') state = event.next(state);
    return state;
  }

  it('costs no more than it is long', async () => {
    const wide = (count: number) => Object.fromEntries(numbers(count).map((name) => [name, 0]));
    const everywhere = (count: number) => [numbers(count).map((name) => ({ op: 'replace', path: `/${name}`, value: 1 }))];
    expect(await isLinear((count) => () => changed(wide(count), everywhere(count)), 200)).to.equal(true);
  });

  it('cannot multiply the state, in one event or in many', () => {
    const doubles = [
      { op: 'copy', from: '', path: '/x' },
      { op: 'copy', from: '/x', path: '/y' },
    ];
    const often = numbers(20).flatMap(() => doubles);
    for (const delta of [[often], often]) expect(JSON.stringify(changed({ x: 1 }, delta)).length).to.be.below(2_000_000);
  });
});
