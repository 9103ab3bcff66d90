/** Chromium by the DevTools protocol, Firefox by WebDriver BiDi. */
import puppeteer, { type Browser, type CDPSession, type KeyInput } from 'puppeteer-core';
import { chromiumFlags, ensureChromium, find } from '../helpers/browsers/find.mjs';
import type { Hands } from './driver.js';

export async function launchPuppeteer(engine: 'chromium' | 'firefox'): Promise<Hands> {
  const browser = await launchBrowser(engine);
  return { ...(await pageHands(engine, browser)), close: () => browser.close() };
}

/** `profile`: a folder that outlives the browser. Default: one that goes with it. `flags`: further ones of Chromium's command line. */
export async function launchBrowser(engine: 'chromium' | 'firefox', profile?: string, flags: string[] = []): Promise<Browser> {
  const executablePath = engine === 'chromium' ? await ensureChromium() : find.firefox();
  if (!executablePath) throw new Error('Firefox is not installed.');
  const options = { executablePath, headless: true, ...(profile !== undefined && { userDataDir: profile }) };
  return engine === 'chromium'
    ? puppeteer.launch({ ...options, args: [...chromiumFlags, ...flags] })
    : puppeteer.launch({ ...options, browser: 'firefox', extraPrefsFirefox: { 'fission.webContentIsolationStrategy': 1 } });
}

/** A page in a window of its own, for one behind another is not drawn; `close` closes nothing but it. */
export async function pageHands(engine: 'chromium' | 'firefox', browser: Browser): Promise<Hands> {
  const page = await browser.newPage({ type: 'window' });
  await page.setViewport({ width: 1280, height: 900 });
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));

  let media: CDPSession | undefined;
  return {
    complaints,
    async open(url) {
      complaints.length = 0;
      await page.goto(url);
    },
    async reload() {
      await page.reload();
    },
    run: (expression) => page.evaluate(expression),
    clickAt: (x, y) => page.mouse.click(x, y),
    keys: (text) => page.keyboard.type(text),
    async press(key, modifiers) {
      for (const modifier of modifiers) await page.keyboard.down(modifier as KeyInput);
      await page.keyboard.press(key as KeyInput);
      for (const modifier of modifiers) await page.keyboard.up(modifier as KeyInput);
    },
    setViewport: (width, height) => page.setViewport({ width, height }),
    ...(engine === 'chromium' && {
      async preferColorScheme(scheme: string) {
        // What another session has set stays as long as that.
        media ??= await page.createCDPSession();
        const feature = scheme === 'forced' ? { name: 'forced-colors', value: 'active' } : { name: 'prefers-color-scheme', value: scheme };
        await media.send('Emulation.setEmulatedMedia', { features: [feature] });
      },
      async setFrozen(frozen: boolean) {
        const session = await page.createCDPSession();
        await session.send('Page.setWebLifecycleState', { state: frozen ? 'frozen' : 'active' });
        if (!frozen) {
          // A frozen page is hidden, and stays so until its window is shown anew.
          const { windowId } = await session.send('Browser.getWindowForTarget');
          for (const windowState of ['minimized', 'normal'] as const)
            await session.send('Browser.setWindowBounds', { windowId, bounds: { windowState } });
        }
        await session.detach();
      },
      async crash() {
        const gone = new Promise((resolve) => page.once('error', resolve));
        void page.goto('chrome://crash').catch(() => undefined);
        await gone;
      },
    }),
    async screenshot(path) {
      await page.screenshot({ path: path as `${string}.png` });
    },
    async toFront() {
      await page.bringToFront();
    },
    close: () => page.close(),
  };
}
