/**
 * A browser of several pages that can be killed: as by a power cut, with nothing closed and nothing said, and started anew with the same
 * profile. Not in WebKit: its driver gives every session a fresh profile, so there is nothing to come back to, and one window.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launchBrowser, pageHands } from './drive-puppeteer.js';
import { driverOf, launch, type Driver, type Engine } from './driver.js';

export interface Browsers {
  /** Another page of the same browser, in front of the others. WebKit always gives the same one. */
  page(): Promise<Driver>;
  /** Ends the browser by SIGKILL; the next `page` starts it with the same profile. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export const engineOfTests = () => (process.env['ENGINE'] ?? 'chromium') as Engine;

/** Whether it can have several pages, and come back after a kill. */
export const canBeKilled = (engine = engineOfTests()): boolean => engine !== 'webkit';

export async function openBrowsers(engine = engineOfTests()): Promise<Browsers> {
  if (engine === 'webkit') {
    const driver = await launch(engine);
    return {
      page: () => Promise.resolve(driver),
      kill: () => Promise.reject(new Error('WebKit would come back with an empty profile.')),
      close: () => driver.close(),
    };
  }
  const profile = await mkdtemp(path.join(tmpdir(), 'tool-chat-profile-'));
  let browser: Awaited<ReturnType<typeof launchBrowser>> | undefined;
  return {
    async page() {
      browser ??= await launchBrowser(engine, profile);
      return driverOf(await pageHands(engine, browser), engine);
    },
    async kill() {
      const process = browser?.process();
      browser = undefined;
      if (!process) return;
      const gone = new Promise((resolve) => process.once('exit', resolve));
      process.kill('SIGKILL');
      await gone;
    },
    async close() {
      await browser?.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
