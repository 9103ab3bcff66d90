/** WebKitGTK by classic WebDriver: the driver and a display for it are started here and end with the browser. */
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { find } from '../helpers/browsers/find.mjs';
import { startWebKitDriver } from '../helpers/browsers/webkit.mjs'; // before the client: it sets how much that says
import { WebDriver } from 'webdriver';
import type { Hands } from './driver.js';

/** Keys without a character of their own, as WebDriver writes them: those that the tests press. */
const KEYS: Record<string, string> = {
  Enter: '\uE007',
  Tab: '\uE004',
  Escape: '\uE00C',
  ArrowDown: '\uE015',
  End: '\uE010',
  Shift: '\uE008',
};
const keyOf = (name: string) => (Object.hasOwn(KEYS, name) ? KEYS[name] : undefined) ?? name;

export async function launchWebKit(): Promise<Hands> {
  const at = find.webkit();
  if (!at) throw new Error('WebKitGTK or its driver is not installed.');
  const driver = await startWebKitDriver(at);
  const { port, capabilities } = driver;
  const session = await WebDriver.newSession({ hostname: '127.0.0.1', port, path: '/', logLevel: 'error', capabilities });
  await session.setTimeouts(undefined, 60_000, 30_000);

  const act = (id: string, type: 'key' | 'pointer', actions: object[]) => session.performActions([{ type, id, actions }]);
  const stroke = (value: string) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ];

  const hands: Hands = {
    complaints: [],
    open: (url) => session.navigateTo(url),
    reload: () => session.refresh(),
    async run(expression) {
      // An own callback, because this driver's plain execute does not wait for promises in every version.
      const script = `const done = arguments[0]; Promise.resolve().then(() => ${expression}).then((value) => done({ value }), (error) => done({ error: String(error) }))`;
      const answer = (await session.executeAsyncScript(script, [])) as { value?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.value;
    },
    async clickAt(x, y) {
      await act('mouse', 'pointer', [
        { type: 'pointerMove', duration: 0, x, y, origin: 'viewport' },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]);
    },
    async keys(text) {
      await act('keyboard', 'key', [...text].flatMap(stroke));
    },
    async press(key, modifiers) {
      await act('keyboard', 'key', [
        ...modifiers.map((name) => ({ type: 'keyDown', value: keyOf(name) })),
        ...stroke(keyOf(key)),
        ...modifiers.map((name) => ({ type: 'keyUp', value: keyOf(name) })),
      ]);
    },
    async setViewport(width, height) {
      // Only the window can be sized: what is not page is added. One that is just appearing takes its size later, or has to be told again.
      let got: unknown;
      for (const end = Date.now() + 10_000; Date.now() < end; await setTimeout(100)) {
        const [dx, dy] = (await hands.run('[outerWidth - innerWidth, outerHeight - innerHeight]')) as [number, number];
        await session.setWindowRect(null, null, width + dx, height + dy);
        got = await hands.run('[innerWidth, innerHeight]');
        if (String(got) === String([width, height])) return;
      }
      throw new Error(`WebKit cannot show a page of ${width} × ${height}: it made ${String(got)}.`);
    },
    async screenshot(path) {
      await writeFile(path, Buffer.from(await session.takeScreenshot(), 'base64'));
    },
    async close() {
      try {
        await session.deleteSession();
      } finally {
        driver.close();
      }
    },
  };
  await hands.setViewport(1280, 900);
  return hands;
}
