// CI only: the main flows once more, on a page without a secure context
/**
 * A page without a secure context: the site's own name over http. There is neither `crypto.randomUUID` nor `crypto.subtle`, no locks, no clipboard
 * and no private file system, and all of the widget works, or says what does not. Chromium only, which can be told what a name means.
 */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { driverOf, type Driver } from './driver.js';
import { launchBrowser, pageHands } from './drive-puppeteer.js';
import { html, serveHost, type HostSite } from './host-server.js';
import { until } from './kept-call.js';
import { ALLOW, allow, card, type Chat, part, say, textOfChat, toolUse, untilIdle, untilReady } from './widget.js';

const HOST = 'tool-chat.test';
const COPY = 'tool-chat >>> .code-copy:not(.code-wrap)';
const fixture = (name: string) => readFile(new URL(`../fixtures/pages/${name}.html`, import.meta.url), 'utf8');
const TOOLS = await fixture('http-page');

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
  const title = () => driver.evaluate(() => document.title);

  for (const [preset, storage] of [
    ['balanced', 'indexeddb'],
    ['orchestrated', 'session'],
  ] as const)
    it(`looks, asks, writes, undoes, copies, and has it all after a reload: ${preset}, in ${storage}`, async () => {
      const at = preset === 'orchestrated' ? gated : site;
      await open(`preset="${preset}" storage="${storage}" session-id="http-${storage}"`, { at });
      const ask = async (text: string, ...answers: string[]) => {
        at.say(...answers);
        await say(driver, text);
      };
      await ask('Look', toolUse('look'), 'It is Page.\n\n\`\`\`js\nlet a = 1;\n\`\`\`');
      await driver.waitFor(card('success', 'look'));
      await untilIdle(driver);
      await driver.click(COPY);
      await until(async () => /copied/i.test(await driver.text(COPY)), 'the word that it is copied');

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

  it('has the tools of toolkits: files, code, forms and a described service', async () => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const paths = { '/tasks/{id}': { parameters, get: { operationId: 'getTask' } } };
    site.put(
      '/openapi.json',
      JSON.stringify({ openapi: '3.1.0', info: { title: 'Tasks', version: '1' }, servers: [{ url: '/api' }], paths }),
    );
    site.put('/api/tasks/7', '{"id":"7","title":"Buy milk"}');
    const more = await fixture('http-toolkits');
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
      site.say(toolUse(name, args), 'Done.');
      await say(driver, name);
      const ended = (tool: string) => {
        const last = document.querySelector<Chat>('tool-chat')!.toolHistory.at(-1);
        return last?.toolName === tool && last;
      };
      const isOver = async () => Boolean(await driver.evaluate(ended, name));
      await until(async () => (await isOver()) || (await driver.exists(ALLOW)), `${name} to end or to ask`);
      if (!(await isOver())) await driver.click(ALLOW, 20_000);
      await driver.waitFor(ended, 20_000, name);
      await untilIdle(driver);
      expect(await driver.evaluate(ended, name), name).to.include({ success: true });
    }
    const told = JSON.stringify(site.asked);
    expect(told).to.contain('Buy milk').and.to.contain('milk').and.to.contain('42');
    expect(await title()).to.equal('Ordered 3');
  });
});
