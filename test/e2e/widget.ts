/** What the end-to-end tests share: names of the widget's parts, and a record of what the user could read, in order. */
import { expect } from 'chai';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { createRequestLog } from '../../demo/server/request-log.js';
import { serveDemo } from './demo-server.js';
import { type Driver, launch } from './driver.js';
import { frame, type HostSite, serveHost } from './host-server.js';

export const INPUT = 'tool-chat >>> textarea';
export const ERROR_BAR = 'tool-chat >>> [part~=error-bar]';
export const part = (name: string) => `tool-chat >>> [part~=${name}]`;
export const card = (status: string, tool = '') => `tool-chat >>> [data-status=${status}]${tool && `[data-tool=${tool}]`}`;
/** Ready to be clicked. */
export const ALLOW = `${part('approve-button')}:not([aria-disabled=true])`;
export const DENY = `${part('deny-button')}:not([aria-disabled=true])`;

export type Chat = HTMLElement & {
  isLoading: boolean;
  state: string;
  error: string | null;
  messages: { role: string; text: string }[];
  toolHistory: { toolName: string; status: string; success: boolean; message: string; errorType?: string }[];
  sendMessage(text: string, options?: object): Promise<{ success: boolean; reason: string; text: string }>;
  clear(): Promise<void>;
};

export function useDriver(): Driver {
  const driver = {} as Driver;
  before(async () => void Object.assign(driver, await launch()));
  after(() => driver.close());
  return driver;
}

export function useSite(): { driver: Driver; site: HostSite } {
  const driver = useDriver();
  const site = {} as HostSite;
  before(async () => void Object.assign(site, await serveHost()));
  after(() => site.close());
  return { driver, site };
}

/** A call in the format that the model is taught by default. */
export const toolUse = (name: string, args: Record<string, string> = {}) => {
  const parameters = Object.entries(args).map(([key, value]) => `<parameter name="${key}">${value}</parameter>`);
  return `<tool_use><invoke name="${name}">${parameters.join('')}</invoke></tool_use>`;
};

/** What a model was asked: the messages of one request, system prompt first. */
export type Asked = { role: string; content: string }[];

type Upstream = ReturnType<typeof scriptedUpstream>;

export type DemoUnderTest = Awaited<ReturnType<typeof serveTasks>>;

/** The demo with a fresh database and the scripted model at a brisk pace. */
export async function serveTasks(delayMs = 6) {
  const asked: Asked[] = [];
  const instead: Upstream[] = [];
  const api = createRequestLog();
  const scripted = scriptedUpstream({ delayMs });
  const upstream: Upstream = async (request, signal) => {
    asked.push(((await request.clone().json()) as { messages: Asked }).messages);
    return (instead.shift() ?? scripted)(request, signal);
  };
  const demo = await serveDemo({ log: api, upstream });
  return { ...demo, asked, api, answerNext: (answer: Upstream) => void instead.push(answer) };
}

/** An answer that streams some text and then breaks off: the socket ends without an end mark. */
export function cutAfter(text: string): Upstream {
  return () => Promise.resolve(new Response(frame(text), { headers: { 'content-type': 'text/event-stream' } }));
}

export async function say(driver: Driver, text: string): Promise<void> {
  await driver.type(INPUT, text);
  await driver.press('Enter');
}

/** Allows the call that asks, or decides otherwise by another button, and waits for the end of the call and of the turn. */
export async function allow(driver: Driver, tool: string, { button = ALLOW, status = 'success' } = {}): Promise<void> {
  await driver.click(button, 20_000);
  await driver.waitFor(card(status, tool), 20_000);
  await untilIdle(driver);
}

/** By the page's own script, also in words that a driver cannot type. Nobody waits for the end of the turn. */
export const sendBy = (driver: Driver, text: string, { chat = 'tool-chat', ...options }: { chat?: string; tool?: string } = {}) =>
  driver.evaluate(
    (words: string, selector: string, more: object) => void document.querySelector<Chat>(selector)!.sendMessage(words, more),
    text,
    chat,
    options,
  );

export async function untilIdle(driver: Driver, timeout = 15_000): Promise<void> {
  await driver.waitFor(() => document.querySelector<Chat>('tool-chat')?.isLoading === false, timeout);
}

/** There is a field to write in, and a conversation behind it, which comes later. */
export async function untilReady(driver: Driver): Promise<void> {
  await driver.waitFor(INPUT);
  await driver.evaluate(async () => {
    await (document.querySelector('tool-chat') as unknown as { revoke?(id: string): unknown } | null)?.revoke?.('none');
  });
}

/** All text of an element through open shadow roots, with runs of blanks as one. Runs in the page. */
export function readAll(selector: string): string {
  const read = (node: Node): string => {
    if (node instanceof Text) return node.data;
    if (node instanceof HTMLStyleElement || node instanceof HTMLScriptElement) return '';
    const inside = node instanceof Element && node.shadowRoot ? node.shadowRoot : node;
    return [...inside.childNodes].map(read).join('');
  };
  return [...document.querySelectorAll(selector)].map(read).join('\n').replace(/\s+/g, ' ');
}

export const textOfChat = (driver: Driver) => driver.evaluate(readAll, 'tool-chat');

export const textsOf = (driver: Driver, selector: string) =>
  driver.evaluate((wanted: string) => [...document.querySelectorAll(wanted)].map((node) => node.textContent?.trim() ?? ''), selector);

type Recorded = Window & { seenTexts?: string[] };

/** From now on, notes once a frame what can be read in the widget. */
export async function startRecording(driver: Driver): Promise<void> {
  await driver.evaluate(() => {
    const seen: string[] = ((window as Recorded).seenTexts = []);
    const read = (node: Node): string => {
      if (node instanceof Text) return node.data;
      if (node instanceof HTMLStyleElement) return '';
      return [...((node as Element).shadowRoot ?? node).childNodes].map(read).join('');
    };
    const look = () => {
      const text = read(document.querySelector('tool-chat')!).replace(/\s+/g, ' ');
      if (text !== seen.at(-1)) seen.push(text);
      requestAnimationFrame(look);
    };
    look();
  });
}

export const recording = (driver: Driver) =>
  driver.evaluate(async () => {
    for (let frames = 0; frames < 3; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (window as Recorded).seenTexts ?? [];
  });

/** Each text was to be read, and not only before the one in front of it. */
export function expectInOrder(frames: readonly string[], texts: readonly string[]): void {
  let from = 0;
  for (const text of texts) {
    const at = frames.findIndex((frame, index) => index >= from && frame.includes(text));
    expect(at, `“${text}” was not to be read in its turn; at the end there was: ${frames.at(-1) ?? ''}`).to.be.at.least(0);
    from = at;
  }
}

export async function untilOnBoard(driver: Driver, title: string, there = true): Promise<void> {
  await driver.waitFor(
    (wanted: string, present: boolean) =>
      [...document.querySelectorAll('.task-title')].some((node) => node.textContent === wanted) === present,
    10_000,
    title,
    there,
  );
}

/** What has the focus, from the outside inward; its parts or name; and whether it can be seen that it has it. */
export const focused = (driver: Driver) =>
  driver.evaluate(() => {
    const path: Element[] = [];
    for (let at = document.activeElement; at; at = at.shadowRoot?.activeElement ?? null) path.push(at);
    const at = path.at(-1)!;
    const styles = [at, at.closest('.box, .field, form')].flatMap((one) => (one ? [getComputedStyle(one)] : []));
    return {
      name: `${at.localName} ${at.getAttribute('part') ?? at.className} ${at.getAttribute('data-item') ?? ''} ${at.getAttribute('aria-label') ?? ''}`,
      seen: styles.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1),
      inside: path.map(({ localName }) => localName),
    };
  });

/** Presses a key until something of the widget with this name has the focus, and shows it. */
export async function tabTo(driver: Driver, name: string, key = 'Tab', most = 60): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < most; presses += 1) {
    const now = await focused(driver);
    if (now.inside.includes('tool-chat') && now.name.includes(name)) {
      expect(now.seen, `${name} shows its focus`).to.equal(true);
      return;
    }
    passed.push(now.name);
    await driver.press(key);
  }
  throw new Error(`${key} does not lead to ${name}: ${passed.join(' → ')}`);
}
