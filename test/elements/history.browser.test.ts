/** Other conversations: the buttons at the top, and the list of what is kept. */
import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import type { KeptConversation } from '../../src/model/session.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { groupsOf } from '../../src/elements/tool-chat-history/day-groups.js';
import { FakeSurface, user } from './fake-surface.js';
import { appears, atRest, click, deepText, find, findAll, part, stage, until } from './helpers.js';

const HOUR = 3_600_000;
const list = (): KeptConversation[] => [
  { id: 'a', title: 'Where is my parcel?', updatedAt: Date.now(), isOpen: true },
  { id: 'b', title: 'Holidays in May', updatedAt: Date.now() - 400 * 24 * HOUR, isOpen: false },
  { id: 'c', title: '', updatedAt: Date.now() - 900 * 24 * HOUR, isOpen: false },
];

/** Keeps conversations, and does what it is asked. */
class Keeps extends FakeSurface {
  list = list();
  fails = false;

  override conversations = {
    kept: true,
    listConversations: () => (this.fails ? Promise.reject(new Error('no storage')) : Promise.resolve([...this.list])),
    newConversation: () => this.#note('new', 'n'),
    openConversation: (id: string) => this.#note(`open ${id}`),
    renameConversation: (id: string, title: string) => {
      this.list = this.list.map((one) => (one.id === id ? { ...one, title } : one));
      return this.#note(`rename ${id}: ${title}`);
    },
    deleteConversation: (id: string) => {
      this.list = this.list.filter((one) => one.id !== id);
      return this.#note(`delete ${id}`);
    },
  };

  #note(what: string, result?: string): Promise<never> {
    this.asked.push(what);
    return this.fails ? Promise.reject(new Error('no storage')) : Promise.resolve(result as never);
  }
}

async function opened(surface = new Keeps({ views: [user('u1', 'Hi')] }), options: Parameters<typeof stage>[1] = {}) {
  const { panel } = await stage(surface, options);
  await click(await appears(panel, part('history-button')));
  await appears(panel, part('history'));
  await until(() => surface.fails || findAll(panel, part('history-item')).length === surface.list.length, 'the list');
  const history = () => find(panel, 'tool-chat-history');
  const button = (name: string) =>
    findAll(panel, 'tool-chat-history button')
      .concat([...(history()?.shadowRoot?.querySelectorAll<HTMLElement>('button') ?? [])])
      .find((one) => (one.ariaLabel ?? deepText(one).trim()) === name)!;
  const titles = () => findAll(panel, '.title').map((one) => deepText(one));
  return { surface, panel, history, button, titles, focused: () => history()?.shadowRoot?.activeElement };
}

describe('the way to other conversations', () => {
  it('is not there where nothing is kept', async () => {
    const { panel } = await stage(new FakeSurface({ views: [user('u1', 'Hi')] }));
    await atRest(panel);
    expect(find(panel, part('history-button'))).to.equal(undefined);
    expect(find(panel, part('new-chat-button'))).to.equal(undefined);
  });

  it('begins another one by a button, and goes on in the field', async () => {
    const surface = new Keeps({ views: [user('u1', 'Hi')] });
    const { panel } = await stage(surface);
    await click(await appears(panel, part('new-chat-button')));
    expect(surface.asked).to.deep.equal(['new']);
    await until(() => find(panel, 'textarea')!.matches(':focus'), 'the field');
    surface.set({ views: [] });
    await atRest(panel);
    expect(find(panel, part('new-chat-button'))!.hidden).to.equal(true);
  });

  it('lists them by day, the open one marked, and covers the rest meanwhile', async () => {
    const { panel, titles, focused } = await opened();
    expect(titles()).to.deep.equal(['Where is my parcel?', 'Holidays in May', 'Untitled']);
    expect(deepText(find(panel, 'h3')!)).to.equal('Today');
    expect(findAll(panel, '[aria-current=true]').map((one) => deepText(one).replace(/\s+/g, ' ').trim())).to.deep.equal([
      'Where is my parcel? Open now',
    ]);
    expect(focused()?.ariaLabel).to.equal('Back to the chat');
    for (const selector of ['footer', '.stage', part('header')]) expect(find(panel, selector)!.inert).to.equal(true);
    await expect(panel).to.be.accessible();
  });

  it('opens one, says so, and goes on in the field', async () => {
    const { surface, panel, history, button } = await opened();
    await click(find(panel, '[data-id=b]')!);
    expect(surface.asked).to.deep.equal(['open b']);
    await until(() => !history() && find(panel, 'textarea')!.matches(':focus'), 'the field');
    await until(() => deepText(find(panel, '.said')!).includes('Opened: Holidays in May'), 'a word of it');
    expect(button).to.be.a('function');
  });

  it('closes by Escape, and the focus goes back to its button', async () => {
    const { panel, history } = await opened();
    await sendKeys({ press: 'Escape' });
    await until(() => !history() && find(panel, part('history-button'))!.matches(':focus'), 'its button');
    expect(find(panel, 'footer')!.inert).to.equal(false);
  });

  it('renames one in its place; Escape changes nothing', async () => {
    const { surface, panel, button, titles, focused } = await opened();
    await click(button('Rename: Holidays in May'));
    await until(() => focused()?.matches('.name') === true, 'the name');
    await sendKeys({ type: 'Winter' });
    await sendKeys({ press: 'Escape' });
    await until(() => focused()?.matches('[data-id=b]') === true, 'the row');
    expect(surface.asked).to.deep.equal([]);
    await click(button('Rename: Holidays in May'));
    await until(() => focused()?.matches('.name') === true, 'the name');
    await sendKeys({ type: 'Winter' });
    await sendKeys({ press: 'Enter' });
    await until(() => titles().includes('Winter'), 'the new name');
    expect(surface.asked).to.deep.equal(['rename b: Winter']);
    await atRest(panel);
    expect(focused()?.matches('[data-id=b]')).to.equal(true);
  });

  it('deletes one after a question, with the safe answer first', async () => {
    const { surface, button, titles, focused, history } = await opened();
    await click(button('Delete: Holidays in May'));
    await until(() => focused()?.matches('.keep') === true, 'the safe answer');
    expect(deepText(history()!)).to.include('Delete “Holidays in May”? It cannot be brought back.');
    await click(button('Keep it'));
    expect(surface.asked).to.deep.equal([]);
    await click(button('Delete: Holidays in May'));
    await until(() => focused()?.matches('.keep') === true, 'the safe answer');
    await click(button('Delete'));
    await until(() => titles().length === 2, 'a shorter list');
    expect(surface.asked).to.deep.equal(['delete b']);
    expect(focused()?.ariaLabel).to.equal('Back to the chat');
  });

  it('can be searched where there are many', async () => {
    const surface = new Keeps({ views: [user('u1', 'Hi')] });
    surface.list = Array.from({ length: 8 }, (_, at) => ({
      id: `n${at}`,
      title: `Parcel number ${at}`,
      updatedAt: Date.now() - at,
      isOpen: at === 0,
    }));
    const { panel, titles, focused, history } = await opened(surface);
    await click(await appears(panel, part('history-search')));
    expect(focused()?.matches('input')).to.equal(true);
    await sendKeys({ type: 'number 3' });
    await until(() => titles().length === 1, 'one');
    expect(titles()).to.deep.equal(['Parcel number 3']);
    await sendKeys({ type: 'x' });
    await until(() => titles().length === 0, 'none');
    expect(deepText(history()!)).to.include('No conversation has these words in its title.');
  });

  it('says that the storage does not answer, and tries again', async () => {
    const surface = new Keeps({ views: [user('u1', 'Hi')] });
    surface.fails = true;
    const { panel, history, button } = await opened(surface);
    await appears(panel, '[role=alert]');
    expect(deepText(history()!)).to.include('The storage of this browser did not answer.');
    surface.fails = false;
    await click(button('Retry'));
    await until(() => findAll(panel, part('history-item')).length === 3, 'the list');
  });

  it('fits 320 pixels, and speaks Chinese', async () => {
    const { panel, history } = await opened(undefined, { width: 320, texts: zhCN, lang: 'zh-CN' });
    expect(deepText(history()!)).to.include('历史记录').and.include('今天');
    expect(find(panel, '.panel')!.scrollWidth).to.be.at.most(320);
    for (const one of findAll(panel, part('history-item'))) expect(one.scrollWidth).to.be.at.most(one.clientWidth);
    await expect(panel).to.be.accessible();
  });
});

describe('days of conversations', () => {
  const now = new Date(2026, 4, 20, 0, 30);
  const at = (date: Date) => ({ id: String(date), title: '', updatedAt: date.getTime(), isOpen: false });
  const days = (...dates: Date[]) => groupsOf(dates.map(at), 'en', en, now).map(({ day, items }) => `${day} ${items.length}`);

  it('are told as people tell them', () => {
    expect(
      days(
        new Date(2026, 4, 20, 0, 10),
        new Date(2026, 4, 19, 23, 50),
        new Date(2026, 4, 19, 8),
        new Date(2026, 4, 16, 8),
        new Date(2026, 3, 1),
        new Date(2024, 11, 31),
      ),
    ).to.deep.equal(['Today 1', 'Yesterday 2', 'Saturday 1', 'April 1 1', 'December 31, 2024 1']);
  });

  it('are told in some language where the page names none', () => {
    expect(groupsOf([at(new Date(2024, 1, 3))], 'no language', en, now)[0]?.day).to.include('2024');
  });
});
