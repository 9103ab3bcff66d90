/** A question where the panel has little room: it lies as a sheet over the messages, whole, and gives way to who wants to see them. */
import { expect, waitUntil } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import { defineEditForm } from '../../src/elements/edit-form.js';
import { en } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import {
  appears,
  armed,
  atRest,
  click,
  deepText,
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

const ALLOW = part('approve-button');
const DENY = part('deny-button');
/** A phone on its side, and half of a window of 1280 by 720. CSS pixels. */
const rooms = [
  { name: 'a phone on its side', width: 740, height: 340 },
  { name: 'a window at 200 %', width: 640, height: 360 },
  { name: 'a narrow window at 400 %', width: 320, height: 300 },
];

const deletion = { label: 'Delete task', sentence: 'Delete the task “Call the dentist”', verbs: { allow: 'Delete task', deny: 'Keep it' } };

/** Below an answer that is longer than the room. */
function afterLongAnswer(change: object = {}) {
  const surface = waiting({ ...deletion, risk: 'danger' });
  surface.set({
    views: [user('u1', 'Delete it'), assistant('a1', ['A line of the answer.\n\n'.repeat(30), { call: 'c1' }])],
    ...change,
  });
  return surface;
}

const sheetOf = (panel: Element) => find(panel, '[data-sheet][part=tool-card]');
const isSheet = (panel: Element) => {
  const sheet = sheetOf(panel);
  return sheet !== undefined && getComputedStyle(sheet).position === 'absolute';
};

/** The same place in two frames. */
async function stands(element: Element) {
  let before = '';
  await until(() => {
    const { top, left, bottom } = element.getBoundingClientRect();
    const now = [top, left, bottom].join();
    const still = now === before;
    before = now;
    return still;
  }, 'it does not come to rest');
  await frame();
  expect(Object.values(element.getBoundingClientRect().toJSON() as object).join()).to.contain(before.split(',')[0]);
}

function isWithin(inner: Element, outer: Element): boolean {
  const [one, other] = [inner, outer].map((element) => element.getBoundingClientRect()) as [DOMRect, DOMRect];
  return one.top >= other.top - 1 && one.bottom <= other.bottom + 1 && one.left >= other.left - 1 && one.right <= other.right + 1;
}

async function sheet(surface: FakeSurface, size: { width: number; height: number }) {
  const on = await stage(surface, size);
  await waitUntil(() => find(on.panel, DENY), 'the question does not come', { interval: 10, timeout: 9000 });
  await armed(on.panel, DENY);
  await atRest(on.panel);
  await stands(find(on.panel, DENY) as Element);
  return on;
}

describe('a question in little room', function () {
  this.timeout(20_000); // of which the first takes most, to load

  // A window that gets the focus asks anew: it has it before anything is asked.
  before(() => sendMouse({ type: 'move', position: [1, 1] }));
  afterEach(() => resetMouse());

  for (const room of rooms)
    it(`shows sentence, risk and both buttons at once: ${room.name}`, async () => {
      const { panel, decided } = await sheet(afterLongAnswer(), room);
      expect(isSheet(panel)).to.equal(true);
      const log = find(panel, part('messages')) as Element;
      for (const selector of ['#heading', '.risk', DENY, ALLOW])
        expect(isWithin(find(panel, selector) as Element, log), `${selector} is cut`).to.equal(true);
      await click(await armed(panel, ALLOW));
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['allow']);
    });

  it('stands among the messages where there is room', async () => {
    const { panel } = await sheet(afterLongAnswer(), { width: 480, height: 560 });
    expect(isSheet(panel)).to.equal(false);
    expect(find(panel, '.later')?.checkVisibility()).to.equal(false);
  });

  it('scrolls what it says under a top and buttons that stay, and "allow" waits until it is read', async () => {
    const args = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${String(at)}`, 'value']));
    const { panel } = await sheet(waiting({ ...deletion, args }), { width: 740, height: 340 });
    const log = find(panel, part('messages')) as Element;
    const facts = find(panel, '.facts') as HTMLElement;
    expect([facts.scrollTop, facts.scrollHeight > facts.clientHeight + 20]).to.deep.equal([0, true]);
    expect(isArmed(find(panel, ALLOW))).to.equal(false);
    await until(() => deepText(sheetOf(panel) as Element).includes(en.scrollToDecide), 'it does not say why');
    await stands(find(panel, DENY) as Element);
    const before = (find(panel, DENY) as Element).getBoundingClientRect().top;
    await readThrough(panel, find(panel, ALLOW) as Element);
    await armed(panel, ALLOW);
    expect([DENY, ALLOW].every((button) => isWithin(find(panel, button) as Element, log))).to.equal(true);
    expect((find(panel, DENY) as Element).getBoundingClientRect().top).to.be.closeTo(before, 30);
  });

  it('takes the focus of a person who is here, and Escape puts it back among the messages, undecided', async () => {
    const surface = new FakeSurface({ views: [user('u1', 'Delete it')], isLoading: true });
    const { panel, decided } = await stage(surface, { width: 740, height: 340 });
    await appears(panel, 'textarea');
    panel.focus();
    surface.set({ ...afterLongAnswer().view });
    await armed(panel, DENY);
    await until(() => find(panel, '#heading')?.matches(':focus') === true, 'its heading does not get the focus');
    expect(isSheet(panel)).to.equal(true);
    await sendKeys({ press: 'Escape' });
    await until(() => !isSheet(panel), 'it stays');
    expect([decided, find(panel, '#heading')?.matches(':focus')]).to.deep.equal([[], true]);
    // It has moved, so it waits anew: a press before that counts for nothing.
    for (let tries = 0; tries < 5 && decided.length === 0; tries += 1) {
      await stands(find(panel, DENY) as Element);
      await click(await armed(panel, DENY));
      await frame();
    }
    expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['deny']);
    await until(() => find(panel, 'textarea')?.matches(':focus') === true, 'the focus does not come back');
  });

  it('is put back by its button, which keeps the focus on the question', async () => {
    const { panel } = await sheet(afterLongAnswer(), { width: 740, height: 340 });
    const later = find(panel, '.later') as HTMLElement;
    expect(later.getAttribute('aria-label')).to.equal(en.decideLater);
    await click(later);
    await until(() => !isSheet(panel), 'it stays');
    await until(() => find(panel, '#heading')?.matches(':focus') === true, 'the focus is lost');
  });

  it('gives way to what lies under it when that gets the focus', async () => {
    const surface = afterLongAnswer();
    surface.set({
      views: [user('u1', 'Delete it'), assistant('a1', ['[Read this](https://example.org)\n\n'.repeat(9), { call: 'c1' }])],
    });
    const { panel } = await sheet(surface, { width: 740, height: 340 });
    await until(() => findAll(panel, 'a[href]').length > 8, 'there are no links');
    findAll(panel, 'a[href]').at(-1)?.focus();
    await until(() => !isSheet(panel), 'it covers what has the focus');
  });

  it('lies nowhere where several wait, or the question has a dialog of its own', async () => {
    const surface = waiting(deletion);
    surface.setCard(card('c2', 'awaiting_approval', { call: call('c2') }));
    const { panel } = await stage(surface, { width: 740, height: 340 });
    await appears(panel, '[part=tool-card]');
    expect(sheetOf(panel)).to.equal(undefined);
  });

  it('has the room of the text field where there is hardly any, until somebody writes', async () => {
    const { panel } = await sheet(afterLongAnswer(), { width: 320, height: 256 });
    const undo = pretend(panel, 'max-height: 320px');
    try {
      const composer = find(panel, 'tool-chat-composer') as Element;
      await until(() => composer.getBoundingClientRect().height === 0, 'the field keeps its room');
      await stands(find(panel, DENY) as Element);
      const log = find(panel, part('messages')) as Element;
      for (const selector of ['#heading', '.risk', DENY, ALLOW])
        expect(isWithin(find(panel, selector) as Element, log), `${selector} is cut`).to.equal(true);
      panel.focus();
      await until(() => composer.getBoundingClientRect().height > 30, 'the field does not come back');
    } finally {
      undo();
    }
  });

  it('has room for the form of its arguments', async () => {
    defineEditForm();
    const surface = afterLongAnswer();
    const waits = surface.view.cards['c1'];
    surface.setCard({
      ...waits,
      edit: { schema: { properties: { task_id: { type: 'string' } } }, sensitive: false, answered: 0 },
    } as never);
    const { panel } = await sheet(surface, { width: 740, height: 340 });
    await click(find(panel, part('edit-button')) as Element);
    const field = await appears(panel, part('argument-field'));
    await until(() => field.getBoundingClientRect().height > 0, 'it is not drawn');
    field.scrollIntoView({ block: 'nearest' });
    expect(isWithin(field, find(panel, part('messages')) as Element)).to.equal(true);
  });
});
