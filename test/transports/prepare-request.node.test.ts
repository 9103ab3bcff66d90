import { expect } from 'chai';
import { openai } from '../../src/transports/openai.js';
import { type OutgoingRequest, prepareRequest, type RequestSource } from '../../src/transports/prepare-request.js';
import type { ReplyRequest } from '../../src/transports/reply-request.js';
import { askFor } from './reply.js';

const source: RequestSource = {
  wire: openai,
  endpoint: 'https://x.example/v1/chat/completions',
  turn: { messages: [{ role: 'user', text: 'Call me: 138-0013-8000' }], system: 'S', maxTokens: 10, stream: true },
};

const mask = (request: OutgoingRequest): OutgoingRequest => ({
  ...request,
  body: JSON.parse(JSON.stringify(request.body).replace(/\d{3}-\d{4}-\d{4}/g, '***')) as unknown,
});

describe('the host’s last look', () => {
  it('masks what may not leave the page: it reaches no server', async () => {
    const reached: string[] = [];
    const request: Partial<ReplyRequest> = {
      ...source,
      beforeSend: async (outgoing) => Promise.resolve(mask(outgoing)),
      fetch: (_url, init) => {
        reached.push(JSON.stringify(init));
        return Promise.resolve(new Response('{"reply":"ok"}', { headers: { 'content-type': 'application/json' } }));
      },
    };
    expect((await askFor(request)).outcome.type).to.equal('ended');
    expect(reached).to.have.length(1);
    expect(reached[0]).to.include('Call me: ***').and.not.to.include('8000');
    // Without the mask it does leave: what is looked for is there.
    await askFor({ ...request, beforeSend: (outgoing) => outgoing });
    expect(reached[1]).to.include('138-0013-8000');
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
