import { expect } from 'chai';
import { ollama } from '../../src/transports/ollama.js';
import { bytes, everyByte, read, toolCalls } from './reading.js';
import { cpuTime } from '../helpers/cpu-time.js';

const row = (message: object, more: object = {}) =>
  JSON.stringify({ model: 'm', message: { role: 'assistant', ...message }, done: false, ...more });
const last = (more: object = {}) => row({ content: '' }, { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 4, ...more });
const rows = (pieces: Iterable<Uint8Array>, options: Parameters<typeof read>[2] = {}) =>
  read(ollama, pieces, { contentType: 'application/x-ndjson', ...options });

describe('wire ollama', () => {
  it('ends by a row that says so and by nothing else', () => {
    const source = bytes(`${row({ content: 'a' })}\n`);
    for (const how of ['close', 'reset'] as const) expect(rows([source], { how }).finish).to.equal(undefined);
    expect(rows([source, bytes(`${last()}\n`)], { how: 'reset' }).events).to.deep.equal([
      { type: 'text', text: 'a' },
      { type: 'usage', input: 3, output: 4, model: 'm' },
      { type: 'finish', finish: 'stop', proved: true },
    ]);
  });

  it('takes a last row without its line end if it is whole and the body ends well', () => {
    const source = bytes(`${row({ content: 'a' })}\n${last()}`);
    for (const slices of [[source], everyByte(source)]) expect(rows(slices).finish?.proved).to.equal(true);
    expect(rows([source], { how: 'reset' }).finish).to.equal(undefined);
    for (let length = 0; length < source.length; length++) expect(rows([source.subarray(0, length)]).finish).to.equal(undefined);
    expect(rows([bytes('{"error":"no"}')]).error?.message).to.equal('no');
  });

  it('knows why it ended, by the reason or without', () => {
    for (const [reason, finish] of Object.entries({ stop: 'stop', length: 'length', load: 'unknown' }))
      expect(rows([bytes(`${last({ done_reason: reason })}\n`)]).finish?.finish).to.equal(finish);
    const { text, finish } = rows([bytes(`${row({ content: 'a' }, { done: true })}\n`)]);
    expect([text, finish?.finish]).to.deep.equal(['a', 'stop']);
  });

  it('numbers calls itself, and says that tools are called', () => {
    const call = (name: string) => ({ function: { index: 0, name, arguments: { a: 1 } } });
    const reading = rows([bytes(`${row({ tool_calls: [call('x'), call('y')] })}\n${row({ tool_calls: [call('z')] })}\n${last()}\n`)]);
    expect(toolCalls(reading)).to.deep.equal(['x', 'y', 'z'].map((name) => ({ name, source: '{"a":1}' })));
    expect(reading.finish?.finish).to.equal('tool-calls');
  });

  it('leaves out what makes no sense, says so, and reads on', () => {
    const { text, warnings } = rows([bytes(`{oops\nnull\n7\n[]\n{"message":7,"done":"yes"}\n${row({ content: 'a' })}\n${last()}\n`)]);
    expect(text).to.equal('a');
    expect(warnings).to.have.length(1);
  });

  it('holds the limit, and keeps what came before', () => {
    const source = bytes(`${row({ content: 'a' })}\n${'x'.repeat(300)}\n${row({ content: 'b' })}\n`);
    for (const slices of [[source], everyByte(source)]) {
      expect(rows(slices, { maxLine: 200 }).events).to.deep.equal([
        { type: 'text', text: 'a' },
        { type: 'error', message: '', code: 'TOO_LARGE' },
      ]);
    }
  });

  it('reads 100,000 blank lines and a line of 4 MB in small pieces in linear time', () => {
    const started = cpuTime();
    rows([bytes('\n'.repeat(100_000))]);
    const piece = bytes('x'.repeat(64));
    rows(Array.from({ length: 65_000 }, () => piece));
    expect(cpuTime() - started).to.be.below(2000);
  });

  it('reads a reply of one piece', () => {
    const whole = (source: string) => read(ollama, everyByte(bytes(source)), { contentType: 'application/json; charset=utf-8' });
    const reading = whole(
      row({ content: 'a', thinking: 'hm', tool_calls: [{ id: 'c', function: { name: 'now', arguments: {} } }] }, { done: true }),
    );
    expect([reading.text, reading.reasoning, reading.finish?.finish]).to.deep.equal(['a', 'hm', 'tool-calls']);
    expect(toolCalls(reading)).to.deep.equal([{ id: 'c', name: 'now', source: '{}' }]);
    expect(whole('{"error":"no"}').error?.message).to.equal('no');
    for (const source of ['{}', row({ content: 'a' })]) expect(whole(source).error?.code).to.equal('BAD_RESPONSE');
  });

  it('refuses a body of another kind', () => {
    for (const contentType of ['text/html', 'text/event-stream']) {
      expect(rows([bytes(`${last()}\n`)], { contentType }).error?.code).to.equal('BAD_RESPONSE');
    }
    expect(rows([bytes(`${last()}\n`)], { contentType: '' }).finish?.proved).to.equal(true);
  });
});
