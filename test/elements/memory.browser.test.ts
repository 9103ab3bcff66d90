/** What is remembered can be seen, corrected and forgotten by the person it is about: S4-35. */
import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import type { RememberedView } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { withMenu } from './with-menu.js';
import { atRest, click as clickAt, deepText, find, findAll, part, until } from './helpers.js';

const items: RememberedView[] = [
  { id: 'page project', kind: 'slot', text: 'project: Apollo', fixed: true },
  { id: 'fact a', kind: 'fact', text: 'lives in Hangzhou' },
  { id: 'fact b', kind: 'fact', text: 'has a dog' },
  { id: 'summary s', kind: 'summary', text: 'Goal: plan\nDone: nothing' },
];

/** The list scrolls by itself. */
async function click(target: Element) {
  target.scrollIntoView({ block: 'nearest' });
  await clickAt(target);
}

async function shown(remembered: readonly RememberedView[] = items, texts = en) {
  const { surface, panel } = await withMenu({ remembered }, texts);
  await clickAt(find(panel, '[data-item=memory]')!);
  await until(() => find(panel, part('memory')) !== undefined, 'the list');
  const button = (name: string) =>
    findAll(panel, 'tool-chat-memory button')
      .concat(inMemory('button'))
      .find((one) => (one.ariaLabel || deepText(one).trim()) === name);
  const inMemory = (selector: string) => [...find(panel, 'tool-chat-memory')!.shadowRoot!.querySelectorAll<HTMLElement>(selector)];
  const rows = () => inMemory('li').map((row) => deepText(row).replace(/\s+/g, ' ').trim());
  const focused = () => find(panel, 'tool-chat-memory')!.shadowRoot!.activeElement;
  return { surface, panel, button, rows, inMemory, focused };
}

const without = (id: string) => items.filter((item) => item.id !== id);

describe('the list of what is remembered', () => {
  it('is not offered by the menu while nothing is remembered', async () => {
    const { panel } = await withMenu({});
    expect(find(panel, '[data-item=memory]')).to.equal(undefined);
  });

  it('lists by kind, and leaves to the page what the page has set', async () => {
    const { rows, inMemory, panel } = await shown();
    expect(findAll(panel, 'h2').map((one) => deepText(one).trim())).to.include('Remembered (4)');
    expect(inMemory('h3').map((one) => deepText(one).trim())).to.deep.equal(['Always kept', 'Facts', 'Summaries']);
    expect(rows()[0]).to.include('project: Apollo').and.include('Set by this page').and.not.include('Forget');
    expect(rows()).to.have.length(4);
  });

  it('offers to forget what can only be taken back, not to change it', async () => {
    const { rows } = await shown([{ id: 'profile consent', kind: 'slot', text: 'You allowed it', lasting: true }]);
    expect(rows()).to.deep.equal(['You allowed it Forget']);
  });

  it('forgets one, offers to take that back, and keeps the focus there', async () => {
    const { surface, button, focused, panel } = await shown();
    await click(button('Forget: has a dog')!);
    expect(surface.asked).to.deep.equal(['forget fact b']);
    surface.set({ remembered: without('fact b') });
    await atRest(panel);
    expect(deepText(focused()!).trim()).to.equal('Undo');
    await click(focused()!);
    expect(surface.asked.at(-1)).to.equal('put back fact b');
    surface.set({ remembered: items });
    await atRest(panel);
    expect(button('Undo')).to.equal(undefined);
    expect(focused()?.localName).to.equal('section');
  });

  it('stays for its undo when the last item is forgotten', async () => {
    const { surface, button, panel } = await shown(items.slice(1, 2));
    await click(button('Forget: lives in Hangzhou')!);
    const { remembered: _none, ...rest } = surface.view;
    surface.view = rest as typeof surface.view;
    surface.set({});
    await atRest(panel);
    await click(button('Undo')!);
    expect(surface.asked.at(-1)).to.equal('put back fact a');
  });

  it('changes one in its place, by keyboard too', async () => {
    const { surface, button, inMemory, focused, panel } = await shown();
    await click(button('Edit: has a dog')!);
    await atRest(panel);
    const field = focused() as HTMLTextAreaElement;
    expect(field.localName).to.equal('textarea');
    expect(field.value).to.equal('has a dog');
    field.value = 'has two dogs';
    // Not every driver can hold a key down.
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, composed: true }));
    expect(surface.asked).to.deep.equal(['edit fact b: has two dogs']);
    await atRest(panel);
    expect(inMemory('textarea')).to.deep.equal([]);
    expect(focused()?.ariaLabel).to.equal('Edit: has a dog');

    await click(button('Edit: has a dog')!);
    await atRest(panel);
    await sendKeys({ press: 'Escape' });
    await atRest(panel);
    expect(inMemory('textarea')).to.deep.equal([]);
    expect(surface.asked).to.have.length(1);
  });

  it('forgets everything only after it was asked again', async () => {
    const { surface, button, inMemory, focused, panel } = await shown();
    await click(button('Forget everything')!);
    await atRest(panel);
    expect(surface.asked).to.deep.equal([]);
    expect(deepText(focused()!).trim()).to.equal('Cancel');
    await click(button('Cancel')!);
    await atRest(panel);
    expect(inMemory('.all')).to.deep.equal([]);
    await click(button('Forget everything')!);
    await atRest(panel);
    await click(inMemory('.all .primary')[0]!);
    expect(surface.asked).to.deep.equal(['forget everything']);
    await until(() => inMemory('.all').length === 0, 'the question to be over');
  });

  it('says that it could not forget, and asks on', async () => {
    const { surface, button, inMemory, panel } = await shown();
    surface.memory.forgetAll = () => Promise.reject(new Error('no'));
    await click(button('Forget everything')!);
    await atRest(panel);
    await click(inMemory('.all .primary')[0]!);
    await until(() => inMemory('[role=alert]').length === 1, 'the failure');
    expect(deepText(inMemory('[role=alert]')[0]!)).to.include('Try again');
  });

  it('speaks Chinese', async () => {
    const { panel, button } = await shown(items, zhCN);
    expect(findAll(panel, 'h2').map((one) => deepText(one).trim())).to.include('已记住（4）');
    expect(button('忘记：has a dog')).to.not.equal(undefined);
  });

  it('is accessible', async () => {
    const { panel } = await shown();
    await expect(panel).to.be.accessible();
  });
});
