import { expect } from 'chai';
import { ollama } from '../../src/transports/ollama.js';
import { bytes, everyByte, read, toolCalls } from './reading.js';
import { declared, turn, withPictures, withTools } from './turns.js';
import { cpuTime } from '../helpers/cpu-time.js';

const endpoint = new URL('http://localhost:11434/api/chat');
const row = (message: object, more: object = {}) =>
  JSON.stringify({ model: 'm', message: { role: 'assistant', ...message }, done: false, ...more });
const last = (more: object = {}) => row({ content: '' }, { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 4, ...more });
const rows = (pieces: Iterable<Uint8Array>, options: Parameters<typeof read>[2] = {}) =>
  read(ollama, pieces, { contentType: 'application/x-ndjson', ...options });

describe('wire ollama: requests', () => {
  it('puts the system prompt first, and the length among the options', () => {
    const { url, headers, body } = ollama.request({ ...turn, model: 'm' }, endpoint);
    expect(url.href).to.equal(endpoint.href);
    expect(headers).to.deep.equal({ 'content-type': 'application/json', accept: 'application/x-ndjson' });
    expect(body).to.deep.equal({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: '你好' },
      ],
      stream: true,
      options: { num_predict: 2000 },
    });
  });

  it('says that it does not stream: streaming is the default here', () => {
    const { headers, body } = ollama.request({ ...turn, stream: false }, endpoint);
    expect(headers['accept']).to.equal('application/json');
    expect(body).to.have.property('stream', false);
  });

  it('sends pictures that it has, and names those on the web', () => {
    expect(ollama.request({ ...withPictures, system: '' }, endpoint).body)
      .to.have.property('messages')
      .that.deep.equals([
        { role: 'user', content: 'What is this?\n[dog.jpg, image/jpeg]\n[a.pdf, application/pdf]', images: ['iVBORw0KGgo='] },
      ]);
  });

  it('declares tools, and tells calls and results in the service’s own form', () => {
    expect(ollama.request({ ...withTools, system: '' }, endpoint).body).to.deep.include({
      messages: [
        { role: 'user', content: 'What is due?' },
        {
          role: 'assistant',
          content: 'Checking.',
          tool_calls: [
            { id: 'call_a', function: { name: 'list_tasks', arguments: { day: '2026-11-21' } } },
            { id: 'call_b', function: { name: 'get_user', arguments: {} } },
          ],
        },
        { role: 'tool', tool_name: 'list_tasks', tool_call_id: 'call_a', content: '[]' },
        { role: 'tool', tool_name: 'get_user', tool_call_id: 'call_b', content: 'no user' },
        { role: 'user', content: 'And?' },
      ],
      tools: [
        { type: 'function', function: { name: 'list_tasks', description: 'Lists tasks.', parameters: declared.listTasks } },
        { type: 'function', function: { name: 'get_user', description: 'Who asks.', parameters: declared.getUser } },
      ],
    });
  });
});

describe('wire ollama: replies', () => {
  it('ends by a row that says so and by nothing else', () => {
    const source = bytes(`${row({ content: 'a' })}\n`);
    for (const how of ['close', 'reset'] as const) expect(rows([source], { how }).finish).to.equal(undefined);
    expect(rows([source, bytes(`${last()}\n`)], { how: 'reset' }).events).to.deep.equal([
      { type: 'text', text: 'a' },
      { type: 'usage', input: 3, output: 4, model: 'm' },
      { type: 'finish', finish: 'stop', proved: true },
    ]);
  });

  it('reads any line end, in any slicing', () => {
    const lines = [row({ content: '家族 👨‍👩‍👧 ' }), '', row({ content: 'é', thinking: '…' }), last()];
    for (const end of ['\n', '\r\n', '\r']) {
      for (const slices of [[bytes(lines.join(end) + end)], everyByte(bytes(lines.join(end) + end))]) {
        const { text, reasoning, finish } = rows(slices);
        expect([text, reasoning, finish?.finish]).to.deep.equal(['家族 👨‍👩‍👧 é', '…', 'stop']);
      }
    }
  });

  it('takes a last row without its line end if it is whole and the body ends well', () => {
    const source = bytes(`${row({ content: 'a' })}\n${last()}`);
    for (const slices of [[source], everyByte(source)]) expect(rows(slices).finish?.proved).to.equal(true);
    expect(rows([source], { how: 'reset' }).finish).to.equal(undefined);
    for (let length = 0; length < source.length; length++) expect(rows([source.subarray(0, length)]).finish).to.equal(undefined);
    expect(rows([bytes('{"error":"no"}')]).error?.message).to.equal('no');
  });

  it('hears an error that is a string, and takes nothing for an end after it', () => {
    const { text, error, finish } = rows([bytes(`${row({ content: 'a' })}\n{"error":"model runner has stopped"}\n${last()}\n`)]);
    expect([text, error?.message, finish]).to.deep.equal(['a', 'model runner has stopped', undefined]);
  });

  it('knows why it ended, by the reason or without', () => {
    for (const [reason, finish] of [
      ['stop', 'stop'],
      ['length', 'length'],
      ['load', 'unknown'],
      [undefined, 'stop'],
    ]) {
      expect(rows([bytes(`${last({ done_reason: reason })}\n`)]).finish?.finish).to.equal(finish);
    }
  });

  it('keeps what the last row says', () => {
    expect(rows([bytes(`${row({ content: 'a' }, { done: true })}\n`)]).text).to.equal('a');
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
