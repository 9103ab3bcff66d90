import { expect } from 'chai';
import { cutie } from '../../src/transports/cutie.js';
import type { TurnMessage } from '../../src/transports/wire.js';
import { bytes, everyByte, frames, read } from './reading.js';
import { turn } from './turns.js';
import { cpuTime } from '../helpers/cpu-time.js';

const stream = (...list: string[]) => bytes(list.map((frame) => `${frame}\n\n`).join(''));
const said = (content: string) => ({ type: 'text', content });
const done = { type: 'done' };

describe('wire cutie: requests', () => {
  const ask = (address: string, more: object = {}) => cutie.request({ ...turn, ...more }, new URL(address));

  it('have the body of the seed', () => {
    const { url, headers, body } = ask('https://x.example/api/ai/chat/stream?k=1', { model: 'm' });
    expect(url.href).to.equal('https://x.example/api/ai/chat/stream?k=1');
    expect(headers).to.deep.equal({ 'content-type': 'application/json', accept: 'text/event-stream' });
    const messages = [{ role: 'user', text: '你好' }];
    expect(body).to.deep.equal({ messages, system: 'Be brief.', max_tokens: 2000, stream: true, model: 'm' });
  });

  it('know only text: the rest is told in words', () => {
    const messages: TurnMessage[] = [
      { role: 'system', text: 'a' },
      { role: 'user', text: 'b', attachments: [{ type: 'image/png', name: 'cat.png', url: 'data:image/png;base64,AA==' }] },
      { role: 'assistant', text: 'c', toolCalls: [{ id: '1', name: 'now', arguments: {} }] },
      { role: 'tool', text: 'd', toolCallId: '1', toolName: 'now' },
      { role: 'assistant', text: '' },
    ];
    const sent = [
      { role: 'user', text: 'a' },
      { role: 'user', text: 'b\n[cat.png, image/png]' },
      { role: 'assistant', text: 'c' },
      { role: 'tool', text: 'd' },
    ];
    const { body } = ask('https://x.example/', { messages, tools: [{ name: 'now' }] });
    expect(body).to.deep.equal({ messages: sent, system: 'Be brief.', max_tokens: 2000, stream: true });
  });

  it('go to the route beside it when they do not stream', () => {
    const to = (address: string) => ask(address, { stream: false });
    expect(to('https://x.example/api/ai/chat/stream?k=1').url.href).to.equal('https://x.example/api/ai/chat?k=1');
    expect(to('https://x.example/chat').url.href).to.equal('https://x.example/chat');
    expect(to('https://x.example/chat').headers['accept']).to.equal('application/json');
  });
});

describe('wire cutie: replies', () => {
  it('have their type in the data, else in the name of the event', () => {
    const { text, finish } = read(cutie, [
      stream('event: telemetry\ndata: {"type":"text","content":"a"}', 'event: message\ndata: {"content":"b"}', 'event: done\ndata: {}'),
    ]);
    expect([text, finish]).to.deep.equal(['ab', { type: 'finish', finish: 'stop', proved: true }]);
  });

  it('leave out what makes no sense, with a warning, and read on', () => {
    const nonsense = ['data: {oops', 'data: {"type":"banana"}', 'data:', 'data: 7', 'data: null'];
    const { text, warnings, finish } = read(cutie, [frames(said('a')), stream(...nonsense), frames(said('b'), done)]);
    expect([text, warnings.length, finish?.proved]).to.deep.equal(['ab', 1, true]);
    const evil = '{"__proto__":{"type":"text","content":"EVIL"},"constructor":{"prototype":{"polluted":"yes"}}}';
    expect(read(cutie, [stream(`data: ${evil}`)]).text).to.equal('');
    expect(({} as { polluted?: string }).polluted).to.equal(undefined);
  });

  it('end by nothing but their end, and say nothing after it', () => {
    for (const how of ['close', 'reset'] as const) expect(read(cutie, [frames(said('a'))], { how }).finish).to.equal(undefined);
    expect(read(cutie, [frames(said('a')), bytes('data: {"type":"done"}\n')]).finish).to.equal(undefined);
    expect(read(cutie, [frames(done, said('late'), done)]).events.map(({ type }) => type)).to.deep.equal(['finish']);
  });

  it('fail with what the service says of it, and are over then', () => {
    const failure = { type: 'error', message: 'busy', code: 'overloaded', retryable: true };
    const { error, finish } = read(cutie, [frames(failure, done)]);
    expect([error, finish]).to.deep.equal([failure, undefined]);
    expect(read(cutie, [stream('event: error\ndata: upstream gone')]).error?.message).to.equal('upstream gone');
  });

  it('know what gets better by waiting, by whatever name', () => {
    for (const [error, retryable] of [
      [{ code: 503 }, true],
      [{ code: '429' }, true],
      [{ type: 'overloaded_error' }, true],
      [{ code: 'rate_limit_exceeded' }, true],
      [{ code: 503, retryable: false }, false],
      [{ code: 400 }, undefined],
      [{ type: 'invalid_request_error' }, undefined],
      [{ code: 'constructor' }, undefined],
      [{}, undefined],
    ] as const)
      expect(read(cutie, [frames({ type: 'error', error: { message: 'no', ...error } })]).error?.retryable).to.equal(retryable);
  });
});

describe('replies of one piece of JSON', () => {
  const json = (value: unknown) => read(cutie, everyByte(bytes(JSON.stringify(value))), { contentType: 'application/json; charset=utf-8' });

  it('are those of the seed, of a chat completion, and errors in every shape', () => {
    const choice = (message: object, finish_reason: string) => ({ choices: [{ message, finish_reason }] });
    for (const [value, text, reasoning, finish] of [
      [{ reply: '你好', usage: { prompt_tokens: 1 }, model: 'm', response_time_ms: 3 }, '你好', '', 'stop'],
      [choice({ content: 'hi', reasoning: 'hm' }, 'length'), 'hi', 'hm', 'length'],
      [choice({ content: null, refusal: 'No.' }, 'stop'), 'No.', '', 'content-filter'],
    ] as const) {
      const heard = json(value);
      expect([heard.text, heard.reasoning, heard.finish?.finish]).to.deep.equal([text, reasoning, finish]);
    }
    for (const value of [{ error: 'no' }, { error: { message: 'no' } }, { type: 'error', message: 'no' }, { error: { detail: 'no' } }])
      expect(json(value).error?.message).to.equal('no');
    for (const value of [{}, [], null, 'reply', { reply: 7 }, { choices: [] }]) expect(json(value).error?.code).to.equal('BAD_RESPONSE');
  });

  it('are known under the content type of a stream, too', () => {
    for (const contentType of ['text/event-stream', '']) {
      for (const source of ['{"error":{"message":"no"}}', ' \r\n\t{"error":"no"}', '\uFEFF{"detail":"","error":"no"}'])
        expect(read(cutie, everyByte(bytes(source)), { contentType }).error?.message).to.equal('no');
      expect(read(cutie, [bytes('{"reply":"hi"}')], { contentType }).text).to.equal('hi');
      expect(read(cutie, [bytes('{"reply":"hi')], { contentType }).error?.code).to.equal('BAD_RESPONSE');
    }
  });

  it('are taken only whole, and within the limit', () => {
    const source = bytes('{"reply":"all of it"}');
    const contentType = 'application/json';
    expect(read(cutie, [source], { contentType, how: 'reset' }).finish).to.equal(undefined);
    expect(read(cutie, [source.subarray(0, 12)], { contentType }).error?.code).to.equal('BAD_RESPONSE');
    expect(read(cutie, [source], { contentType, maxLine: 10 }).error?.code).to.equal('TOO_LARGE');
  });
});

describe('the limits of a stream', () => {
  it('let no other content type pass; none at all is that of a stream', () => {
    for (const contentType of ['text/html', 'text/plain; charset=utf-8', 'image/png'])
      expect(read(cutie, [frames(said('a'))], { contentType }).error?.code).to.equal('BAD_RESPONSE');
    expect(read(cutie, [frames(said('a'))], { contentType: '' }).text).to.equal('a');
  });

  it('are told once when a line is too long, or an event of many lines; what came before is kept', () => {
    for (const giant of ['data: ', ': ', 'id: ']) {
      const source = bytes(`data: {"type":"text","content":"a"}\n\n${giant}${'x'.repeat(300)}\n\ndata: {"type":"text","content":"b"}\n\n`);
      expect(read(cutie, everyByte(source), { maxLine: 200 }).events).to.deep.equal([
        { type: 'text', text: 'a' },
        { type: 'error', message: '', code: 'TOO_LARGE' },
      ]);
    }
    expect(read(cutie, everyByte(bytes('data: xxxxxxxxxx\n'.repeat(50))), { maxLine: 200 }).error?.code).to.equal('TOO_LARGE');
  });

  it('are no matter of time: 100,000 comments are read in linear time', () => {
    const started = cpuTime();
    read(cutie, [bytes(': x\n\n'.repeat(100_000))]);
    expect(cpuTime() - started).to.be.below(2000);
  });
});
