/**
 * `npm run screenshots`: the built demo in the states a person meets, as pictures in `docs/screenshots/`. Scripted model, fresh
 * database, fixed window: two runs differ only by the date on the page. Names on the command line take only those.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { serveDemo } from './e2e/demo-server.js';
import { type Driver, launch } from './e2e/driver.js';

const folder = new URL('../docs/screenshots/', import.meta.url);

const INPUT = 'tool-chat >>> textarea';
const card = (status: string) => `tool-chat >>> [data-status=${status}]`;
const APPROVE = 'tool-chat >>> [part~=approve-button]:not([aria-disabled=true])';

interface Scene {
  name: string;
  size?: [width: number, height: number];
  scheme?: 'light' | 'dark';
  path?: string;
  /** Brings the page into the state to show. */
  act(driver: Driver): Promise<void>;
}

const idle = (driver: Driver) =>
  driver.waitFor(() => document.querySelector<HTMLElement & { isLoading: boolean }>('tool-chat')?.isLoading === false);

async function say(driver: Driver, text: string) {
  await driver.type(INPUT, text);
  await driver.press('Enter');
}

/** Transitions are over; what turns without end, like a spinner, goes on. */
const untilStill = async () => {
  const ending = document.getAnimations().filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime));
  await Promise.allSettled(ending.map((animation) => animation.finished));
};

async function askToDelete(driver: Driver, text: string) {
  await say(driver, text);
  await driver.waitFor(APPROVE, 30_000);
}

const scenes: Scene[] = [
  {
    name: 'empty',
    act: (driver) => driver.waitFor(INPUT),
  },
  {
    name: 'streaming',
    async act(driver) {
      await say(driver, 'What is planned for today?');
      await driver.waitFor(card('success'), 30_000);
      await driver.waitFor(
        () => (document.querySelector<HTMLElement & { streamingText: string }>('tool-chat')?.streamingText.length ?? 0) > 60,
        30_000,
      );
    },
  },
  {
    name: 'awaiting-approval',
    act: (driver) => askToDelete(driver, 'Delete the task "Call the dentist"'),
  },
  {
    name: 'success',
    async act(driver) {
      await say(driver, 'Create 3 tasks: book the room, order lunch and print the badges');
      await driver.waitFor(card('success'), 30_000);
      await idle(driver);
    },
  },
  {
    name: 'denied',
    async act(driver) {
      await askToDelete(driver, 'Delete the task "Buy vegetables and rice"');
      await driver.click('tool-chat >>> [part~=deny-button]');
      await driver.waitFor(card('denied'));
      await idle(driver);
    },
  },
  {
    name: 'error',
    async act(driver) {
      // The endpoint goes away: what a person sees when the server cannot be reached.
      await driver.evaluate(() => {
        const chat = document.querySelector<HTMLElement & { fetch: typeof fetch }>('tool-chat');
        if (chat) chat.fetch = () => Promise.resolve(new Response('{"error":"overloaded"}', { status: 401 }));
      });
      await say(driver, 'What is planned for tomorrow?');
      await driver.waitFor('tool-chat >>> [part~=error-bar]', 30_000);
    },
  },
  {
    name: 'dark',
    scheme: 'dark',
    act: (driver) => askToDelete(driver, 'Delete the task "Call the dentist"'),
  },
  {
    name: 'phone',
    size: [390, 844],
    async act(driver) {
      await driver.click('tool-chat >>> [part~=launcher]');
      await driver.waitFor(INPUT);
      await askToDelete(driver, 'Delete the task "Call the dentist"');
    },
  },
  {
    name: 'phone-dark-zh',
    size: [390, 844],
    scheme: 'dark',
    path: '/?lang=zh-CN',
    async act(driver) {
      await driver.click('tool-chat >>> [part~=launcher]');
      await driver.waitFor(INPUT);
      await askToDelete(driver, '删除任务「买蔬菜和大米」');
    },
  },
  {
    name: 'zh',
    path: '/?lang=zh-CN',
    act: (driver) => askToDelete(driver, '删除任务「给牙医打电话」'),
  },
  {
    name: 'rtl',
    async act(driver) {
      await driver.evaluate(() => {
        document.documentElement.dir = 'rtl';
      });
      await askToDelete(driver, 'Delete the task "Call the dentist"');
    },
  },
];

const only = process.argv.slice(2);
const wanted = scenes.filter(({ name }) => only.length === 0 || only.includes(name));
await mkdir(folder, { recursive: true });
const driver = await launch('chromium');
let failed = 0;
try {
  for (const { name, size: [width, height] = [1440, 900], scheme = 'light', path = '/', act } of wanted) {
    const demo = await serveDemo();
    try {
      await driver.setViewport(width, height);
      await driver.preferColorScheme(scheme);
      await driver.open(demo.url + path);
      await driver.waitFor(() => customElements.get('tool-chat') !== undefined);
      await act(driver);
      await driver.evaluate(untilStill);
      console.log(`✔ ${name}`);
    } catch (error) {
      failed += 1;
      console.error(`✘ ${name}: ${error instanceof Error ? error.message : String(error)}`);
      for (const complaint of driver.complaints) console.error(`    ${complaint}`);
    }
    await driver.screenshot(fileURLToPath(new URL(`${name}.png`, folder)));
    await demo.close();
  }
} finally {
  await driver.close();
}
process.exit(failed > 0 ? 1 : 0);
