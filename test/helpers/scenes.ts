/** The states that the pictures of the documentation show, and a fingerprint of each: a picture is out of date when its screen has another. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Driver } from '../e2e/driver.js';
import { serveDemo } from '../e2e/demo-server.js';
import { ALLOW, card, INPUT, part, say, untilIdle, untilReady } from '../e2e/widget.js';

/** The fingerprints of the pictures that are there, by name. */
export const FINGERPRINTS = fileURLToPath(new URL('../../docs/screenshots/fingerprints.json', import.meta.url));
export const readFingerprints = () => JSON.parse(readFileSync(FINGERPRINTS, 'utf8')) as Record<string, string>;

export interface Scene {
  name: string;
  size?: [width: number, height: number];
  scheme?: 'light' | 'dark';
  path?: string;
  dir?: 'ltr' | 'rtl';
  /** Only with `--look`: no page of the documentation shows it. */
  unused?: boolean;
  /** Brings the page into the state to show. */
  act(driver: Driver): Promise<void>;
}

/** Waits for transitions. An animation without end, such as a spinner, goes on. */
export const untilStill = async () => {
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

/** The endpoint does not know the user. */
async function refuse(driver: Driver) {
  await driver.evaluate(() => {
    const chat = document.querySelector<HTMLElement & { fetch: typeof fetch }>('tool-chat');
    if (chat) chat.fetch = () => Promise.resolve(new Response('{"error":"who are you"}', { status: 401 }));
  });
  await say(driver, 'What is planned for tomorrow?');
  await driver.waitFor(part('error-bar'), 30_000);
}

/** Sets properties of the widget. */
export const set = (driver: Driver, properties: Record<string, unknown>) =>
  driver.evaluate((values: Record<string, unknown>) => void Object.assign(document.querySelector('tool-chat') ?? {}, values), properties);

const DENTIST = 'Delete the task "Call the dentist"';
const scene = (name: string, act: Scene['act'], more: Partial<Scene> = {}): Scene => ({ name, act, ...more });
const asking = (name: string, more: Partial<Scene> = {}, text = DENTIST) => scene(name, (driver) => untilAsked(driver, text), more);
/** So narrow that the picture is the chat alone. */
const CHAT: Partial<Scene> = { size: [440, 500] };
export const PHONE_SIZE: [number, number] = [390, 700];
const layout = (name: string): Scene =>
  scene(
    `layout-${name}`,
    async (driver) => {
      await set(driver, { layout: name });
      await untilAsked(driver, DENTIST);
    },
    { size: [name === 'inline' ? 1100 : 960, 600] },
  );

export const scenes: Scene[] = [
  asking('card', CHAT),
  asking('dark', { ...CHAT, scheme: 'dark' }),
  scene(
    'rtl',
    async (driver) => {
      await set(driver, { lang: 'ar' });
      await untilAsked(driver, DENTIST);
    },
    { ...CHAT, dir: 'rtl' },
  ),
  asking('zh', { ...CHAT, path: '/?lang=zh-CN' }, '删除任务「给牙医打电话」'),
  asking('phone', { size: PHONE_SIZE }),
  ...['inline', 'floating', 'sidebar', 'fullscreen'].map(layout),
  scene('error', refuse, CHAT),
  scene('inspector', () => Promise.resolve(), { path: '/gallery?only=inspector-tools', size: [960, 600] }),
  scene('brand', untilReady, { path: '/brand', size: [1070, 720] }),
  ...['neutral', 'warm', 'dark-first', 'high-contrast'].map((name) =>
    scene(`theme-${name}`, () => Promise.resolve(), {
      path: `/gallery?only=decide-delete&skin=${name}${name === 'dark-first' ? '&theme=dark' : ''}`,
      size: [400, 560],
    }),
  ),
  scene('empty', () => Promise.resolve(), { unused: true }),
  scene(
    'streaming',
    async (driver) => {
      await say(driver, 'What is planned for today?');
      await driver.waitFor(card('success'), 30_000);
      const begun = () => (document.querySelector<HTMLElement & { streamingText: string }>('tool-chat')?.streamingText.length ?? 0) > 60;
      await driver.waitFor(begun, 30_000);
    },
    { unused: true },
  ),
  scene(
    'success',
    async (driver) => {
      await say(driver, 'Create 3 tasks: book the room, order lunch and print the badges');
      await driver.waitFor(card('success'), 30_000);
      await untilIdle(driver, 30_000);
    },
    { unused: true },
  ),
  scene(
    'dialog',
    async (driver) => {
      await set(driver, { approvalUi: 'dialog' });
      await untilAsked(driver, DENTIST);
    },
    { unused: true },
  ),
];

/** True in the gallery when all cards are drawn and their buttons can be pressed. */
export const stands = () => {
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
    // Colors come with the frame after code is in view.
    (CSS.highlights.size > 0 || matchMedia('(forced-colors: active)').matches || !all.some((element) => element.matches('.code-lines')))
  );
};

/** Opens the page of a scene on a demo of its own and brings it into its state; `done` sees it. */
export async function play(driver: Driver, { size: [width, height] = [1440, 900], ...scene }: Scene, done: () => Promise<void>) {
  const { scheme = 'light', dir = 'ltr', path = '/', act } = scene;
  const demo = await serveDemo();
  try {
    await driver.setViewport(width, height);
    await driver.preferColorScheme(scheme);
    await driver.open(demo.url + path);
    await driver.waitFor(() => customElements.get('tool-chat') !== undefined);
    await driver.evaluate((direction: string) => void (document.documentElement.dir = direction), dir);
    if (path.startsWith('/gallery')) {
      await driver.waitFor(() => document.documentElement.dataset['ready'] !== undefined, 30_000);
      await driver.waitFor(stands, 60_000);
    } else {
      // Without room next to the board, the assistant waits behind its button.
      if (width < 1080) await driver.click(part('launcher'));
      await driver.waitFor(INPUT);
    }
    await act(driver);
    await driver.evaluate(untilStill);
    await done();
  } finally {
    await demo.close();
  }
}

/**
 * A hash of all that can be seen of the widget: texts, and colors, shapes and fonts as the browser computes them. Sizes are not in it, because
 * they depend on the fonts of a machine; times are not, because they pass.
 */
export async function fingerprint(driver: Driver): Promise<string> {
  let last = '';
  // Some parts of the widget come late, when the page is idle: the screen is read until nothing has changed for a while.
  for (let same = 0; same < 20;) {
    await driver.evaluate(() => new Promise<void>((resolve) => void requestIdleCallback(() => resolve())));
    const now = await driver.evaluate(seen);
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return createHash('sha256').update(last).digest('hex').slice(0, 16);
}

/** Runs in the page. */
function seen(): string {
  const LOOK = [
    ...['display', 'color', 'background-color', 'background-image', 'border-top-color', 'border-top-style', 'border-radius'],
    ...['box-shadow', 'font-size', 'font-weight', 'outline-color', 'outline-style', 'fill', 'stroke'],
  ];
  const lines: string[] = [];
  const look = (node: Element, pseudo?: string) => {
    const style = getComputedStyle(node, pseudo);
    return style.content === 'none' && pseudo ? '' : LOOK.map((name) => style.getPropertyValue(name)).join(' ');
  };
  const read = (node: Node) => {
    if (node instanceof Text) lines.push(node.data.trim().replaceAll(/\d+:\d+(?:\s[AP]M)?|\d+ [A-Z][a-z]+|\d+月\d+日/g, 'TIME'));
    if (!(node instanceof Element) || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
    lines.push(`${node.localName} ${node.getAttribute('d') ?? ''} ${look(node)} ${look(node, '::before')} ${look(node, '::after')}`);
    for (const child of (node.shadowRoot ?? node).childNodes) read(child);
  };
  document.querySelectorAll('tool-chat, tool-chat-inspector, tool-chat-panel').forEach(read);
  return lines.filter(Boolean).join('\n');
}
