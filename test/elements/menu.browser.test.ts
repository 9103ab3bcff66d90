/** The menu: what was done, what may be set, the conversation as a file; and the list of other conversations (S0-101, S2-52, S2-68 … S2-72, Y-07, Y-08, Y-12). */
import { expect } from '@open-wc/testing';
import { estimateTokens } from '../../src/prompts/tokens.js';
import { groupByDay } from '../../src/elements/tool-chat-history/tool-chat-history.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { en } from '../../src/i18n/en.js';
import type { KeptConversation } from '../../src/model/session.js';
import { FakeSurface, user } from './fake-surface.js';
import { click, composes, keys, press } from './doing.js';
import { stage, type PanelOptions } from './helpers.js';
import { accessible, appears, atRest, find, findAll, focused, isWithin, part, said, until, words } from './looking.js';
import { call, chatOnPage, chatWith, tool } from './tool-chat-stage.js';

const page = (chat: ToolChat) => find(chat, part('menu'));
const hasFocus = (selector: string) => until(() => focused()?.matches(selector) === true, `${selector} has no focus`);
const closes = (chat: ToolChat) => until(() => !page(chat), 'the menu stays');

async function open(chat: ToolChat, item?: string): Promise<void> {
  await click(await appears(chat, part('menu-button')));
  await appears(chat, part('menu-item'));
  if (item) await click(find(chat, `[data-item=${item}]`) as Element);
}

/** A conversation in which one thing was done, one was refused and one failed. */
async function acted(attributes: Record<string, string> = {}) {
  let undone = 0;
  const tools = [
    tool('look', { risk: 'query', label: 'Look' }),
    tool('note', { risk: 'write', label: 'Note', describeCall: () => 'Note “milk”', undo: () => void (undone += 1) }),
    tool('wipe', { risk: 'danger', label: 'Wipe', describeCall: () => 'Wipe “everything”' }),
    tool('fail', { risk: 'write', label: 'Fail', execute: () => Promise.reject(new Error('The disk is full')) }),
  ];
  const { chat, model } = await chatWith(tools, attributes);
  const { turn } = await model.begin('Do it', ['look', 'note', 'fail', 'wipe'].map((name) => call(name, { title: 'milk' })).join('\n'));
  await press(await appears(chat, part('deny-button')));
  await model.reply('Done.');
  await turn;
  return { chat, undone: () => undone };
}

describe('the menu', () => {
  it('shows the keys by ?, as they are where there is only a finger, too; Escape goes back, step by step', async () => {
    const chat = await chatOnPage({});
    await open(chat);
    await hasFocus('[data-item=acts]');
    expect(find(chat, '[data-item=settings]'), 'only where the page wants them').to.equal(undefined);
    await keys('?');
    await appears(chat, 'kbd');
    const rows = () => findAll(chat, '.keys > div').map((one) => words(one));
    expect(rows().slice(0, 2)).to.deep.equal(['Send the message Enter', 'New line ShiftEnter']);
    await keys('Escape');
    await hasFocus('[data-item=shortcuts]');
    await keys('Escape');
    await closes(chat);
    await hasFocus(part('menu-button'));
    const { matchMedia } = globalThis;
    globalThis.matchMedia = (query) => ({ ...matchMedia.call(globalThis, query), matches: query === '(pointer: coarse)' });
    await open(chat, 'shortcuts');
    await until(() => rows().length > 0, 'no keys');
    globalThis.matchMedia = matchMedia;
    expect(rows().slice(0, 2)).to.deep.equal(['Send the message CtrlEnter', 'New line Enter']);
  });

  it('lists what was changed, refused or failed, the newest first, with what takes it back, and leads to the card (S2-80)', async () => {
    const { chat, undone } = await acted();
    await open(chat, 'acts');
    const rows = () => findAll(chat, 'ol li').map((row) => words(row.querySelector('.act') ?? row));
    await until(() => rows().length === 3, String(rows()));
    for (const [at, row] of [/^Wipe “everything” ?You declined/, /^Fail ?The disk is full/, /^Note “milk”/].entries())
      expect(rows()[at]).to.match(row);
    await click(findAll(chat, 'ol li')[2]?.querySelector('button') as Element);
    await until(() => rows()[2]?.includes('Undone') === true, String(rows()));
    expect(undone()).to.equal(1);
    await click(find(chat, part('jump-button')) as Element);
    await closes(chat);
    await hasFocus('[data-tool=wipe]');
  });

  it('lists it after a reload, and clears it all after one question', async () => {
    const { chat } = await acted({ storage: 'session', 'session-id': `menu-${String(Math.random())}` });
    chat.remove();
    const again = await chatOnPage({ storage: 'session', 'session-id': chat.sessionId });
    await until(() => again.messages.length > 0, 'nothing came back');
    await open(again, 'acts');
    await until(() => findAll(again, 'ol li').length === 3, 'not three');
    await keys('Escape');
    await click(find(again, '[data-item=clear]') as Element);
    await hasFocus('.keep');
    await click(find(again, '.delete') as Element);
    await until(() => again.messages.length === 0 && !page(again), 'it stays');
  });

  it('saves the conversation as a file that can be opened again', async () => {
    const { chat, model } = await chatWith([]);
    await model.turn('Hi', 'Hello.');
    await open(chat);
    let saved: HTMLAnchorElement | undefined;
    // A browser that shows what it downloads takes the focus from this page, and from every test after it.
    const { click: follow } = HTMLAnchorElement.prototype;
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      saved = this;
    };
    await click(find(chat, '[data-item=export]') as Element);
    await until(() => saved !== undefined, 'nothing is saved').finally(() => (HTMLAnchorElement.prototype.click = follow));
    expect(saved!.download).to.match(/^conversation-\d{4}-\d\d-\d\d\.json$/u);
    expect(await (await fetch(saved!.href)).json()).to.include({ format: 'tool-chat-session', version: 1 });
  });
});

describe('settings', () => {
  const field = <Kind extends HTMLElement = HTMLInputElement>(chat: ToolChat, label: string) =>
    findAll(chat, 'label.setting')
      .find((one) => words(one).startsWith(label))
      ?.querySelector<Kind>('input, select') as Kind;

  async function settings(attributes: Record<string, string> = {}) {
    const tools = [tool('look', { risk: 'query', label: 'Look' }), tool('note', { risk: 'write', label: 'Note' })];
    const { chat, model } = await chatWith(tools, { settings: 'on', ...attributes });
    await open(chat, 'settings');
    await appears(chat, '.tokens');
    const toggle = async (label: string, checked: boolean) => {
      field(chat, label).click();
      await until(() => field(chat, label).checked === checked, `${label} stays`);
    };
    /** The system prompt of the next request. */
    const asked = async () => {
      void chat.sendMessage('Hello');
      return (await model.reply('')).body.system;
    };
    return { chat, model, toggle, asked, shown: () => find(chat, 'pre')?.textContent ?? '' };
  }

  it('show what the model is told, which is what it is told, and about how many tokens that is', async () => {
    const { chat, toggle, asked, shown } = await settings();
    const tokens = () => Number(/\d+/.exec(find(chat, '.tokens')?.textContent ?? '')?.[0]);
    const before = tokens();
    expect(before).to.equal(estimateTokens(shown()));
    await toggle('Note', false);
    await until(() => tokens() < before, 'the number stays');
    const system = await asked();
    expect(system).to.equal(shown()).and.to.contain('look').and.to.not.contain('note');
  });

  it('keep what is added later off, where that is wished, or switch all off: nothing is taught', async () => {
    const { chat, toggle, asked } = await settings();
    await toggle('Include tools added later', false);
    chat.registerTool(tool('later', { risk: 'query', label: 'Later' }));
    expect(await asked())
      .to.contain('look')
      .and.to.not.contain('later');
    field(chat, 'Allow actions').click();
    await until(() => !field(chat, 'Look'), 'tools stay');
    expect(await asked()).to.not.contain('look');
  });

  it('refuse what is no number from 1, with a sentence; speak another notation from the next message on', async () => {
    const { chat, asked, shown } = await settings();
    const give = (to: HTMLInputElement | HTMLSelectElement, value: string) => {
      to.value = value;
      to.dispatchEvent(new Event('change'));
    };
    const steps = field(chat, 'Maximum steps');
    give(steps, '-1');
    await appears(chat, '.refused');
    expect(steps.getAttribute('aria-invalid')).to.equal('true');
    give(steps, '2');
    await until(() => !find(chat, '.refused'), 'it is refused');
    give(field<HTMLSelectElement>(chat, 'Tool-call format'), 'vcp');
    await until(() => shown().includes('「始」'), 'the preview stays');
    expect(await asked()).to.contain('「始」');
  });

  it('ask before everything, cannot ask for less than the page, and leave off what the page has switched off', async () => {
    const { chat, model, toggle } = await settings({ approval: 'auto' });
    await toggle('Ask before every', true);
    void chat.sendMessage('Look');
    await model.reply(call('look', { title: 'x' }));
    await appears(chat, part('approve-button'));
    chat.cancelStream();
    const strict = (await settings({ approval: 'always' })).chat;
    strict.config = { toolCallConfig: { toolToggles: { note: false } } };
    await keys('Escape');
    await click(find(strict, '[data-item=settings]') as Element);
    await until(() => field(strict, 'Note')?.disabled === true, 'it can be changed');
    const states = ['Ask before every', 'Note'].flatMap((label) => [field(strict, label).checked, field(strict, label).disabled]);
    expect(states).to.deep.equal([true, true, false, true]);
  });
});

/** Keeps conversations, and does what it is asked. */
class Keeps extends FakeSurface {
  fails = false;
  list: KeptConversation[] = [
    { id: 'a', title: 'Where is my parcel?', updatedAt: Date.now(), isOpen: true },
    { id: 'b', title: 'Holidays in May', updatedAt: Date.now() - 400 * 86_400_000, isOpen: false },
    { id: 'c', title: '', updatedAt: Date.now() - 900 * 86_400_000, isOpen: false },
  ];

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

describe('other conversations', () => {
  async function opened(surface = new Keeps({ views: [user('u1', 'Hi')] }), options: PanelOptions = {}) {
    const { panel } = await stage(surface, options);
    await click(await appears(panel, part('history-button')));
    const list = await appears(panel, 'tool-chat-history');
    await until(() => surface.fails || findAll(panel, part('history-item')).length === surface.list.length, 'the list');
    const pressed = (name: string) => click(findAll(list, 'button').find((one) => (one.ariaLabel ?? words(one)) === name)!);
    const titles = () => findAll(panel, '.title').map((one) => words(one));
    return { surface, panel, list, pressed, titles, isOver: () => until(() => !find(panel, 'tool-chat-history'), 'the list stays') };
  }

  it('are not offered where nothing is kept; another one is begun by a button, and goes on in the field', async () => {
    const none = await stage(new FakeSurface({ views: [user('u1', 'Hi')] }));
    await atRest(none.panel);
    expect(['history-button', 'new-chat-button'].map((name) => find(none.panel, part(name)))).to.deep.equal([undefined, undefined]);
    const surface = new Keeps({ views: [user('u1', 'Hi')] });
    const { panel } = await stage(surface);
    await click(await appears(panel, part('new-chat-button')));
    expect(surface.asked).to.deep.equal(['new']);
    await hasFocus('textarea');
    surface.set({ views: [] });
    await until(() => Boolean(find(panel, part('new-chat-button'))!.hidden), 'it can be begun twice');
  });

  it('are listed by day, the open one marked, over the rest; one that is opened is said, and goes on in the field', async () => {
    const { surface, panel, titles, isOver } = await opened();
    expect(titles()).to.deep.equal(['Where is my parcel?', 'Holidays in May', 'Untitled']);
    expect(words(find(panel, 'h3'))).to.equal('Today');
    expect(findAll(panel, '[aria-current=true]').map((one) => words(one))).to.deep.equal(['Where is my parcel? Open now']);
    expect(focused()?.ariaLabel).to.equal('Back to the chat');
    for (const selector of ['footer', '.stage', part('header')]) expect(find(panel, selector)!.inert).to.equal(true);
    await accessible(panel);
    await click(find(panel, '[data-id=b]')!);
    expect(surface.asked).to.deep.equal(['open b']);
    await isOver();
    await hasFocus('textarea');
    await until(() => said(panel).includes('Opened: Holidays in May'), 'a word of it');
  });

  it('are renamed in their place; Escape changes nothing', async () => {
    const { surface, pressed, titles } = await opened();
    for (const end of ['Escape', 'Enter']) {
      await pressed('Rename: Holidays in May');
      await hasFocus('.name');
      composes(focused() as Element);
      expect(surface.asked).to.deep.equal([]);
      await keys('type: Winter', end);
      await hasFocus('[data-id=b]');
    }
    await until(() => titles().includes('Winter'), 'the new name');
    expect(surface.asked).to.deep.equal(['rename b: Winter']);
  });

  it('are deleted after a question, with the safe answer first', async () => {
    const { surface, list, pressed, titles } = await opened();
    for (const answer of ['Keep it', 'Delete']) {
      expect(surface.asked).to.deep.equal([]);
      await pressed('Delete: Holidays in May');
      await hasFocus('.keep');
      expect(words(list)).to.include('Delete “Holidays in May”? This cannot be undone.');
      await pressed(answer);
    }
    await until(() => titles().length === 2, 'a shorter list');
    expect([surface.asked, focused()?.ariaLabel]).to.deep.equal([['delete b'], 'Back to the chat']);
  });

  it('can be searched where there are many', async () => {
    const surface = new Keeps({ views: [user('u1', 'Hi')] });
    const one = (at: number) => ({ id: `n${at}`, title: `Parcel number ${at}`, updatedAt: Date.now() - at, isOpen: at === 0 });
    surface.list = Array.from({ length: 8 }, (_, at) => one(at));
    const { panel, list, titles } = await opened(surface);
    await click(await appears(panel, part('history-search')));
    await keys('type: number 3');
    await until(() => titles().join() === 'Parcel number 3', 'not one');
    await keys('type: x');
    await until(() => titles().length === 0, 'none');
    expect(words(list)).to.include('No matching conversations.');
  });

  it('say that the storage does not answer, and try again; fit 320 pixels', async () => {
    const surface = new Keeps({ views: [user('u1', 'Hi')] });
    surface.fails = true;
    const { panel, list, pressed } = await opened(surface, { width: 320 });
    await appears(panel, '[role=alert]');
    expect(words(list)).to.include('The browser’s storage did not respond.');
    surface.fails = false;
    await pressed('Retry');
    await until(() => findAll(panel, part('history-item')).length === 3, 'the list');
    expect(find(panel, '.panel')!.scrollWidth).to.be.at.most(320);
    for (const one of findAll(panel, part('history-item')))
      expect([one.scrollWidth <= one.clientWidth, isWithin(one, panel)]).to.include(true);
  });

  it('have days as people tell them, in some language where the page names none', () => {
    const now = new Date(2026, 4, 20, 0, 30);
    const days = (lang: string, ...dates: Date[]) => {
      const items = dates.map((date) => ({ id: String(date), title: '', updatedAt: date.getTime(), isOpen: false }));
      return groupByDay(items, lang, en, now).map(({ day, items: all }) => `${day} ${all.length}`);
    };
    const may = (day: number, hour: number, minute = 0) => new Date(2026, 4, day, hour, minute);
    const dates = [may(20, 0, 10), may(19, 23, 50), may(19, 8), may(16, 8), new Date(2026, 3, 1), new Date(2024, 11, 31)];
    expect(days('en', ...dates)).to.deep.equal(['Today 1', 'Yesterday 2', 'Saturday 1', 'April 1 1', 'December 31, 2024 1']);
    expect(days('no language', new Date(2024, 1, 3))[0]).to.include('2024');
  });
});
