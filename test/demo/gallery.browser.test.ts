/** Each state of the gallery, as it is drawn: nothing that axe complains of, nothing cut off, in both themes, both languages and both directions. */
import { expect } from '@open-wc/testing';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { emulateMedia } from '@web/test-runner-commands';
import { defineModels } from '../../src/elements/define-models.js';
import type { Texts } from '../../src/i18n/en.js';
import { loadTexts } from '../../src/i18n/localize.js';
import { FakeSurface } from '../elements/fake-surface.js';
import { atRest, everything, findAll, stage, until } from '../elements/helpers.js';
// @ts-expect-error A page of the demo: plain JavaScript.
import { states as drawn } from '../../demo/gallery-states.js';
// @ts-expect-error Likewise.
import { press as pressAll } from '../../demo/gallery-steps.js';

interface State {
  id: string;
  title: string;
  view(look: { lang: string; texts: Texts }): ViewSnapshot;
  panel?: object;
  surface?(look: { lang: string }): object;
  press?: readonly string[];
}
const states = drawn as readonly State[];
const press = pressAll as (panel: Element, selectors: readonly string[]) => Promise<void>;

/** `axe`: whether it looks, too; what is whole is looked at everywhere. `dir` follows the language where a look says nothing else. */
const looks = [
  { name: 'light, English', theme: 'light', dir: 'ltr', lang: 'en', axe: true },
  { name: 'dark, Chinese, right to left', theme: 'dark', dir: 'rtl', lang: 'zh-CN', axe: true },
  { name: 'light, Arabic', theme: 'light', dir: 'rtl', lang: 'ar', axe: true },
  { name: 'dark, German, 320 px', theme: 'dark', dir: 'ltr', lang: 'de', width: 320 },
  { name: 'light, Japanese', theme: 'light', dir: 'ltr', lang: 'ja' },
] as const;

/** Targets that stand in a line of text, or are drawn larger than they are. */
const inText = 'p a, li a, td a, .links a';

describe('the gallery', () => {
  before(defineModels); // comes with the widget that has models

  afterEach(() => {
    document.documentElement.dir = '';
  });

  it('has a state of its own under each id', () => {
    expect(new Set(states.map(({ id }) => id)).size)
      .to.equal(states.length)
      .and.be.above(15);
  });

  /** What is drawn in a look, at rest. */
  async function draw(
    { view, panel: properties, surface: beside, press: presses = [] }: State,
    { theme, dir, lang, ...look }: (typeof looks)[number],
  ) {
    document.documentElement.dir = dir;
    const texts = await loadTexts(lang);
    const width = 'width' in look ? look.width : 364;
    const surface = Object.assign(new FakeSurface(view({ lang, texts })), beside?.({ lang }));
    const { panel } = await stage(surface, { texts, lang, width, height: 640 });
    Object.assign(panel, { theme, layout: 'floating', ...properties });
    await press(panel, presses);
    await until(
      () =>
        [...everything(panel.shadowRoot as ShadowRoot)].every((one) => !one.localName.startsWith('tool-chat-') || one.shadowRoot !== null),
      'a part does not come',
    );
    await until(() => findAll(panel, '.buttons[data-arming]').length === 0, 'the buttons do not come to rest');
    await atRest(panel);
    return panel;
  }

  const seen = (panel: Element, selector: string) => findAll(panel, selector).filter((one) => one.checkVisibility());

  for (const state of states)
    for (const look of looks)
      it(`${state.title}: accessible and whole on a phone: ${look.name}`, async () => {
        const panel = await draw(state, look);
        if ('axe' in look) await expect(panel, state.id).to.be.accessible();
        const { left, right } = panel.getBoundingClientRect();
        for (const box of seen(panel, 'button, summary, .label, .sentence, .value')) {
          const rect = box.getBoundingClientRect();
          if (rect.width > 1)
            expect([rect.left >= left - 1, rect.right <= right + 1], box.outerHTML.slice(0, 100)).to.deep.equal([true, true]);
        }
        // The words of a button are all of them in it.
        for (const button of seen(panel, 'button:not(.note-mark)'))
          // a mark in the text has a wider target than it is drawn
          expect(
            button.scrollWidth <= button.clientWidth + 1 || button.clientWidth <= 1,
            `cut: ${button.outerHTML.slice(0, 160)}`,
          ).to.equal(true);
        const [area] = seen(panel, '[role=log]');
        if (area) expect(area.scrollWidth, 'scrolls sideways').to.be.at.most(area.clientWidth);
        const small = seen(panel, 'button:not(.note-mark), summary, select, input, textarea').filter((one) => {
          const { width, height } = one.getBoundingClientRect();
          return width > 1 && (width < 23.5 || height < 23.5) && !one.matches(inText) && !one.closest('label');
        });
        expect(
          small.map((one) => one.outerHTML.slice(0, 160)),
          'smaller than 24 px',
        ).to.deep.equal([]);
      });

  describe('for whoever wants no motion', () => {
    const [look] = looks;
    before(async function () {
      if (!navigator.userAgent.includes('Chrome')) this.skip(); // the others cannot be told
      await emulateMedia({ reducedMotion: 'reduce' });
    });
    after(() => (navigator.userAgent.includes('Chrome') ? emulateMedia({ reducedMotion: 'no-preference' }) : undefined));

    for (const state of states)
      it(`${state.title}: nothing moves`, async () => {
        const panel = await draw(state, look);
        const moving = [...everything(panel.shadowRoot as ShadowRoot)].flatMap((one) =>
          one
            .getAnimations({ subtree: true })
            .filter(({ playState, effect }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 1)
            .map(() => one.outerHTML.slice(0, 100)),
        );
        expect(moving).to.deep.equal([]);
      });
  });
});
