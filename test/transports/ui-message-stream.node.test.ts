import { expect } from 'chai';
import { uiMessageStream } from '../../src/transports/ui-message-stream.js';
import type { TurnRequest, WireEvent } from '../../src/transports/wire.js';
import { bytes, everyByte, read } from './reading.js';

const turn: TurnRequest = {
  messages: [{ role: 'user', text: '你好' }],
  system: 'Be brief.',
  maxTokens: 2000,
  stream: true,
  sessionId: 's1',
};
const tool = { name: 'delete_task', description: 'Deletes.', parameters: { type: 'object', properties: {} } };
const endpoint = new URL('https://x.example/api/chat?k=1');

interface Body {
  id: string;
  messages: { id: string; role: string; parts: Record<string, unknown>[] }[];
  [more: string]: unknown;
}
const ask = (more: Partial<TurnRequest> = {}) => uiMessageStream.request({ ...turn, ...more }, endpoint).body as Body;

const chunks = (...list: object[]) =>
  bytes([...list.map((one) => JSON.stringify(one)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
const hear = (...list: object[]) => read(uiMessageStream, [chunks(...list)]);
const say = (delta: string, id = 't1') => ({ type: 'text-delta', id, delta });
const toolsOf = (events: WireEvent[]) => events.filter((event) => event.type === 'tool');
const ended = { type: 'finish', finish: 'stop', proved: true };

describe('wire ui-message-stream: requests', () => {
  it('sends what an app made for useChat expects, and the system prompt beside it', () => {
    const { url, headers } = uiMessageStream.request(turn, endpoint);
    expect(url.href).to.equal(endpoint.href);
    expect(headers).to.deep.equal({ 'content-type': 'application/json', accept: 'text/event-stream' });
    const { messages, ...rest } = ask({ model: 'm' });
    expect(rest).to.deep.equal({ id: 's1', trigger: 'submit-message', system: 'Be brief.', maxOutputTokens: 2000, model: 'm' });
    expect(messages.map(({ role, parts }) => ({ role, parts }))).to.deep.equal([{ role: 'user', parts: [{ type: 'text', text: '你好' }] }]);
  });

  it('gives a message the same id in every request, and no two the same', () => {
    const [a, b, c] = ['one', 'yes', 'yes'].map((text) => ({ role: 'user', text }));
    const ids = (messages: TurnRequest['messages'], sessionId = 's1') => ask({ messages, sessionId }).messages.map(({ id }) => id);
    const [first, second, third] = ids([a!, b!, c!]);
    expect(new Set([first, second, third]).size).to.equal(3);
    expect(ids([b!, c!])).to.deep.equal([second, third]);
    expect(ids([a!], 's2')).not.to.include(first);
    expect(ids([{ role: 'assistant', text: 'one' }])).not.to.include(first);
  });

  it('sends pictures as files, and names what else was attached', () => {
    const attachments = [
      { type: 'image/png', name: 'a.png', url: 'data:image/png;base64,AAAA' },
      { type: 'text/csv', name: 'b.csv', url: 'blob:x' },
    ];
    expect(ask({ messages: [{ role: 'user', text: 'See', attachments }] }).messages[0]!.parts).to.deep.equal([
      { type: 'text', text: 'See\n[b.csv, text/csv]' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
    ]);
  });

  it('declares tools only when the conversation offers them natively', () => {
    expect(ask()).not.to.have.property('tools');
    expect(ask({ tools: [] })).not.to.have.property('tools');
    expect(ask({ tools: [tool] })['tools']).to.deep.equal([tool]);
  });

  it('puts a result into the part of its call', () => {
    const messages = [
      ...turn.messages,
      {
        role: 'assistant',
        text: 'Both.',
        toolCalls: [
          { id: 'a', name: 'delete_task', arguments: { id: 7 } },
          { id: 'b', name: 'delete_task', arguments: { id: 8 } },
          { id: 'c', name: 'delete_task', arguments: { id: 9 } },
        ],
      },
      { role: 'tool', text: 'done', toolCallId: 'a', toolName: 'delete_task' },
      { role: 'tool', text: 'no such task', toolCallId: 'b', toolName: 'delete_task', failed: true as const },
    ];
    const sent = ask({ messages, tools: [tool] }).messages;
    expect(sent).to.have.length(2);
    expect(sent[1]!.parts).to.deep.equal([
      { type: 'text', text: 'Both.' },
      { type: 'tool-delete_task', toolCallId: 'a', input: { id: 7 }, state: 'output-available', output: 'done' },
      { type: 'tool-delete_task', toolCallId: 'b', input: { id: 8 }, state: 'output-error', errorText: 'no such task' },
    ]);
  });

  it('answers what the service asked, with all it needs to believe it', () => {
    const answers = [
      {
        id: 'ap1',
        toolCallId: 'c1',
        toolName: 'pay',
        arguments: { sum: 5 },
        approved: true,
        keep: { signature: 'sig', inputSchemaInput: { sum: '5' } },
      },
      { id: 'ap2', toolCallId: 'c2', toolName: 'pay', arguments: {}, approved: false, reason: 'too much' },
      { id: 'ap3', toolCallId: 'c3', toolName: 'pay', approved: true },
    ];
    const parts = [
      {
        type: 'tool-pay',
        toolCallId: 'c1',
        state: 'approval-responded',
        input: { sum: 5 },
        approval: { id: 'ap1', approved: true, signature: 'sig', inputSchemaInput: { sum: '5' } },
      },
      {
        type: 'tool-pay',
        toolCallId: 'c2',
        state: 'approval-responded',
        input: {},
        approval: { id: 'ap2', approved: false, reason: 'too much' },
      },
    ];
    expect(ask({ answers }).messages.at(-1)).to.deep.include({ role: 'assistant', parts });
    const messages = [...turn.messages, { role: 'assistant', text: 'May I?' }];
    expect(ask({ messages, answers }).messages).to.have.length(2);
    expect(ask({ messages, answers }).messages.at(-1)!.parts).to.deep.equal([{ type: 'text', text: 'May I?' }, ...parts]);
  });
});

describe('wire ui-message-stream: replies', () => {
  it('reads words and thoughts, also before their start', () => {
    const { text, reasoning, finish } = hear(
      say('a'),
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type: 'text-start', id: 't1' },
      say('b'),
      {
        type: 'finish',
      },
    );
    expect([text, reasoning]).to.deep.equal(['ab', 'hm']);
    expect(finish).to.deep.equal(ended);
  });

  it('parts the words of two steps, and nothing else', () => {
    const step = { type: 'start-step' };
    expect(hear(step, say('Checking'), say('.'), say('Still', 't2'), { type: 'finish-step' }, step, say('Done', 't1')).text).to.equal(
      'Checking.Still\n\nDone',
    );
  });

  it('leaves out data, sources and what nobody has heard of, and reads on', () => {
    const { events } = hear(
      { type: 'data-weather', id: 'w', data: {} },
      { type: 'source-url', sourceId: 's', url: 'https://x.example' },
      { type: 'custom', kind: 'a.b' },
      { type: 'yet-to-come' },
      { type: 'message-metadata', messageMetadata: {} },
      { type: 'text-delta', delta: 7 },
      { type: 'finish', finishReason: 'stop' },
    );
    expect(events).to.deep.equal([ended]);
  });

  it('knows the finish reasons, and that none was given', () => {
    const finishOf = (finishReason: string) => hear({ type: 'finish', finishReason }).finish?.finish;
    expect(['length', 'content-filter', 'tool-calls', 'error', 'other'].map(finishOf)).to.deep.equal([
      'length',
      'content-filter',
      'tool-calls',
      'error',
      'unknown',
    ]);
    expect(hear(say('a')).finish).to.deep.equal({ type: 'finish', finish: 'unknown', proved: true });
  });

  it('is cut when the stream behind the service broke off', () => {
    expect(hear(say('half'), { type: 'finish', finishReason: 'interrupted' }).finish).to.equal(undefined);
  });

  it('reads the usage where apps put it', () => {
    const usage = { inputTokens: 3, outputTokens: 4 };
    expect(hear({ type: 'finish', messageMetadata: { totalUsage: usage, model: 'm' } }).events[0]).to.deep.equal({
      type: 'usage',
      input: 3,
      output: 4,
      model: 'm',
    });
  });

  it('is ended by [DONE] alone', () => {
    const source = bytes(`data: ${JSON.stringify(say('a'))}\n\ndata: {"type":"finish","finishReason":"stop"}\n\n`);
    expect(read(uiMessageStream, [source]).finish).to.equal(undefined);
    expect(read(uiMessageStream, [source, bytes('data: [DONE]\n\n')]).finish).to.deep.equal(ended);
  });

  it('fails by an error, whatever follows', () => {
    const { text, error, finish } = hear(say('half'), { type: 'error', errorText: 'out of words' }, { type: 'finish' });
    expect([text, error?.message, finish]).to.deep.equal(['half', 'out of words', undefined]);
  });

  it('is stopped, not ended, by an abort', () => {
    expect(hear(say('half'), { type: 'abort', reason: 'user' }).finish).to.deep.equal({ type: 'finish', finish: 'aborted', proved: false });
  });

  it('fails when the service takes back what is on the screen already', () => {
    expect(hear({ type: 'start-step' }, { type: 'reset-step' }, say('a'), { type: 'finish' }).finish).to.deep.equal(ended);
    expect(hear({ type: 'start-step' }, say('a'), { type: 'finish-step' }, { type: 'start-step' }, { type: 'reset-step' }).error).to.equal(
      undefined,
    );
    const { error, finish } = hear({ type: 'start-step' }, say('a'), { type: 'reset-step' }, say('b'), { type: 'finish' });
    expect([error?.code, finish]).to.deep.equal(['RESET', undefined]);
  });
});

describe('wire ui-message-stream: tools', () => {
  const start = { type: 'tool-input-start', toolCallId: 'c1', toolName: 'pay' };
  const input = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'pay', input: { sum: 5 } };
  const base = { type: 'tool', index: 0, id: 'c1', name: 'pay' };

  it('says the arguments once they are whole, and before that only that there is a call', () => {
    const delta = { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"sum":' };
    expect(toolsOf(hear(start, delta, input).events)).to.deep.equal([base, base, { ...base, arguments: '{"sum":5}' }]);
  });

  it('numbers calls by their ids', () => {
    const second = { type: 'tool-input-available', toolCallId: 'c2', toolName: 'list', input: null, dynamic: true };
    expect(toolsOf(hear(start, second, input).events)).to.deep.equal([
      base,
      { type: 'tool', index: 1, id: 'c2', name: 'list', by: 'service', arguments: '{}' },
      { ...base, arguments: '{"sum":5}' },
    ]);
  });

  it('says what the service did itself, and how it went', () => {
    const output = (more: object) => ({ type: 'tool-output-available', toolCallId: 'c1', ...more });
    const after = (...more: object[]) => toolsOf(hear(input, ...more).events).slice(1);
    expect(after(output({ output: 'half', preliminary: true }), output({ output: { ok: true } }))).to.deep.equal([
      { ...base, by: 'service' },
      { ...base, by: 'service', result: '{"ok":true}' },
    ]);
    expect(after({ type: 'tool-output-error', toolCallId: 'c1', errorText: 'broke' })).to.deep.equal([
      { ...base, by: 'service', result: 'broke', failed: true },
    ]);
    expect(after({ type: 'tool-output-denied', toolCallId: 'c1' })).to.deep.equal([{ ...base, by: 'service', result: '', failed: true }]);
    expect(toolsOf(hear({ ...input, type: 'tool-input-error', errorText: 'no such' }).events)).to.deep.equal([
      { ...base, by: 'service', result: 'no such', failed: true },
    ]);
  });

  it('knows a result of a call from a reply before', () => {
    expect(toolsOf(hear({ type: 'tool-output-available', toolCallId: 'old', output: 'ok' }).events)).to.deep.equal([
      { type: 'tool', index: 0, id: 'old', by: 'service', result: 'ok' },
    ]);
  });

  it('passes a question on, but not one the service answers itself', () => {
    const question = { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'ap1' };
    expect(toolsOf(hear(input, { ...question, reason: 'costs', signature: 's' }).events)[1]).to.deep.equal({
      ...base,
      by: 'service',
      approval: { id: 'ap1', reason: 'costs', keep: { signature: 's' } },
    });
    expect(toolsOf(hear(input, { ...question, isAutomatic: true }).events)[1]).to.deep.equal({ ...base, by: 'service' });
  });

  it('reads own properties only', () => {
    const source = bytes('data: {"__proto__":{"type":"text-delta","delta":"EVIL"}}\n\ndata: {"type":"__proto__"}\n\ndata: [DONE]\n\n');
    expect(read(uiMessageStream, everyByte(source)).text).to.equal('');
  });
});
