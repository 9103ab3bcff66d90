/** What the tests of the gallery share: its states, drawn at rest, and what a person sees of them. */
import { resetMouse, setViewport } from '@web/test-runner-commands';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import '../../src/elements/tool-chat-models/tool-chat-models.js';
import { fullEnglish, type Texts } from '../../src/i18n/en.js';
import { loadTexts } from '../../src/i18n/localize.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { FakeSurface } from '../elements/fake-surface.js';
import { appears, atRest, everything, findAll, stage, until } from '../elements/helpers.js';
// @ts-expect-error A page of the demo: plain JavaScript.
import { states as drawn } from '../../demo/gallery-states.js';
// @ts-expect-error Likewise.
import { press as pressAll } from '../../demo/gallery-steps.js';

export interface State {
  id: string;
  title: string;
  view(look: { lang: string; texts: Texts }): ViewSnapshot;
  panel?(look: { lang: string }): object;
  surface?(look: { lang: string }): object;
  press?: readonly string[];
}
export const states = drawn as readonly State[];
const press = pressAll as (panel: Element, selectors: readonly string[]) => Promise<void>;

export interface Look {
  theme?: 'light' | 'dark';
  dir?: 'ltr' | 'rtl';
  lang?: string;
  /** CSS pixels. Default: a panel of 400, less its edges. */
  width?: number;
  height?: number;
}

export const rooms = [
  { name: '320 px', width: 320, height: 640, size: '' },
  { name: '320 px, text of 200 %', width: 320, height: 640, size: '30px' },
  { name: 'half of 1280 by 720', width: 640, height: 360, size: '' },
  { name: 'half of 1280 by 720, text of 200 %', width: 640, height: 360, size: '30px' },
];
export const languages = ['en', 'zh-CN', 'ar', 'ja', 'es', 'fr', 'de'];

/** Each part of ours has come, and drawn itself. */
export const allParts = (panel: Element) =>
  until(
    () =>
      [...everything(panel.shadowRoot as ShadowRoot)].every((one) => !one.localName.startsWith('tool-chat-') || one.shadowRoot !== null),
    'a part does not come',
  );

/** What the last press of a state brings; some of it is loaded first. */
const BROUGHT: Readonly<Record<string, string>> = {
  '[part=check-button]': '[part=check-result]',
  '[part=tool-picker]': 'tool-chat-picker',
  '[part=history-button]': 'tool-chat-history',
  '[part=menu-button]': 'tool-chat-menu',
  '[part=edit-button]': 'tool-chat-edit',
};

/** What is drawn in a look, at rest. */
export async function draw(
  { view, panel: properties, surface: beside, press: presses = [] }: State,
  { theme = 'light', dir = 'ltr', lang = 'en', width = 364, height = 640 }: Look,
): Promise<ToolChatPanel> {
  fullEnglish();
  document.documentElement.dir = dir;
  const texts = await loadTexts(lang);
  const surface = Object.assign(new FakeSurface(view({ lang, texts })), beside?.({ lang }));
  const { panel } = await stage(surface, { texts, lang, width, height });
  Object.assign(panel, { theme, layout: 'floating', ...properties?.({ lang }) });
  await press(panel, presses);
  const last = presses.at(-1);
  if (last) await appears(panel, BROUGHT[last] ?? '.up, .keep');
  await allParts(panel);
  await restful(panel);
  return panel;
}

/** Waits until no button arms and nothing moves. */
export async function restful(panel: ToolChatPanel): Promise<void> {
  // Those of a question that stands behind its form rest when it is asked again.
  await until(() => seen(panel, '.buttons[data-arming]').length === 0, 'the buttons do not come to rest');
  await atRest(panel);
}

/** WebDriver, by which WebKit is driven, leaves the window as it is. */
const canResize = /Chrome|Firefox/.test(navigator.userAgent);
let isResized = false;

/** For what lies over the page: the window is its room. */
export async function resize(width: number, height: number): Promise<void> {
  if (!canResize) return;
  isResized = true;
  await setViewport({ width, height });
}

/** Takes back what was set beside a panel. */
export async function clear(): Promise<void> {
  document.documentElement.dir = '';
  if (isResized) await setViewport({ width: 800, height: 600 });
  isResized = false;
  await resetMouse();
}

export const seen = (panel: Element, selector: string) => findAll(panel, selector).filter((one) => one.checkVisibility());

/** What can be pressed or filled in, as large as it can be met; not what stands in a line of text, and not what its label makes larger. */
function targets(panel: Element): HTMLElement[] {
  // A mark in the text has a wider target than it is drawn.
  return seen(panel, 'button:not(.note-mark), summary, select, input, textarea')
    .filter((one) => one.getBoundingClientRect().width > 1 && !one.matches('p a, li a, td a, .links a') && !one.closest('label'))
    .map((one) => (one.matches('[type=checkbox]') && (one as HTMLInputElement).labels?.[0]) || one);
}

/** The start of the markup of each target that is smaller than so many CSS pixels. */
export const smallerThan = (panel: Element, pixels: number, sides: readonly ('width' | 'height')[] = ['width', 'height']) =>
  targets(panel).flatMap((one) => {
    const { width, height } = one.getBoundingClientRect();
    const isSmall = sides.some((side) => ({ width, height })[side] < pixels - 0.5);
    return isSmall && !one.matches('[type=range]') ? [`${String(width)} × ${String(height)}: ${one.outerHTML.slice(0, 160)}`] : [];
  });

/** Where the words of an element stand. */
function wordsIn(element: Element): DOMRect[] {
  const texts = [...element.childNodes].filter((node) => node instanceof Text && node.data.trim() !== '');
  return [...texts, ...element.querySelectorAll('span:not(.visually-hidden), bdi')].map((node) => {
    const range = document.createRange();
    range.selectNode(node);
    return range.getBoundingClientRect();
  });
}

/** What cuts at its sides and cannot be scrolled sideways; not what nobody sees. */
function clipAround(element: Element): Element | undefined {
  for (let at = element.parentElement; at; at = at.parentElement)
    if (/hidden|clip/.test(getComputedStyle(at).overflowX) && at.clientWidth > 1) return at;
  return undefined;
}

/** Within which sides an element has to stand: those of the panel, or of the window for what lies over the page. */
function sidesFor(one: Element, panel: Element): { left: number; right: number } {
  for (
    let at: Node | null = one;
    at && at !== panel;
    at = at instanceof ShadowRoot ? at.host : ((at as Element).assignedSlot ?? at.parentNode)
  )
    if (at instanceof Element && at.matches(':modal')) return { left: 0, right: document.documentElement.clientWidth };
  return panel.getBoundingClientRect();
}

/** What of a panel is cut off, or stands beside it: the start of its markup, and how. */
export function cutOff(panel: Element): string[] {
  const wrong: string[] = [];
  const complain = (how: string, one: Element) => wrong.push(`${how}: ${one.outerHTML.replace(/<!--.*?-->/g, '').slice(0, 160)}`);
  for (const box of seen(panel, 'button, summary, .label, .sentence, .value, h2, h3, p, li, label, select, input, textarea')) {
    if (box.closest('[role=tablist]')) continue; // a row that scrolls
    const rect = box.getBoundingClientRect();
    const { left, right } = sidesFor(box, panel);
    if (rect.width > 1 && (rect.left < left - 1 || rect.right > right + 1)) complain('beside the panel', box);
  }
  // The words of a button are all of them in it.
  for (const button of seen(panel, 'button:not(.note-mark)'))
    if (button.clientWidth > 1 && (button.scrollWidth > button.clientWidth + 1 || button.scrollHeight > button.clientHeight + 1))
      complain('cut', button);
  // Nor does a box that scrolls the other way, or not at all, cut them.
  for (const words of seen(panel, 'button, summary')) {
    const clip = clipAround(words)?.getBoundingClientRect();
    for (const { left: from, right: to } of clip ? wordsIn(words) : [])
      if (clip && (from < clip.left - 1 || to > clip.right + 1)) complain('cut at a side', words);
  }
  for (const area of seen(panel, '[role=log], [part~=panel], header:not(.visually-hidden), footer, [role=tabpanel], dialog'))
    if (area.scrollWidth > area.clientWidth + 1) complain('scrolls sideways', area);
  return wrong;
}
