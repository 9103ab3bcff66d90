/** One small interface over three engines. Every click and key is a real, trusted input event. Puppeteer drives Chromium and Firefox, WebDriver WebKitGTK. */
import { clickTarget, deepQuery } from './deep-query.js';
import { launchPuppeteer } from './drive-puppeteer.js';
import { launchWebKit } from './drive-webkit.js';

export type Engine = 'chromium' | 'firefox' | 'webkit';

/** `forced`: the few colors that the user has chosen for everything. */
export type Scheme = 'light' | 'dark' | 'forced';

interface Basics {
  /** What the page has complained about since it was opened: errors nobody caught, and console errors. WebKit tells nothing. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Size of the page in CSS pixels. Throws when the engine's window cannot be made that small. */
  setViewport(width: number, height: number): Promise<void>;
  screenshot(path: string): Promise<void>;
  clickAt(x: number, y: number): Promise<void>;
  close(): Promise<void>;
}

export interface Driver extends Basics {
  readonly engine: Engine;
  /** Runs a function in the page; arguments and result travel as JSON. The function sees nothing of the test's file. */
  evaluate<Args extends unknown[], Result>(fn: (...args: Args) => Result, ...args: Args): Promise<Awaited<Result>>;
  /** Waits until the element can be seen, stands still, is enabled (also by `aria-disabled`) and uncovered; then clicks its middle. */
  click(selector: string, timeout?: number): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  /** A key by its DOM name, with modifiers before it: `Enter`, `Shift+Tab`. Goes to what has the focus. */
  press(key: string): Promise<void>;
  text(selector: string): Promise<string>;
  value(selector: string): Promise<string | undefined>;
  exists(selector: string): Promise<boolean>;
  count(selector: string): Promise<number>;
  /** Waits for a match of a deep selector that can be seen, or for a function in the page to return something truthy. */
  waitFor<Args extends unknown[]>(what: string | ((...args: Args) => unknown), timeout?: number, ...args: Args): Promise<void>;
  /** What `prefers-color-scheme` says. Chromium only, as are the next three; the others throw. */
  preferColorScheme(scheme: Scheme): Promise<void>;
  /** Stands still, as the browser lets a page that has not been looked at for a while, until it goes on. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Its process is ended without a word and the tab stays, as of a page whose memory the browser needs. */
  discard(): Promise<void>;
  /** Before the other pages of its browser, as the page the user looks at: what lies behind it gets no frames. */
  toFront(): Promise<void>;
}

/** What an engine has to be able to do; all else is built on it. */
export interface Hands extends Basics {
  /** The value of an expression of JavaScript, which may be a promise. */
  run(expression: string): Promise<unknown>;
  keys(text: string): Promise<void>;
  press(key: string, modifiers: readonly string[]): Promise<void>;
  preferColorScheme?: (scheme: Scheme) => Promise<void>;
  setFrozen?: (frozen: boolean) => Promise<void>;
  crash?: () => Promise<void>;
  /** Only where there can be others. */
  toFront?(): Promise<void>;
}

/** Starts a browser with one empty window. `engine` defaults to the environment's `ENGINE`, which `npm test` sets, else Chromium. */
export async function launch(engine = (process.env['ENGINE'] ?? 'chromium') as Engine): Promise<Driver> {
  return driverOf(engine === 'webkit' ? await launchWebKit() : await launchPuppeteer(engine), engine);
}

export function driverOf(hands: Hands, engine: Engine): Driver {
  // A function that went through a bundler may call its `__name` helper, which the page does not have.
  const evaluate: Driver['evaluate'] = async (fn, ...args) =>
    (await hands.run(`((__name) => (${String(fn)})(...${JSON.stringify(args)}))((fn) => fn)`)) as never;

  const among = async <Result>(selector: string, fn: (elements: Element[]) => Result): Promise<Result> =>
    (await hands.run(`((__name) => (${String(fn)})((${String(deepQuery)})(${JSON.stringify(selector)})))((fn) => fn)`)) as Result;

  const count = (selector: string) => among(selector, (elements) => elements.length);
  const isVisible = (selector: string) => among(selector, (elements) => elements.some((each) => each.checkVisibility()));

  async function until(done: () => Promise<unknown>, timeout: number, what: () => string) {
    const end = Date.now() + timeout;
    while (!(await done())) {
      if (Date.now() > end) throw new Error(`Waited ${timeout} ms in vain for ${what()}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  async function click(selector: string, timeout = 10_000) {
    let last: ReturnType<typeof clickTarget>;
    const standsStill = async () => {
      const before = last;
      last = await among(selector, clickTarget);
      return last?.ready && last.x === before?.x && last.y === before.y;
    };
    await until(
      standsStill,
      timeout,
      () => `a click on ${selector}: ${last === undefined ? 'it is not there or cannot be seen' : last.why || 'it does not stand still'}`,
    );
    if (last) await hands.clickAt(last.x, last.y);
  }

  function able<Do>(act: Do | undefined, what: string): Do {
    if (!act) throw new Error(`${engine} cannot ${what}.`);
    return act;
  }

  return {
    ...hands,
    engine,
    evaluate,
    click,
    async type(selector, text) {
      await click(selector);
      await hands.keys(text);
    },
    press(key) {
      const parts = key.split(/\+(?=.)/);
      return hands.press(parts.at(-1) ?? key, parts.slice(0, -1));
    },
    async text(selector) {
      const text = await among(selector, (elements) => (elements[0] as HTMLElement | undefined)?.innerText);
      if (text === undefined || text === null) throw new Error(`Nothing on the page matches ${selector}`);
      return text;
    },
    value: (selector) => among(selector, (elements) => (elements[0] as HTMLInputElement | undefined)?.value),
    exists: async (selector) => (await count(selector)) > 0,
    count,
    waitFor: (what, timeout = 10_000, ...args) =>
      until(
        () => (typeof what === 'string' ? isVisible(what) : evaluate(what, ...args)),
        timeout,
        () => String(what),
      ),
    preferColorScheme: async (scheme) => able(hands.preferColorScheme, 'be told which colors are preferred')(scheme),
    freeze: async () => able(hands.setFrozen, 'freeze pages')(true),
    thaw: async () => able(hands.setFrozen, 'freeze pages')(false),
    discard: async () => able(hands.crash, 'end the process of a page')(),
    toFront: async () => hands.toFront?.(),
  };
}
