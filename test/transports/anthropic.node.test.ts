import { expect } from 'chai';
import { anthropic } from '../../src/transports/anthropic.js';
import type { TurnMessage } from '../../src/transports/wire.js';
import { bytes, events, everyByte, read, toolCalls } from './reading.js';
import { turn } from './turns.js';

const endpoint = new URL('https://api.anthropic.com/v1/messages');
const start = (usage: object = {}) => ({ type: 'message_start', message: { model: 'm', usage } });
const text = (said: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } });
const because = (reason: string, usage: object = {}) => ({ type: 'message_delta', delta: { stop_reason: reason }, usage });
const stop = { type: 'message_stop' };
const messagesFor = (messages: TurnMessage[]) =>
  (anthropic.request({ ...turn, messages }, endpoint).body as { messages: unknown }).messages;

describe('wire anthropic: requests', () => {
  it('names the version, and says that it comes from a page', () => {
    expect(anthropic.request(turn, endpoint).headers).to.deep.equal({
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'anthropic-version': '2026-10-21',
      'anthropic-dangerous-direct-browser-access': 'true',
    });
  });

  it('takes turns: neighbours of one role are one, blank text is none, and the user begins', () => {
    const messages = ['assistant a', 'user b', 'system c', 'assistant  ', 'user d'].map((line) => {
      const [role = '', text = ''] = line.split(/ (.*)/s);
      return { role, text };
    });
    const block = (text: string) => ({ type: 'text', text });
    expect(messagesFor(messages)).to.deep.equal([
      { role: 'user', content: '…' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: ['b', 'c', 'd'].map(block) },
    ]);
  });

  it('names pictures that it cannot send', () => {
    for (const url of ['data:image/svg+xml;base64,AA==', 'data:image/png,raw', 'http://x.example/a.png', 'blob:https://x.example/1', '']) {
      const attachments = [{ type: 'image/x', name: 'a', url }];
      expect(messagesFor([{ role: 'user', text: 'b', attachments }])).to.deep.equal([{ role: 'user', content: 'b\n[a, image/x]' }]);
    }
  });
});

describe('wire anthropic: replies', () => {
  it('ends by message_stop and by nothing else', () => {
    const source = events(start(), text('a'), because('end_turn'));
    for (const how of ['close', 'reset'] as const) expect(read(anthropic, [source], { how }).finish).to.equal(undefined);
    expect(read(anthropic, [source, events(stop)]).finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
  });

  it('knows why it ended', () => {
    for (const [reason, finish] of Object.entries({
      end_turn: 'stop',
      stop_sequence: 'stop',
      max_tokens: 'length',
      model_context_window_exceeded: 'length',
      pause_turn: 'length',
      tool_use: 'tool-calls',
      refusal: 'content-filter',
      constructor: 'unknown',
    })) {
      expect(read(anthropic, [events(start(), because(reason), stop)]).finish?.finish, reason).to.equal(finish);
    }
    expect(read(anthropic, [events(start(), stop)]).finish?.finish).to.equal('unknown');
  });

  it('counts what came from a cache, takes the latest count, and tells it once, before the end', () => {
    const first = { input_tokens: 25, cache_creation_input_tokens: 4, cache_read_input_tokens: 8, output_tokens: 1 };
    const last = because('end_turn', { input_tokens: null, output_tokens: 17 });
    expect(read(anthropic, [events(start(first), last, stop)]).events).to.deep.equal([
      { type: 'usage', input: 37, output: 17, model: 'm' },
      { type: 'finish', finish: 'stop', proved: true },
    ]);
    // What a reply has cost that broke off, too.
    expect(read(anthropic, [events(start(first))]).events).to.deep.equal([{ type: 'usage', input: 37, output: 1, model: 'm' }]);
  });

  it('passes over what it does not know', () => {
    const strange = [
      { type: 'vote', text: 'x' },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } },
      { type: 'content_block_delta', index: 9, delta: { type: 'input_json_delta', partial_json: '{}' } },
    ];
    const { text: said, finish } = read(anthropic, [events(start(), ...strange, text('a'), because('end_turn'), stop)]);
    expect([said, finish?.finish]).to.deep.equal(['a', 'stop']);
  });

  it('takes an input that comes with the start of its block, once', () => {
    const at = { index: 3 };
    const begun = (input: object) => ({
      type: 'content_block_start',
      ...at,
      content_block: { type: 'tool_use', id: 'a', name: 'now', input },
    });
    const piece = (json: string) => ({ type: 'content_block_delta', ...at, delta: { type: 'input_json_delta', partial_json: json } });
    const over = { type: 'content_block_stop', ...at };
    const source = (...stream: object[]) => toolCalls(read(anthropic, [events(...stream, stop)]))[0]?.source;
    expect(source(begun({ b: 1 }), over)).to.equal('{"b":1}');
    expect(source(begun({ b: 1 }), piece('{"b"'), piece(':1}'), over)).to.equal('{"b":1}');
    expect(source(begun({}), piece(''), over)).to.equal('{}');
  });

  it('hears an error, says whether waiting helps, and takes nothing for an end after it', () => {
    const failed = (type: string) => read(anthropic, [events(text('a'), { type: 'error', error: { type, message: 'no' } }, stop)]);
    expect(failed('overloaded_error').error).to.deep.equal({ type: 'error', message: 'no', code: 'overloaded_error', retryable: true });
    expect(failed('invalid_request_error').error).to.deep.equal({ type: 'error', message: 'no', code: 'invalid_request_error' });
    expect(failed('api_error').finish).to.equal(undefined);
  });

  it('reads a reply of one piece', () => {
    const whole = (body: object) => read(anthropic, everyByte(bytes(JSON.stringify(body))), { contentType: 'application/json' });
    const reading = whole({
      type: 'message',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'x' },
        { type: 'text', text: 'a' },
        { type: 'tool_use', id: 'toolu_a', name: 'now', input: { zone: 'UTC' } },
        { type: 'redacted_thinking', data: 'x' },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 4 },
    });
    expect([reading.text, reading.reasoning]).to.deep.equal(['a', 'hm']);
    expect(toolCalls(reading)).to.deep.equal([{ id: 'toolu_a', name: 'now', source: '{"zone":"UTC"}' }]);
    expect(reading.events.slice(-2)).to.deep.equal([
      { type: 'usage', input: 5, output: 4, model: 'm' },
      { type: 'finish', finish: 'tool-calls', proved: true },
    ]);
    expect(whole({ type: 'error', error: { type: 'not_found_error', message: 'no' } }).error?.code).to.equal('not_found_error');
    expect(whole({ type: 'message' }).error?.code).to.equal('BAD_RESPONSE');
  });
});
