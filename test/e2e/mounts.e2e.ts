/** A page that takes the widget out gets its memory back: nothing of window or document keeps a panel or its conversation. Chromium counts. */
import { expect } from 'chai';
import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { launchBrowser } from './drive-puppeteer.js';
import { html, serveHost, type HostSite } from './host-server.js';

const MOUNTS = 50;
/** One or two that the page or the debugger still holds: a mount has some 200 nodes and 40 listeners, an answer a third more. */
const SLACK = { nodes: 600, listeners: 90 };

describe('a widget that is taken out of its page', function () {
  this.timeout(90_000);
  let browser: Browser;
  let site: HostSite;
  let page: Page;
  let devtools: CDPSession;

  before(async () => {
    browser = await launchBrowser('chromium');
    site = await serveHost();
    site.put('/page.html', html('Page', '<script type="module" src="/dist/tool-chat.js"></script><main></main>'));
  });
  after(async () => {
    await browser.close();
    await site.close();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    await page.goto(`${site.url}/page.html`);
    await page.evaluate('globalThis.__name = (fn) => fn'); // a bundler's helper, which functions that are sent there may call
    devtools = await page.createCDPSession();
    await devtools.send('Performance.enable');
  });
  afterEach(() => page.close());

  async function count() {
    for (let round = 0; round < 3; round += 1) {
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
      await devtools.send('HeapProfiler.collectGarbage');
    }
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? NaN;
    return { nodes: of('Nodes'), listeners: of('JSEventListeners') };
  }

  /** The last one may still be held by a timer that is about to go off. */
  async function growth(before: Awaited<ReturnType<typeof count>>) {
    for (let tries = 0; ; tries += 1) {
      const { nodes, listeners } = await count();
      const grown = { nodes: nodes - before.nodes, listeners: listeners - before.listeners };
      if (tries === 10 || (grown.nodes < SLACK.nodes && grown.listeners < SLACK.listeners)) return grown;
    }
  }

  /** Mounts, opens, closes and unmounts, `times` times. */
  const mount = (times: number, layout: string, streaming: boolean) =>
    page.evaluate(
      async (rounds, layoutOfAll, isStreaming) => {
        const until = async (holds: () => unknown) => {
          while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
        };
        for (let round = 0; round < rounds; round += 1) {
          const chat = document.createElement('tool-chat');
          chat.setAttribute('endpoint', '/api/ai/chat/stream');
          chat.setAttribute('layout', layoutOfAll);
          document.querySelector('main')!.append(chat);
          chat.show();
          await Promise.resolve(chat.revoke('none'));
          const panel = chat.shadowRoot!.querySelector('tool-chat-panel')!;
          await until(() => panel.shadowRoot?.querySelector('tool-chat-composer')?.shadowRoot?.querySelector('textarea'));
          // It may be wanted to be moved: what moves it comes.
          panel.shadowRoot!.querySelector('header')!.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, composed: true }));
          if (layoutOfAll === 'floating') await until(() => panel.shadowRoot!.querySelector('.grip'));
          if (isStreaming) {
            void chat.sendMessage('/fault long');
            await until(() => chat.isLoading && panel.shadowRoot!.querySelector('tool-chat-message'));
          } else chat.hide();
          chat.remove();
        }
      },
      times,
      layout,
      streaming,
    );

  for (const [name, layout, streaming] of [
    ['a floating one', 'floating', false],
    ['one in the page', 'inline', false],
    ['one that is answering', 'floating', true],
  ] as const)
    it(`leaves nothing behind: ${name}`, async () => {
      // What is loaded once, and made once for all, is no leak.
      await mount(2, layout, streaming);
      const before = await count();
      await mount(streaming ? MOUNTS / 2 : MOUNTS, layout, streaming);
      const grown = await growth(before);
      expect(grown.nodes, 'nodes').to.be.below(SLACK.nodes);
      expect(grown.listeners, 'listeners').to.be.below(SLACK.listeners);
    });

  it('is noticed where something is left behind', async () => {
    const before = await count();
    await page.evaluate(() => {
      const kept = document.createElement('div');
      kept.innerHTML = '<p></p>'.repeat(700);
      addEventListener('resize', () => kept.remove());
    });
    expect((await count()).nodes - before.nodes).to.be.above(SLACK.nodes);
  });
});
