import { expect } from 'chai';
import { cutie } from '../../src/transports/cutie.js';
import type { TurnMessage } from '../../src/transports/wire.js';
import { bytes, everyByte, read } from './reading.js';
import { cpuTime } from '../helpers/cpu-time.js';

const turn = { messages: [{ role: 'user', text: '你好' }], system: 'Be brief.', maxTokens: 2000, stream: true };
const stream = (...frames: string[]) => bytes(frames.map((frame) => `${frame}\n\n`).join(''));
const cutieText = (content: string) => `event: message\ndata: ${JSON.stringify({ type: 'text', content })}`;

describe('wire cutie: requests', () => {
  it('sends the body of the seed', () => {
    const { url, headers, body } = cutie.request(turn, new URL('https://x.example/api/ai/chat/stream?k=1'));
    expect(url.href).to.equal('https://x.example/api/ai/chat/stream?k=1');
    expect(headers).to.deep.equal({ 'content-type': 'application/json', accept: 'text/event-stream' });
    expect(body).to.deep.equal({ messages: [{ role: 'user', text: '你好' }], system: 'Be brief.', max_tokens: 2000, stream: true });
  });

  it('knows only text: the rest is told in words', () => {
    const messages: TurnMessage[] = [
      { role: 'system', text: 'a' },
      { role: 'user', text: 'b', attachments: [{ type: 'image/png', name: 'cat.png', url: 'data:image/png;base64,AA==' }] },
      { role: 'assistant', text: 'c', toolCalls: [{ id: '1', name: 'now', arguments: {} }] },
      { role: 'tool', text: 'd', toolCallId: '1', toolName: 'now' },
      { role: 'assistant', text: '' },
    ];
    expect(cutie.request({ ...turn, messages, tools: [{ name: 'now' }] }, new URL('https://x.example/')).body).to.deep.equal({
      messages: [
        { role: 'user', text: 'a' },
        { role: 'user', text: 'b\n[cat.png, image/png]' },
        { role: 'assistant', text: 'c' },
        { role: 'tool', text: 'd' },
      ],
      system: 'Be brief.',
      max_tokens: 2000,
      stream: true,
    });
  });

  it('names the model where there is one', () => {
    expect(cutie.request({ ...turn, model: 'm' }, new URL('https://x.example/')).body).to.have.property('model', 'm');
  });

  it('asks the route beside it when it does not stream', () => {
    const ask = (address: string) => cutie.request({ ...turn, stream: false }, new URL(address));
    expect(ask('https://x.example/api/ai/chat/stream?k=1').url.href).to.equal('https://x.example/api/ai/chat?k=1');
    expect(ask('https://x.example/chat').url.href).to.equal('https://x.example/chat');
    expect(ask('https://x.example/chat').headers['accept']).to.equal('application/json');
  });
});

describe('wire cutie: replies', () => {
  it('takes the type from the data, else from the event name', () => {
    const { text, finish } = read(cutie, [
      stream('event: telemetry\ndata: {"type":"text","content":"a"}', 'event: message\ndata: {"content":"b"}', 'event: done\ndata: {}'),
    ]);
    expect(text).to.equal('ab');
    expect(finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
  });

  it('reads reasoning, usage, model and finish reason of our relay', () => {
    const { events } = read(cutie, [
      stream(
        'id: s1.0\ndata: {"type":"reasoning","content":"hm"}',
        'id: s1.1\ndata: {"type":"done","usage":{"input_tokens":3,"output_tokens":4},"model":"m","finish_reason":"length"}',
      ),
    ]);
    expect(events).to.deep.equal([
      { type: 'reasoning', text: 'hm' },
      { type: 'usage', input: 3, output: 4, model: 'm' },
      { type: 'finish', finish: 'length', proved: true },
    ]);
  });

  it('leaves out what makes no sense, says so, and reads on', () => {
    const { text, warnings, finish } = read(cutie, [
      stream(
        cutieText('a'),
        'data: {oops',
        'data: {"type":"banana"}',
        'data:',
        'data: 7',
        'data: null',
        cutieText('b'),
        'data: {"type":"done"}',
      ),
    ]);
    expect(text).to.equal('ab');
    expect(warnings).to.have.length(1);
    expect(finish?.proved).to.equal(true);
  });

  it('never ends by a close, however clean', () => {
    for (const how of ['close', 'reset'] as const) expect(read(cutie, [stream(cutieText('a'))], { how }).finish).to.equal(undefined);
  });

  it('does not take half an event for one', () => {
    expect(read(cutie, [bytes(`${cutieText('a')}\n\ndata: {"type":"done"}\n`)]).finish).to.equal(undefined);
  });

  it('hears nothing after the end', () => {
    const { events } = read(cutie, [stream('data: {"type":"done"}', cutieText('late'), 'data: {"type":"done"}')]);
    expect(events.map((event) => event.type)).to.deep.equal(['finish']);
  });

  it('hears an error that is not JSON', () => {
    expect(read(cutie, [stream('event: error\ndata: upstream gone')]).error?.message).to.equal('upstream gone');
  });

  it('keeps code and retryable of an error, and takes nothing for an end after it', () => {
    const { error, finish } = read(cutie, [
      stream('event: error\ndata: {"type":"error","message":"busy","code":"overloaded","retryable":true}', 'data: {"type":"done"}'),
    ]);
    expect(error).to.deep.equal({ type: 'error', message: 'busy', code: 'overloaded', retryable: true });
    expect(finish).to.equal(undefined);
  });

  it('knows what gets better by waiting, by whatever name', () => {
    const retryable = (error: object) => read(cutie, [stream(`data: ${JSON.stringify({ type: 'error', error })}`)]).error?.retryable;
    for (const error of [{ code: 503 }, { code: '429' }, { type: 'overloaded_error' }, { code: 'rate_limit_exceeded' }]) {
      expect(retryable({ message: 'no', ...error })).to.equal(true);
    }
    expect(retryable({ code: 503, retryable: false })).to.equal(false);
    for (const error of [{ code: 400 }, { type: 'invalid_request_error' }, { code: 'constructor' }, {}])
      expect(retryable(error)).to.equal(undefined);
  });

  it('reads own properties only', () => {
    const data = '{"__proto__":{"type":"text","content":"EVIL"},"constructor":{"prototype":{"polluted":"yes"}}}';
    const { text } = read(cutie, [stream(`data: ${data}`, 'data: {"type":"done"}')]);
    expect(text).to.equal('');
    expect(({} as { polluted?: string }).polluted).to.equal(undefined);
  });
});

describe('wires under a JSON content type', () => {
  const json = (value: unknown) => read(cutie, everyByte(bytes(JSON.stringify(value))), { contentType: 'application/json; charset=utf-8' });

  it('read the seed reply', () => {
    const { text, finish } = json({ reply: '你好', usage: { prompt_tokens: 1, completion_tokens: 2 }, model: 'm', response_time_ms: 3 });
    expect(text).to.equal('你好');
    expect(finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
  });

  it('read a chat completion', () => {
    const { text, reasoning, finish } = json({ choices: [{ message: { content: 'hi', reasoning: 'hm' }, finish_reason: 'length' }] });
    expect([text, reasoning, finish?.finish]).to.deep.equal(['hi', 'hm', 'length']);
  });

  it('read a refusal', () => {
    const { text, finish } = json({ choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] });
    expect([text, finish?.finish]).to.deep.equal(['No.', 'content-filter']);
  });

  it('read JSON that comes as an event stream', () => {
    for (const contentType of ['text/event-stream', '']) {
      for (const source of ['{"error":{"message":"no"}}', ' \r\n\t{"error":"no"}', '\uFEFF{"detail":"","error":"no"}']) {
        expect(read(cutie, everyByte(bytes(source)), { contentType }).error?.message).to.equal('no');
      }
      expect(read(cutie, [bytes('{"reply":"hi"}')], { contentType }).text).to.equal('hi');
      expect(read(cutie, [bytes('{"reply":"hi')], { contentType }).error?.code).to.equal('BAD_RESPONSE');
    }
  });

  it('read errors in every shape', () => {
    for (const value of [{ error: 'no' }, { error: { message: 'no' } }, { type: 'error', message: 'no' }, { error: { detail: 'no' } }]) {
      expect(json(value).error?.message).to.equal('no');
    }
  });

  it('refuse any other shape', () => {
    for (const value of [{}, [], null, 'reply', { reply: 7 }, { choices: [] }]) expect(json(value).error?.code).to.equal('BAD_RESPONSE');
  });

  it('do not take half a body for one', () => {
    const source = bytes('{"reply":"all of it"}');
    const options = { contentType: 'application/json' };
    expect(read(cutie, [source], { ...options, how: 'reset' }).finish).to.equal(undefined);
    expect(read(cutie, [source.subarray(0, 12)], options).error?.code).to.equal('BAD_RESPONSE');
  });

  it('hold the limit', () => {
    expect(read(cutie, [bytes(`{"reply":"${'a'.repeat(100)}"}`)], { contentType: 'application/json', maxLine: 50 }).error?.code).to.equal(
      'TOO_LARGE',
    );
  });
});

describe('wires and the limits of a stream', () => {
  it('refuse a body that is neither an event stream nor JSON', () => {
    for (const contentType of ['text/html', 'text/plain; charset=utf-8', 'image/png']) {
      expect(read(cutie, [stream(cutieText('a'))], { contentType }).events).to.deep.equal([
        { type: 'error', message: '', code: 'BAD_RESPONSE' },
      ]);
    }
  });

  it('take a missing content type for an event stream', () => {
    expect(read(cutie, [stream(cutieText('a'))], { contentType: '' }).text).to.equal('a');
  });

  it('say once that a line is too long, and keep what came before', () => {
    for (const giant of ['data: ', ': ', 'id: ']) {
      const { events } = read(cutie, everyByte(bytes(`${cutieText('a')}\n\n${giant}${'x'.repeat(300)}\n\n${cutieText('b')}\n\n`)), {
        maxLine: 200,
      });
      expect(events).to.deep.equal([
        { type: 'text', text: 'a' },
        { type: 'error', message: '', code: 'TOO_LARGE' },
      ]);
    }
  });

  it('hold the limit for an event of many short lines', () => {
    expect(read(cutie, everyByte(bytes('data: xxxxxxxxxx\n'.repeat(50))), { maxLine: 200 }).error?.code).to.equal('TOO_LARGE');
  });

  it('read 100,000 comments in linear time', () => {
    const flood = bytes(': x\n\n'.repeat(100_000));
    const started = cpuTime();
    read(cutie, [flood]);
    expect(cpuTime() - started).to.be.below(2000);
  });
});
