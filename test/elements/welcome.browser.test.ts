/** Before the first message: what can be asked for, and what the assistant asks before (S0-186, S0-187, Y-22). */
import { expect } from '@open-wc/testing';
import { en } from '../../src/i18n/en.js';
import type { ToolChoice, ViewSnapshot } from '../../src/model/snapshot.js';
import type { ComposerTemplate } from '../../src/conversation/options/option-shapes.js';
import { FakeSurface } from './fake-surface.js';
import { atRest, click, deepText, find, findAll, part, stage, until } from './helpers.js';

const look: ToolChoice = { name: 'look', label: 'Look at the tasks', icon: '📋', risk: 'query', says: 'Which tasks are open?' };
const add: ToolChoice = { name: 'add', label: 'Add a task', risk: 'write', asks: true, says: 'Remind me to buy milk' };
const wipe: ToolChoice = { name: 'wipe', label: 'Delete a task', risk: 'danger', asks: true };

async function empty(tools: ToolChoice[], view: Partial<ViewSnapshot> = {}, templates: ComposerTemplate[] = []) {
  const surface = new FakeSurface({ hasTools: tools.length > 0, ...view });
  surface.conversations = { kept: false } as NonNullable<FakeSurface['conversations']>;
  surface.choices = tools;
  const { panel } = await stage(surface, { texts: en });
  panel.templates = templates;
  await until(() => find(panel, 'tool-chat-welcome') !== undefined, 'the welcome');
  await atRest(panel);
  const starters = () => findAll(panel, part('starter')).map((one) => deepText(one).replace(/\s+/g, ' ').trim());
  const promise = () => find(panel, 'tool-chat-welcome')?.shadowRoot?.querySelector('p')?.textContent.trim() ?? '';
  const field = () => find<HTMLTextAreaElement>(panel, 'textarea') as HTMLTextAreaElement;
  return { surface, panel, starters, promise, field };
}

describe('an empty conversation', () => {
  it('shows what can be asked for in the words of the tools’ authors, with their signs', async () => {
    const { starters } = await empty([look, add, wipe]);
    await until(() => starters().length > 0, 'the starters');
    expect(starters()).to.deep.equal(['📋Look at the tasksWhich tasks are open?', 'Add a taskRemind me to buy milk']);
  });

  it('writes a starter into the field and sends nothing', async () => {
    const { panel, starters, field, surface } = await empty([look, add]);
    await until(() => starters().length === 2, 'the starters');
    await click(findAll(panel, part('starter'))[1] as Element);
    await until(() => field().value === 'Remind me to buy milk', 'the field');
    expect(field().matches(':focus')).to.equal(true);
    expect(surface.asked.filter((one) => one.startsWith('send'))).to.deep.equal([]);
  });

  it('puts the page’s templates first, and shows four at most', async () => {
    const templates = ['One', 'Two', 'Three'].map((label) => ({ label, text: `${label} of {name}` }));
    const { starters } = await empty([look, add], {}, templates);
    await until(() => starters().length === 4, 'four');
    expect(starters().slice(0, 3)).to.deep.equal(['OneOne of {name}', 'TwoTwo of {name}', 'ThreeThree of {name}']);
  });

  for (const [what, tools, said] of [
    ['everything that changes something asks', [look, add, wipe], 'I ask before I change anything'],
    ['only what could do harm asks', [look, { ...add, asks: false }, wipe], 'I ask before anything that could do harm'],
    ['nothing asks', [look, { ...add, asks: false }], ''],
    ['nothing changes anything', [look], ''],
  ] as const)
    it(`promises to ask only as far as it is so: ${what}`, async () => {
      const { promise, starters } = await empty([...tools]);
      await until(() => starters().length > 0, 'the starters');
      expect(promise()).to.equal(said);
    });

  it('has neither where there are no tools, and where they cannot be told', async () => {
    const none = await empty([]);
    expect([none.starters(), none.promise()]).to.deep.equal([[], '']);
    const { surface } = none;
    surface.tools = () => Promise.reject(new Error('away'));
    surface.set({ hasTools: true });
    await atRest(none.panel);
    expect([none.starters(), none.promise()]).to.deep.equal([[], '']);
  });

  it('takes in tools that come later', async () => {
    const { surface, starters } = await empty([]);
    surface.choices = [look];
    surface.set({ hasTools: true });
    await until(() => starters().length === 1, 'the starter');
  });

  it('is accessible', async () => {
    const { panel, starters } = await empty([look, add]);
    await until(() => starters().length === 2, 'the starters');
    await expect(panel).to.be.accessible();
  });
});
