/** "Check configuration" where it is for: in browsers, whose own rules stand between a page and its endpoint. */
import { expect } from '@open-wc/testing';
import { checkEndpoint } from '../../src/transports/check-endpoint.js';

describe('check configuration in a browser', () => {
  let other = '';
  before(async () => {
    const { port } = (await (await fetch('/__fault-port')).json()) as { port: number };
    other = `http://127.0.0.1:${String(port)}`;
  });
  const check = (endpoint: string, headers?: Record<string, string>) =>
    checkEndpoint({ endpoint, fetch: (input, init) => fetch(input, init), timeout: 5000, ...(headers && { headers }) });
  const finding = async (endpoint: string, headers?: Record<string, string>) => (await check(endpoint, headers)).finding;

  it('finds what is in order, on the page’s own origin and on another', async () => {
    expect(await finding('/__fault/chat?wire=cutie')).to.equal('ok');
    expect(await finding(`${other}/chat?wire=cutie`)).to.equal('ok');
  });

  it('finds that a server does not let this site read, or send what a chat needs', async () => {
    expect(await finding(`${other}/chat?wire=cutie&cors=off`)).to.equal('cors');
    expect(await finding(`${other}/chat?wire=cutie&cors=wrong`)).to.equal('cors');
    expect(await finding(`${other}/chat?wire=cutie&cors=preflight`)).to.equal('cors-headers');
    expect(await check(`${other}/chat?wire=cutie&cors=off`)).to.include({ origin: location.origin });
  });

  it('finds a server that is not there, and one that sends elsewhere', async () => {
    // Nothing listens; to a browser it could be anything, but not a refusal by CORS.
    expect(await finding('http://127.0.0.1:9/chat')).to.be.oneOf(['unreachable', 'local-network']);
    expect(await finding('/__fault/chat?wire=cutie&redirect=cross')).to.equal('redirect');
  });
});
