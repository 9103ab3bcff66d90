/** Beyond what `fixtures`, `requests` and AG-UI's own packages (`interop/`) check. */
import { expect } from 'chai';
import { agUi } from '../../src/transports/ag-ui.js';
import type { TurnRequest, WireEvent } from '../../src/transports/wire.js';
import { frames, read } from './reading.js';

const turn: TurnRequest = {
  messages: [{ role: 'user', text: '你好' }],
  system: 'Be brief.',
  maxTokens: 2000,
  stream: true,
  sessionId: 's1',
};

interface Body {
  threadId: string;
  runId: string;
  messages: Record<string, unknown>[];
  [more: string]: unknown;
}
const ask = (more: Partial<TurnRequest> = {}) => agUi.request({ ...turn, ...more }, new URL('https://x.example/agent')).body as Body;
const withoutIds = (messages: Record<string, unknown>[]) => messages.map(({ id: _, ...rest }) => rest);

const hear = (...events: object[]) => read(agUi, [frames(...events)]);
const say = (delta: string, more: object = {}) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta, ...more });
const finished = (more: object = {}) => ({ type: 'RUN_FINISHED', threadId: 's1', runId: 'r', ...more });
const toolsOf = (events: WireEvent[]) => events.filter((event) => event.type === 'tool');

describe('wire ag-ui: requests', () => {
  it('are the input of a run, with the system prompt as its first message', () => {
    const { messages, runId, ...rest } = ask();
    expect(rest).to.deep.equal({ threadId: 's1', protocolVersion: '1.0', state: {}, tools: [], context: [], forwardedProps: {} });
    expect(withoutIds(messages)).to.deep.equal([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '你好' },
    ]);
    expect(ask({ system: '' }).messages).to.have.length(1);
    expect(ask({ model: 'm' })['forwardedProps']).to.deep.equal({ model: 'm' });
    expect(ask().runId).not.to.equal(runId);
    expect(ask().messages).to.deep.equal(messages);
    expect(ask({ sessionId: '' }).threadId).not.to.equal('');
  });

  it('tell calls, results, pictures and answers', () => {
    const tools = [{ name: 'drop', description: 'Drops.', parameters: { type: 'object', properties: {} } }];
    const attachments = [{ type: 'image/png', name: 'a.png', url: 'data:image/png;base64,AAAA' }];
    const messages = [
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'drop', arguments: { id: 7 } }] },
      { role: 'tool', text: 'no such task', toolCallId: 'a', toolName: 'drop', failed: true as const },
      { role: 'user', text: 'See', attachments },
    ];
    const answers = [
      { id: 'i1', approved: true },
      { id: 'i2', approved: false, reason: 'too much' },
    ];
    const body = ask({ messages, system: '', tools, answers });
    expect(body['tools']).to.deep.equal(tools);
    const toolCalls = [{ id: 'a', type: 'function', function: { name: 'drop', arguments: '{"id":7}' } }];
    const image = { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } };
    expect(withoutIds(body.messages)).to.deep.equal([
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', toolCallId: 'a', content: 'no such task', error: 'no such task' },
      { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
    ]);
    expect(body['resume']).to.deep.equal([
      { interruptId: 'i1', status: 'resolved', payload: { approved: true } },
      { interruptId: 'i2', status: 'resolved', payload: { approved: false, reason: 'too much' } },
    ]);
  });
});

describe('wire ag-ui: replies', () => {
  it('are messages and chunks of them, parted from each other, and thoughts under their names of both versions', () => {
    const chunk = { type: 'TEXT_MESSAGE_CHUNK', delta: 'c' };
    const { text, finish } = hear(say('a'), say('b'), { ...chunk, messageId: 'm2' }, { ...chunk, delta: 'd' }, finished());
    expect(text).to.equal('ab\n\ncd');
    expect(finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
    const names = ['REASONING_MESSAGE_CONTENT', 'REASONING_MESSAGE_CHUNK', 'THINKING_TEXT_MESSAGE_CONTENT'];
    expect(hear(...names.map((type, at) => ({ type, messageId: 'r', delta: String(at) }))).reasoning).to.equal('012');
  });

  it('are not what somebody else said', () => {
    const { text, reasoning } = hear(
      { type: 'TEXT_MESSAGE_START', messageId: 'u', role: 'user' },
      say('echo', { messageId: 'u' }),
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 's', role: 'system', delta: 'note' },
      say('<tool_use>', { messageId: 'x', subagentRunId: 'sub' }),
      say('answer'),
    );
    expect([text, reasoning]).to.deep.equal(['answer', '<tool_use>']);
  });

  it('may hold state, steps and what nobody has heard of, which is left out', () => {
    const types = ['RUN_STARTED', 'STEP_STARTED', 'STATE_SNAPSHOT', 'STATE_DELTA', 'ACTIVITY_SNAPSHOT', 'CUSTOM', 'RAW', 'YET_TO_COME', 7];
    expect(hear(...types.map((type) => ({ type, delta: 'x', snapshot: {} })), finished()).events).to.have.length(1);
  });

  it('add the usage of all models up', () => {
    const [a, b] = [
      { model: 'a', inputTokens: 1, outputTokens: 2 },
      { model: 'b', inputTokens: 10, outputTokens: 20, totalTokens: 30 },
    ];
    expect(hear(finished({ usage: [a, b] })).events[0]).to.deep.equal({ type: 'usage', input: 11, output: 22 });
    expect(hear(finished({ usage: [b] })).events[0]).to.deep.equal({ type: 'usage', input: 10, output: 20, model: 'b' });
    expect(hear(finished({ usage: [] })).events).to.have.length(1);
  });

  it('fail by RUN_ERROR, are stopped by a cancelled run, and are cut by everything else', () => {
    const { error, finish } = hear(say('half'), { type: 'RUN_ERROR', message: 'crashed', code: 'INTERNAL' }, finished());
    expect([error, finish]).to.deep.equal([{ type: 'error', message: 'crashed', code: 'INTERNAL' }, undefined]);
    expect(hear(finished({ outcome: { type: 'cancelled' } })).finish?.finish).to.equal('aborted');
    expect(hear(say('half')).finish).to.equal(undefined);
  });

  it('may come only as a list of messages, and what is added to it', () => {
    const list = (...messages: object[]) => ({ type: 'MESSAGES_SNAPSHOT', messages });
    const user = { id: 'u', role: 'user', content: 'Hi' };
    const answer = (content: unknown) => ({ id: 'a', role: 'assistant', content });
    const tool = { id: 't', role: 'tool', toolCallId: 'c', content: 'x' };
    for (const [text, ...events] of [
      ['Hello', list(user, answer('Hel'), tool), list(user, answer('Hello')), list(user, answer('Hello')), finished()],
      ['Parts', list(user, answer([{ type: 'text', text: 'Parts' }]))],
      // An answer of before, and one that is on the screen already.
      ['', list(answer('old'), user)],
      ['Hello', say('Hello'), list(user, answer('Hello'))],
    ] as [string, ...object[]][])
      expect(hear(...events).text).to.equal(text);
  });
});

describe('wire ag-ui: tools', () => {
  const start = { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'pay' };
  const args = (delta: string) => ({ type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta });
  const base = { type: 'tool', index: 0, id: 'c1', name: 'pay' };

  it('come whole and in chunks', () => {
    const chunk = { type: 'TOOL_CALL_CHUNK', delta: '}' };
    const { events } = hear(start, args('{"a"'), args(':1}'), { ...chunk, toolCallId: 'c2', toolCallName: 'list', delta: '{' }, chunk);
    const second = { type: 'tool', index: 1, id: 'c2', name: 'list' };
    expect(events).to.deep.equal([
      base,
      { ...base, arguments: '{"a"' },
      { ...base, arguments: ':1}' },
      { ...second, arguments: '{' },
      { ...second, arguments: '}' },
    ]);
  });

  it('are left to the page, unless the run names those that are', () => {
    const second = { type: 'TOOL_CALL_START', toolCallId: 'c2', toolCallName: 'own' };
    expect(hear(start, finished()).finish?.finish).to.equal('tool-calls');
    const { events, finish } = hear(start, second, finished({ outcome: { type: 'success', pendingToolCallIds: ['c1'] } }));
    expect(events.at(-2)).to.deep.equal({ type: 'tool', index: 1, id: 'c2', name: 'own', by: 'service' });
    expect(finish?.finish).to.equal('tool-calls');
  });

  it('of the agent are told as its own', () => {
    const result = { type: 'TOOL_CALL_RESULT', messageId: 't', toolCallId: 'c1', content: [{ type: 'text', text: 'paid' }] };
    const { events, finish } = hear(start, result, finished());
    expect(toolsOf(events)[1]).to.deep.equal({ ...base, by: 'service', result: 'paid' });
    expect(finish?.finish).to.equal('stop');
    const sub = toolsOf(hear({ ...start, subagentRunId: 'sub' }, args('{}'), finished()).events);
    expect(sub[1]).to.deep.equal({ ...base, by: 'service', arguments: '{}' });
  });
});
