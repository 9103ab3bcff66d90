/** The wires of the AI SDK and of AG-UI, beyond what `fixtures`, `replies`, `requests` and their own packages (`interop/`) check. */
import { expect } from 'chai';
import { agUi } from '../../src/transports/ag-ui.js';
import { uiMessageStream } from '../../src/transports/ui-message-stream.js';
import type { TurnRequest, Wire } from '../../src/transports/wire.js';
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
