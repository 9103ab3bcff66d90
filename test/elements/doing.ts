/** What a person, or the page around, does in a test; and what takes it back after each. */
import { expect, waitUntil } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import { appears, everything, find, findAll, frame, hitOf, middle, part, until } from './looking.js';

const undone: (() => void)[] = [];
let mouseMoved = false;

// A window that gets the focus asks anew: it has it before anything is asked.
before(() => sendMouse({ type: 'move', position: [1, 1] }));

afterEach(async () => {
  for (const undo of undone.splice(0)) undo();
  if (mouseMoved) await resetMouse();
  mouseMoved = false;
});

/** A style sheet of the page, until the end of the test or the returned call. */
export function styled(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  const undo = () => void (document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet));
  undone.push(undo);
  return undo;
}

/** The direction of the page, until the end of the test. */
export function written(dir: 'ltr' | 'rtl'): void {
  document.documentElement.dir = dir;
  undone.push(() => (document.documentElement.dir = ''));
}

/** What the browser tells of the part of the window that is seen; nothing = the truth. */
export function see(view?: { width?: number; height?: number; offsetTop?: number; scale?: number }): void {
  for (const name of ['width', 'height', 'offsetTop', 'scale'] as const) {
    Reflect.deleteProperty(visualViewport as object, name);
    const value = view?.[name];
    if (value !== undefined) Object.defineProperty(visualViewport, name, { configurable: true, get: () => value });
  }
  if (view) undone.push(() => see());
  visualViewport?.dispatchEvent(new Event('resize'));
  dispatchEvent(new Event('resize'));
}

/** Lets the rules for one medium count as if it were this one. Returns what takes that back. */
export function pretend(panel: HTMLElement, condition: string): () => void {
  const changed: [MediaList, string][] = [];
  const roots = [panel, ...everything(panel.shadowRoot as ShadowRoot)].flatMap((element) => element.shadowRoot ?? []);
  for (const sheet of new Set(roots.flatMap((root) => [...root.adoptedStyleSheets])))
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && rule.media.mediaText.includes(condition)) {
        changed.push([rule.media, rule.media.mediaText]);
        rule.media.mediaText = 'all';
      }
  expect(changed.length, condition).to.be.above(0);
  const undo = () => {
    for (const [media, text] of changed.splice(0)) media.mediaText = text;
  };
  undone.push(undo);
  return undo;
}

let ahead = 0;
let held: number | undefined;
const now = performance.now.bind(performance);
performance.now = () => (held ?? now()) + ahead;

/** Moves the clock by which buttons stand still and hidden questions are counted. */
export function pass(milliseconds: number): void {
  ahead += milliseconds;
}

/** A real mouse, which is elsewhere again after the test. */
export async function mouse(...steps: Parameters<typeof sendMouse>[0][]): Promise<void> {
  mouseMoved = true;
  for (const step of steps) await sendMouse(step);
}

/** For how many looks in a row an element has stood where it stands. */
function steadiness(element: Element): () => number {
  let [still, before] = [-1, ''];
  return () => {
    const place = middle(element).join();
    still = place === before ? still + 1 : 0;
    before = place;
    return still;
  };
}

/** It stands still for so many frames: what is loaded late moves what is below it. */
async function rests(element: Element, drawn = 2): Promise<void> {
  const still = steadiness(element);
  for (let all = 0; still() < drawn && all < 60; all += 1) await frame();
}

/** A real click: the browser's own, trusted. */
export async function click(element: Element): Promise<void> {
  await rests(element);
  await mouse({ type: 'click', position: middle(element) });
}

/** The same on a button that decides, as soon as it may act. That something covers it is told a tenth of a second late. */
export async function press(button: Element): Promise<void> {
  do {
    await arms(button);
    await rests(button, 7);
  } while (!isArmed(button));
  await mouse({ type: 'click', position: middle(button) });
}

/** The same for what may lie outside of what can be seen: it is scrolled to, until a click at its middle meets it. */
export async function clickInView(element: Element) {
  const still = steadiness(element);
  await until(() => {
    const { top, bottom } = element.getBoundingClientRect();
    const isStill = still() > 2;
    if (top > 0 && bottom < innerHeight && element.contains(hitOf(element))) return isStill;
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    return false;
  }, 'it cannot be scrolled to');
  await click(element);
}

/** Keys as a person presses them: `type: …` is written, all else is pressed. */
export async function keys(...pressed: string[]): Promise<void> {
  for (const key of pressed) await sendKeys(key.startsWith('type: ') ? { type: key.slice(6) } : { press: key });
}

/** Presses keys of an input method in a field; they are its own, and nothing takes them. Safari tells them only by their code. */
export function composes(field: Element): void {
  for (const init of [{ keyCode: 229 }, { isComposing: true }])
    for (const key of ['Enter', 'Escape'])
      for (const ctrlKey of [false, true]) {
        const event = new KeyboardEvent('keydown', { key, ctrlKey, ...init, bubbles: true, composed: true, cancelable: true });
        expect(field.dispatchEvent(event), `${key} is taken`).to.equal(true);
      }
}

export const isArmed = (button: Element | undefined) => button?.getAttribute('aria-disabled') === 'false';

/** From here to the end of the test no time goes by but what is passed. */
export function hold(): void {
  pass(60_000); // A frame is told the time by the browser: this clock is ahead of that.
  held = now();
  undone.push(() => (held = undefined));
}

/** The button may act. The clock jumps over the time for which it has to stand still. */
export async function arms(button: Element): Promise<void> {
  const still = steadiness(button);
  await until(() => {
    if (isArmed(button)) return true;
    if (still() % 11 === 10) pass(500);
    return false;
  }, 'the button does not arm');
}

/** The button, as soon as it may act. */
export async function armed(panel: Element, selector: string): Promise<HTMLElement> {
  const button = await appears(panel, selector);
  await arms(button);
  return button;
}

/** The same of one that may be out of sight. */
export async function armedInView(panel: Element, selector: string): Promise<HTMLElement> {
  const button = await appears(panel, selector);
  await until(() => button.checkVisibility(), `${selector} stays hidden`);
  button.scrollIntoView({ block: 'center', behavior: 'instant' });
  return armed(panel, selector);
}

/** Reads a question from its top to its end, as a person does who scrolls, until the button may act. */
export async function readThrough(panel: Element, button: Element): Promise<void> {
  const scroller = find(panel, part('messages')) as HTMLElement;
  let rested = Infinity;
  await waitUntil(
    () => {
      // A long question scrolls in itself.
      const inner = findAll(panel, '.facts').find((facts) => isInView(facts, scroller) && !isAtEnd(facts));
      if (inner) {
        // Chromium looks every tenth of a second whether a mark is covered: each stays in sight for longer.
        inner.scrollTop += Math.max(8, inner.clientHeight / 8);
        return isArmed(button);
      }
      rested = isAtEnd(scroller) ? rested + 1 : 0;
      if (rested % 12 === 11) pass(500);
      // Once more from the top: a log that grows in its last lines stays at its end.
      if (rested > 40) for (const one of [scroller, ...findAll(panel, '.facts')]) one.scrollTop = rested = 0;
      else scroller.scrollTop += 12;
      return isArmed(button);
    },
    'the button does not arm at the end',
    { interval: 20, timeout: 25_000 },
  );
}

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: Element) => scrollTop + clientHeight >= scrollHeight - 1;

function isInView(element: Element, scroller: Element): boolean {
  const [inner, outer] = [element, scroller].map((one) => one.getBoundingClientRect()) as [DOMRect, DOMRect];
  return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}
