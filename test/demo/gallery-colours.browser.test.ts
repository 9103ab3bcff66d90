/**
 * Each state of the gallery by the colours that the engine computes: text of 4.5:1, large text and signs of 3:1, in both themes; and where all
 * colours are the person's own, an edge around what can be pressed.
 */
import { expect } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { atRest, everything, findAll, frame, pretend } from '../elements/helpers.js';
import { contrastOn } from './colours.js';
import { clear, draw, seen, states, type State } from './gallery-stage.js';

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
    if (!has || !visible(one) || one.matches('style, option, title, .unseen, .unseen *') || one.closest(`${UNUSED}, math`)) continue;
    const { width, height } = one.getBoundingClientRect();
    if (width > 1 && height > 1) yield one;
  }
}

function faint(panel: Element): string[] {
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
function untold(panel: Element): string[] {
  // Quiet ones, and what unfolds a line, are told by their sign.
  const buttons = seen(panel, `button:not(.note-mark, .quiet, .square, [part=call-list], ${UNUSED})`);
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
async function force(panel: ToolChatPanel): Promise<() => unknown> {
  if (!canForce) return pretend(panel, 'forced-colors');
  await executeServerCommand('force-colours', 'active');
  expect(matchMedia('(forced-colors: active)').matches).to.equal(true);
  return () => executeServerCommand('force-colours', 'none');
}

async function settled(panel: ToolChatPanel) {
  await panel.updateComplete;
  await frame();
  await atRest(panel);
}

describe('the colours of the gallery', function () {
  this.timeout(30_000); // of which WebKitGTK takes most

  afterEach(clear);

  for (const state of states)
    it(`${state.title}: text of 4.5:1 and signs of 3:1 in both themes, and all is told where colours are forced`, async () => {
      const panel = await draw(state, {});
      expect(faint(panel), 'light').to.deep.equal([]);
      panel.theme = 'dark';
      await settled(panel);
      expect(faint(panel), 'dark').to.deep.equal([]);
      const undo = await force(panel);
      try {
        await settled(panel);
        expect(untold(panel), 'forced').to.deep.equal([]);
      } finally {
        await undo();
      }
    });

  it('are noticed where they are too faint', async () => {
    const panel = await draw(states[0] as State, {});
    panel.style.setProperty('--tool-chat-color', '#aaa');
    await settled(panel);
    expect(faint(panel)).not.to.deep.equal([]);
  });
});
