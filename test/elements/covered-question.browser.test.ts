/** A question that the browser cannot prove visible moves into the top layer, where it can be answered; a covered one cannot. */
import { expect } from '@open-wc/testing';
import { arms, click, isArmed, pass, press, styled } from './doing.js';
import { appears, deepText, find, findAll, frames, hitOf, part, until } from './looking.js';
import { call, chatWith, listening, tool } from './tool-chat-stage.js';
import pageStyles from '../fixtures/elements/page-styles.json' with { type: 'json' };

const ALLOW = part('approve-button');
const seesCovers = 'isVisible' in IntersectionObserverEntry.prototype;
const HIDDEN = 'The page hides this request, so you can’t decide here';

const added: Element[] = [];
afterEach(() => {
  for (const element of added.splice(0)) element.remove();
});

/** Something of the page's own. */
function onPage(style: string, id: string): HTMLElement {
  const element = Object.assign(document.createElement('div'), { id });
  element.style.cssText = style;
  document.body.append(element);
  added.push(element);
  return element;
}

async function asked(begin: () => unknown) {
  const act = tool('act', { risk: 'danger' });
  const { chat, model } = await chatWith([act]);
  begin();
  const { turn } = await model.begin('Act', `I will act. ${call('act', { title: 'as shown' })}`);
  const card = await appears(chat, ALLOW);
  const finish = async () => {
    await model.reply('');
    return turn;
  };
  const dialog = () => findAll<HTMLDialogElement>(chat, 'dialog').find((one) => one.open && one.matches(':modal'));
  /** So many milliseconds, in which a page is drawn. */
  const later = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      await frames(3);
      pass(100);
    }
  };
  return { chat, act, card, finish, dialog, later };
}

const through = 'position: fixed; z-index: 9999; inset: 0; pointer-events: none;';
const scenes: [what: string, cause: RegExp, begin: () => unknown][] = [
  ['an empty container of toasts', /<div> #toaster lies over it/, () => onPage(through, 'toaster')],
  ['a toast that lets clicks through', /#toast lies/, () => onPage(`${through} background: #fff`, 'toast')],
  ['a filter', /<main> has filter/, () => styled('main { filter: saturate(1.1) }')],
  ['a scale', /<main> has transform/, () => styled('main { transform: scale(.8) }')],
];

describe('a question under', () => {
  before(function () {
    if (!seesCovers) this.skip(); // only Chromium has IntersectionObserver v2
  });

  for (const [what, cause, begin] of scenes)
    it(`${what} is asked in the top layer, and answered there`, async () => {
      let on!: Awaited<ReturnType<typeof asked>>;
      const lines = await listening(async () => {
        on = await asked(begin);
        for (let tries = 0; !on.dialog() && tries < 60; tries += 1) await on.later(100);
        await on.later(500); // a line of the log is written by a part that loads with the first
      });
      expect(on.dialog(), 'there is no dialog').to.exist;
      const allow = await appears(on.dialog() as Element, ALLOW);
      await press(allow);
      await on.finish();
      expect(on.act.ran).to.deep.equal([{ title: 'as shown' }]);
      expect(on.chat.error).to.equal(null);
      expect(lines.join('\n')).to.match(cause);
      expect(document.adoptedStyleSheets.flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText)).join()).to.not.include(
        'pointer-events',
      );
      expect(on.dialog(), 'it goes when it is answered').to.equal(undefined);
    });

  it('nothing stays on its card', async () => {
    const { dialog, later, card, act, finish } = await asked(() => undefined);
    await arms(card);
    await later(3000);
    expect(dialog()).to.equal(undefined);
    await press(card);
    await finish();
    expect(act.ran).to.have.length(1);
  });

  it('what catches clicks stays on its card, cannot be answered, and says so', async () => {
    const { chat, dialog, later, card, act, finish } = await asked(() =>
      onPage(`${through} pointer-events: auto; background: #fff`, 'cover'),
    );
    for (let tries = 0; chat.error === null && tries < 60; tries += 1) await later(100);
    expect([chat.error, dialog()]).to.deep.equal([HIDDEN, undefined]);
    await click(card);
    expect(act.ran).to.deep.equal([]);
    document.querySelector('#cover')?.remove();
    // The browser says that nothing covers it any more once it has drawn the page.
    for (let tries = 0; !isArmed(card) && tries < 100; tries += 1) await later(100);
    await press(card);
    await finish();
    expect(act.ran).to.have.length(1);
  });

  it('what lies over the top layer as well cannot be answered there, either, and says so', async () => {
    const { chat, dialog, later, act, finish } = await asked(() => onPage(through, 'toaster'));
    for (let tries = 0; !dialog() && tries < 60; tries += 1) await later(100);
    const allow = await appears(dialog() as Element, ALLOW);
    await arms(allow);
    const bait = onPage('position: fixed; inset: 0; width: 100%; height: 100%; margin: 0; background: #fff; pointer-events: none', 'bait');
    bait.popover = 'manual';
    bait.showPopover();
    await until(() => !isArmed(allow), 'it stays armed under the bait');
    await click(allow);
    expect(act.ran).to.deep.equal([]);
    for (let tries = 0; chat.error === null && tries < 60; tries += 1) await later(100);
    expect(chat.error).to.equal(HIDDEN);
    bait.remove();
    await press(allow);
    await finish();
    expect(act.ran).to.have.length(1);
  });

  it('our own menu waits for the menu to close', async () => {
    const { chat, dialog, later, card } = await asked(() => undefined);
    await arms(card);
    await click(await appears(chat, part('menu-button')));
    await appears(chat, part('menu'));
    await until(() => !isArmed(card), 'it stays armed under the menu');
    await later(3000);
    expect([dialog(), chat.error]).to.deep.equal([undefined, null]);
    expect(deepText(find(chat, part('approval')) as Element)).to.not.include(HIDDEN);
  });

  it('a toast that was put off is on its card again, and can be opened again', async () => {
    const { chat, dialog, later, act, finish } = await asked(() => onPage(through, 'toaster'));
    for (let tries = 0; !dialog() && tries < 60; tries += 1) await later(100);
    (find(dialog() as Element, 'header button') as HTMLElement).click();
    await until(() => dialog() === undefined, 'it does not close');
    await later(2000);
    expect([dialog(), chat.error]).to.deep.equal([undefined, null]);
    await click(await appears(chat, '.undo button'));
    await until(() => dialog() !== undefined, 'it does not open again');
    await press(await appears(dialog() as Element, ALLOW));
    await finish();
    expect(act.ran).to.have.length(1);
  });
});

/** Style sheets of pages. What can be seen can be allowed, where it is or in the top layer; what cannot be seen cannot be allowed. */
const pages = pageStyles as [css: string, answered: boolean][];

describe('under the styles', () => {
  before(function () {
    if (!seesCovers) this.skip();
  });

  for (const [css, answered] of pages)
    it(`${css} a question ${answered ? 'is seen and can be allowed' : 'is not seen and cannot be allowed'}`, async () => {
      const { chat, act, card, dialog, later, finish } = await asked(() => styled(css));
      const shown = () => (dialog() && find(dialog() as Element, ALLOW)) ?? card;
      for (let tries = 0; !isArmed(shown()) && tries < 40; tries += 1) await later(100);
      if (answered) {
        expect(shown().contains(hitOf(shown())), 'it is where a click meets it').to.equal(true);
        expect(shown().checkVisibility({ opacityProperty: true, visibilityProperty: true })).to.equal(true);
        const { color, fontSize } = getComputedStyle(shown());
        expect(color).to.not.match(/, 0\)$|transparent/);
        expect(parseFloat(fontSize)).to.be.above(9);
        await press(shown());
        await finish();
        return void expect(act.ran).to.have.length(1);
      }
      expect(isArmed(shown())).to.equal(false);
      for (const one of findAll(chat, ALLOW)) await click(one);
      expect(act.ran).to.deep.equal([]);
    });
});
