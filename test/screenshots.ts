/**
 * `npm run screenshots`: the pictures of the documentation, in `docs/screenshots/`, from the built demo with a scripted model and a fresh
 * database; and the two diagrams of `docs/concepts.md`. Names on the command line take only those.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveDemo } from './e2e/demo-server.js';
import { type Driver, launch } from './e2e/driver.js';
import { ALLOW, INPUT, part, untilIdle } from './e2e/widget.js';
import { animated, type Frame, still } from './helpers/animated-webp.js';
import { diagrams } from './helpers/diagrams.js';
import {
  fingerprint,
  FINGERPRINTS,
  PHONE_SIZE,
  play,
  readFingerprints,
  type Scene,
  scenes,
  set,
  stands,
  untilStill,
} from './helpers/scenes.js';

/** The same scene as others meet it. */
const looks: [string, Partial<Scene>][] = [
  ['', {}],
  ['-dark', { scheme: 'dark' }],
  ['-phone', { size: PHONE_SIZE }],
  ['-rtl', { dir: 'rtl', size: PHONE_SIZE, scheme: 'dark' }],
];

/**
 * Names take only those scenes; `--look FOLDER` takes each in several looks and leaves the pictures of the documentation alone.
 * `--gallery FOLDER` takes the states of `/gallery` instead, `--gallery-looks phone,dark` only in these looks.
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

const docs = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const folder = options.look ?? docs;
const isWanted = (name: string) => only.length === 0 || only.includes(name);
const wanted = scenes
  .filter(({ name, unused }) => isWanted(name) && !(unused && options.look === undefined))
  .flatMap((scene) => (options.look === undefined ? [scene] : looks.map(([end, look]) => ({ ...scene, ...look, name: scene.name + end }))));
await mkdir(folder, { recursive: true });
const driver = await launch('chromium');
if (options.gallery !== undefined) {
  await takeGallery(driver, options.gallery).finally(() => driver.close());
  process.exit(0);
}
const fingerprints = readFingerprints();
let failed = 0;
try {
  if (options.look === undefined) {
    for (const [name, svg] of await diagrams()) await writeFile(path.join(docs, name), svg);
    if (isWanted('tour')) await takeTour(driver, path.join(docs, 'tour.webp'));
  }
  for (const scene of wanted) {
    const shot = path.join(folder, `${scene.name}.png`);
    try {
      await play(driver, scene, async () => {
        fingerprints[scene.name] = await fingerprint(driver);
        await driver.screenshot(shot);
        if (options.look !== undefined) return;
        await writeFile(path.join(docs, `${scene.name}.webp`), await still(driver, (await readFile(shot)).toString('base64')));
        await rm(shot);
      });
      console.log(`✔ ${scene.name}`);
    } catch (error) {
      failed += 1;
      console.error(`✘ ${scene.name}: ${error instanceof Error ? error.message : String(error)}`);
      for (const complaint of driver.complaints) console.error(`    ${complaint}`);
      await driver.screenshot(shot);
    }
  }
  if (options.look === undefined) await writeFile(FINGERPRINTS, `${JSON.stringify(fingerprints, undefined, 2)}\n`);
} finally {
  await driver.close();
}
process.exit(failed > 0 ? 1 : 0);
