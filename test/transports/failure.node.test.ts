import { expect } from 'chai';
import { connectionAdvice } from '../../src/transports/ip-address-space.js';
import { createDeadline } from '../../src/transports/request-deadline.js';
import statuses from '../fixtures/turns/statuses.json' with { type: 'json' };
import { cleanDetail, failureOfStatus, parseHttpError } from '../../src/transports/endpoint-errors.js';

describe('failures by status', () => {
  for (const [status, kind, retry, errorType] of statuses as [number, string, string, string?][])
    it(`makes ${status} a ${kind}, retried as ${retry}`, () => {
      const failure = failureOfStatus(status);
      expect([failure.error.kind, failure.retry, failure.error.code]).to.deep.equal([kind, retry, 'HTTP_ERROR']);
      expect(failure.error.status).to.equal(status === 0 ? undefined : status);
      if (errorType) expect(failure.error.errorType).to.equal(errorType);
    });
});

describe('what an endpoint says', () => {
  it('B39 is shown without markup, keys and control characters', () => {
    expect(cleanDetail('fault 500 <img src=x onerror="window.__xss=1"> key sk-SECRET-123')).to.equal('fault 500 key [hidden]');
    expect(cleanDetail('Bearer abc.def <b>bold</b> <unclosed onload=x')).to.equal('[hidden] bold');
    expect(cleanDetail('a\u0000b\u202Ec\r\nd\u200Be')).to.equal('a b c d e');
    expect(cleanDetail(`token ${'A1'.repeat(30)}`)).to.equal('token [hidden]');
  });

  it('keeps plain sentences as they are', () => {
    for (const text of ['upstream timed out', '上游超时，请稍后再试', 'risk-free task-list: 3 < 4 tokens'])
      expect(cleanDetail(text)).to.equal(text);
  });

  it('is at most 200 characters long, whatever the size', () => {
    expect(cleanDetail('ab '.repeat(1_000_000)).length).to.be.at.most(200);
    expect(cleanDetail('<a'.repeat(1_000_000))).to.equal('');
    for (const start of ['', 'a']) expect(encodeURIComponent(cleanDetail(start + '😀'.repeat(500)))).to.be.a('string'); // throws for half a pair
  });
});

describe('a request that the model cannot read', () => {
  const tooLong = '{"error":{"message":"request (3009 tokens) exceeds the available context size (1024 tokens), try increasing it"}}';
  const refusal = (status: number, body: string) =>
    parseHttpError(
      new Response(body, { status }),
      createDeadline({ signal: new AbortController().signal, requestTimeout: 0, heartbeat: 0 }),
    );

  it('is never asked for again by itself, whatever the status', async () => {
    for (const status of [413, 500])
      expect(await refusal(status, tooLong))
        .to.deep.include({ retry: 'none' })
        .and.nested.include({ 'error.kind': 'too-long', 'error.window': 1024 });
    expect(await refusal(500, 'out of memory')).to.deep.include({ retry: 'server' });
  });
});

const isLocal = (endpoint: string, page: string | undefined) => connectionAdvice(new URL(endpoint), page).localNetwork === true;

describe('where an endpoint lives', () => {
  it('is nearer than the page: browsers ask before they let the page reach it', () => {
    const near = ['localhost:11434', '127.0.0.1:1234', '[::1]:8080', 'model.localhost', '192.168.1.7', '10.0.0.1', '172.31.0.1'];
    for (const host of [...near, '169.254.1.1', 'nas.local', '[fd00::1]', '[fe80::1]'])
      expect(isLocal(`http://${host}/api/chat`, 'https://shop.example/'), host).to.equal(true);
    expect(isLocal('http://localhost:11434/', 'http://192.168.1.7/')).to.equal(true);
  });

  it('is elsewhere, or as near as the page, or there is no page', () => {
    for (const host of ['api.example', '172.32.0.1', '11.0.0.1', 'localhost.example', 'notlocalhost', '127.example', '[2001:db8::1]'])
      expect(isLocal(`https://${host}/`, 'https://shop.example/'), host).to.equal(false);
    expect(isLocal('http://localhost:11434/', 'http://localhost:5173/')).to.equal(false);
    expect(isLocal('http://192.168.1.7/', 'http://localhost:5173/')).to.equal(false);
    expect(isLocal('http://localhost:11434/', undefined)).to.equal(false);
  });
});
