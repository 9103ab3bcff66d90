/** Several questions, and a question in a dialog, where there is little room: what decides stays in reach, what is said scrolls. */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import { wholeEnglish } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import {
  appears,
  armed,
  atRest,
  click,
  find,
  findAll,
  frame,
  isArmed,
  part,
  pretend,
  readThrough,
  stage,
  until,
  waiting,
} from './helpers.js';

const ALLOW_ALL = part('approve-all-button');
const DENY_ALL = part('deny-all-button');
const ids = ['c1', 'c2', 'c3'];

const several = (args: Record<string, unknown> = {}) =>
  new FakeSurface({
    isLoading: true,
    activities: ['awaitingApproval'],
    views: [user('u1', 'Delete them'), assistant('a1', ['A line.\n\n'.repeat(12), ...ids.map((id) => ({ call: id }))])],
    cards: Object.fromEntries(
      ids.map((id) => [
        id,
        card(id, 'awaiting_approval', { call: call(id, { args: { task_id: id, ...args }, sentence: `Delete the task “${id}”` }) }),
      ]),
    ),
  });
const fields = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${String(at)}`, 'value']));

/** What is drawn of an element is all of it, and what is pressed at its middle is it. */
function isInReach(element: Element): boolean {
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit)
    hit = hit.shadowRoot.elementFromPoint(x, y);
  return height > 20 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && element.contains(hit);
}

const focused = (): Element | null => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
};

describe('several questions in little room', function () {
  this.timeout(20_000);
  before(() => wholeEnglish());
  afterEach(() => resetMouse());

  for (const [name, width, height] of [
    ['a phone on its side', 740, 340],
    ['above an on-screen keyboard', 390, 300],
    ['a narrow window at 400 %', 320, 256],
  ] as const)
    it(`keep the row of buttons in reach while their rows scroll: ${name}`, async () => {
      const { panel, decided } = await stage(several(), { width, height });
      await appears(panel, DENY_ALL);
      // A window is as low as that; above a keyboard it is not.
      const undo = ['max-height: 420px', ...(height < 300 ? ['max-height: 320px'] : [])].map((low) => pretend(panel, low));
      try {
        await until(() => isArmed(find(panel, DENY_ALL)), 'it does not arm');
        const scroller = find(panel, part('messages')) as HTMLElement;
        for (const place of [0, scroller.scrollHeight / 2, scroller.scrollHeight]) {
          scroller.scrollTop = place;
          await frame();
          for (const button of [ALLOW_ALL, DENY_ALL])
            expect(isInReach(find(panel, button) as Element), `${button} at ${String(place)}`).to.equal(true);
        }
        await readThrough(panel, find(panel, ALLOW_ALL) as Element);
        await click(await armed(panel, DENY_ALL));
        expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['deny', 'deny', 'deny']);
      } finally {
        for (const back of undo) back();
      }
    });

  it('have the room of the text field where there is hardly any, until somebody writes', async () => {
    const { panel } = await stage(several(), { width: 320, height: 256 });
    await appears(panel, DENY_ALL);
    const undo = pretend(panel, 'max-height: 320px');
    try {
      const composer = find(panel, 'tool-chat-composer') as Element;
      await until(() => composer.getBoundingClientRect().height === 0, 'the field keeps its room');
      panel.focus();
      await until(() => composer.getBoundingClientRect().height > 30, 'the field does not come back');
    } finally {
      undo();
    }
  });
});

describe('a question in a dialog in little room', function () {
  this.timeout(20_000);
  before(() => wholeEnglish());
  afterEach(() => resetMouse());

  for (const [name, args] of [
    ['a short one', {}],
    ['a long one', fields],
  ] as const)
    it(`shows its top and its buttons at once, scrolls between them, keeps the focus, and Escape decides nothing: ${name}`, async () => {
      const surface = waiting({ args: { task_id: 'task_7', ...args }, sentence: 'Delete the task “Call the dentist”' });
      const { panel, decided } = await stage(surface, { width: 740, height: 340 });
      panel.focus();
      panel.approvalUi = 'dialog';
      await until(() => find<HTMLDialogElement>(panel, 'dialog')?.open === true, 'it does not open');
      const dialog = find(panel, 'dialog') as HTMLDialogElement;
      await appears(dialog, part('deny-button'));
      const undo = pretend(panel, 'max-height: 420px');
      try {
        await atRest(panel);
        await armed(dialog, part('deny-button'));
        expect(dialog.getBoundingClientRect().height).to.be.at.most(340);
        expect(dialog.scrollHeight).to.be.at.most(dialog.clientHeight + 1);
        const parts = ['#title', '#heading', part('deny-button'), part('approve-button')].map(
          (selector) => find(panel, `dialog ${selector}`) ?? find(dialog, selector),
        );
        const box = dialog.getBoundingClientRect();
        for (const one of parts) {
          const rect = (one as Element).getBoundingClientRect();
          expect([rect.top >= box.top, rect.bottom <= box.bottom], (one as Element).outerHTML.slice(0, 90)).to.deep.equal([true, true]);
        }
        const facts = find(dialog, '.facts') as HTMLElement;
        expect(facts.scrollHeight > facts.clientHeight + 20).to.equal(args === fields);
        // Round and round: nothing but what is in the dialog, or the browser itself.
        for (let tabs = 0; tabs < 9; tabs += 1) {
          await sendKeys({ press: 'Tab' });
          const at = focused();
          expect(at === document.body || at === null || isInside(at, dialog), at?.outerHTML.slice(0, 90)).to.equal(true);
        }
        find(dialog, '#heading')?.focus();
        await sendKeys({ press: 'Escape' });
        await until(() => !dialog.open, 'it stays');
        expect(decided).to.deep.equal([]);
        expect(findAll(panel, 'tool-chat-call').length).to.equal(1);
      } finally {
        undo();
      }
    });
});

function isInside(element: Element, outer: Element): boolean {
  for (let at: Node | null = element; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) if (at === outer) return true;
  return false;
}
