/** Opening and closing: where the panel stands, and where the focus goes. */
import { expect } from '@open-wc/testing';
import { sendKeys, setViewport } from '@web/test-runner-commands';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { copyText } from '../../src/base/copy-text.js';
import { assistant, card, FakeSurface, user } from './fake-surface.js';
import { appears, click, find, isArmed, part, stage, until } from './helpers.js';
import { chatOnPage, thereAndBack, untilTalking } from './tool-chat-stage.js';

/** What has the focus, through all shadow roots. */
function focused(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

const launcherOf = (chat: ToolChat) => appears(chat, part('launcher'));
const panelOf = (chat: ToolChat) => find(chat, 'tool-chat-panel');
const isShown = (chat: ToolChat) => panelOf(chat)?.checkVisibility() === true;

describe('a floating chat', () => {
  it('takes the focus to where one writes when a person opens it, and back to its button by Escape', async () => {
    const chat = await chatOnPage({ layout: 'floating' });
    const launcher = await launcherOf(chat);
    launcher.focus();
    await sendKeys({ press: 'Enter' });
    await appears(chat, 'textarea');
    await until(() => focused()?.localName === 'textarea', 'the field has the focus');
    await sendKeys({ press: 'Escape' });
    await until(() => !isShown(chat), 'it is closed');
    expect(focused()).to.equal(launcher);
  });

  it('leaves the focus alone when the page opens it by itself', async () => {
    const chat = await chatOnPage({ layout: 'floating' });
    await launcherOf(chat);
    const field = document.body.appendChild(document.createElement('input'));
    field.focus();
    chat.show();
    await appears(chat, 'textarea');
    expect(focused()).to.equal(field);
    field.remove();
  });

  it('stays open by an Escape that a list inside of it takes', async () => {
    const chat = await chatOnPage({ layout: 'floating', open: '', 'tool-picker': 'on' });
    chat.registerTool({ name: 'look', description: 'Looks.', risk: 'query', execute: () => '' });
    await appears(chat, 'textarea');
    await click(await appears(chat, `${part('tool-picker')}`));
    await appears(chat, 'tool-chat-picker');
    await sendKeys({ press: 'Escape' });
    await until(() => !find(chat, 'tool-chat-picker'), 'the list is closed');
    expect(isShown(chat)).to.equal(true);
  });

  for (const [where, side] of [
    ['at the left', { left: '16px', right: 'auto' }],
    ['at the top', { top: '16px', bottom: 'auto' }],
    ['at the top left', { top: '16px', bottom: 'auto', left: '16px', right: 'auto' }],
    ['in the middle', { left: '45vw', right: 'auto' }],
  ] as const)
    it(`opens within the window when its page has put it ${where}`, async () => {
      const chat = await chatOnPage({ layout: 'floating' });
      await launcherOf(chat);
      Object.assign(chat.style, side);
      chat.show();
      await appears(chat, 'textarea');
      const { left, right, top, bottom } = panelOf(chat)!.getBoundingClientRect();
      expect(left).to.be.at.least(0);
      expect(top).to.be.at.least(0);
      expect(right).to.be.at.most(innerWidth);
      expect(bottom).to.be.at.most(innerHeight);
    });

  describe('that can be made large', () => {
    afterEach(() => {
      localStorage.clear();
    });

    const expandOf = (chat: ToolChat) => appears(chat, part('expand-button'));
    const box = (chat: ToolChat) => panelOf(chat)!.getBoundingClientRect();
    const enlarge = async (chat: ToolChat) => {
      const button = await expandOf(chat);
      const { width } = box(chat);
      await click(button);
      await until(() => button.ariaLabel === 'Smaller' && box(chat).width > width, 'it is no larger');
      return box(chat).width;
    };

    it('grows within the window by a key, keeps the focus on its button, and shrinks again', async () => {
      const chat = await chatOnPage({ layout: 'floating', open: '' });
      const button = await expandOf(chat);
      const before = box(chat);
      expect(button.ariaLabel).to.equal('Larger');
      button.focus();
      await sendKeys({ press: 'Enter' });
      await until(() => button.ariaLabel === 'Smaller', 'it offers the way back');
      await until(() => box(chat).width > before.width, 'it is no larger');
      const large = box(chat);
      expect(large.top).to.be.at.least(0);
      expect(large.left).to.be.at.least(0);
      expect(large.right).to.be.at.most(innerWidth);
      expect(large.bottom).to.be.at.most((await launcherOf(chat)).getBoundingClientRect().top);
      expect(focused()).to.equal(button);
      await sendKeys({ press: 'Enter' });
      await until(() => button.ariaLabel === 'Larger', 'it is as before');
      expect(box(chat).width).to.equal(before.width);
    });

    it('is as large on the next visit', async () => {
      const first = await chatOnPage({ layout: 'floating', open: '' });
      const width = await enlarge(first);
      first.remove();
      const second = await chatOnPage({ layout: 'floating', open: '' });
      expect((await expandOf(second)).ariaLabel).to.equal('Smaller');
      await until(() => box(second).width === width, 'it is not as large');
    });

    it('grows as before once the chat has been in another document and come back, beside its round button', async () => {
      const chat = await chatOnPage({ layout: 'floating', open: '', 'log-level': 'off' });
      const width = await enlarge(chat);
      await thereAndBack(chat);
      const button = await expandOf(chat);
      await until(() => box(chat).width === width, 'it is not as large');
      await click(button);
      await until(() => box(chat).width < width, 'it does not shrink');
      expect((await launcherOf(chat)).checkVisibility()).to.equal(true);
    });

    it('has no such button in any other layout', async () => {
      const chat = await chatOnPage({ layout: 'floating', open: '' });
      await expandOf(chat);
      chat.layout = 'sidebar';
      await until(() => !find(chat, part('expand-button')), 'it is gone');
    });
  });

  it('has a button that can be reached and pressed by keys, whatever the page puts in its place', async () => {
    const chat = await chatOnPage({ layout: 'floating' });
    const own = document.createElement('span');
    own.slot = 'launcher';
    own.textContent = 'Ask us';
    chat.append(own);
    await launcherOf(chat);
    await until(() => own.role === 'button', 'it is a button');
    expect(own.tabIndex).to.equal(0);
    expect(own.ariaExpanded).to.equal('false');
    own.focus();
    await sendKeys({ press: 'Enter' });
    await until(() => isShown(chat), 'it is open');
    expect(own.ariaExpanded).to.equal('true');
    await until(() => focused()?.localName === 'textarea', 'the field has the focus');
    await sendKeys({ press: 'Escape' });
    await until(() => !isShown(chat), 'it is closed');
    expect(focused()).to.equal(own);
  });
});

describe('with the keyboard of a phone', () => {
  /** What is seen of the window; undefined = all of it. */
  function see(height: number | undefined, offsetTop = 0, scale = 1) {
    const view = visualViewport as VisualViewport;
    for (const [name, value] of Object.entries({ height, offsetTop, scale }))
      if (height === undefined) Reflect.deleteProperty(view, name);
      else Object.defineProperty(view, name, { configurable: true, get: () => value });
    view.dispatchEvent(new Event('resize'));
  }
  afterEach(() => see(undefined));

  for (const layout of ['fullscreen', 'sidebar', 'floating'] as const)
    it(`keeps the text field of a ${layout} chat in view, and gives the room back`, async () => {
      const chat = await chatOnPage({ layout, open: '' });
      const field = await appears(chat, 'textarea');
      await untilTalking(chat);
      const before = (panelOf(chat) as Element).getBoundingClientRect();
      const { bottom } = field.getBoundingClientRect();
      see(innerHeight - 200);
      await until(() => field.getBoundingClientRect().bottom <= bottom - 199, 'the field lies behind it');
      if (layout !== 'floating') expect(field.getBoundingClientRect().bottom).to.be.at.most(innerHeight - 200);
      see(undefined);
      await until(() => (panelOf(chat) as Element).getBoundingClientRect().bottom === before.bottom, 'the room stays');
    });

  const write = (field: HTMLTextAreaElement, text: string) => {
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { inputType: 'insertText', data: text, bubbles: true, composed: true }));
  };

  it('opens what stands ready by a slash that no key has told of', async () => {
    const chat = await chatOnPage({ 'quick-commands': 'One|Two' });
    const field = await appears<HTMLTextAreaElement>(chat, 'textarea');
    await untilTalking(chat);
    field.focus();
    write(field, '/');
    await appears(chat, 'tool-chat-picker');
    expect(field.value).to.equal('');
  });

  it('leaves a slash alone where nothing stands ready', async () => {
    const chat = await chatOnPage();
    const field = await appears<HTMLTextAreaElement>(chat, 'textarea');
    await untilTalking(chat);
    field.focus();
    write(field, '/');
    expect(field.value).to.equal('/');
  });

  it('leaves a page alone that a person has zoomed into, and a chat inside of it', async () => {
    for (const [layout, scale] of [
      ['fullscreen', 2],
      ['inline', 1],
    ] as const) {
      const chat = await chatOnPage({ layout, open: '' });
      await appears(chat, 'textarea');
      await untilTalking(chat);
      see(innerHeight - 200, 0, scale);
      expect((panelOf(chat) as HTMLElement).style.marginBlock).to.equal('');
      see(undefined);
      chat.remove();
    }
  });
});

for (const layout of ['sidebar', 'fullscreen'] as const)
  describe(`a ${layout} chat`, () => {
    it('is closed by its button and opened by the page, and says both', async () => {
      const chat = await chatOnPage({ layout });
      const heard: string[] = [];
      for (const type of ['tool-chat-show', 'tool-chat-hide'] as const) chat.addEventListener(type, () => heard.push(type));
      expect(chat.open).to.equal(true);
      await click(find(chat, 'header > button:last-of-type')!);
      expect(isShown(chat)).to.equal(false);
      chat.show();
      expect(isShown(chat)).to.equal(true);
      expect(heard).to.deep.equal(['tool-chat-hide', 'tool-chat-show']);
    });

    it('stays where its page keeps it open', async () => {
      const chat = await chatOnPage({ layout });
      chat.addEventListener('tool-chat-hide', (event) => event.preventDefault());
      await click(find(chat, 'header > button:last-of-type')!);
      expect(isShown(chat)).to.equal(true);
    });
  });

describe('the text field', () => {
  it('has the focus after a decision, so what is typed next stands there', async () => {
    const surface = new FakeSurface();
    surface.choices = [{ name: 'look', label: 'Look', risk: 'query' }];
    surface.set({
      ...{ views: [user('u1', 'Delete it'), assistant('a1', ['Well', { call: 'c1' }])], hasTools: true },
      ...{ activities: ['awaitingApproval'], isLoading: true, cards: { c1: card('c1', 'awaiting_approval') } },
    });
    const { panel, decided } = await stage(surface);
    const deny = await appears(panel, part('deny-button'));
    await until(() => isArmed(find(panel, part('deny-button'))), 'it can be pressed');
    await click(deny);
    await until(() => decided.length === 1, 'the decision is taken');
    surface.set({ activities: [], isLoading: false, cards: { c1: card('c1', 'denied') } });
    await until(() => focused()?.localName === 'textarea', 'the field has the focus');
    await sendKeys({ type: 'next' });
    expect(find<HTMLTextAreaElement>(panel, 'textarea')!.value).to.equal('next');
    expect(find(panel, 'tool-chat-picker')).to.equal(undefined);
  });
});

describe('copying', () => {
  const clipboard = Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard')!;
  afterEach(() => Object.defineProperty(Navigator.prototype, 'clipboard', clipboard));

  it('says so where the browser does not allow it', async () => {
    Object.defineProperty(Navigator.prototype, 'clipboard', { configurable: true, get: () => undefined });
    // Over the document's own, so that taking it away brings that back.
    Object.defineProperty(document, 'execCommand', { configurable: true, value: () => false });
    try {
      expect(await copyText('text')).to.equal(false);
      const surface = new FakeSurface();
      surface.set({ views: [user('u1', 'Hi'), assistant('a1', ['Hello.'])] });
      const { panel } = await stage(surface);
      await click(await appears(panel, part('copy-button')));
      await until(() => find(panel, '.hint')?.textContent?.includes('Select the text') === true, 'it says so');
    } finally {
      Reflect.deleteProperty(document, 'execCommand');
    }
  });

  for (const layout of ['floating', 'sidebar'] as const)
    it(`stands at the other side with \`position=start\`, by attribute and by property: ${layout}`, async () => {
      const chat = await chatOnPage({ layout, open: '', position: 'start' });
      const middle = () => {
        const { left, right } = (find(chat, layout === 'floating' ? part('launcher') : 'tool-chat-panel') ?? chat).getBoundingClientRect();
        return (left + right) / 2;
      };
      await untilTalking(chat);
      await until(() => middle() < innerWidth / 2, `${layout} stands at ${String(middle())}`);
      chat.position = 'end';
      await until(() => middle() > innerWidth / 2, `${layout} stays at ${String(middle())}`);
      chat.remove();
    });
});

describe('a chat in a window of 320 by 256, as one of 1280 by 1024 is at 400 %', () => {
  // The windows of the other engines have a size of their own.
  const resize = (height: number, width: number) =>
    navigator.userAgent.includes('Chrome') ? setViewport({ width, height }) : Promise.resolve();
  before(() => resize(256, 320));
  after(() => resize(600, 800));

  for (const layout of ['inline', 'sidebar', 'fullscreen'] as const)
    it(`is no higher than that: ${layout}`, async () => {
      const chat = await chatOnPage({ layout });
      const box = chat.parentElement as HTMLElement;
      if (layout === 'inline') Object.assign(box.style, { position: 'static', height: 'auto' });
      expect(chat.getBoundingClientRect().height).to.be.at.most(innerHeight);
      const field = await appears(chat, 'textarea');
      expect(field.getBoundingClientRect().bottom).to.be.at.most(innerHeight);
    });
});
