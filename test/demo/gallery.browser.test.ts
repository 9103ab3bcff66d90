/** Each state of the gallery, as it is drawn: nothing that axe complains of, nothing cut off, in both themes, both languages and both directions. */
import { expect } from '@open-wc/testing';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { defineModels } from '../../src/elements/define-models.js';
import { en, type Texts } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { FakeSurface } from '../elements/fake-surface.js';
import { atRest, everything, findAll, stage, until } from '../elements/helpers.js';
// @ts-expect-error A page of the demo: plain JavaScript.
import { states as drawn } from '../../demo/gallery-states.js';

interface State {
  id: string;
  title: string;
  view(look: { lang: string; texts: Texts }): ViewSnapshot;
  panel?: object;
}
const states = drawn as readonly State[];

const looks = [
  { name: 'light, English', theme: 'light', dir: 'ltr', lang: 'en', texts: en },
  { name: 'dark, Chinese, right to left', theme: 'dark', dir: 'rtl', lang: 'zh-CN', texts: zhCN },
] as const;

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

  for (const { id, title, view, panel: properties } of states)
    for (const { name, theme, dir, lang, texts } of looks)
      it(`${title}: accessible and whole on a phone: ${name}`, async () => {
        document.documentElement.dir = dir;
        const { panel } = await stage(new FakeSurface(view({ lang, texts })), { texts, lang, width: 364, height: 640 });
        Object.assign(panel, { theme, layout: 'floating', ...properties });
        await until(
          () =>
            [...everything(panel.shadowRoot as ShadowRoot)].every(
              (one) => !one.localName.startsWith('tool-chat-') || one.shadowRoot !== null,
            ),
          'a part does not come',
        );
        await until(() => findAll(panel, '.buttons[data-arming]').length === 0, 'the buttons do not come to rest');
        await atRest(panel);
        await expect(panel, id).to.be.accessible();
        const { left, right } = panel.getBoundingClientRect();
        for (const box of findAll(panel, 'button, summary, .label, .sentence, .value').filter((one) => one.checkVisibility())) {
          const rect = box.getBoundingClientRect();
          if (rect.width > 1)
            expect([rect.left >= left - 1, rect.right <= right + 1], box.outerHTML.slice(0, 100)).to.deep.equal([true, true]);
        }
      });
});
