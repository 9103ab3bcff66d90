/** The wires of the AI SDK and of AG-UI, beyond what `fixtures`, `requests` and their own packages (`interop/`) check. */
import { expect } from 'chai';
import { agUi } from '../../src/transports/ag-ui.js';
import { uiMessageStream } from '../../src/transports/ui-message-stream.js';
import type { TurnRequest, Wire } from '../../src/transports/wire.js';
import { bytes, describeReplies, done, everyByte, frames, type Reply } from './reading.js';
import { turn } from './turns.js';

const endpoint = new URL('https://x.example/api/chat?k=1');
const attachments = [{ type: 'image/png', name: 'a.png', url: 'data:image/png;base64,AAAA' }];

interface Body {
  id: string;
  threadId: string;
  runId: string;
  messages: ({ id: string; role: string; parts: unknown[] } & Record<string, unknown>)[];
  [more: string]: unknown;
}
const askWith =
  (wire: Wire) =>
  (more: Partial<TurnRequest> = {}) =>
    wire.request({ ...turn, sessionId: 's1', ...more }, endpoint).body as Body;

describe('a request of wire ui-message-stream', () => {
  const ask = askWith(uiMessageStream);

  it('is what an app made for useChat expects, with the system prompt beside it', () => {
    const { messages, ...rest } = ask({ model: 'm' });
    expect(rest).to.deep.equal({ id: 's1', trigger: 'submit-message', system: 'Be brief.', maxOutputTokens: 2000, model: 'm' });
    expect(messages.map(({ role, parts }) => ({ role, parts }))).to.deep.equal([{ role: 'user', parts: [{ type: 'text', text: '你好' }] }]);
    const file = { type: 'file', mediaType: 'image/png', url: attachments[0]!.url };
    expect(ask({ messages: [{ role: 'user', text: '', attachments }] }).messages[0]!.parts.at(-1)).to.deep.equal(file);
  });

  it('gives a message the same id each time, and no two the same', () => {
    const [a, b, c] = ['one', 'yes', 'yes'].map((text) => ({ role: 'user', text }));
    const ids = (messages: TurnRequest['messages'], sessionId = 's1') => ask({ messages, sessionId }).messages.map(({ id }) => id);
    const [first, second, third] = ids([a!, b!, c!]);
    expect(new Set([first, second, third]).size).to.equal(3);
    expect(ids([b!, c!])).to.deep.equal([second, third]);
    expect(ids([a!], 's2')).not.to.include(first);
    expect(ids([{ role: 'assistant', text: 'one' }])).not.to.include(first);
  });

  it('has a result in the part of its call', () => {
    const messages = [
      ...turn.messages,
      { role: 'assistant', text: 'Both.', toolCalls: ['a', 'b', 'c'].map((id) => ({ id, name: 'drop', arguments: { id } })) },
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

describe('a request of wire ag-ui', () => {
  const ask = askWith(agUi);

  it('is an input of a run, also without a prompt, a model or a session', () => {
    const { messages, runId, ...rest } = ask();
    expect(rest).to.deep.equal({ threadId: 's1', protocolVersion: '1.0', state: {}, tools: [], context: [], forwardedProps: {} });
    expect(ask({ system: '' }).messages).to.have.length(messages.length - 1);
    expect(ask({ model: 'm' })['forwardedProps']).to.deep.equal({ model: 'm' });
    expect([runId, '']).not.to.include(ask({ sessionId: '' }).threadId);
  });

  it('tells results that failed, pictures and answers', () => {
    const messages = [
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'drop', arguments: { id: 7 } }] },
      { role: 'tool', text: 'no such task', toolCallId: 'a', toolName: 'drop', failed: true as const },
      { role: 'user', text: 'See', attachments },
    ];
    const no = { approved: false, reason: 'too much' };
    const body = ask({ messages, system: '', tools: [{ name: 'drop', description: 'Drops.' }], answers: [{ id: 'i2', ...no }] });
    const toolCalls = [{ id: 'a', type: 'function', function: { name: 'drop', arguments: '{"id":7}' } }];
    const image = { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } };
    expect(body.messages.map(({ id: _, ...rest }) => rest)).to.deep.equal([
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', toolCallId: 'a', content: 'no such task', error: 'no such task' },
      { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
    ]);
    expect(body['resume']).to.deep.equal([{ interruptId: 'i2', status: 'resolved', payload: no }]);
  });
});

{
  const reply = (story: string, ...events: object[]): Reply => [story, [frames(...events), done]];
  const say = (delta: string, id = 't1') => ({ type: 'text-delta', id, delta });
  const [finish, begin, reset, end] = ['finish', 'start-step', 'reset-step', 'finish-step'].map((type) => ({ type }));
  const strange = ['data-weather', 'source-url', 'custom', 'yet-to-come', 'message-metadata', '__proto__'];
  const evil = bytes('data: {"__proto__":{"type":"text-delta","delta":"EVIL"}}\n\ndata: [DONE]\n\n');
  const of = (type: string, more: object = {}) => ({ type: `tool-${type}`, toolCallId: 'c1', ...more });
  const start = of('input-start', { toolName: 'pay' });
  const input = of('input-available', { toolName: 'pay', input: { sum: 5 } });
  const second = of('input-available', { toolCallId: 'c2', toolName: 'list', input: null, dynamic: true });
  const pay = 'call c1 pay {"sum":5}';

  describeReplies(uiMessageStream, {
    'holds words and thoughts, also before their start, and parts the words of two steps': [
      reply(
        'text a · reasoning hm · text b · finish stop',
        say('a'),
        { type: 'reasoning-delta', id: 'r', delta: 'hm' },
        { type: 'text-start', id: 't1' },
        say('b'),
        finish!,
      ),
      reply(
        'text Checking.Still\n\nDone · finish unknown',
        begin!,
        say('Checking'),
        say('.'),
        say('Still', 't2'),
        end!,
        begin!,
        say('Done', 't1'),
      ),
    ],
    'may hold data, sources and what nobody has heard of, which is left out': [
      reply('finish stop', ...strange.map((type) => ({ type, data: {} })), { type: 'text-delta', delta: 7 }, finish!),
      ['finish unknown', everyByte(evil)],
    ],
    'ends by [DONE] alone, but not where the stream behind the service broke off': [
      reply('', { type: 'finish', finishReason: 'interrupted' }),
      reply('text a · finish unknown', say('a')),
      ['text a', [frames(say('a'), { type: 'finish', finishReason: 'stop' })]],
    ],
    'has its usage where apps put it': [
      reply('usage 3/4 m · finish stop', {
        type: 'finish',
        messageMetadata: { totalUsage: { inputTokens: 3, outputTokens: 4 }, model: 'm' },
      }),
    ],
    'fails by an error, whatever follows, and when the service takes back what is on the screen': [
      reply('text half · error - out of words', say('half'), { type: 'error', errorText: 'out of words' }, finish!),
      reply('text a · finish stop', begin!, reset!, say('a'), finish!),
      reply('text a · finish unknown', begin!, say('a'), end!, begin!, reset!),
      reply('text a · error RESET again', begin!, say('a'), reset!, say('b'), finish!),
    ],
    'has the arguments of a call once these are whole, and calls by their ids': [
      reply(
        `${pay} · call c2 list {} by service · finish stop`,
        start,
        of('input-delta', { inputTextDelta: '{"sum":' }),
        second,
        input,
        finish!,
      ),
    ],
    'tells calls of the service with how they went, also without their output': [
      reply(`${pay} by service failed gave  · finish stop`, input, of('output-denied'), finish!),
      reply('call c1 pay by service failed gave broke · finish stop', { ...input, type: 'tool-input-error', errorText: 'broke' }, finish!),
      // A result of a call from a reply before.
      reply('call old by service gave ok · finish stop', of('output-available', { toolCallId: 'old', output: 'ok' }), finish!),
    ],
    'asks about no call that the service answers itself': [
      reply(`${pay} by service · finish stop`, input, of('approval-request', { approvalId: 'ap1', isAutomatic: true }), finish!),
    ],
  });
}

{
  const reply = (story: string, ...events: object[]): Reply => [story, [frames(...events)]];
  const say = (delta: string, more: object = {}) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta, ...more });
  const finished = (more: object = {}) => ({ type: 'RUN_FINISHED', threadId: 's1', runId: 'r', ...more });
  const chunk = (more: object = {}) => ({ type: 'TEXT_MESSAGE_CHUNK', ...more });
  const thoughts = ['REASONING_MESSAGE_CONTENT', 'REASONING_MESSAGE_CHUNK', 'THINKING_TEXT_MESSAGE_CONTENT'];
  const strange = ['RUN_STARTED', 'STEP_STARTED', 'STATE_SNAPSHOT', 'STATE_DELTA', 'ACTIVITY_SNAPSHOT', 'CUSTOM', 'RAW', 'YET_TO_COME', 7];
  const one = { model: 'a', inputTokens: 1, outputTokens: 2 };
  const two = { model: 'b', inputTokens: 10, outputTokens: 20, totalTokens: 30 };
  const list = (...messages: object[]) => ({ type: 'MESSAGES_SNAPSHOT', messages });
  const user = { id: 'u', role: 'user', content: 'Hi' };
  const answer = (content: unknown) => ({ id: 'a', role: 'assistant', content });
  const tool = { id: 't', role: 'tool', toolCallId: 'c', content: 'x' };
  const start = (toolCallName = 'pay', more: object = {}) => ({ type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName, ...more });
  const args = (delta: string) => ({ type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta });
  const more = { type: 'TOOL_CALL_CHUNK', delta: '}' };
  const result = { type: 'TOOL_CALL_RESULT', messageId: 't', toolCallId: 'c1', content: [{ type: 'text', text: 'paid' }] };

  describeReplies(agUi, {
    'is messages and chunks of them, parted from each other, and thoughts under their names of both versions': [
      reply('text ab\n\ncd · finish stop', say('a'), say('b'), chunk({ messageId: 'm2', delta: 'c' }), chunk({ delta: 'd' }), finished()),
      reply('reasoning 012', ...thoughts.map((type, at) => ({ type, messageId: 'r', delta: String(at) }))),
    ],
    'is not what somebody else said': [
      reply(
        'reasoning <tool_use> · text answer',
        { type: 'TEXT_MESSAGE_START', messageId: 'u', role: 'user' },
        say('echo', { messageId: 'u' }),
        chunk({ messageId: 's', role: 'system', delta: 'note' }),
        say('<tool_use>', { messageId: 'x', subagentRunId: 'sub' }),
        say('answer'),
      ),
    ],
    'may hold state, steps and what nobody has heard of, which is left out': [
      reply('finish stop', ...strange.map((type) => ({ type, delta: 'x', snapshot: {} })), finished()),
    ],
    'has the usage of all models, added up': [
      reply('usage 11/22 · finish stop', finished({ usage: [one, two] })),
      reply('usage 10/20 b · finish stop', finished({ usage: [two] })),
      reply('finish stop', finished({ usage: [] })),
    ],
    'fails by RUN_ERROR, is stopped by a cancelled run, and is cut by everything else': [
      reply('text half · error INTERNAL crashed', say('half'), { type: 'RUN_ERROR', message: 'crashed', code: 'INTERNAL' }, finished()),
      reply('finish aborted', finished({ outcome: { type: 'cancelled' } })),
      reply('text half', say('half')),
    ],
    'may come only as a list of messages, and what is added to it': [
      reply(
        'text Hello · finish stop',
        list(user, answer('Hel'), tool),
        list(user, answer('Hello')),
        list(user, answer('Hello')),
        finished(),
      ),
      reply('text Parts', list(user, answer([{ type: 'text', text: 'Parts' }]))),
      // An answer of before, and one that is on the screen already.
      reply('', list(answer('old'), user)),
      reply('text Hello', say('Hello'), list(user, answer('Hello'))),
    ],
    'calls tools in whole events and in chunks': [
      reply(
        'call c1 pay {"a":1} · call c2 list {}',
        start(),
        args('{"a"'),
        args(':1}'),
        { ...more, toolCallId: 'c2', toolCallName: 'list', delta: '{' },
        more,
      ),
    ],
    'leaves tools to the page, unless the run names those that are': [
      reply('call c1 pay · finish tool-calls', start(), finished()),
      reply(
        'call c1 pay · call c2 own by service · finish tool-calls',
        start(),
        start('own', { toolCallId: 'c2' }),
        finished({ outcome: { type: 'success', pendingToolCallIds: ['c1'] } }),
      ),
    ],
    'tells tools of the agent as its own': [
      reply('call c1 pay by service gave paid · finish stop', start(), result, finished()),
      reply('call c1 pay {} by service · finish stop', start('pay', { subagentRunId: 'sub' }), args('{}'), finished()),
    ],
  });
}
