import { expect } from 'chai';
import { failureOf } from '../../src/transports/failure.js';
import { cleanDetail, failureOfStatus } from '../../src/transports/refusal.js';

describe('failures by status', () => {
  const cases: [number, string, string][] = [
    [400, 'bad-request', 'none'],
    [401, 'unauthorised', 'none'],
    [403, 'forbidden', 'none'],
    [404, 'not-found', 'none'],
    [408, 'timeout', 'network'],
    [409, 'server', 'busy'],
    [413, 'too-long', 'none'],
    [422, 'bad-request', 'none'],
    [429, 'rate-limit', 'busy'],
    [500, 'server', 'server'],
    [501, 'server', 'none'],
    [502, 'server', 'server'],
    [503, 'server', 'server'],
    [504, 'server', 'server'],
    [529, 'server', 'server'],
    [307, 'redirect', 'none'],
    [0, 'redirect', 'none'],
  ];
  for (const [status, kind, retry] of cases) {
    it(`makes ${status} a ${kind}, retried as ${retry}`, () => {
      const failure = failureOfStatus(status);
      expect([failure.error.kind, failure.retry, failure.error.code]).to.deep.equal([kind, retry, 'HTTP_ERROR']);
      expect(failure.error.status).to.equal(status === 0 ? undefined : status);
    });
  }

  it('carry the class by which a strategy is chosen', () => {
    expect([401, 403, 429, 408, 504].map((status) => failureOfStatus(status).error.errorType)).to.deep.equal([
      'auth',
      'auth',
      'rate_limit',
      'timeout',
      'timeout',
    ]);
    expect(failureOf('connect')).to.deep.equal({
      kind: 'connect',
      code: 'CONNECT_FAILED',
      layer: 'network',
      errorType: 'network',
      retryable: true,
    });
  });
});

describe('what an endpoint says', () => {
  it('is shown without markup, keys and control characters', () => {
    expect(cleanDetail('fault 500 <img src=x onerror="window.__xss=1"> key sk-SECRET-123')).to.equal('fault 500 key [hidden]');
    expect(cleanDetail('Bearer abc.def <b>bold</b> <unclosed onload=x')).to.equal('[hidden] bold');
    expect(cleanDetail('a\u0000b\u202Ec\r\nd\u200Be')).to.equal('a b c d e');
    expect(cleanDetail(`token ${'A1'.repeat(30)}`)).to.equal('token [hidden]');
  });

  it('keeps plain sentences as they are', () => {
    for (const text of ['upstream timed out', '上游超时，请稍后再试', 'risk-free task-list: 3 < 4 tokens']) {
      expect(cleanDetail(text)).to.equal(text);
    }
  });

  it('is at most 200 characters long, whatever the size', () => {
    expect(cleanDetail('ab '.repeat(1_000_000)).length).to.be.at.most(200);
    expect(cleanDetail('<a'.repeat(1_000_000))).to.equal('');
    for (const start of ['', 'a']) expect(encodeURIComponent(cleanDetail(start + '😀'.repeat(500)))).to.be.a('string'); // throws for half a pair
  });
});
