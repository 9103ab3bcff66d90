/** What the tests of the elements share. */
import { expect, fixture, waitUntil } from '@open-wc/testing';
import { sendMouse } from '@web/test-runner-commands';
import { html } from 'lit';
import type { ConversationSurface } from '../../src/model/snapshot.js';
import { defineParts } from '../../src/elements/define-parts.js';
import { allowDecisions, type AskConditions } from '../../src/elements/decisions.js';
import type { Decision } from '../../src/model/decision.js';
import { exportPanel } from '../../src/elements/parts.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { en, type Texts } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';

export interface PanelOptions {
  texts?: Texts;
  lang?: string;
  width?: number;
  height?: number;
  conditions?: AskConditions;
  /** Further properties of the panel. Default: a tool can be chosen. */
  more?: Partial<Pick<ToolChatPanel, 'toolPicker' | 'attaches' | 'models' | 'suggestions' | 'quickCommands' | 'templates'>>;
}

export interface Stage {
  panel: ToolChatPanel;
  decided: Decision[];
}

/** A panel in a box of its own, and the decisions that reach its engine. */
export async function stage(surface: ConversationSurface, options: PanelOptions = {}): Promise<Stage> {
  defineParts();
  const { texts = en, lang = 'en', width = 480, height = 560, conditions = {}, more = { toolPicker: true } } = options;
  const box = await fixture<HTMLElement>(html`<main></main>`);
  Object.assign(box.style, { position: 'fixed', inset: '0 auto auto 0', width: `${String(width)}px`, height: `${String(height)}px` });
  const panel = document.createElement('tool-chat-panel');
  const decided: Decision[] = [];
  allowDecisions(panel, (decision) => decided.push(decision), conditions);
  Object.assign(panel, { surface, texts, lang, theme: 'light', ...more });
  // As in the widget: in a shadow root, which hands its parts on.
  panel.setAttribute('exportparts', exportPanel);
  const host = document.createElement('div');
  host.style.height = '100%';
  host.attachShadow({ mode: 'open' }).append(panel);
  box.append(host);
  await panel.updateComplete;
  return { panel, decided };
}

/** Everything below `root`, through open shadow roots. */
export function* everything(root: ParentNode): Generator<Element> {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    if (element.shadowRoot) yield* everything(element.shadowRoot);
  }
}

export function findAll<Kind extends Element = HTMLElement>(panel: Element, selector: string): Kind[] {
  return [...everything(panel.shadowRoot ?? panel)].filter((element): element is Kind => element.matches(selector));
}

export function find<Kind extends Element = HTMLElement>(panel: Element, selector: string): Kind | undefined {
  return findAll<Kind>(panel, selector)[0];
}

export async function appears<Kind extends Element = HTMLElement>(panel: Element, selector: string): Promise<Kind> {
  await waitUntil(() => find(panel, selector), `${selector} does not appear`, { interval: 10, timeout: 4000 });
  return find<Kind>(panel, selector) as Kind;
}

export const part = (name: string) => `[part~="${name}"]`;

/** All text of an element, through open shadow roots, with blanks as in the source; of a frame's, too, whose classes are others. */
export function deepText(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return (node as Text).data;
  return [...((node as Partial<Element>).shadowRoot ?? node).childNodes].map(deepText).join('');
}

export const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

export async function until(condition: () => boolean, message: string): Promise<void> {
  await waitUntil(condition, message, { interval: 10, timeout: 5000 });
}

export const isArmed = (button: Element | undefined) => button?.getAttribute('aria-disabled') === 'false';

/** A real click: the browser's own, trusted. Not before the element stands still: what is loaded late moves what is below it. */
export async function click(element: Element): Promise<void> {
  let before = middle(element).join();
  for (let still = 0, frames = 0; still < 2 && frames < 60; frames += 1) {
    await frame();
    const now = middle(element).join();
    still = now === before ? still + 1 : 0;
    before = now;
  }
  await sendMouse({ type: 'click', position: middle(element) });
}

/** The same for what may lie outside of what can be seen: it is scrolled to, until a click at its middle meets it. */
export async function clickInView(element: Element) {
  let still = 0;
  let last = NaN;
  await until(() => {
    const { top, bottom } = element.getBoundingClientRect();
    const [x, y] = middle(element);
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y) && hit !== element) {
      const inner: Element | null = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    still = top === last ? still + 1 : 0;
    last = top;
    if (top > 0 && bottom < innerHeight && element.contains(hit)) return still > 5;
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    return false;
  }, 'it cannot be scrolled to');
  await click(element);
}

export function middle(element: Element): [number, number] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [Math.round(left + width / 2), Math.round(top + height / 2)];
}

/** One call that waits, and whatever the test changes about it. */
export function waiting(change: Parameters<typeof call>[1] = {}): FakeSurface {
  return new FakeSurface({
    isLoading: true,
    activities: ['awaitingApproval'],
    views: [user('u1', 'Delete it'), assistant('a1', ['Please confirm.', { call: 'c1' }])],
    cards: { c1: card('c1', 'awaiting_approval', { call: call('c1', change) }) },
  });
}

/** The button, as soon as it may act. */
export async function armed(panel: Element, selector: string): Promise<HTMLElement> {
  const button = await appears(panel, selector);
  await until(() => isArmed(button), 'the button does not arm');
  return button;
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
        inner.scrollTop += 8;
        return isArmed(button);
      }
      rested = isAtEnd(scroller) ? rested + 1 : 0;
      // Once more from the top: a log that grows in its last lines stays at its end.
      scroller.scrollTop = rested > 50 ? 0 : scroller.scrollTop + 8;
      return isArmed(button);
    },
    'the button does not arm at the end',
    { interval: 20, timeout: 9000 },
  );
}

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: Element) => scrollTop + clientHeight >= scrollHeight - 1;

function isInView(element: Element, scroller: Element): boolean {
  const [inner, outer] = [element, scroller].map((one) => one.getBoundingClientRect()) as [DOMRect, DOMRect];
  return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}

/** Waits until nothing moves any more but what never ends: colours in motion are no colours to judge. */
export async function atRest(panel: Element): Promise<void> {
  const moving = () =>
    // Firefox leaves what is folded where it was until it is unfolded.
    [...everything(panel.shadowRoot ?? panel)].some(
      (element) =>
        element.checkVisibility() &&
        element.getAnimations().some(({ effect, playState }) => playState !== 'finished' && effect?.getTiming().iterations !== Infinity),
    );
  await frame();
  await until(() => !moving(), 'something keeps moving');
}

/** WebDriver, by which WebKit is driven, has no command that only presses a key or only lets it go. */
export const cannotHoldKeys = navigator.userAgent.includes('AppleWebKit') && !navigator.userAgent.includes('Chrome');

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
  return () => {
    for (const [media, text] of changed) media.mediaText = text;
  };
}
