/** Each state of the gallery, as it is drawn: nothing that axe complains of, nothing cut off, in both themes, both directions. */
import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { everything, pretend } from '../elements/helpers.js';
import { clear, cutOff, draw, states, targets, type Look } from './gallery-stage.js';

const looks: readonly (Look & { name: string })[] = [
  { name: 'light, English', theme: 'light', dir: 'ltr', lang: 'en' },
  { name: 'dark, Chinese, right to left', theme: 'dark', dir: 'rtl', lang: 'zh-CN' },
  { name: 'light, Arabic', theme: 'light', dir: 'rtl', lang: 'ar' },
];

describe('the gallery', () => {
  afterEach(clear);

  it('has a state of its own under each id', () => {
    expect(new Set(states.map(({ id }) => id)).size)
      .to.equal(states.length)
      .and.be.above(15);
  });

  for (const state of states)
    for (const look of looks)
      it(`${state.title}: accessible and whole on a phone: ${look.name}`, async () => {
        const panel = await draw(state, look);
        await expect(panel, state.id).to.be.accessible();
        expect(cutOff(panel)).to.deep.equal([]);
        const small = targets(panel).filter((one) => {
          const { width, height } = one.getBoundingClientRect();
          return width < 23.5 || height < 23.5;
        });
        expect(
          small.map((one) => one.outerHTML.slice(0, 160)),
          'smaller than 24 px',
        ).to.deep.equal([]);
      });

  describe('for whoever wants no motion', () => {
    // Only Chromium can be told; in the others the rules are made to count.
    const canBeTold = navigator.userAgent.includes('Chrome');
    before(() => (canBeTold ? emulateMedia({ reducedMotion: 'reduce' }) : undefined));
    after(() => (canBeTold ? emulateMedia({ reducedMotion: 'no-preference' }) : undefined));

    for (const state of states)
      it(`${state.title}: nothing moves`, async () => {
        const panel = await draw(state, {});
        const undo = canBeTold ? () => undefined : pretend(panel, 'prefers-reduced-motion');
        const moving = [...everything(panel.shadowRoot as ShadowRoot)].flatMap((one) =>
          one
            .getAnimations({ subtree: true })
            .filter(({ playState, effect }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 1)
            .map(() => one.outerHTML.slice(0, 100)),
        );
        undo();
        expect(moving).to.deep.equal([]);
      });
  });
});
