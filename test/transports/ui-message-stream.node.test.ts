/** Beyond what `fixtures`, `requests` and the AI SDK itself (`interop/`) check. */
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
  it('send what an app made for useChat expects, and the system prompt beside it', () => {
    const { url, headers } = uiMessageStream.request(turn, endpoint);
    expect(url.href).to.equal(endpoint.href);
    expect(headers).to.deep.equal({ 'content-type': 'application/json', accept: 'text/event-stream' });
    const { messages, ...rest } = ask({ model: 'm' });
    expect(rest).to.deep.equal({ id: 's1', trigger: 'submit-message', system: 'Be brief.', maxOutputTokens: 2000, model: 'm' });
    expect(messages.map(({ role, parts }) => ({ role, parts }))).to.deep.equal([{ role: 'user', parts: [{ type: 'text', text: '你好' }] }]);
    const attachments = [{ type: 'image/png', name: 'a.png', url: 'data:image/png;base64,AAAA' }];
    expect(ask({ messages: [{ role: 'user', text: '', attachments }] }).messages[0]!.parts.at(-1)).to.deep.equal({
      type: 'file',
      mediaType: 'image/png',
      url: 'data:image/png;base64,AAAA',
    });
  });

  it('give a message the same id each time, and no two the same', () => {
    const [a, b, c] = ['one', 'yes', 'yes'].map((text) => ({ role: 'user', text }));
    const ids = (messages: TurnRequest['messages'], sessionId = 's1') => ask({ messages, sessionId }).messages.map(({ id }) => id);
    const [first, second, third] = ids([a!, b!, c!]);
    expect(new Set([first, second, third]).size).to.equal(3);
    expect(ids([b!, c!])).to.deep.equal([second, third]);
    expect(ids([a!], 's2')).not.to.include(first);
    expect(ids([{ role: 'assistant', text: 'one' }])).not.to.include(first);
  });

  it('put a result into the part of its call', () => {
    const toolCalls = ['a', 'b', 'c'].map((id) => ({ id, name: 'drop', arguments: { id } }));
    const messages = [
      ...turn.messages,
      { role: 'assistant', text: 'Both.', toolCalls },
      { role: 'tool', text: 'done', toolCallId: 'a', toolName: 'drop' },
      { role: 'tool', text: 'no such task', toolCallId: 'b', toolName: 'drop', failed: true as const },
    ];
    const sent = ask({ messages, tools: [{ name: 'drop', description: 'Drops.' }] }).messages;
    expect(sent).to.have.length(2);
    expect(sent[1]!.parts).to.deep.equal([
      { type: 'text', text: 'Both.' },
      { type: 'tool-drop', toolCallId: 'a', input: { id: 'a' }, state: 'output-available', output: 'done' },
      { type: 'tool-drop', toolCallId: 'b', input: { id: 'b' }, state: 'output-error', errorText: 'no such task' },
    ]);
  });
});

describe('wire ui-message-stream: replies', () => {
  it('hold words and thoughts, also before their start, and part the words of two steps', () => {
    const { text, reasoning, finish } = hear(
      say('a'),
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type: 'text-start', id: 't1' },
      say('b'),
      {
        type: 'finish',
      },
    );
    expect([text, reasoning, finish]).to.deep.equal(['ab', 'hm', ended]);
    const step = { type: 'start-step' };
    expect(hear(step, say('Checking'), say('.'), say('Still', 't2'), { type: 'finish-step' }, step, say('Done', 't1')).text).to.equal(
      'Checking.Still\n\nDone',
    );
  });

  it('may hold data, sources and what nobody has heard of, which is left out', () => {
    const types = ['data-weather', 'source-url', 'custom', 'yet-to-come', 'message-metadata', '__proto__'];
    const { events } = hear(
      ...types.map((type) => ({ type, data: {} })),
      { type: 'text-delta', delta: 7 },
      { type: 'finish', finishReason: 'stop' },
    );
    expect(events).to.deep.equal([ended]);
    const source = bytes('data: {"__proto__":{"type":"text-delta","delta":"EVIL"}}\n\ndata: [DONE]\n\n');
    expect(read(uiMessageStream, everyByte(source)).text).to.equal('');
  });

  it('end by [DONE] alone, for the reason that was given', () => {
    for (const [finishReason, finish] of [
      ['length', 'length'],
      ['content-filter', 'content-filter'],
      ['tool-calls', 'tool-calls'],
      ['error', 'error'],
      ['other', 'unknown'],
      // The stream behind the service broke off.
      ['interrupted', undefined],
    ])
      expect(hear({ type: 'finish', finishReason }).finish?.finish, finishReason).to.equal(finish);
    expect(hear(say('a')).finish).to.deep.equal({ ...ended, finish: 'unknown' });
    const open = bytes(`data: ${JSON.stringify(say('a'))}\n\ndata: {"type":"finish","finishReason":"stop"}\n\n`);
    expect(read(uiMessageStream, [open]).finish).to.equal(undefined);
  });

  it('tell the usage where apps put it', () => {
    const messageMetadata = { totalUsage: { inputTokens: 3, outputTokens: 4 }, model: 'm' };
    expect(hear({ type: 'finish', messageMetadata }).events[0]).to.deep.equal({ type: 'usage', input: 3, output: 4, model: 'm' });
  });

  it('fail by an error, whatever follows, and when the service takes back what is on the screen', () => {
    const failed = hear(say('half'), { type: 'error', errorText: 'out of words' }, { type: 'finish' });
    expect([failed.text, failed.error?.message, failed.finish]).to.deep.equal(['half', 'out of words', undefined]);
    const [start, reset] = [{ type: 'start-step' }, { type: 'reset-step' }];
    expect(hear(start, reset, say('a'), { type: 'finish' }).finish).to.deep.equal(ended);
    expect(hear(start, say('a'), { type: 'finish-step' }, start, reset).error).to.equal(undefined);
    const { error, finish } = hear(start, say('a'), reset, say('b'), { type: 'finish' });
    expect([error?.code, finish]).to.deep.equal(['RESET', undefined]);
  });
});

describe('wire ui-message-stream: tools', () => {
  const start = { type: 'tool-input-start', toolCallId: 'c1', toolName: 'pay' };
  const input = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'pay', input: { sum: 5 } };
  const base = { type: 'tool', index: 0, id: 'c1', name: 'pay' };
  const own = { ...base, by: 'service' };

  it('have their arguments once these are whole, and numbers by their ids', () => {
    const delta = { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"sum":' };
    expect(toolsOf(hear(start, delta, input).events)).to.deep.equal([base, base, { ...base, arguments: '{"sum":5}' }]);
    const second = { type: 'tool-input-available', toolCallId: 'c2', toolName: 'list', input: null, dynamic: true };
    expect(toolsOf(hear(start, second, input).events)).to.deep.equal([
      base,
      { type: 'tool', index: 1, id: 'c2', name: 'list', by: 'service', arguments: '{}' },
      { ...base, arguments: '{"sum":5}' },
    ]);
  });

  it('of the service are told with how they went', () => {
    const output = (more: object) => ({ type: 'tool-output-available', toolCallId: 'c1', ...more });
    const after = (...more: object[]) => toolsOf(hear(input, ...more).events).slice(1);
    expect(after(output({ output: 'half', preliminary: true }), output({ output: { ok: true } }))).to.deep.equal([
      own,
      { ...own, result: '{"ok":true}' },
    ]);
    const failed = { ...own, result: 'broke', failed: true };
    expect(after({ type: 'tool-output-error', toolCallId: 'c1', errorText: 'broke' })).to.deep.equal([failed]);
    expect(after({ type: 'tool-output-denied', toolCallId: 'c1' })).to.deep.equal([{ ...failed, result: '' }]);
    expect(toolsOf(hear({ ...input, type: 'tool-input-error', errorText: 'broke' }).events)).to.deep.equal([failed]);
    // A result of a call from a reply before.
    expect(toolsOf(hear({ type: 'tool-output-available', toolCallId: 'old', output: 'ok' }).events)).to.deep.equal([
      { type: 'tool', index: 0, id: 'old', by: 'service', result: 'ok' },
    ]);
  });

  it('are asked about, unless the service answers itself', () => {
    const question = { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'ap1' };
    const approval = { id: 'ap1', reason: 'costs', keep: { signature: 's' } };
    expect(toolsOf(hear(input, { ...question, reason: 'costs', signature: 's' }).events)[1]).to.deep.equal({ ...own, approval });
    expect(toolsOf(hear(input, { ...question, isAutomatic: true }).events)[1]).to.deep.equal(own);
  });
});
