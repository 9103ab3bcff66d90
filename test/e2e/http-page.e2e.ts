// CI only: the main flows once more, on a page without a secure context
/**
 * A page without a secure context: the site's own name over http. There is neither `crypto.randomUUID` nor `crypto.subtle`, no locks, no clipboard
 * and no private file system, and all of the widget works, or says what does not. Chromium only, which can be told what a name means.
 */
import { expect } from 'chai';
import { driverOf, type Driver } from './driver.js';
import { launchBrowser, pageHands } from './drive-puppeteer.js';
import { html, serveHost, type HostSite } from './host-server.js';
import { ALLOW, allow, card, type Chat, part, say, textOfChat, toolUse, untilIdle, untilReady } from './widget.js';

const HOST = 'tool-chat.test';
const TOOLS = `<script>(window.toolChat ??= []).push((chat) => {
  const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
  chat.registerTool({ name: 'look', description: 'Looks.', risk: 'query', parameters: { type: 'object', properties: {} },
    execute: () => 'The title is ' + document.title });
  chat.registerTool({ name: 'rename', description: 'Renames the page.', risk: 'danger', resources: ['title'], parameters: title,
    execute({ title }) { const before = document.title; document.title = title; return { before }; },
    undo(args, { data }) { document.title = data?.before ?? 'Page'; } });
});</script>`;

describe('a page without a secure context', function () {
  this.timeout(90_000);
  let browser: Awaited<ReturnType<typeof launchBrowser>>;
  let driver: Driver;
  let site: HostSite;
  let gated: HostSite;

  before(async () => {
    browser = await launchBrowser('chromium', undefined, [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]);
    driver = driverOf(await pageHands('chromium', browser), 'chromium');
    [site, gated] = await Promise.all([serveHost({ hostname: HOST }), serveHost({ hostname: HOST, orchestration: 'relay-gated' })]);
  });
  after(async () => {
    await browser.close();
    await Promise.all([site.close(), gated.close()]);
  });

  async function open(attributes: string, { more = '', at = site } = {}) {
    const tag = `<tool-chat endpoint="/api/ai/chat/stream" style="height:860px" ${attributes}></tool-chat>`;
    at.put(
      '/page.html',
      html('Page', `<style>body { margin: 0 }</style>${TOOLS}${more}<script type="module" src="/dist/tool-chat.js"></script>${tag}`),
    );
    await driver.open(`${at.url}/page.html`);
    await untilReady(driver);
    const has = () => [isSecureContext, 'randomUUID' in crypto, 'locks' in navigator, 'clipboard' in navigator, 'subtle' in crypto];
    expect(await driver.evaluate(has)).to.deep.equal([false, false, false, false, false]);
  }
  const ask = async (text: string, ...answers: string[]) => {
    site.say(...answers);
    await say(driver, text);
  };
  const title = () => driver.evaluate(() => document.title);

  for (const storage of ['indexeddb', 'session'])
    it(`looks, asks, writes, undoes, copies, and has it all after a reload: ${storage}`, async () => {
      await open(`storage="${storage}" session-id="http-${storage}"`);
      await ask('Look', toolUse('look'), 'It is Page.\n\n\`\`\`js\nlet a = 1;\n\`\`\`');
      await driver.waitFor(card('success', 'look'));
      await untilIdle(driver);
      await driver.click('tool-chat >>> .code-copy:not(.code-wrap)');
      await driver.waitFor(() =>
        /copied/i.test(
          [...document.querySelectorAll('tool-chat')]
            .map(
              (one) =>
                one.shadowRoot
                  ?.querySelector('tool-chat-panel')
                  ?.shadowRoot?.querySelector('tool-chat-message:last-of-type')
                  ?.shadowRoot?.querySelector('.code-copy:not(.code-wrap)')?.textContent ?? '',
            )
            .join(),
        ),
      );

      await ask('Rename it', toolUse('rename', { title: 'New name' }), 'Renamed.');
      await driver.waitFor(ALLOW);
      expect(await title()).to.equal('Page');
      await allow(driver, 'rename');
      expect(await title()).to.equal('New name');

      await driver.reload();
      await untilReady(driver);
      await driver.waitFor(card('success', 'rename'));
      expect(await textOfChat(driver))
        .to.contain('Renamed.')
        .and.to.contain('It is Page.');
      await driver.click(part('undo-button'));
      await driver.waitFor(card('undone', 'rename'));
      expect(await title()).to.equal('Page');
      await ask('Thanks', 'You are welcome.');
      await untilIdle(driver);
      expect(await textOfChat(driver)).to.contain('You are welcome.');
    });

  for (const preset of ['balanced', 'cutie-xml', 'json-block', 'orchestrated'])
    it(`runs a query and a write under preset="${preset}"`, async () => {
      const at = preset === 'orchestrated' ? gated : site;
      await open(`preset="${preset}"`, { at });
      const write = (name: string, args: Record<string, string> = {}) =>
        preset === 'json-block'
          ? `\`\`\`json\n${JSON.stringify({ action: 'tool_call', name, arguments: args })}\n\`\`\``
          : toolUse(name, args);
      at.say(write('look'), 'It is Page.', write('rename', { title: 'New name' }), 'Renamed.');
      await say(driver, 'Look');
      await driver.waitFor(card('success', 'look'));
      await untilIdle(driver);
      await say(driver, 'Rename it');
      if (preset !== 'cutie-xml') await driver.click(ALLOW, 20_000);
      await driver.waitFor(card('success', 'rename'), 20_000);
      await untilIdle(driver);
      expect(await title()).to.equal('New name');
      expect(await textOfChat(driver)).to.contain('Renamed.');
    });

  it('has the tools of toolkits: files, code, forms and a described service', async () => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const paths = { '/tasks/{id}': { parameters, get: { operationId: 'getTask' } } };
    site.put(
      '/openapi.json',
      JSON.stringify({ openapi: '3.1.0', info: { title: 'Tasks', version: '1' }, servers: [{ url: '/api' }], paths }),
    );
    site.put('/api/tasks/7', '{"id":"7","title":"Buy milk"}');
    const more = `<form tool-name="order" tool-description="Orders."><label>Amount <input name="amount"></label><button>Order</button></form><script type="module">
      import { fileTools, formTools, openApiTools, sandboxTools } from '/dist/lib/toolkits/index.js';
      document.querySelector('form').onsubmit = (event) => { event.preventDefault(); document.title = 'Ordered ' + document.querySelector('input').value; };
      const tools = [...fileTools(), ...sandboxTools({ sandboxUrl: '/dist/tool-chat-sandbox.html' }), ...formTools(), ...(await openApiTools('/openapi.json'))];
      (window.toolChat ??= []).push((chat) => { for (const tool of tools) chat.registerTool(tool); window.names = tools.length; });
    </script>`;
    await open('', { more });
    await driver.waitFor(() => 'names' in window);
    const calls: [name: string, args: Record<string, string>][] = [
      ['get_task', { id: '7' }],
      ['write_file', { path: '/a.txt', content: 'milk' }],
      ['read_file', { path: '/a.txt' }],
      ['browser_js_eval', { code: '6 * 7' }],
      ['order', { amount: '3' }],
    ];
    for (const [name, args] of calls) {
      await ask(name, toolUse(name, args), 'Done.');
      const ended = (tool: string) => {
        const { toolHistory } = document.querySelector<Chat>('tool-chat')!;
        return toolHistory.at(-1)?.toolName === tool && toolHistory.at(-1);
      };
      await driver.waitFor(
        (allowed: string, tool: string) => {
          const { toolHistory, state } = document.querySelector<Chat>('tool-chat')!;
          return (
            toolHistory.at(-1)?.toolName === tool ||
            (document.querySelector('tool-chat') as unknown as { matchesState(name: string): boolean }).matchesState(allowed) ||
            state === allowed
          );
        },
        20_000,
        'awaitingApproval',
        name,
      );
      if (!(await driver.evaluate(ended, name))) await driver.click(ALLOW, 20_000);
      await driver.waitFor(ended, 20_000, name);
      await untilIdle(driver);
      expect(await driver.evaluate(ended, name), name).to.include({ success: true });
    }
    const told = JSON.stringify(site.asked);
    expect(told).to.contain('Buy milk').and.to.contain('milk').and.to.contain('42');
    expect(await title()).to.equal('Ordered 3');
  });
});
