import { expect } from 'chai';
import { plainText } from '../../src/transports/text.js';
import { bytes, everyByte, read } from './reading.js';
import { turn, withTools } from './turns.js';

const contentType = 'text/plain; charset=utf-8';
const hear = (source: string | Uint8Array, more: Parameters<typeof read>[2] = {}) =>
  read(plainText, [typeof source === 'string' ? bytes(source) : source], { contentType, ...more });

describe('wire text', () => {
  it('asks as the seed does, with calls and results as words', () => {
    const { headers, body } = plainText.request({ ...turn, model: 'm', stream: false }, new URL('https://x.example/api/stream'));
    expect(headers).to.deep.equal({ 'content-type': 'application/json', accept: 'text/plain' });
    const messages = [{ role: 'user', text: '你好' }];
    expect(body).to.deep.equal({ messages, system: 'Be brief.', max_tokens: 2000, stream: false, model: 'm' });
    const { messages: sent } = plainText.request(withTools, new URL('https://x.example/')).body as { messages: { role: string }[] };
    expect(sent.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(sent[1]).to.deep.equal({ role: 'assistant', text: 'Checking.' });
  });

  it('ends unproved by a clean close, and not by a reset or in half a character', () => {
    const family = '家族 👨‍👩‍👧 é=é';
    const { text, finish } = read(plainText, everyByte(bytes(family)), { contentType });
    expect([text, finish]).to.deep.equal([family, { type: 'finish', finish: 'stop', proved: false }]);
    expect(hear(family, { how: 'reset' }).finish).to.equal(undefined);
    for (const how of ['close', 'reset'] as const) {
      const half = hear(bytes('a👧').subarray(0, 4), { how });
      expect([half.text, half.finish, half.error]).to.deep.equal(['a', undefined, undefined]);
    }
  });

  it('reads nothing into what looks like another wire, JSON as JSON, and refuses all else', () => {
    for (const source of ['data: [DONE]\n\n{"error":"no"}', '{"a":1}']) expect(hear(source).text).to.equal(source);
    expect(hear('{"a":1}', { contentType: '' }).text).to.equal('{"a":1}');
    expect(hear('{"error":"no"}', { contentType: 'application/json' }).error?.message).to.equal('no');
    for (const other of ['text/html', 'text/event-stream', 'image/png'])
      expect(hear('<p>', { contentType: other }).error?.code).to.equal('BAD_RESPONSE');
  });
});
