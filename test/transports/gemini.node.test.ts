import { expect } from 'chai';
import { gemini } from '../../src/transports/gemini.js';
import { bytes, everyByte, frames, read, toolCalls } from './reading.js';
import { turn } from './turns.js';

const base = 'https://generativelanguage.googleapis.com/v1beta/models';
const endpoint = new URL(`${base}/m:streamGenerateContent?alt=sse`);
const response = (parts: object[], finishReason?: string, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason !== undefined && { finishReason }) }],
  ...more,
});
const counts = (input: number, output: number) => ({ usageMetadata: { promptTokenCount: input, candidatesTokenCount: output } });

describe('wire gemini', () => {
  it('makes one turn of neighbours', () => {
    const messages = ['user', 'system'].map((role) => ({ role, text: role }));
    const contents = [{ role: 'user', parts: [{ text: 'user' }, { text: 'system' }] }];
    expect(gemini.request({ ...turn, messages }, endpoint).body).to.deep.include({ contents });
  });

  it('sets the address right: method, framing and model', () => {
    const address = (path: string, more: object = {}) => gemini.request({ ...turn, ...more }, new URL(`${base}${path}`)).url.href;
    expect(address('/m:streamGenerateContent')).to.equal(endpoint.href);
    expect(address('/m:generateContent?key=k')).to.equal(`${base}/m:streamGenerateContent?key=k&alt=sse`);
    expect(address('/m:streamGenerateContent?alt=sse&key=k', { stream: false })).to.equal(`${base}/m:generateContent?key=k`);
    expect(address('/m:streamGenerateContent', { model: 'n-2.5' })).to.equal(`${base}/n-2.5:streamGenerateContent?alt=sse`);
    expect(address('/{model}:streamGenerateContent', { model: 'models/n' })).to.equal(`${base}/n:streamGenerateContent?alt=sse`);
    expect(address('/m:streamGenerateContent', { model: '../x?y' })).to.equal(`${base}/..%2Fx%3Fy:streamGenerateContent?alt=sse`);
  });

  it('ends by a finish reason and then a clean close, not by a reset', () => {
    const source = frames(response([{ text: 'a' }]), response([{ text: 'b' }], 'STOP'));
    expect(read(gemini, [source]).finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
    expect(read(gemini, [source], { how: 'reset' }).finish).to.equal(undefined);
  });

  it('knows why it ended', () => {
    for (const [reason, finish] of Object.entries({
      STOP: 'stop',
      MAX_TOKENS: 'length',
      SAFETY: 'content-filter',
      RECITATION: 'content-filter',
      PROHIBITED_CONTENT: 'content-filter',
      OTHER: 'unknown',
      constructor: 'unknown',
    })) {
      expect(read(gemini, [frames(response([], reason))]).finish?.finish, reason).to.equal(finish);
    }
  });

  it('takes a call that the model got wrong for an error that may pass', () => {
    const { error, finish } = read(gemini, [
      frames({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'print(x)' }] }),
    ]);
    expect(error).to.deep.equal({ type: 'error', message: 'print(x)', code: 'MALFORMED_FUNCTION_CALL', retryable: true });
    expect(finish).to.equal(undefined);
  });

  it('tells the last of the counts, once, before the end', () => {
    const { events } = read(gemini, [
      frames(
        response([{ text: 'a' }], undefined, { ...counts(9, 1), modelVersion: 'm' }),
        response([], 'STOP', { ...counts(9, 5), modelVersion: 'm' }),
      ),
    ]);
    expect(events).to.deep.equal([
      { type: 'text', text: 'a' },
      { type: 'usage', input: 9, output: 5, model: 'm' },
      { type: 'finish', finish: 'stop', proved: true },
    ]);
  });

  it('reads thoughts apart, and passes over parts it does not know', () => {
    const { text, reasoning } = read(gemini, [
      frames(
        response([{ text: 'hm', thought: true }, { executableCode: {} }, { text: 'a' }, { text: '', thoughtSignature: 'x' }]),
        {},
        response([], 'STOP'),
      ),
    ]);
    expect([text, reasoning]).to.deep.equal(['a', 'hm']);
  });

  it('keeps the signature of a call, and says that tools are called', () => {
    const reading = read(gemini, [
      frames(
        response([{ functionCall: { name: 'now' }, thoughtSignature: 'c2ln' }, { functionCall: { name: 'now', args: { a: 1 } } }], 'STOP'),
      ),
    ]);
    expect(toolCalls(reading)).to.deep.equal([
      { name: 'now', source: '{}', signature: 'c2ln' },
      { name: 'now', source: '{"a":1}' },
    ]);
    expect(reading.finish?.finish).to.equal('tool-calls');
  });

  it('hears errors in frames, in bodies and in lists', () => {
    const error = { error: { code: 503, message: 'no', status: 'UNAVAILABLE' } };
    const heard = { type: 'error', message: 'no', code: '503', retryable: true };
    const contentType = 'application/json';
    expect(read(gemini, [frames(response([{ text: 'a' }]), error, response([], 'STOP'))]).error).to.deep.equal(heard);
    expect(read(gemini, [bytes(JSON.stringify(error, null, 2))]).error).to.deep.equal(heard);
    expect(read(gemini, [bytes(JSON.stringify(error))], { contentType }).error).to.deep.equal(heard);
    expect(read(gemini, [bytes(JSON.stringify([response([{ text: 'a' }]), error]))], { contentType }).error).to.deep.equal(heard);
  });

  it('reads a reply of one piece, or in a list', () => {
    const whole = (body: unknown) =>
      read(gemini, everyByte(bytes(JSON.stringify(body))), { contentType: 'application/json; charset=UTF-8' });
    const { text, events } = whole(response([{ text: 'a' }], 'MAX_TOKENS', counts(3, 4)));
    expect(text).to.equal('a');
    expect(events.slice(-2)).to.deep.equal([
      { type: 'usage', input: 3, output: 4 },
      { type: 'finish', finish: 'length', proved: true },
    ]);
    expect(whole([response([{ text: 'a' }]), response([{ text: 'b' }], 'STOP')])).to.include({ text: 'ab' });
    expect(whole({ promptFeedback: { blockReason: 'SAFETY' } }).finish?.finish).to.equal('content-filter');
    for (const body of [{}, [], null, [response([{ text: 'a' }])]]) expect(whole(body).error?.code).to.equal('BAD_RESPONSE');
  });
});
