/** For how long an answer holds, and what was granted or remembered so far. S2-54, S4-35; threat model rows 8, 9 and 19. */
import { expect } from '@open-wc/testing';
import type { Grant } from '../../src/model/grants.js';
import type { RememberedView, ViewSnapshot } from '../../src/model/snapshot.js';
import { FakeSurface } from './fake-surface.js';
import { armedInView, click, clickInView, composes, keys, press } from './doing.js';
import { stage, waiting } from './helpers.js';
import { accessible, appears, atRest, find, findAll, focused, part, said, until, words } from './looking.js';

const EXACT = 'Delete task with exactly `task_id` = "task_7": in this session';
const EVERY = 'Every call of Delete task: in this session';

/** A question whose answer may hold for longer. */
async function ask(offers: readonly string[] = [EXACT, EVERY], open = true) {
  const surface = waiting();
  surface.setCard({ ...surface.view.cards['c1']!, offers });
  const { panel, decided } = await stage(surface, { height: 590 });
  await appears(panel, part('approve-button'));
  const disclosure = find<HTMLDetailsElement>(panel, part('remember-choice')) as HTMLDetailsElement;
  if (open && disclosure) disclosure.open = true;
  const choices = () => findAll(panel, '[role=radio]');
  const checked = () => choices().findIndex((choice) => choice.getAttribute('aria-checked') === 'true');
  const choose = async (at: number) => {
    await clickInView(choices()[at] as Element);
    await until(() => checked() === at, 'it is not chosen');
  };
  /** What "allow" holds for; the place of an offer, or nothing for just this once. */
  const allow = async () => {
    await press(await armedInView(panel, part('approve-button')));
    expect(decided.at(-1)?.verdict).to.equal('allow');
    return (decided.at(-1) as { remember?: number }).remember;
  };
  return { surface, panel, disclosure, choices, checked, choose, allow, decided, chosen: () => words(find(panel, '.chosen')) };
}

describe('the choice below a question', () => {
  it('is just this once, folded, says so, and axe finds nothing', async () => {
    const { panel, disclosure, choices, checked, chosen, allow } = await ask(undefined, false);
    expect([disclosure.open, chosen(), checked()]).to.deep.equal([false, 'Just this once', 0]);
    disclosure.open = true;
    expect(choices().map((choice) => words(choice))).to.deep.equal(['Just this once', EXACT, EVERY]);
    await accessible(panel);
    expect(await allow()).to.equal(undefined);
    expect((await ask([])).disclosure).to.equal(undefined);
    expect(words((await ask(['`task_id` = "a\u202Eb"'])).choices()[1])).to.contain('aU+202Eb');
  });

  it('travels with the decision of a real click, and stays in sight when it is folded again', async () => {
    const { panel, disclosure, choose, chosen, allow, decided } = await ask();
    await choose(1);
    await choose(2);
    disclosure.open = false;
    expect([chosen(), find(panel, '.chosen')?.checkVisibility(), decided.length]).to.deep.equal([EVERY, true, 0]);
    expect(find(panel, '.chosen')?.hasAttribute('data-fact')).to.equal(true);
    expect(await allow()).to.equal(1);
  });

  it('takes arrow keys, in a circle, with the focus, and Space', async () => {
    const { choices, checked, allow } = await ask();
    choices()[0]?.focus();
    for (const [key, at] of Object.entries({ ArrowDown: 1, ArrowRight: 2, ArrowUp: 1, ArrowLeft: 0 }).concat([['ArrowUp', 2]])) {
      await keys(key);
      await until(() => checked() === at && focused() === choices()[at], key);
      expect(choices().map(({ tabIndex }) => tabIndex)).to.deep.equal([0, 1, 2].map((each) => (each === at ? 0 : -1)));
    }
    choices()[1]?.focus();
    await keys(' ');
    await until(() => checked() === 1, 'Space');
    expect(await allow()).to.equal(0);
  });

  it('goes back to just this once with another question, and with other offers', async () => {
    const { surface, choose, checked } = await ask();
    const card = () => surface.view.cards['c1']!;
    for (const change of [{ call: { ...card().call!, digest: 'another' } }, { offers: [EVERY, EXACT] }, { offers: [EVERY] }]) {
      await choose(1);
      surface.setCard({ ...card(), ...change });
      await until(() => checked() === 0, 'it stays chosen');
    }
  });

  it('follows no event that a script makes, nothing that it writes, and no click that a label sends on', async () => {
    const { choices, allow } = await ask();
    for (const choice of choices().slice(1)) {
      choice.click();
      choice.focus();
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'change', 'input'])
        choice.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true }));
      for (const key of ['ArrowDown', ' ', 'Enter'])
        choice.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }));
      choice.setAttribute('aria-checked', 'true');
    }
    const label = Object.assign(document.createElement('label'), { htmlFor: 'lent', textContent: 'Win a prize' });
    choices()[2]!.id = 'lent';
    choices()[2]!.getRootNode().appendChild(label);
    await clickInView(label);
    label.remove();
    expect(await allow()).to.equal(undefined);
  });

  it('is not moved by methods that a page has replaced', async () => {
    const { choices, allow } = await ask();
    const { findIndex, includes, indexOf, some } = Array.prototype;
    const fragment = DocumentFragment.prototype as unknown as Record<string, unknown>;
    const { querySelectorAll } = fragment;
    const target = choices()[1] as Element;
    target.scrollIntoView({ block: 'center' });
    Object.assign(Array.prototype, { findIndex: () => 2, includes: () => true, indexOf: () => 2 });
    fragment['querySelectorAll'] = () => [target, target, target];
    try {
      await click(target);
    } finally {
      Object.assign(Array.prototype, { findIndex, includes, indexOf, some });
      fragment['querySelectorAll'] = querySelectorAll;
    }
    expect(await allow()).to.equal(0);
  });
});

/** A page of the menu of a panel. */
async function menuPage(item: 'grants' | 'memory', view: Partial<ViewSnapshot>) {
  const surface = new FakeSurface(view);
  surface.conversations = { kept: false } as NonNullable<FakeSurface['conversations']>;
  surface.files = {} as NonNullable<FakeSurface['files']>;
  const { panel } = await stage(surface);
  await click(await appears(panel, part('menu-button')));
  await click(await appears(panel, `[data-item=${item}]`));
  const list = await appears(panel, `tool-chat-${item}`);
  const button = (name: string) => findAll(list, 'button').find((one) => (one.ariaLabel || words(one)) === name) as HTMLElement;
  const pressed = async (name: string) => {
    button(name).scrollIntoView({ block: 'nearest' });
    await click(button(name));
    await atRest(panel);
  };
  const rows = () => findAll(list, 'li').map((row) => words(row));
  return { surface, panel, list, button, pressed, rows };
}

describe('the list of what is granted', () => {
  const grant = (id: string, more: Partial<Grant> = {}): Grant => ({
    ...{ id, toolName: 'delete_task', fingerprint: 'f', sentence: `${EXACT} (${id})`, scope: 'session', where: {} },
    ...more,
  });
  const all = [grant('g1'), grant('g2'), grant('g3')];
  const shown = (grants: readonly Grant[]) => menuPage('grants', { grants });

  it('says each in words and names its tool, and says when there is nothing', async () => {
    const { surface, list, button, rows } = await shown([
      grant('g1'),
      grant('g2', { sentence: 'Every call of \u202Eevil', toolName: 'search' }),
    ]);
    expect(rows()).to.deep.equal([`${EXACT} (g1)delete_task Revoke`, 'Every call of U+202Eevilsearch Revoke']);
    expect(button(`Revoke: ${EXACT} (g1)`)).to.not.equal(undefined);
    surface.set({ grants: [] });
    await until(() => words(list).includes('No permissions yet'), 'it says nothing');
  });

  it('asks to revoke, says so when it is gone, and gives the focus to the next row, at last to what says that there is none', async () => {
    const { surface, panel, rows, button, pressed } = await shown(all);
    await pressed(`Revoke: ${EXACT} (g2)`);
    expect([surface.asked, rows().length]).to.deep.equal([['revoke g2'], 3]);
    button(`Revoke: ${EXACT} (g2)`).focus(); // Safari focuses no button by a click
    for (const [left, name] of [
      [[all[0]!, all[2]!], `Revoke: ${EXACT} (g3)`],
      [[all[0]!], `Revoke: ${EXACT} (g1)`],
    ] as const) {
      surface.set({ grants: left });
      await until(() => focused()?.ariaLabel === name, name);
    }
    surface.set({ grants: [] });
    await until(() => focused()?.className === 'none', 'the focus is lost');
    expect(said(panel)).to.deep.equal([`Revoked: ${EXACT} (g2)`]);
  });
});

describe('what is remembered', () => {
  const items: RememberedView[] = [
    { id: 'page project', kind: 'slot', text: 'project: Apollo', fixed: true },
    { id: 'fact a', kind: 'fact', text: 'lives in Hangzhou' },
    { id: 'fact b', kind: 'fact', text: 'has a dog' },
    { id: 'summary s', kind: 'summary', text: 'Goal: plan\nDone: nothing' },
  ];
  const shown = (remembered: readonly RememberedView[] = items) => menuPage('memory', { remembered });
  const titles = (panel: Element, selector: string) => findAll(panel, selector).map((one) => words(one));

  it('is listed by kind, and what the page has set is left to it', async () => {
    const { rows, list, panel } = await shown();
    expect(titles(panel, 'h2')).to.include('Memory (4)');
    expect(titles(list, 'h3')).to.deep.equal(['Always remembered', 'Facts', 'Summaries']);
    expect(rows()[0]).to.include('project: Apollo').and.include('Set by this page').and.not.include('Forget');
    expect(rows()).to.have.length(4);
    await accessible(panel);
    const consent = await shown([{ id: 'profile consent', kind: 'slot', text: 'You allowed it', lasting: true }]);
    expect(consent.rows(), 'it can be taken back, not changed').to.deep.equal(['You allowed it Forget']);
  });

  it('is forgotten one by one, which can be taken back, also for the last, with the focus there', async () => {
    const { surface, button, pressed, panel } = await shown(items.slice(1, 3));
    await pressed('Forget: has a dog');
    surface.set({ remembered: items.slice(1, 2) });
    await atRest(panel);
    expect(words(focused())).to.equal('Undo');
    await pressed('Undo');
    surface.set({ remembered: items.slice(1, 3) });
    await atRest(panel);
    expect([button('Undo'), focused()?.localName]).to.deep.equal([undefined, 'section']);
    await pressed('Forget: lives in Hangzhou');
    const { remembered: _none, ...rest } = surface.view;
    surface.view = rest as typeof surface.view;
    surface.set({});
    await atRest(panel);
    await pressed('Undo');
    expect(surface.asked).to.deep.equal(['forget fact b', 'put back fact b', 'forget fact a', 'put back fact a']);
  });

  it('is changed in its place, by keyboard too', async () => {
    const { surface, pressed, list, panel } = await shown();
    await pressed('Edit: has a dog');
    const field = focused() as HTMLTextAreaElement;
    expect([field.localName, field.value]).to.deep.equal(['textarea', 'has a dog']);
    field.value = 'has two dogs';
    composes(field);
    expect([focused(), surface.asked]).to.deep.equal([field, []]);
    // Not every driver can hold a key down.
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, composed: true }));
    await atRest(panel);
    expect([find(list, 'textarea'), focused()?.ariaLabel]).to.deep.equal([undefined, 'Edit: has a dog']);
    await pressed('Edit: has a dog');
    await keys('Escape');
    await atRest(panel);
    expect([find(list, 'textarea'), surface.asked]).to.deep.equal([undefined, ['edit fact b: has two dogs']]);
  });

  it('is forgotten as a whole only after it was asked again; a failure is said', async () => {
    const { surface, pressed, list } = await shown();
    await pressed('Forget everything');
    expect([surface.asked, words(focused())]).to.deep.equal([[], 'Cancel']);
    await pressed('Cancel');
    expect(find(list, '.all')).to.equal(undefined);
    const { forgetAll } = surface.memory;
    surface.memory.forgetAll = () => Promise.reject(new Error('no'));
    await pressed('Forget everything');
    await click(find(list, '.all .primary')!);
    expect(words(await appears(list, '[role=alert]'))).to.include('Try again');
    surface.memory.forgetAll = forgetAll;
    await click(find(list, '.all .primary')!);
    await until(() => !find(list, '.all'), 'the question stays');
    expect(surface.asked).to.deep.equal(['forget everything']);
  });
});
