/** What can be seen of an element, through open shadow roots. */
import { expect, waitUntil } from '@open-wc/testing';

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
  for (const element of everything(panel.shadowRoot ?? panel)) if (element.matches(selector)) return element as Kind;
  return undefined;
}

export async function appears<Kind extends Element = HTMLElement>(panel: Element, selector: string): Promise<Kind> {
  let found: Kind | undefined;
  await waitUntil(() => (found = find<Kind>(panel, selector)), `${selector} does not appear`, { interval: 10, timeout: 15_000 });
  return found as Kind;
}

/** A text field, as it is there. */
export const fieldOf = (panel: Element) => find<HTMLTextAreaElement>(panel, 'textarea') as HTMLTextAreaElement;

export const part = (name: string) => `[part~="${name}"]`;

/** All text of an element, through open shadow roots, with blanks as in the source; of a frame's, too, whose classes are others. */
export function deepText(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return (node as Text).data;
  return [...((node as Partial<Element>).shadowRoot ?? node).childNodes].map(deepText).join('');
}

/** The same, as it is read. */
export const words = (node: Node | undefined | null) => (node ? deepText(node).replace(/\s+/g, ' ').trim() : '');

/** The sentences of the panel's voice. */
export const said = (panel: Element) => [...(find(panel, '.said')?.children ?? [])].map(({ textContent }) => textContent);

/** What has the focus, through all shadow roots. */
export function focused(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

export const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

export async function frames(count: number): Promise<void> {
  for (let drawn = 0; drawn < count; drawn += 1) await frame();
}

export async function until(condition: () => boolean, message: string): Promise<void> {
  await waitUntil(condition, message, { interval: 10, timeout: 15_000 });
}

export function middle(element: Element): [number, number] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [Math.round(left + width / 2), Math.round(top + height / 2)];
}

/** The element that a click at a place meets. */
export function hitAt(x: number, y: number): Element | null {
  let hit = document.elementFromPoint(x, y);
  for (let inner = hit?.shadowRoot?.elementFromPoint(x, y); inner && inner !== hit; inner = hit?.shadowRoot?.elementFromPoint(x, y))
    hit = inner;
  return hit;
}

/** The element that a click at the middle of another one meets. */
export const hitOf = (element: Element) => hitAt(...middle(element));

/** The whole of one element lies in another. */
export function isWithin(inner: Element, outer: Element): boolean {
  const [one, other] = [inner, outer].map((element) => element.getBoundingClientRect()) as [DOMRect, DOMRect];
  return one.top >= other.top - 1 && one.bottom <= other.bottom + 1 && one.left >= other.left - 1 && one.right <= other.right + 1;
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

/** At rest, axe finds nothing in it. */
export async function accessible(panel: Element): Promise<void> {
  await atRest(panel);
  await expect(panel).to.be.accessible();
}

/** WebDriver, by which WebKit is driven, has no command that only presses a key or only lets it go. */
export const cannotHoldKeys = navigator.userAgent.includes('AppleWebKit') && !navigator.userAgent.includes('Chrome');
export const isChromium = navigator.userAgent.includes('Chrome');
