/** What a person must have been able to see before "allow" acts, and what a card says of values that look like others. T8, row 8. */
import { expect } from '@open-wc/testing';
import { resetMouse } from '@web/test-runner-commands';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { appears, armed, click, deepText, find, findAll, isArmed, part, readThrough, stage, until, waiting } from './helpers.js';

const approve = part('approve-button');
const deny = part('deny-button');
const seesCovers = 'isVisible' in IntersectionObserverEntry.prototype;

/** Lies over an element and lets every click through. */
function cover(element: Element, around = 80): HTMLElement {
  const sheet = document.createElement('div');
  sheet.className = 'cover';
  const { left, top, width, height } = element.getBoundingClientRect();
  Object.assign(sheet.style, { position: 'fixed', background: '#fff', pointerEvents: 'none', zIndex: '9' });
  Object.assign(sheet.style, { left: `${String(left)}px`, width: `${String(width)}px` });
  // Higher than it: what is said below it may move it.
  Object.assign(sheet.style, { top: `${String(top - around)}px`, height: `${String(height + 2 * around)}px` });
  document.body.append(sheet);
  return sheet;
}

function styled(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  };
}

describe('a question that can be seen', () => {
  afterEach(async () => {
    for (const sheet of document.querySelectorAll('.cover')) sheet.remove();
    await resetMouse();
  });

  it('is not answered through what lies over its buttons, where the platform tells', async function () {
    if (!seesCovers) this.skip(); // only Chromium has IntersectionObserver v2
    const told: (string | null)[] = [];
    const { panel, decided } = await stage(waiting(), { conditions: { onCannotAsk: (_id, why) => told.push(why) } });
    const button = await armed(panel, approve);
    const over = cover(button);
    await until(() => !isArmed(button), 'it stays armed under the cover');
    await click(button);
    expect(decided).to.deep.equal([]);
    await until(() => told.at(-1) === 'hidden', 'nobody is told');
    over.remove();
    await click(await armed(panel, approve));
    expect(decided).to.have.length(1);
    expect(told).to.deep.equal(['hidden', null]);
  });

  it('is not read while something lies over its facts, where the platform tells', async function () {
    if (!seesCovers) this.skip(); // only Chromium has IntersectionObserver v2
    const surface = waiting();
    const { panel } = await stage(surface);
    await armed(panel, deny);
    const over = cover(find(panel, '#heading') as Element, 4);
    surface.setCard({
      ...surface.view.cards['c1']!,
      call: { ...surface.view.cards['c1']!.call!, args: { task_id: 'all' }, digest: 'other' },
    });
    await until(() => !isArmed(find(panel, deny)), 'it does not begin anew');
    await armed(panel, deny);
    expect(isArmed(find(panel, approve))).to.equal(false);
    over.remove();
    await armed(panel, approve);
  });

  it('waits again when the window gets the focus, so the click that brought it does not count', async () => {
    const { panel, decided } = await stage(waiting());
    const button = await armed(panel, approve);
    window.dispatchEvent(new FocusEvent('focus'));
    await until(() => !isArmed(button), 'it does not wait again');
    await click(button);
    expect(decided).to.deep.equal([]);
    await click(await armed(panel, approve));
    expect(decided).to.have.length(1);
  });

  for (const [what, css] of [
    ['tiny', '::part(approve-button) { min-width: 0; min-height: 0; width: 2px; height: 1px; padding: 0; overflow: hidden }'],
    ['drawn small', '::part(deny-button) { scale: 0.2 }'],
    ['without "deny"', '::part(deny-button) { display: none }'],
  ] as const)
    it(`does not act with a button that is ${what}`, async () => {
      const { panel, decided } = await stage(waiting());
      const button = await armed(panel, approve);
      const undo = styled(css);
      try {
        window.dispatchEvent(new Event('resize'));
        await until(() => !isArmed(button), 'it stays armed');
        await click(button);
        expect(decided).to.deep.equal([]);
      } finally {
        undo();
      }
      await armed(panel, approve);
    });

  it('keeps "allow" shut until sentence, risk and reason have been on screen, too', async () => {
    const args = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${String(at)}`, 'value']));
    const { panel } = await stage(waiting({ args }), { height: 420 });
    await armed(panel, deny);
    const scroller = find(panel, '.facts') as HTMLElement;
    expect(isArmed(find(panel, approve))).to.equal(false);
    expect(deepText(find(panel, part('approval')) as Element)).to.include(en.scrollToDecide);
    const seen = (element: Element | undefined) => {
      const { top, bottom } = (element as Element).getBoundingClientRect();
      const window = scroller.getBoundingClientRect();
      return top >= window.top && bottom <= window.bottom;
    };
    expect([seen(find(panel, '.risk')), seen(findAll(panel, '.row').at(-1))], 'its top is in view, its end is not').to.deep.equal([
      true,
      false,
    ]);
    await readThrough(panel, find(panel, approve) as Element);
  });
});

describe('a card says of its values', () => {
  it('that white space of any kind is there, and how much', async () => {
    const { panel } = await stage(
      waiting({ args: { blank: ' \u3000\n', gap: `a${'\u2800'.repeat(90)}b${'\n '.repeat(40)}c`, nbsp: 'a\u00A0b' } }),
    );
    const text = deepText(await appears(panel, part('tool-card-arguments')));
    for (const shown of ['blank = ␣U+3000↵', 'gap = aU+2800×90b↵×40␣×40', 'nbsp = aU+00A0b', en.hiddenCharacters(90)])
      expect(text).to.include(shown);
  });

  it('that a name or a value mixes letters of two alphabets, in words', async () => {
    const args = { amount: '5', '\u0430mount': '5000', to: 'p\u0430ypal' };
    for (const [texts, lang] of [
      [en, 'en'],
      [zhCN, 'zh-CN'],
    ] as const) {
      const { panel } = await stage(waiting({ args, label: 'P\u0430y' }), { texts, lang });
      const text = deepText(await appears(panel, part('approval')));
      for (const word of ['\u0430mount', 'p\u0430ypal', 'P\u0430y'])
        expect(text).to.include(texts.mixedScripts(word, [texts.scripts.latin, texts.scripts.cyrillic]));
    }
  });

  it('all of a very long one, in boxes that the browser lays out one by one', async () => {
    const value = '「始」'.repeat(20_000);
    const { panel } = await stage(waiting({ args: { value } }));
    const portions = findAll(await appears(panel, part('tool-card-arguments')), '.portion');
    expect(portions.every(({ textContent }) => textContent.length <= 4_097)).to.equal(true);
    expect(portions.map(({ textContent }) => textContent).join('')).to.equal(value);
  });
});
