/** A visitor signs in to an MCP server: a notice, a window that opens when it is pressed and closes by itself, and the tool runs. */
import { expect } from 'chai';
import { oauthServer, type OauthServer } from '../mcp/oauth-server.js';
import { launch, type Driver } from './driver.js';
import { serveHost, type HostSite } from './host-server.js';
import { ALLOW, card, part, say, textOfChat, untilIdle, untilReady } from './widget.js';
import { readFile } from 'node:fs/promises';

const NOTICE = part('notice');
const SIGN_IN = `${NOTICE} .choices button:first-of-type`;
const WHOAMI = '<tool_use><invoke name="whoami"></invoke></tool_use>';

describe('an MCP server that wants a person to sign in', () => {
  let driver: Driver;
  let site: HostSite;
  let server: OauthServer;

  before(async () => {
    driver = await launch();
    site = await serveHost();
    server = await oauthServer();
    site.put('/tool-chat-oauth.html', await readFile(new URL('../../dist/tool-chat-oauth.html', import.meta.url), 'utf8'));
    site.put(
      '/page.html',
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signing in</title><style>tool-chat { height: 90vh }</style>
<tool-chat endpoint="/api/ai/chat/stream" mcp="${server.url}"></tool-chat><script type="module" src="/dist/tool-chat.js"></script>`,
    );
  });
  after(async () => {
    await driver.close();
    await server.stop();
    await site.close();
  });

  it('is let in by a press on the notice, and its tool runs when it is allowed', async () => {
    await driver.open(`${site.url}/page.html`);
    await untilReady(driver);
    await driver.waitFor(NOTICE);
    expect(await textOfChat(driver)).to.contain('wants you to sign in');
    // Until it is pressed, nobody has been sent anywhere.
    expect(server.asked).to.deep.equal(['GET /.well-known/oauth-authorization-server']);
    await driver.click(SIGN_IN);
    await driver.waitFor(() => {
      const panel = document.querySelector('tool-chat')?.shadowRoot?.querySelector('tool-chat-panel');
      return panel?.shadowRoot?.querySelector('[part~=notice]') === null;
    }, 15_000);
    expect(server.asked.slice(1)).to.deep.equal(['POST /register', 'GET /authorize', 'POST /token authorization_code']);

    site.say(WHOAMI, 'You are Ann.');
    await say(driver, 'Who am I');
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'whoami'));
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('You are Ann.');
    const [token] = server.tokens;
    expect(token).to.match(/^access-/);
    // Neither the model, nor the page's storage, nor the other server has ever seen it.
    expect(JSON.stringify(site.asked)).to.not.contain(token);
    expect(server.atIssuer.join()).to.not.contain(token);
    expect(await driver.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).to.not.contain(token);
  });
});
