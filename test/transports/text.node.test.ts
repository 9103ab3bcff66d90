import { expect } from 'chai';
import { plainText } from '../../src/transports/text.js';
import { bytes, everyByte, read } from './reading.js';
import { turn, withTools } from './turns.js';

const contentType = 'text/plain; charset=utf-8';
const family = '家族 👨‍👩‍👧 é=é';

describe('wire text: requests', () => {
  it('asks as the seed does, where it is told to', () => {
    const { url, headers, body } = plainText.request({ ...turn, model: 'm', stream: false }, new URL('https://x.example/api/stream'));
    expect(url.href).to.equal('https://x.example/api/stream');
    expect(headers).to.deep.equal({ 'content-type': 'application/json', accept: 'text/plain' });
    expect(body).to.deep.equal({
      messages: [{ role: 'user', text: '你好' }],
      system: 'Be brief.',
      max_tokens: 2000,
      stream: false,
      model: 'm',
    });
  });

  it('has no tools: calls and results stay words', () => {
    expect(plainText.request(withTools, new URL('https://x.example/')).body)
      .to.have.property('messages')
      .that.deep.equals([
        { role: 'user', text: 'What is due?' },
        { role: 'assistant', text: 'Checking.' },
        { role: 'tool', text: '[]' },
        { role: 'tool', text: 'no user' },
        { role: 'user', text: 'And?' },
      ]);
  });
});

describe('wire text: replies', () => {
  it('ends unproved by a clean close, and not by a reset', () => {
    for (const slices of [[bytes(family)], everyByte(bytes(family))]) {
      const { text, finish } = read(plainText, slices, { contentType });
      expect(text).to.equal(family);
      expect(finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: false });
    }
    expect(read(plainText, [bytes(family)], { contentType, how: 'reset' }).finish).to.equal(undefined);
  });

  it('takes half a character at the end for what it is: the reply was cut', () => {
    for (const how of ['close', 'reset'] as const) {
      const { text, finish, error } = read(plainText, [bytes('a👧').subarray(0, 4)], { contentType, how });
      expect([text, finish, error]).to.deep.equal(['a', undefined, undefined]);
    }
  });

  it('reads nothing into what looks like another wire', () => {
    const source = 'data: [DONE]\n\n{"error":"no"}';
    expect(read(plainText, [bytes(source)], { contentType }).text).to.equal(source);
    expect(read(plainText, [bytes('{"a":1}')], { contentType: '' }).text).to.equal('{"a":1}');
  });

  it('reads JSON as JSON, and refuses all else', () => {
    expect(read(plainText, [bytes('{"error":"no"}')], { contentType: 'application/json' }).error?.message).to.equal('no');
    for (const other of ['text/html', 'text/event-stream', 'image/png']) {
      expect(read(plainText, [bytes('<p>')], { contentType: other }).error?.code).to.equal('BAD_RESPONSE');
    }
  });
});
