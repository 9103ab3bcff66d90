/**
 * What is too faint to be read, and what is not told where all colours are the person's own, by the colours that the engine computes.
 */
import { expect } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import { everything, findAll, pretend } from '../elements/helpers.js';
import { contrastOn } from './colours.js';
import { seen } from './gallery-stage.js';

/** The others cannot be told to force colours; there its rules are made to count, and the colours are not judged. */
const canForce = navigator.userAgent.includes('Chrome');

/** Not what cannot be used, which may be faint. */
const UNUSED = ':disabled, [aria-disabled=true]';
const visible = (one: Element) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const start = (one: Element) => one.outerHTML.replace(/<!--.*?-->/g, '').slice(0, 140);

/** What can be read now. */
function* written(panel: Element): Generator<Element> {
  for (const one of everything(panel.shadowRoot as ShadowRoot)) {
    const has = [...one.childNodes].some((node) => node instanceof Text && /[^\s\u200b]/.test(node.data));
    if (!has || !visible(one) || one.matches('style, option, title') || one.closest(`${UNUSED}, math, .visually-hidden`)) continue;
    const { width, height } = one.getBoundingClientRect();
    if (width > 1 && height > 1) yield one;
  }
}

/** Text below 4.5:1, large text and signs below 3:1. */
export function faint(panel: Element): string[] {
  const wrong: string[] = [];
  const judge = (one: Element, colour: string, least: number) => {
    const ratio = contrastOn(one, colour);
    if (ratio < least - 0.05) wrong.push(`${ratio.toFixed(2)}: ${start(one)}`);
  };
  for (const one of written(panel)) {
    const { color, fontSize, fontWeight } = getComputedStyle(one);
    const large = parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
    judge(one, color, large ? 3 : 4.5);
  }
  // The logo lies on a gradient, and is one.
  for (const sign of findAll<SVGElement>(panel, 'svg'))
    if (visible(sign) && !sign.closest(`${UNUSED}, .logo`)) judge(sign, getComputedStyle(sign).color, 3);
  return wrong;
}

/** What cannot be told where all colours are forced. */
export function untold(panel: Element): string[] {
  // Quiet ones, and what unfolds a line, are told by their sign.
  const buttons = seen(panel, `button:not(.note-mark, .quiet, .square, [part=call-list], [role=tab], ${UNUSED})`);
  return [
    ...buttons.filter((button) => {
      const { width } = button.getBoundingClientRect();
      const { borderTopWidth, borderTopColor, color } = getComputedStyle(button);
      if (width <= 1) return false;
      if (!canForce || parseFloat(borderTopWidth) < 1) return parseFloat(borderTopWidth) < 1;
      return contrastOn(button, color) < 4.5 || contrastOn(button.parentElement ?? panel, borderTopColor) < 3;
    }),
    ...seen(panel, '.risk').filter((risk) => canForce && contrastOn(risk, getComputedStyle(risk).color) < 4.5),
    ...findAll(panel, '.card[data-waits]').filter((card) => getComputedStyle(card).borderTopWidth !== '2px'),
  ].map(start);
}

/** @returns what takes it back */
export async function force(panel: HTMLElement): Promise<() => unknown> {
  if (!canForce) return pretend(panel, 'forced-colors');
  await executeServerCommand('force-colours', 'active');
  expect(matchMedia('(forced-colors: active)').matches).to.equal(true);
  return () => executeServerCommand('force-colours', 'none');
}
