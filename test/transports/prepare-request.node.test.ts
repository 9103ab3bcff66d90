import { expect } from 'chai';
import { openai } from '../../src/transports/openai.js';
import { prepareRequest } from '../../src/transports/prepare-request.js';
import type { OutgoingRequest, RequestSource } from '../../src/transports/prepare-request.js';
import { readReply } from '../../src/transports/read-reply.js';
import type { ReplyRequest } from '../../src/transports/reply-request.js';

const source: RequestSource = {
  wire: openai,
  endpoint: 'https://x.example/v1/chat/completions',
  turn: { messages: [{ role: 'user', text: 'Call me: 138-0013-8000' }], system: 'S', maxTokens: 10, stream: true },
};

const prepare = async (more: Partial<RequestSource> = {}) => {
  const prepared = await prepareRequest({ ...source, ...more });
  if ('error' in prepared) throw new Error(prepared.error.kind);
  return { ...prepared, headers: prepared.init.headers as Record<string, string>, body: prepared.init.body as string };
};
const kindOf = async (more: Partial<RequestSource>) => {
  const prepared = await prepareRequest({ ...source, ...more });
  return 'error' in prepared ? prepared.error.kind : 'sent';
};

/** Masks phone numbers wherever they stand, as a host would. */
const mask = (request: OutgoingRequest): OutgoingRequest => ({
  ...request,
  body: JSON.parse(JSON.stringify(request.body).replace(/\d{3}-\d{4}-\d{4}/g, '***')) as unknown,
});

describe('the host’s last look', () => {
  it('masks what may not leave the page: it reaches no server', async () => {
    const reached: string[] = [];
    const request: ReplyRequest = {
      ...source,
      beforeSend: async (outgoing) => Promise.resolve(mask(outgoing)),
      fetch: (_url, init) => {
        reached.push(JSON.stringify(init));
        return Promise.resolve(new Response('{"reply":"ok"}', { headers: { 'content-type': 'application/json' } }));
      },
      signal: new AbortController().signal,
      requestTimeout: 0,
      heartbeat: 0,
    };
    expect((await readReply(request, { event() {} })).type).to.equal('ended');
    expect(reached).to.have.length(1);
    expect(reached[0]).to.include('Call me: ***').and.not.to.include('8000');
    // Without the mask it does leave: what is looked for is there.
    await readReply({ ...request, beforeSend: (outgoing) => outgoing }, { event() {} });
    expect(reached[1]).to.include('138-0013-8000');
  });

  it('sees everything that leaves, and may change address and headers too', async () => {
    let seen: OutgoingRequest | undefined;
    const { url, headers } = await prepare({
      headers: { Authorization: 'Bearer t' },
      beforeSend: (request) => {
        seen = request;
        return { ...request, url: 'https://y.example/', headers: { 'x-only': '1' } };
      },
    });
    expect(seen?.url).to.equal(source.endpoint);
    expect(seen?.headers).to.deep.include({ authorization: 'Bearer t', 'content-type': 'application/json' });
    expect(seen?.body).to.have.property('messages');
    expect(url.href).to.equal('https://y.example/');
    expect(headers).to.deep.equal({ 'x-only': '1' });
  });

  it('refuses by saying so, by throwing, and by rejecting', async () => {
    const refusals: RequestSource['beforeSend'][] = [
      () => null,
      () => Promise.resolve(null),
      () => {
        throw new Error('no');
      },
      () => Promise.reject(new Error('no')),
    ];
    for (const beforeSend of refusals) expect(await kindOf({ beforeSend: beforeSend! })).to.equal('refused');
  });
});

describe('headers', () => {
  it('are asked for every request, and waited for', async () => {
    let asked = 0;
    const headers = async () => ({ authorization: `Bearer ${String((asked += 1))}` });
    expect((await prepare({ headers })).headers['authorization']).to.equal('Bearer 1');
    expect((await prepare({ headers })).headers['authorization']).to.equal('Bearer 2');
  });

  it('win over those of the wire, whatever their case; undefined ones are left out', async () => {
    const { headers } = await prepare({ headers: { 'Content-Type': 'application/x', 'x-none': undefined } });
    expect(headers['content-type']).to.equal('application/x');
    expect(headers).not.to.have.property('x-none');
  });

  it('that cannot be had are a mistake in the configuration', async () => {
    expect(await kindOf({ headers: () => Promise.reject(new Error('no token')) })).to.equal('config');
    expect(await kindOf({ endpoint: 'http://[' })).to.equal('config');
  });
});

describe('an address', () => {
  it('without encryption is warned of on a page that has it, unless it is this computer', async () => {
    const on = async (page: string, endpoint: string) => {
      const prepared = await prepareRequest({ ...source, endpoint }, page);
      return 'error' in prepared ? prepared.error.kind : prepared.warning;
    };
    const warning = await on('https://shop.example/', 'http://api.example/chat?key=1');
    expect(warning).to.include('http://api.example').and.not.to.include('key');
    expect(await on('https://shop.example/', 'https://api.example/chat')).to.equal(undefined);
    expect(await on('https://shop.example/', 'http://localhost:11434/api/chat')).to.equal(undefined);
    expect(await on('http://shop.example/', 'http://api.example/chat')).to.equal(undefined);
  });
});
