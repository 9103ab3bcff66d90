// CI only: two servers and a window that opens; what is said to them has tests of its own
/** MCP servers on a page: one that the user signs in to, and one whose tool has a page of its own (MCP Apps), which reaches nothing. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { oauthServer } from '../mcp/oauth-server.js';
import { modern, ownServer, type Answer } from '../mcp/servers.js';
import { listenToAll, type Enemy } from './attacker.js';
import { html } from './host-server.js';
import { until } from './kept-call.js';
import { ALLOW, allow, card, part, say, textOfChat, toolUse, untilIdle, untilReady, useSite } from './widget.js';

const FRAME = '[part~=call-details].own iframe';
const NOTICE = part('notice');

/** A server whose tool `weather` has this page, and which any page may ask. */
function weatherServer(page: string) {
  const inputSchema = { type: 'object', properties: { town: { type: 'string' }, text: { type: 'string' } } };
  const tools = [
    { name: 'weather', inputSchema, _meta: { ui: { resourceUri: 'ui://weather/page' } } },
    { name: 'note', description: 'Keeps a note.', inputSchema },
    { name: 'for_the_model', inputSchema, _meta: { ui: { visibility: ['model'] } } },
    { name: 'for_the_page', inputSchema, _meta: { ui: { visibility: ['app'] } } },
  ];
  const results: Record<string, object> = {
    weather: { content: [{ type: 'text', text: 'It is 7 degrees.' }], structuredContent: { degrees: 7 } },
    note: { content: [{ type: 'text', text: 'kept' }] },
  };
  const answers: Record<string, Answer> = {
    ...modern({ tools: {} }, 'Sky'),
    'tools/list': () => ({ tools }),
    'tools/call': ({ params }) => results[String(params['name'])],
    'resources/read': () => ({ contents: [{ uri: 'ui://weather/page', mimeType: 'text/html;profile=mcp-app', text: page }] }),
  };
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': '*, content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id',
  };
  const open = Object.entries(answers).map(([name, answer]): [string, Answer] => [
    name,
    (asked, response) => answer(asked, response.setHeaders(new Map(Object.entries(headers)))),
  ]);
  return ownServer({ ...Object.fromEntries(open), OPTIONS: (_, response) => void response.writeHead(204, headers).end() });
}

describe('an MCP server', () => {
  const { driver, site } = useSite();

  const putChat = (path: string, attributes: string) =>
    site.put(
      path,
      html(
        'Weather',
        `<style>tool-chat { height: 90vh }</style><script>document.cookie = 'session=secret'; localStorage.setItem('secret', 'secret');</script>
<tool-chat endpoint="/api/ai/chat/stream" ${attributes}></tool-chat><script type="module" src="/dist/tool-chat.js"></script>`,
      ),
    );

  /** The model calls a tool, and the user allows it. */
  async function use(tool: string, args: Record<string, string>, answer: string) {
    site.say(toolUse(tool, args), answer);
    await say(driver, 'Go');
    await allow(driver, tool);
  }

  it('that wants a sign-in gets one by a press on the notice, and its tool runs when it is allowed', async () => {
    const server = await oauthServer();
    try {
      site.put('/tool-chat-oauth.html', await readFile(new URL('../../src/mcp/tool-chat-oauth.html', import.meta.url), 'utf8'));
      putChat('/sign-in.html', `mcp="${server.url}"`);
      await driver.open(`${site.url}/sign-in.html`);
      await untilReady(driver);
      await driver.waitFor(NOTICE);
      expect(await textOfChat(driver)).to.contain('wants you to sign in');
      // Until it is pressed, nobody has been sent anywhere.
      const described = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server'];
      expect(server.asked).to.deep.equal(described.map((at) => `GET ${at}`));
      await driver.click(`${NOTICE} .actions button:first-of-type`);
      await until(async () => !(await driver.exists(NOTICE)), 'the notice to go');
      expect(server.asked.slice(2)).to.deep.equal(['POST /register', 'GET /authorize', 'POST /token authorization_code']);

      await use('whoami', {}, 'You are Ann.');
      expect(await textOfChat(driver)).to.contain('You are Ann.');
      const [token] = server.tokens;
      expect(token).to.match(/^access-/);
      // Neither the model, nor the page's storage, nor the other server has ever seen it.
      expect(JSON.stringify(site.asked)).to.not.contain(token);
      expect(server.atIssuer.join()).to.not.contain(token);
      expect(await driver.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).to.not.contain(token);
    } finally {
      await server.stop();
    }
  });

  describe('with a page for its tool', () => {
    let enemy: Enemy;
    let server: Awaited<ReturnType<typeof ownServer>>;

    before(async () => {
      enemy = await listenToAll();
      // It says hello, reads, tries what it should not, and tells by a call what it saw.
      const app = await readFile(new URL('../fixtures/pages/mcp-app.html', import.meta.url), 'utf8');
      server = await weatherServer(app.replaceAll('ATTACKER', enemy.at));
      const sandboxPage = await readFile(new URL('../../src/toolkits/sandbox/tool-chat-sandbox.html', import.meta.url), 'utf8');
      const guide = await readFile(new URL('../../docs/hands.md', import.meta.url), 'utf8');
      const [, headers = ''] = /<!-- sandbox policy -->\n\n```text\n(.*)\n```/.exec(guide) ?? [];
      site.put('/tool-chat-sandbox.html', sandboxPage, headers);
      const open = sandboxPage.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, '');
      site.put('/open-sandbox.html', open.replace('srcdoc = app', `srcdoc = app.slice(app.indexOf('<title>Weather'))`));
      putChat('/page.html', `mcp="${server.url}" sandbox-url="/tool-chat-sandbox.html"`);
      putChat('/without.html', `mcp="${server.url}"`);
      putChat('/open.html', `mcp="${server.url}" sandbox-url="/open-sandbox.html"`);
    });
    after(async () => {
      await server.stop();
      await enemy.stop();
    });

    const calls = (name: string) => server.asked.filter(({ method, params }) => method === 'tools/call' && params['name'] === name);

    async function begin(path: string) {
      server.asked.length = 0;
      await driver.open(site.url + path);
      await untilReady(driver);
      await until(() => server.asked.some(({ method }) => method === 'tools/list'), 'the list of tools');
      await use('weather', { town: 'Oslo' }, 'Seven degrees.');
    }

    it('is text without a sandbox page', async () => {
      await begin('/without.html');
      expect(await textOfChat(driver)).to.contain('Seven degrees.');
      expect(await driver.count('iframe')).to.equal(0);
      expect(JSON.stringify(server.asked)).to.not.contain('io.modelcontextprotocol/ui"').and.not.contain('resources/read');
    });

    it('shows it below its card; it reads its result, reaches nothing, and what it calls asks', async () => {
      await begin('/page.html');
      expect(JSON.stringify(server.asked)).to.contain('mcp-app');
      await driver.waitFor(card('awaiting_approval', 'note'), 20_000);
      expect(calls('note'), 'before anybody allowed it').to.have.length(0);
      // It asked for the focus, and gave it back: a press on the card is no press that brings the page to the front.
      await driver.waitFor(() => document.activeElement?.localName !== 'iframe' && document.hasFocus());
      expect(await textOfChat(driver)).to.contain('weather, shown by Sky');
      const frame = await driver.evaluate(() => {
        const frames = (root: ParentNode): HTMLIFrameElement[] =>
          [...root.querySelectorAll('*')].flatMap((each) =>
            each instanceof HTMLIFrameElement ? [each] : each.shadowRoot ? frames(each.shadowRoot) : [],
          );
        const { title, offsetHeight, sandbox } = frames(document)[0]!;
        return `${title} · ${String(offsetHeight)} · ${String(sandbox)}`;
      });
      // It asked for 9000 pixels.
      expect(frame).to.match(/weather.*Sky.* · 600 · allow-scripts$/);

      await driver.click(ALLOW);
      await driver.waitFor(card('success', 'note'), 20_000);
      const seen = JSON.parse(String((calls('note')[0]?.params['arguments'] as { text: string }).text)) as Record<string, unknown>;
      expect(seen).to.include({ host: 'tool-chat', input: 'Oslo', result: 7, unknown: -32601, hidden: -32601 });
      for (const name of ['storage', 'page', 'fetch', 'image', 'webrtc']) expect(seen[name], name).to.match(/^refused/);
      expect(seen['cookie'], 'WebKit has none to refuse').to.match(/^(?:refused.*)?$/);
      expect(seen['window']).to.match(/null|refused/);
      await driver.click(ALLOW, 20_000);
      await until(() => calls('note').length === 2, 'the second note');
      expect(calls('note')[1]?.params['arguments']).to.deep.equal({ text: 'answered true' });
      await untilIdle(driver);
      expect(await driver.evaluate(() => document.title)).to.equal('Weather');
      expect(enemy.heard).to.deep.equal([]);
      expect(await driver.exists(FRAME)).to.equal(true);
      expect(await driver.exists(NOTICE)).to.equal(false);
      // A tool that is only for the page was never offered to the model.
      expect(JSON.stringify(site.asked.at(-1)))
        .to.contain('for_the_model')
        .and.not.contain('for_the_page');
    });

    it('as a control: without the policy of the sandbox page and without the guard it reaches the attacker', async () => {
      await begin('/open.html');
      await until(() => enemy.heard.join().includes('/app-frame') && enemy.heard.join().includes('a packet'), 'the attack');
      expect(enemy.heard.join())
        .to.contain('/app-fetch')
        .and.contain('/app-image')
        .and.not.contain('/app-top')
        .and.not.contain('/app-open');
    });
  });
});
