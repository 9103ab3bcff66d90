import { expect } from 'chai';
import { openai } from '../../src/transports/openai.js';
import { bytes, frames, read, toolCalls } from './reading.js';
import { turn } from './turns.js';

const chunk = (delta: object, finish: string | null = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
const called = (...pieces: object[]) => chunk({ tool_calls: pieces });
const done = bytes('data: [DONE]\n\n');

describe('wire openai', () => {
  it('uses the length field that OpenAI itself wants', () => {
    const { body } = openai.request(turn, new URL('https://api.openai.com/v1/chat/completions'));
    expect(body).to.have.property('max_completion_tokens', 2000);
    expect(body).not.to.have.property('max_tokens');
  });

  it('ends proved by a finish reason and a clean close, not by a reset', () => {
    const source = frames(chunk({ content: 'a' }), chunk({}, 'stop'));
    expect(read(openai, [source]).finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
    expect(read(openai, [source], { how: 'reset' }).finish).to.equal(undefined);
  });

  it('ends unproved by [DONE] alone', () => {
    const finish = { type: 'finish', finish: 'unknown', proved: false };
    expect(read(openai, [frames(chunk({ content: 'a' })), done]).finish).to.deep.equal(finish);
  });

  it('shows a refusal, and says that it is one', () => {
    const { text, finish } = read(openai, [frames(chunk({ refusal: 'I ' }), chunk({ refusal: 'cannot.' }), chunk({}, 'stop')), done]);
    expect([text, finish?.finish]).to.deep.equal(['I cannot.', 'content-filter']);
  });

  it('takes one of two reasoning fields', () => {
    const both = frames(chunk({ reasoning_content: 'a', reasoning: 'a' }), chunk({ reasoning_content: null, reasoning: 'b' }));
    expect(read(openai, [both]).reasoning).to.equal('ab');
  });

  it('fails by an error frame, whatever follows', () => {
    for (const frame of ['data: {"error":{"message":"no"}}', 'data: {"object":"error","message":"no"}', 'event: error\ndata: no']) {
      const { error, finish } = read(openai, [frames(chunk({ content: 'a' })), bytes(`${frame}\n\n`), frames(chunk({}, 'stop')), done]);
      expect(error?.message).to.equal('no');
      expect(finish).to.equal(undefined);
    }
  });

  it('says that tools are called, although the service says `stop`', () => {
    const call = { index: 0, id: 'a', function: { name: 'now', arguments: '{}' } };
    expect(read(openai, [frames(called(call), chunk({}, 'stop')), done]).finish?.finish).to.equal('tool-calls');
    expect(read(openai, [frames(called(call), chunk({}, 'length')), done]).finish?.finish).to.equal('length');
  });

  it('tells calls apart whose servers do not number them', () => {
    const whole = (id: string, index?: number) => ({ id, index, function: { name: 'now', arguments: '{}' } });
    for (const pieces of [
      [called(whole('a')), called(whole('b'))],
      [called(whole('a', 0)), called(whole('b', 0))],
      [called(whole('a'), whole('b'))],
      [called(whole('a', 7), whole('b', 3))],
    ]) {
      expect(toolCalls(read(openai, [frames(...pieces)]))).to.deep.equal([
        { id: 'a', name: 'now', source: '{}' },
        { id: 'b', name: 'now', source: '{}' },
      ]);
    }
  });

  it('keeps the pieces of one call together, though id and name come with each, or late', () => {
    const piece = (source: string, more: object) => called({ index: 0, ...more, function: { name: 'now', arguments: source } });
    for (const [first, second] of [
      [{ id: 'a' }, { id: 'a' }],
      [{}, { id: 'a' }],
      [{ id: 'a' }, {}],
    ] as const) {
      const reading = read(openai, [frames(piece('{"a"', first), piece(':1}', second))]);
      expect(toolCalls(reading)).to.deep.equal([{ id: 'a', name: 'now', source: '{"a":1}' }]);
    }
  });

  it('takes arguments that are an object', () => {
    const call = { index: 0, id: 'a', function: { name: 'now', arguments: { zone: 'UTC' } } };
    expect(toolCalls(read(openai, [frames(called(call))]))[0]?.source).to.equal('{"zone":"UTC"}');
  });

  it('reads a reply of one piece', () => {
    const call = { id: 'a', type: 'function', function: { name: 'now', arguments: '{"zone":"UTC"}' } };
    const body = { choices: [{ message: { content: null, reasoning: 'hm', tool_calls: [call] }, finish_reason: 'stop' }] };
    const reading = read(openai, [bytes(JSON.stringify(body))], { contentType: 'application/json' });
    expect(toolCalls(reading)).to.deep.equal([{ id: 'a', name: 'now', source: '{"zone":"UTC"}' }]);
    expect([reading.reasoning, reading.finish?.finish]).to.deep.equal(['hm', 'tool-calls']);
  });
});
