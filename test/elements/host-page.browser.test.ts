// engines: keys, layout, shadow roots
/** Pages as they are: with rules for everything, units, shortcuts and routers of their own. */
import { expect } from '@open-wc/testing';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { keys, press, pretend, styled } from './doing.js';
import { stage } from './helpers.js';
import { appears, fieldOf, find, findAll, frames, middle, part, until, words } from './looking.js';
import { call, chatOnPage, chatWith, listening, tool, untilTalking } from './tool-chat-stage.js';

const launcherOf = (chat: ToolChat) => appears(chat, part('launcher'));
const panelOf = (chat: ToolChat) => find(chat, 'tool-chat-panel') as HTMLElement;

/** A floating one that is a child of the body, as pages have it. */
async function floating(attributes: Record<string, string> = {}): Promise<ToolChat> {
  const chat = document.createElement('tool-chat');
  for (const [name, value] of Object.entries({ layout: 'floating', lang: 'en', ...attributes })) chat.setAttribute(name, value);
  document.body.append(chat);
  placed.push(chat);
  await launcherOf(chat);
  return chat;
}

let placed: Element[] = [];
afterEach(() => {
  for (const one of placed.splice(0)) one.remove();
  placed = [];
  document.documentElement.style.fontSize = '';
});

describe('a page whose rules mean everything', () => {
  const RULES: Record<string, string> = {
    'stands above its background': 'body > * { position: relative; z-index: 1 }',
    'fills its sections': 'body > * { width: 100vw; height: 100vh; max-height: 50px; margin: 0 0 80px; padding: 30px; border: 3px solid }',
    'lets nothing be pressed': 'body > * { pointer-events: none }',
    'cuts what stands out': 'body > * { overflow: hidden; contain: paint; min-height: 300px }',
    'has letters of 75 px': 'html { font-size: 75px }',
    'has letters of 8 px': 'html { font-size: 8px }',
    'has no rules (control)': 'p { color: red }',
  };
  // WebKit that does not say how far an element is zoomed measures it in units of its own: nothing can be fitted there.
  if ('currentCSSZoom' in Element.prototype) RULES['is zoomed'] = 'body { zoom: 1.4 }';
  for (const [name, css] of Object.entries(RULES))
    it(`leaves the round button in its corner and the panel in the window: the page ${name}`, async () => {
      styled(css);
      const chat = await floating();
      const button = (await launcherOf(chat)).getBoundingClientRect();
      const [right, bottom] = [innerWidth - button.right, innerHeight - button.bottom];
      expect(Math.min(button.width, 44), 'its size').to.equal(44);
      expect(Math.max(button.width, right, bottom), 'its place').to.be.at.most(105);
      expect(Math.min(right, bottom)).to.be.at.least(5);
      expect(document.elementFromPoint(...middle(await launcherOf(chat)))).to.equal(chat);
      chat.show();
      await appears(chat, 'textarea');
      await until(() => panelOf(chat).getBoundingClientRect().width > 0, 'it does not open');
      const panel = panelOf(chat).getBoundingClientRect();
      expect([panel.left >= 0, panel.top >= 0, panel.right <= innerWidth, panel.bottom <= innerHeight, panel.width >= 300]).to.deep.equal(
        Array.from({ length: 5 }, () => true),
      );
    });

  it('may place it by `inset`, and hides it by `hidden` whatever options do then', async () => {
    const chat = await floating();
    chat.style.inset = 'auto auto 40px 60px';
    expect((await launcherOf(chat)).getBoundingClientRect().left).to.equal(60);
    const sidebar = await chatOnPage({ layout: 'sidebar' });
    const shown = () => panelOf(sidebar).checkVisibility();
    expect([shown(), sidebar.open]).to.deep.equal([true, true]);
    sidebar.hidden = true;
    sidebar.heading = 'Another';
    await frames(2);
    expect(shown()).to.equal(false);
    sidebar.hidden = false;
    sidebar.hide();
    expect([shown(), sidebar.hidden, sidebar.hasAttribute('open')]).to.deep.equal([false, false, false]);
  });

  it('forbids selecting, but not in what is read here', async () => {
    styled('* { user-select: none; -webkit-user-select: none }');
    const { panel } = await stage(new FakeSurface({ views: [user('u1', 'My number?'), assistant('a1', ['It is 4711.'])] }));
    const text = await appears(panel, '.body');
    const style = getComputedStyle(panel);
    expect(style.userSelect || style.getPropertyValue('-webkit-user-select')).to.equal('text');
    getSelection()?.selectAllChildren(text);
    expect(words(text)).to.contain('4711');
  });
});

describe('a chat in the flow of its page', () => {
  it('lets wheel and finger go on to the page; one over the page keeps them', async () => {
    const kept = (chat: Element) => getComputedStyle(find(chat, '.messages')!).overscrollBehaviorY;
    expect([kept(await chatOnPage()), kept(await chatOnPage({ layout: 'sidebar' }))]).to.deep.equal(['auto', 'contain']);
  });

  it('is printed as a whole; one that floats is not printed over its page', async () => {
    const floats = await chatOnPage({ layout: 'floating', open: '' });
    await untilTalking(floats);
    await launcherOf(floats);
    const onScreen = pretend(floats, 'print');
    expect([getComputedStyle(floats).display, panelOf(floats).checkVisibility()]).to.deep.equal(['none', false]);
    // Its sheets are those of all panels.
    onScreen();
    const { chat, model } = await chatWith([]);
    await model.turn('Tell me', 'A long answer.\n\n'.repeat(80));
    const scroller = find(chat, '.messages')!;
    await until(() => scroller.scrollHeight > scroller.clientHeight + 100, 'it is not long');
    pretend(chat, 'print');
    await until(() => scroller.scrollHeight <= scroller.clientHeight + 1, 'it is cut');
    expect(chat.offsetHeight).to.be.above(1000);
  });
});

describe('keys', () => {
  /** What a page hears that looks, as most do, whether it is a field that the key was pressed in. */
  function shortcuts() {
    const heard: string[] = [];
    const hear = (event: KeyboardEvent) => {
      if ((event.target as Element).matches('input, textarea, select')) return;
      heard.push(`${event.type === 'keyup' ? '^' : ''}${event.ctrlKey && event.key !== 'Control' ? 'Ctrl+' : ''}${event.key}`);
    };
    for (const type of ['keydown', 'keyup'] as const) document.addEventListener(type, hear);
    stops.push(() => {
      for (const type of ['keydown', 'keyup'] as const) document.removeEventListener(type, hear);
    });
    return heard;
  }
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  it('that are typed here are no shortcuts of the page; chords, Tab and what is pressed elsewhere are', async () => {
    const heard = shortcuts();
    const { chat } = await chatWith([]);
    fieldOf(chat).focus();
    for (const key of ['s', '/', 'k', 'ArrowLeft', 'Backspace']) await keys(key);
    expect([heard, fieldOf(chat).value]).to.deep.equal([[], 'sk']);
    const press = (key: string, more: KeyboardEventInit = {}) =>
      fieldOf(chat).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...more }));
    press('k', { ctrlKey: true });
    press('Tab');
    press('Escape');
    expect(heard).to.deep.equal(['Ctrl+k', 'Tab', 'Escape']);
    heard.length = 0;
    find(chat, 'header button')!.focus();
    press('ArrowDown');
    await keys(' ');
    expect(heard.filter((key) => key !== '^k' && key !== '^Tab')).to.deep.equal([]);
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 's', bubbles: true }));
    expect(heard).to.deep.equal(['s']);
  });

  it('that close something here do not close what stands around it in the page', async () => {
    const heard = shortcuts();
    const chat = await floating({ open: '' });
    await untilTalking(chat);
    fieldOf(chat).focus();
    await keys('Escape');
    await until(() => !chat.open, 'it stays open');
    expect(heard).to.deep.equal([]);
    const inline = await chatOnPage();
    fieldOf(inline).focus();
    await keys('Escape');
    expect(heard[0], 'nothing here was closed by it').to.equal('Escape');
  });
});

describe('a router', () => {
  /** What each does within one task with what it keeps. */
  const ROUTERS: Record<string, (kept: Element, home: Element) => void> = {
    'that takes what it keeps into the next page first': (kept, home) => {
      const next = new DOMParser().parseFromString('<!doctype html><body><main></main></body>', 'text/html');
      const main = next.querySelector('main')!;
      main.append(kept);
      home.append(document.adoptNode(main));
    },
    'that changes the page first': (kept, home) => {
      const next = document.importNode(new DOMParser().parseFromString('<main></main>', 'text/html').querySelector('main')!, true);
      home.replaceChildren(next);
      next.append(kept);
    },
  };
  for (const [name, swap] of Object.entries(ROUTERS))
    it(`${name} keeps an answer that streams, its looks, and what was being written`, async () => {
      const { chat, model } = await chatWith([tool('act')]);
      const errors: unknown[] = [];
      chat.addEventListener('tool-chat-error', (event) => errors.push(event));
      const turn = chat.sendMessage('Go on');
      const request = await model.next();
      request.send('**First** half');
      await until(() => chat.streamingText.includes('half'), 'nothing comes');
      fieldOf(chat).value = 'half a thought';
      const field = fieldOf(chat);
      const background = () => getComputedStyle(find(chat, '.panel')!).backgroundColor;
      const bare = () => findAll(chat, '*').filter(({ shadowRoot }) => shadowRoot?.adoptedStyleSheets.length === 0).length;
      const [before, sheets] = [background(), () => chat.shadowRoot!.adoptedStyleSheets.length];
      const kept = sheets();
      swap(chat, chat.parentElement!);
      await frames(3);
      expect([request.signal.aborted, background(), fieldOf(chat), field.value, sheets(), bare()]).to.deep.equal([
        ...[false, before, field, 'half a thought', kept, 0],
      ]);
      request.send(' and the other.');
      request.done();
      expect(await turn).to.include({ reason: 'stop', text: '**First** half and the other.' });
      expect(errors).to.deep.equal([]);
    });
});

describe('a page that is morphed into what its server wrote (Turbo, idiomorph)', () => {
  /** As they do it: attributes and children that the server did not write go. */
  function morph(chat: Element, written: Element): void {
    for (const name of chat.getAttributeNames()) if (!written.hasAttribute(name)) chat.removeAttribute(name);
    for (const { name, value } of written.attributes) if (chat.getAttribute(name) !== value) chat.setAttribute(name, value);
    chat.replaceChildren();
  }
  for (const [how, open] of Object.entries({ 'the user has opened': undefined, 'the server wrote open': '' }))
    it(`keeps a chat that ${how} open while a question waits, and the question can be answered`, async () => {
      const act = tool('act', { risk: 'danger' });
      const { chat, model } = await chatWith([act], { layout: 'floating', ...(open !== undefined && { open }) });
      const written = chat.cloneNode() as Element;
      if (open === undefined) chat.show();
      const { turn } = await model.begin('Act', call('act', { title: 'it' }));
      const allow = await appears(chat, part('approve-button'));
      morph(chat, written);
      await frames(2);
      expect([chat.open, panelOf(chat).checkVisibility(), find(chat, part('approve-button'))]).to.deep.equal([true, true, allow]);
      await press(allow);
      await model.reply('Done.');
      await turn;
      expect(act.ran).to.deep.equal([{ title: 'it' }]);
    });

  it('closes one where the server takes its `open` away', async () => {
    const chat = await floating({ open: '' });
    const written = chat.cloneNode() as Element;
    written.removeAttribute('open');
    morph(chat, written);
    expect(chat.open).to.equal(false);
  });
});

describe('the words of the round button', () => {
  for (const [lang, wanted] of Object.entries({
    de: 'Assistent öffnen',
    'fr-CA': 'Ouvrir l’assistant',
    ja: 'アシスタントを開く',
    pt: 'Open the assistant',
  }))
    it(`are those of its language before anything else is loaded: ${lang}`, async () => {
      const chat = await floating({ lang });
      const launcher = await launcherOf(chat);
      expect(launcher.ariaLabel).to.equal(wanted);
      chat.texts = { open: 'Ask our gardeners' };
      await until(() => launcher.ariaLabel === 'Ask our gardeners', 'the page’s own words');
    });
});

describe('markup that is not what it seems', () => {
  const PAGES: Record<string, [markup: string, warning: RegExp | undefined]> = {
    'typographic quotation marks': ['<tool-chat endpoint=”/api”></tool-chat>', /“endpoint” has typographic/],
    'a tag that closes itself': ['<tool-chat endpoint="/x" /><p>The rest of the page</p>', /<p> inside of <tool-chat> is not shown/],
    'headers as a text': ['<tool-chat endpoint="/x" headers=\'{"Authorization":"Bearer abc"}\'></tool-chat>', /Invalid headers(?!.*abc)/],
    'nothing wrong': ['<tool-chat endpoint="/x" heading="“Ask us”"><p slot="empty">Hi</p></tool-chat>', undefined],
  };
  for (const [name, [markup, warning]] of Object.entries(PAGES))
    it(`is told of in the console: ${name}`, async () => {
      const said = await listening(async () => {
        const box = document.body.appendChild(document.createElement('div'));
        placed.push(box);
        box.innerHTML = markup;
        await untilTalking(box.querySelector('tool-chat')!);
      });
      if (warning) expect(said.join('\n')).to.match(warning);
      else expect(said).to.deep.equal([]);
    });

  // The log says, too, that a message could not be sent; it may come later.
  const NO_ENDPOINT = /No endpoint is set: nothing can be answered/;
  /** How often a page hears of a chat without an endpoint, until it has done this with it. */
  async function warningsOf(use: (chat: ToolChat) => unknown) {
    const chat = document.createElement('tool-chat');
    chat.setAttribute('end-point', '/x');
    const told = await listening(async () => {
      placed.push(document.body.appendChild(chat));
      await untilTalking(chat);
      await use(chat);
    });
    return told.filter((line) => NO_ENDPOINT.test(line)).length;
  }

  const write = (chat: ToolChat) => fieldOf(chat).focus();
  const LOADED_PAGE: Record<string, [warnings: number, use: (chat: ToolChat) => unknown]> = {
    'nothing is done with it': [0, () => undefined],
    'the user writes': [1, (chat) => [write(chat), (document.activeElement as HTMLElement).blur(), write(chat)]],
    'it is sent to': [1, (chat) => chat.sendMessage('Hi')],
    'a script sets one, and the user writes': [0, (chat) => [(chat.endpoint = '/late'), write(chat)]],
  };
  for (const [use, [warnings, act]] of Object.entries(LOADED_PAGE))
    it(`without an endpoint in a page that had loaded is told of ${String(warnings)} times where ${use}`, async () => {
      expect(await warningsOf(act)).to.equal(warnings);
    });
});

describe('a page in Arabic', () => {
  for (const [name, page, direction] of [
    ['without `dir` is read from right to left', {}, 'rtl'],
    ['with `dir="ltr"` stays as it says', { dir: 'ltr' }, 'ltr'],
    ['with `dir="rtl"`', { dir: 'rtl' }, 'rtl'],
    ['with an English chat in it', { chat: 'en' }, 'ltr'],
  ] as const)
    it(`${name}, and its panel is in the window`, async () => {
      const box = document.body.appendChild(document.createElement('div'));
      placed.push(box);
      box.lang = 'ar';
      if ('dir' in page) box.dir = page.dir;
      // Through a shadow root, as widgets of a page have it.
      const chat = document.createElement('tool-chat');
      Object.assign(chat, { layout: 'floating', open: true, endpoint: '/x', ...('chat' in page && { lang: page.chat }) });
      box.attachShadow({ mode: 'open' }).append(chat);
      await untilTalking(chat);
      const [panel, field] = [find(chat, '.panel')!, fieldOf(chat)];
      expect([getComputedStyle(panel).direction, getComputedStyle(field).direction]).to.deep.equal([direction, direction]);
      expect(find(chat, 'header button')!.getBoundingClientRect().left < middle(panel)[0]).to.equal(direction === 'rtl');
      const { left, right } = panelOf(chat).getBoundingClientRect();
      expect([left >= 0, right <= innerWidth]).to.deep.equal([true, true]);
    });
});
