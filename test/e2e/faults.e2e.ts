// CI only: pages that stand still for seconds
/**
 * Faults that take a real browser process: the network goes away, the tab freezes or lies in the background, the clock jumps, a tool
 * leaves the page. Chromium only: freezing a page and taking its network away are commands of the DevTools protocol.
 */
import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { createFaultServer } from '../helpers/fault-server/fault-server.mjs';
import { launchBrowser } from './drive-puppeteer.js';
import type { Chat } from './widget.js';

type Talking = Chat & { streamingText: string; retryLastMessage(): Promise<unknown>; registerTool(tool: object): void };
type Host = Window & { turn?: Promise<unknown>; ran?: number; waits?: number[]; chat?: Talking };

const CLEAN = 'I am well.';
const call = (name: string) => `<tool_use>\n<invoke name="${name}">\n</invoke>\n</tool_use>\n`;

/** Runs in the page: whether the selector is found, through open shadow roots. */
function isShown(selector: string): boolean {
  const roots: ParentNode[] = [document];
  for (let root = roots.pop(); root; root = roots.pop()) {
    if (root.querySelector(selector)) return true;
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot);
  }
  return false;
}

if ((process.env['ENGINE'] ?? 'chromium') === 'chromium')
  describe('faults of the browser', function () {
    this.timeout(60_000);
    const faults = createFaultServer({ root: fileURLToPath(new URL('../../dist', import.meta.url)) });
    let origin = '';
    let browser: Browser;
    let page: Page;
    let devtools: CDPSession;
    let complaints: string[];
    let scripts = 0;

    before(async () => {
      origin = `http://127.0.0.1:${String((await faults.listen()).port)}`;
      browser = await launchBrowser('chromium');
    });
    after(async () => {
      await browser.close();
      await faults.close();
    });
    beforeEach(async () => {
      complaints = [];
      page = await browser.newPage();
      page.on('pageerror', (error) => complaints.push(String(error)));
      devtools = await page.createCDPSession();
    });
    afterEach(async () => {
      await page.close();
      expect(complaints).to.deep.equal([]);
    });

    /** A page with the widget; its model says `turns`, one after the other, and at last that it is well. */
    async function open(turns: ({ text: string; q?: string; times?: number } | string)[], attributes = ''): Promise<string> {
      const id = `browser-${String((scripts += 1))}`;
      const all = [...turns, CLEAN].map((turn) => (typeof turn === 'string' ? { text: turn } : { ...turn }));
      faults.scripts.set(id, { turns: all, i: 0, exhaust: 'repeat' });
      const body = `<!doctype html><title>host</title><script type="module" src="/static/tool-chat.js"></script>
        <tool-chat endpoint="/s/${id}/chat?wire=cutie" wire="cutie" log-level="off" ${attributes}></tool-chat>`;
      await page.goto(`${origin}/page?body=${encodeURIComponent(body)}`);
      await page.waitForFunction(() => document.querySelector('tool-chat')?.shadowRoot?.querySelector('tool-chat-panel'));
      await page.evaluate(() => {
        const host = window as Host;
        host.chat = document.querySelector<Talking>('tool-chat')!;
      });
      return id;
    }

    const begin = (text: string) => page.evaluate((said) => void ((window as Host).turn = (window as Host).chat!.sendMessage(said)), text);
    const ended = () =>
      page.evaluate(
        async () => (await (window as Host).turn) as { success: boolean; reason: string; text: string; results: { status: string }[] },
      );
    const asked = (id: string) => faults.log.filter(({ url, method }) => url.startsWith(`/s/${id}/`) && method === 'POST');

    async function isWell() {
      const answer = await page.evaluate(async () => (window as Host).chat!.sendMessage('Are you well?'));
      expect(answer).to.include({ success: true, text: CLEAN });
      expect(await page.evaluate(() => Object.keys(Object.prototype))).to.deep.equal([]);
      expect(await page.evaluate(() => document.documentElement.outerHTML)).to.not.include('SECRET');
    }

    it('offline and back: the message waits, says so, and reaches the server exactly once', async () => {
      const id = await open(['First.', 'Hello there.']);
      await begin('what is needed is loaded by this');
      await ended();
      await page.setOfflineMode(true);
      await begin('hello');
      await page.waitForFunction(isShown, {}, '[data-offline]');
      expect(asked(id)).to.have.length(1);
      await page.setOfflineMode(false);
      expect(await ended()).to.include({ success: true, text: 'Hello there.' });
      expect(asked(id)).to.have.length(2);
      await isWell();
    });

    it('a tool opens an alert: it runs once, and the turn goes on when it is closed', async () => {
      const id = await open([call('warn'), 'Done.'], 'heartbeat="600"');
      page.once('dialog', (dialog) => void setTimeout(() => void dialog.accept(), 900));
      await page.evaluate(() => {
        const host = window as Host;
        host.ran = 0;
        host.chat!.registerTool({
          ...{ name: 'warn', description: 'Warns.', risk: 'query' },
          execute() {
            host.ran! += 1;
            alert('Careful');
            return 'warned';
          },
        });
      });
      await begin('warn me');
      const { text, results } = await ended();
      expect(text).to.equal('Done.');
      expect(results.map(({ status }) => status)).to.deep.equal(['success']);
      expect(await page.evaluate(() => (window as Host).ran)).to.equal(1);
      expect(asked(id)).to.have.length(2);
      await isWell();
    });

    it('the tab is frozen while bytes arrive: no stall when it wakes, the answer is whole, and it was asked for once', async () => {
      const text = 'All that is said while nobody listens. '.repeat(8);
      // Two seconds of text; the limit on silence is a third of the freeze.
      const id = await open([{ text, q: 'gap=20&tok=4' }], 'heartbeat="700"');
      await begin('talk');
      await page.waitForFunction(() => (window as Host).chat!.streamingText.length > 20);
      await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
      await new Promise((resolve) => setTimeout(resolve, 2100)); // the page stands still: nothing can tell of it
      await devtools.send('Page.setWebLifecycleState', { state: 'active' });
      const answer = await ended();
      expect(answer).to.include({ success: true, reason: 'stop' });
      expect(answer.text.trim()).to.equal(text.trim());
      expect(asked(id)).to.have.length(1);
      await isWell();
    });

    for (const hours of [1, -1])
      it(`the clock jumps by ${String(hours)} h in the middle of a call: no stall, no negative times, and it runs once`, async () => {
        const id = await open([{ text: `Some words first. ${call('slow')}`, q: 'gap=30&tok=4' }, 'Done.'], 'heartbeat="1000"');
        await page.evaluate((jump) => {
          const host = window as Host;
          host.ran = 0;
          const now = Date.now.bind(Date);
          let ahead = 0;
          Date.now = () => now() + ahead;
          host.chat!.registerTool({
            ...{ name: 'slow', description: 'Takes a while.', risk: 'query' },
            async execute() {
              host.ran! += 1;
              ahead = 2 * jump;
              await new Promise((resolve) => setTimeout(resolve, 100)); // work that takes time
              return 'ok';
            },
          });
          host.chat!.addEventListener('tool-chat-stream-chunk', () => (ahead = jump), { once: true });
        }, hours * 3_600_000);
        await begin('go');
        const { text } = await ended();
        expect(text).to.equal('Done.');
        const times = await page.evaluate(() => {
          const { chat, ran } = window as Host;
          return { ran, durations: chat!.toolHistory.map((one) => (one as unknown as { durationMs: number }).durationMs) };
        });
        expect(times.ran).to.equal(1);
        expect(times.durations).to.have.length(1);
        expect(times.durations[0]).to.be.within(50, 60_000);
        expect(asked(id)).to.have.length(2);
        await isWell();
      });

    it('the tab lies in the background while a slow answer arrives: one request, and the whole answer', async () => {
      const text = 'A slow answer that nobody looks at. '.repeat(5);
      const id = await open([{ text, q: 'gap=60&tok=6' }], 'heartbeat="3000"');
      await begin('talk');
      await page.waitForFunction(() => (window as Host).chat!.streamingText.length > 10);
      // What a page hears of it, also where a browser without a window never hides anything.
      await page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
        Object.defineProperty(document, 'hidden', { configurable: true, value: true });
        document.dispatchEvent(new Event('visibilitychange'));
        window.dispatchEvent(new Event('blur'));
      `);
      const front = await browser.newPage();
      await front.bringToFront();
      const answer = await ended();
      await front.close();
      expect(answer).to.include({ success: true });
      expect(answer.text.trim()).to.equal(text.trim());
      expect(asked(id)).to.have.length(1);
      await page.evaluate(() => {
        Reflect.deleteProperty(document, 'visibilityState');
        Reflect.deleteProperty(document, 'hidden');
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await page.bringToFront();
      await isWell();
      expect(asked(id)).to.have.length(2);
    });
  });
