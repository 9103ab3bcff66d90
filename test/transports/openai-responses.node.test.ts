import { expect } from 'chai';
import { openaiResponses } from '../../src/transports/openai-responses.js';
import { bytes, events, everyByte, frames, read, toolCalls } from './reading.js';
import { turn } from './turns.js';

const delta = (text: string) => ({ type: 'response.output_text.delta', item_id: 'msg_1', delta: text });
const completed = (response: object = {}) => ({ type: 'response.completed', response: { status: 'completed', output: [], ...response } });
const message = (...content: object[]) => ({ type: 'message', role: 'assistant', content });

describe('wire openai-responses', () => {
  it('asks for no less than the service takes', () => {
    const { body } = openaiResponses.request({ ...turn, maxTokens: 1 }, new URL('https://x.example/v1/responses'));
    expect(body).to.have.property('max_output_tokens', 16);
  });

  it('ends at the terminal event, though more follows, and not by [DONE]', () => {
    const late = { type: 'response.rate_limits.updated', rate_limits: [] };
    expect(read(openaiResponses, [events(delta('a'), completed(), late, delta('b'))]).events).to.deep.equal([
      { type: 'text', text: 'a' },
      { type: 'finish', finish: 'stop', proved: true },
    ]);
    const { text, finish, error, warnings } = read(openaiResponses, [events(delta('a')), bytes('data: [DONE]\n\n')]);
    expect([text, finish, error, warnings]).to.deep.equal(['a', undefined, undefined, []]);
  });

  it('says why a reply is incomplete', () => {
    for (const [details, finish] of [
      [{ reason: 'max_output_tokens' }, 'length'],
      [{ reason: 'content_filter' }, 'content-filter'],
      [{ reason: 'a reason from the future' }, 'length'],
      [null, 'length'],
    ] as const) {
      const last = { type: 'response.incomplete', response: { incomplete_details: details } };
      expect(read(openaiResponses, [events(last)]).finish?.finish).to.equal(finish);
    }
  });

  it('shows a refusal, and says that it is one', () => {
    const { text, finish } = read(openaiResponses, [events({ type: 'response.refusal.delta', delta: 'No.' }, completed())]);
    expect([text, finish?.finish]).to.deep.equal(['No.', 'content-filter']);
  });

  it('hears errors flat, nested, bare and failed', () => {
    const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'no' }, usage: { input_tokens: 3 } } };
    for (const frame of [
      { type: 'error', code: 'server_error', message: 'no', param: null },
      { type: 'error', error: { type: 'server_error', message: 'no' } },
      { error: { code: 'server_error', message: 'no' } },
      failed,
    ]) {
      const { error, finish } = read(openaiResponses, [frames(delta('a'), frame, completed())]);
      expect(error).to.deep.equal({ type: 'error', message: 'no', code: 'server_error', retryable: true });
      expect(finish).to.equal(undefined);
    }
    expect(read(openaiResponses, [frames(failed)]).events[0]).to.deep.equal({ type: 'usage', input: 3, output: 0 });
    expect(read(openaiResponses, [frames({ type: 'response.failed', response: null })]).error?.message).to.equal('');
  });

  it('sets the parts of a summary apart', () => {
    const part = (index: number) => ({ type: 'response.reasoning_summary_part.added', summary_index: index });
    const summary = (text: string) => ({ type: 'response.reasoning_summary_text.delta', delta: text });
    const { reasoning } = read(openaiResponses, [events(part(0), summary('a'), part(1), summary('b'), completed())]);
    expect(reasoning).to.equal('a\n\nb');
  });

  it('finds the pieces of a call by whatever id the server gives', () => {
    const item = { type: 'function_call', call_id: 'call_a', name: 'now', arguments: '' };
    const piece = (text: string, id?: string) => ({ type: 'response.function_call_arguments.delta', delta: text, item_id: id });
    const whole = { ...item, arguments: '{"a":1}' };
    const added = (more: object) => ({ type: 'response.output_item.added', item: { ...item, ...more } });
    const complete = (more: object) => ({ type: 'response.output_item.done', item: { ...whole, ...more } });
    for (const stream of [
      [added({ id: 'fc_1' }), piece('{"a"', 'fc_1'), piece(':1}', 'fc_1'), complete({ id: 'fc_1' })],
      [added({}), piece('{"a"', 'call_a'), piece(':1}', 'call_a'), complete({})],
      [added({}), piece('{"a"'), piece(':1}'), complete({})],
      [added({ id: 'fc_1' }), complete({ id: 'fc_1' })],
      [complete({ id: 'fc_1' })],
      [complete({})],
    ]) {
      const reading = read(openaiResponses, [events(...stream, completed({ output: [whole] }))]);
      expect(toolCalls(reading)).to.deep.equal([{ id: 'call_a', name: 'now', source: '{"a":1}' }]);
      expect(reading.finish?.finish).to.equal('tool-calls');
    }
  });

  it('takes from the last event what was not streamed', () => {
    const output = [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }, message({ type: 'output_text', text: 'hi' })];
    const { text, reasoning } = read(openaiResponses, [events(completed({ output }))]);
    expect([text, reasoning]).to.deep.equal(['hi', 'hm']);
    expect(read(openaiResponses, [events(delta('hi'), completed({ output }))]).text).to.equal('hi');
  });

  it('reads a reply of one piece', () => {
    const whole = (body: object) => read(openaiResponses, everyByte(bytes(JSON.stringify(body))), { contentType: 'application/json' });
    const reading = whole({
      object: 'response',
      status: 'completed',
      error: null,
      model: 'm',
      output: [
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }], summary: [] },
        message({ type: 'output_text', text: 'a' }, { type: 'output_text', text: 'b' }),
        { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'now', arguments: '{}' },
        { type: 'web_search_call', id: 'ws_1' },
      ],
      usage: { input_tokens: 3, output_tokens: 4 },
    });
    expect([reading.text, reading.reasoning]).to.deep.equal(['ab', 'hm']);
    expect(toolCalls(reading)).to.deep.equal([{ id: 'call_a', name: 'now', source: '{}' }]);
    expect(reading.events.slice(-2)).to.deep.equal([
      { type: 'usage', input: 3, output: 4, model: 'm' },
      { type: 'finish', finish: 'tool-calls', proved: true },
    ]);
    expect(whole({ status: 'incomplete', output: [], incomplete_details: { reason: 'max_output_tokens' } }).finish?.finish).to.equal(
      'length',
    );
    expect(whole({ status: 'failed', output: [], error: { code: 'server_error', message: 'no' } }).error?.message).to.equal('no');
    expect(whole({ status: 'completed', output: [message({ type: 'refusal', refusal: 'No.' })] })).to.include({ text: 'No.' });
    expect(whole({ error: { message: 'no' } }).error?.message).to.equal('no');
    expect(whole({ status: 'completed' }).error?.code).to.equal('BAD_RESPONSE');
  });
});
