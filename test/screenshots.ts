/**
 * `npm run screenshots`: the built demo in the states a person meets, as pictures in `docs/screenshots/`. Scripted model, fresh
 * database, fixed window: two runs differ only by the date on the page. Names on the command line take only those.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveDemo } from './e2e/demo-server.js';
import { type Driver, launch } from './e2e/driver.js';
import { ALLOW, card, INPUT, part, say, untilIdle } from './e2e/widget.js';
import { animated, type Frame } from './helpers/animated-webp.js';

interface Scene {
  name: string;
  size?: [width: number, height: number];
  scheme?: 'light' | 'dark';
  path?: string;
  dir?: 'ltr' | 'rtl';
  /** Brings the page into the state to show. */
  act(driver: Driver): Promise<void>;
}

/** Transitions are over; what turns without end, like a spinner, goes on. */
const untilStill = async () => {
  const within = (root: Document | ShadowRoot): Animation[] => [
    ...root.getAnimations(),
    ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? within(shadowRoot) : [])),
  ];
  const ending = within(document).filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime));
  await Promise.allSettled(ending.map((animation) => animation.finished));
};

async function untilAsked(driver: Driver, text: string) {
  await say(driver, text);
  await driver.waitFor(ALLOW, 30_000);
}

/** What a person sees whom the endpoint does not know. */
async function refuse(driver: Driver) {
  await driver.evaluate(() => {
    const chat = document.querySelector<HTMLElement & { fetch: typeof fetch }>('tool-chat');
    if (chat) chat.fetch = () => Promise.resolve(new Response('{"error":"who are you"}', { status: 401 }));
  });
  await say(driver, 'What is planned for tomorrow?');
  await driver.waitFor(part('error-bar'), 30_000);
}

/** Properties of the widget. */
const set = (driver: Driver, properties: Record<string, unknown>) =>
  driver.evaluate((values: Record<string, unknown>) => void Object.assign(document.querySelector('tool-chat') ?? {}, values), properties);

const DENTIST = 'Delete the task "Call the dentist"';
const scene = (name: string, act: Scene['act'], more: Partial<Scene> = {}): Scene => ({ name, act, ...more });
const asking = (name: string, text = DENTIST, more: Partial<Scene> = {}) => scene(name, (driver) => untilAsked(driver, text), more);
const PHONE_SIZE: [number, number] = [390, 844];

const scenes: Scene[] = [
  scene('empty', () => Promise.resolve()),
  scene('streaming', async (driver) => {
    await say(driver, 'What is planned for today?');
    await driver.waitFor(card('success'), 30_000);
    const begun = () => (document.querySelector<HTMLElement & { streamingText: string }>('tool-chat')?.streamingText.length ?? 0) > 60;
    await driver.waitFor(begun, 30_000);
  }),
  asking('awaiting-approval'),
  scene('success', async (driver) => {
    await say(driver, 'Create 3 tasks: book the room, order lunch and print the badges');
    await driver.waitFor(card('success'), 30_000);
    await untilIdle(driver, 30_000);
  }),
  scene('error', refuse),
  asking('dark', DENTIST, { scheme: 'dark' }),
  asking('phone', DENTIST, { size: PHONE_SIZE }),
  asking('phone-dark-zh', '删除任务「买蔬菜和大米」', { size: PHONE_SIZE, scheme: 'dark', path: '/?lang=zh-CN' }),
  asking('zh', '删除任务「给牙医打电话」', { path: '/?lang=zh-CN' }),
  asking('rtl', DENTIST, { dir: 'rtl' }),
  scene('dialog', async (driver) => {
    await set(driver, { approvalUi: 'dialog' });
    await untilAsked(driver, DENTIST);
  }),
  scene('brand', () => Promise.resolve(), { path: '/brand', size: [1070, 720] }),
];

/** The same scene as others meet it. */
const looks: [string, Partial<Scene>][] = [
  ['', {}],
  ['-dark', { scheme: 'dark' }],
  ['-phone', { size: PHONE_SIZE }],
  ['-rtl', { dir: 'rtl', size: PHONE_SIZE, scheme: 'dark' }],
];

/**
 * Names take only those scenes; `--look FOLDER` takes each in several looks and leaves the pictures of the documentation alone.
 * `--gallery FOLDER` takes the states of `/gallery` instead, `--gallery-looks phone,dark` only in these looks; the pictures of the themes are
 * `--gallery docs/screenshots/themes --gallery-looks neutral,warm,dark-first,high-contrast decide-delete`.
 */
const { values: options, positionals: only } = parseArgs({
  allowPositionals: true,
  options: { look: { type: 'string' }, gallery: { type: 'string' }, 'gallery-looks': { type: 'string' } },
});

const PHONE: [number, number] = [364, 640];
const galleryLooks: Record<string, [query: string, size: [number, number]]> = {
  phone: ['', PHONE],
  dark: ['theme=dark', [400, 640]],
  rtl: ['dir=rtl', PHONE],
  zh: ['lang=zh-CN', PHONE],
  wide: ['', [760, 560]],
  ar: ['lang=ar', PHONE],
  // As much as a window of twice the size shows with everything twice as large.
  zoom: ['', [364, 320]],
  forced: ['', PHONE],
  neutral: ['skin=neutral', [400, 560]],
  warm: ['skin=warm', [400, 560]],
  'dark-first': ['skin=dark-first&theme=dark', [400, 560]],
  'high-contrast': ['skin=high-contrast', [400, 560]],
};
const usual = ['phone', 'dark', 'rtl', 'zh', 'wide'];

async function takeGallery(driver: Driver, folder: string) {
  await mkdir(folder, { recursive: true });
  const demo = await serveDemo();
  try {
    await driver.open(`${demo.url}/gallery`);
    await driver.waitFor(() => document.documentElement.dataset['ready'] !== undefined, 30_000);
    const ids = await driver.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('[data-state]')].map(({ dataset }) => dataset['state'] ?? ''),
    );
    const looks = options['gallery-looks']?.split(',') ?? usual;
    for (const id of ids.filter((one) => only.length === 0 || only.includes(one)))
      for (const look of looks) {
        const [query, [width, height]] = galleryLooks[look] ?? ['', PHONE];
        await driver.setViewport(width, height);
        await driver.preferColorScheme(look === 'forced' ? 'forced' : 'light');
        await driver.open(`${demo.url}/gallery?only=${id}&${query}`);
        await driver.waitFor(() => document.documentElement.dataset['ready'] !== undefined, 30_000);
        await driver.waitFor(stands, 60_000);
        await driver.evaluate(untilStill);
        // What comes late is waited for once more.
        await driver.waitFor(stands, 60_000);
        await driver.screenshot(path.join(folder, `${id}-${look}.png`));
      }
  } finally {
    await demo.close();
  }
}

/** Its cards have come, and what may be pressed can be. */
const stands = () => {
  const within = (root: ParentNode): Element[] =>
    [...root.querySelectorAll('*')].flatMap((element) => [element, ...(element.shadowRoot ? within(element.shadowRoot) : [])]);
  const all = within(document);
  return (
    all.every(({ localName, shadowRoot }) => !localName.startsWith('tool-chat-') || shadowRoot !== null) &&
    all.every((element) => !element.matches('.buttons[data-arming], .decide[data-arming]') || !element.checkVisibility()) &&
    // Markup is drawn, with what comes late for it, and versions have their buttons.
    all.every((element) => !element.matches('.text:not([data-rendered])') || !/\*\*|```|\$|\]\(|\[\^/.test(element.textContent)) &&
    all.every((element) => !element.matches('span.note:not(:has(button)), .formula:not(:has(math)), fieldset:not(:has(label))')) &&
    Object.entries({ 'message-versions': '[part=branch-picker]', starters: '[part=starter]', failed: '[part=edit-button]' }).every(
      ([state, comesLate]) => !location.search.includes(`only=${state}&`) || all.some((element) => element.matches(comesLate)),
    ) &&
    // Colours come with the frame after code is in view.
    (CSS.highlights.size > 0 || matchMedia('(forced-colors: active)').matches || !all.some((element) => element.matches('.code-lines')))
  );
};

/** Eight seconds: a question, its card, a click on Allow, and Undo. The window is as wide as a phone, so the picture is the chat alone. */
async function takeTour(driver: Driver, file: string) {
  const demo = await serveDemo();
  const frames: Frame[] = [];
  const take = async (ms: number) => {
    const shot = `${file}.png`;
    await driver.screenshot(shot);
    frames.push({ png: (await readFile(shot)).toString('base64'), ms });
    await rm(shot);
  };
  /** Frames of what moves, until it has come to the end. */
  const follow = async (isOver: () => unknown) => {
    for (let left = 60; left > 0 && !(await driver.evaluate(isOver)); left -= 1) await take(110);
  };
  try {
    await driver.setViewport(440, 560);
    await driver.preferColorScheme('light');
    await driver.open(demo.url);
    await driver.click(part('launcher'));
    await driver.waitFor(INPUT);
    await set(driver, { approval: 'always' });
    await driver.waitFor(part('starter'));
    await driver.click(INPUT);
    await driver.evaluate(untilStill);
    await take(600);
    const words = 'Create a task: call the dentist'.split(/(?<= )/);
    for (const word of words) {
      for (const letter of word) await driver.press(letter);
      await take(160);
    }
    await driver.press('Enter');
    await follow(() => document.querySelector('tool-chat')?.matches(':state(awaitingApproval)'));
    await driver.waitFor(ALLOW);
    await driver.evaluate(untilStill);
    await take(1_900);
    await driver.click(ALLOW);
    await driver.waitFor(part('undo-button'), 30_000);
    await untilIdle(driver, 30_000);
    await driver.evaluate(untilStill);
    await take(1_700);
    await driver.click(part('undo-button'));
    await driver.waitFor(() => !document.querySelector('tool-chat')?.matches(':state(executing)'));
    await driver.evaluate(untilStill);
    await take(1_800);
    await writeFile(file, await animated(driver, frames));
  } finally {
    await demo.close();
  }
}

const folder = options.look ?? fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const named = scenes.filter(({ name }) => only.length === 0 || only.includes(name));
const wanted =
  options.look === undefined
    ? named
    : named.flatMap((scene) => looks.map(([end, look]) => ({ ...scene, ...look, name: scene.name + end })));
await mkdir(folder, { recursive: true });
const driver = await launch('chromium');
if (options.gallery !== undefined) {
  await takeGallery(driver, options.gallery).finally(() => driver.close());
  process.exit(0);
}
let failed = 0;
try {
  if (options.look === undefined && (only.length === 0 || only.includes('tour'))) await takeTour(driver, path.join(folder, 'tour.webp'));
  for (const { name, size: [width, height] = [1440, 900], scheme = 'light', dir = 'ltr', path: address = '/', act } of wanted) {
    const demo = await serveDemo();
    try {
      await driver.setViewport(width, height);
      await driver.preferColorScheme(scheme);
      await driver.open(demo.url + address);
      await driver.waitFor(() => customElements.get('tool-chat') !== undefined);
      await driver.evaluate((direction: string) => void (document.documentElement.dir = direction), dir);
      // Where there is no room beside the board, the assistant waits behind its button.
      if (width < 1080) await driver.click(part('launcher'));
      await driver.waitFor(INPUT);
      await act(driver);
      await driver.evaluate(untilStill);
      console.log(`✔ ${name}`);
    } catch (error) {
      failed += 1;
      console.error(`✘ ${name}: ${error instanceof Error ? error.message : String(error)}`);
      for (const complaint of driver.complaints) console.error(`    ${complaint}`);
    }
    await driver.screenshot(path.join(folder, `${name}.png`));
    await demo.close();
  }
} finally {
  await driver.close();
}
process.exit(failed > 0 ? 1 : 0);
