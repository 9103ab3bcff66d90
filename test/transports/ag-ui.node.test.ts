import { expect } from 'chai';
import { agUi } from '../../src/transports/ag-ui.js';
import type { TurnRequest, WireEvent } from '../../src/transports/wire.js';
import { bytes, read } from './reading.js';

const turn: TurnRequest = {
  messages: [{ role: 'user', text: '你好' }],
  system: 'Be brief.',
  maxTokens: 2000,
  stream: true,
  sessionId: 's1',
};
const tool = { name: 'delete_task', description: 'Deletes.', parameters: { type: 'object', properties: {} } };

interface Body {
  threadId: string;
  runId: string;
  messages: Record<string, unknown>[];
  [more: string]: unknown;
}
const ask = (more: Partial<TurnRequest> = {}) => agUi.request({ ...turn, ...more }, new URL('https://x.example/agent')).body as Body;
const withoutIds = (messages: Record<string, unknown>[]) => messages.map(({ id: _, ...rest }) => rest);

const hear = (...events: object[]) => read(agUi, [bytes(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))]);
const say = (delta: string, more: object = {}) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta, ...more });
const finished = (more: object = {}) => ({ type: 'RUN_FINISHED', threadId: 's1', runId: 'r', ...more });
const toolsOf = (events: WireEvent[]) => events.filter((event) => event.type === 'tool');

describe('wire ag-ui: requests', () => {
  it('is the input of a run, with the system prompt as its first message', () => {
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

  it('declares tools only when the conversation offers them natively', () => {
    expect(ask({ tools: [tool] })['tools']).to.deep.equal([tool]);
  });

  it('tells calls and their results', () => {
    const messages = [
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'delete_task', arguments: { id: 7 } }] },
      { role: 'tool', text: 'no such task', toolCallId: 'a', toolName: 'delete_task', failed: true as const },
    ];
    expect(withoutIds(ask({ messages, system: '', tools: [tool] }).messages)).to.deep.equal([
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', type: 'function', function: { name: 'delete_task', arguments: '{"id":7}' } }],
      },
      { role: 'tool', toolCallId: 'a', content: 'no such task', error: 'no such task' },
    ]);
  });

  it('sends pictures as parts', () => {
    const attachments = [{ type: 'image/png', name: 'a.png', url: 'data:image/png;base64,AAAA' }];
    expect(withoutIds(ask({ messages: [{ role: 'user', text: 'See', attachments }], system: '' }).messages)).to.deep.equal([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } },
        ],
      },
    ]);
  });

  it('answers every question, a refusal too', () => {
    const answers = [
      { id: 'i1', approved: true },
      { id: 'i2', approved: false, reason: 'too much' },
    ];
    expect(ask({ answers })['resume']).to.deep.equal([
      { interruptId: 'i1', status: 'resolved', payload: { approved: true } },
      { interruptId: 'i2', status: 'resolved', payload: { approved: false, reason: 'too much' } },
    ]);
  });
});

describe('wire ag-ui: replies', () => {
  it('reads messages and chunks of them, and parts one message from the next', () => {
    const { text, finish } = hear(
      { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
      say('a'),
      say('b'),
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm2', delta: 'c' },
      { type: 'TEXT_MESSAGE_CHUNK', delta: 'd' },
      finished(),
    );
    expect(text).to.equal('ab\n\ncd');
    expect(finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
  });

  it('reads thoughts under their names of both versions', () => {
    const names = ['REASONING_MESSAGE_CONTENT', 'REASONING_MESSAGE_CHUNK', 'THINKING_TEXT_MESSAGE_CONTENT'];
    expect(hear(...names.map((type, at) => ({ type, messageId: 'r', delta: String(at) }))).reasoning).to.equal('012');
  });

  it('does not take for the answer what somebody else said', () => {
    const { text, reasoning } = hear(
      { type: 'TEXT_MESSAGE_START', messageId: 'u', role: 'user' },
      say('echo', { messageId: 'u' }),
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 's', role: 'system', delta: 'note' },
      say('<tool_use>', { messageId: 'x', subagentRunId: 'sub' }),
      say('answer'),
    );
    expect([text, reasoning]).to.deep.equal(['answer', '<tool_use>']);
  });

  it('leaves out state, steps and what nobody has heard of, and reads on', () => {
    const types = ['RUN_STARTED', 'STEP_STARTED', 'STATE_SNAPSHOT', 'STATE_DELTA', 'ACTIVITY_SNAPSHOT', 'CUSTOM', 'RAW', 'YET_TO_COME', 7];
    expect(hear(...types.map((type) => ({ type, delta: 'x', snapshot: {} })), finished()).events).to.have.length(1);
  });

  it('adds the usage of all models up', () => {
    const usage = [
      { model: 'a', inputTokens: 1, outputTokens: 2 },
      { model: 'b', inputTokens: 10, outputTokens: 20, totalTokens: 30 },
    ];
    expect(hear(finished({ usage })).events[0]).to.deep.equal({ type: 'usage', input: 11, output: 22 });
    expect(hear(finished({ usage: usage.slice(1) })).events[0]).to.deep.equal({ type: 'usage', input: 10, output: 20, model: 'b' });
    expect(hear(finished({ usage: [] })).events).to.have.length(1);
  });

  it('fails by RUN_ERROR, is stopped by a cancelled run, and is cut by everything else', () => {
    const { error, finish } = hear(say('half'), { type: 'RUN_ERROR', message: 'crashed', code: 'INTERNAL' }, finished());
    expect([error, finish]).to.deep.equal([{ type: 'error', message: 'crashed', code: 'INTERNAL' }, undefined]);
    expect(hear(finished({ outcome: { type: 'cancelled' } })).finish?.finish).to.equal('aborted');
    expect(hear(say('half')).finish).to.equal(undefined);
  });

  it('shows an answer that comes only as a list of messages, and what is added to it', () => {
    const list = (...messages: object[]) => ({ type: 'MESSAGES_SNAPSHOT', messages });
    const user = { id: 'u', role: 'user', content: 'Hi' };
    const answer = (content: unknown) => ({ id: 'a', role: 'assistant', content });
    const tool = { id: 't', role: 'tool', toolCallId: 'c', content: 'x' };
    expect(hear(list(user, answer('Hel'), tool), list(user, answer('Hello')), list(user, answer('Hello')), finished()).text).to.equal(
      'Hello',
    );
    expect(hear(list(user, answer([{ type: 'text', text: 'Parts' }]))).text).to.equal('Parts');
    // An answer of before, and one that is on the screen already.
    expect(hear(list(answer('old'), user)).text).to.equal('');
    expect(hear(say('Hello'), list(user, answer('Hello'))).text).to.equal('Hello');
  });
});

describe('wire ag-ui: tools', () => {
  const start = { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'pay' };
  const args = (delta: string) => ({ type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta });
  const base = { type: 'tool', index: 0, id: 'c1', name: 'pay' };
  const open = { type: 'success', pendingToolCallIds: ['c1'] };

  it('reads calls whole and in chunks', () => {
    const { events } = hear(
      start,
      args('{"a"'),
      args(':1}'),
      { type: 'TOOL_CALL_CHUNK', toolCallId: 'c2', toolCallName: 'list', delta: '{' },
      {
        type: 'TOOL_CALL_CHUNK',
        delta: '}',
      },
    );
    const second = { type: 'tool', index: 1, id: 'c2', name: 'list' };
    expect(events).to.deep.equal([
      base,
      { ...base, arguments: '{"a"' },
      { ...base, arguments: ':1}' },
      { ...second, arguments: '{' },
      { ...second, arguments: '}' },
    ]);
  });

  it('leaves open calls to the page, unless the run names those that are', () => {
    const second = { type: 'TOOL_CALL_START', toolCallId: 'c2', toolCallName: 'own' };
    expect(hear(start, finished()).finish?.finish).to.equal('tool-calls');
    const { events, finish } = hear(start, second, finished({ outcome: open }));
    expect(events.at(-2)).to.deep.equal({ type: 'tool', index: 1, id: 'c2', name: 'own', by: 'service' });
    expect(finish?.finish).to.equal('tool-calls');
  });

  it('says what the agent did itself', () => {
    const result = { type: 'TOOL_CALL_RESULT', messageId: 't', toolCallId: 'c1', content: [{ type: 'text', text: 'paid' }] };
    const { events, finish } = hear(start, result, finished());
    expect(toolsOf(events)[1]).to.deep.equal({ ...base, by: 'service', result: 'paid' });
    expect(finish?.finish).to.equal('stop');
    expect(toolsOf(hear({ ...start, subagentRunId: 'sub' }, args('{}'), finished()).events)[1]).to.deep.equal({
      ...base,
      by: 'service',
      arguments: '{}',
    });
  });

  it('passes on what the run waits for', () => {
    const interrupts = [
      { id: 'i1', reason: 'tool_call', message: 'Pay 5?', toolCallId: 'c1' },
      { id: 'i2', reason: 'confirmation' },
    ];
    const { events, finish } = hear(start, finished({ outcome: { type: 'interrupt', interrupts } }));
    expect(events.slice(1, 3)).to.deep.equal([
      { ...base, by: 'service', approval: { id: 'i1', reason: 'Pay 5?' } },
      { type: 'tool', index: 1, id: 'i2', name: 'confirmation', by: 'service', approval: { id: 'i2' } },
    ]);
    expect(finish).to.deep.equal({ type: 'finish', finish: 'interrupt', proved: true });
  });
});
