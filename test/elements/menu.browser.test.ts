/** The menu: what was done, what may be set, the conversation as a file (S0-101, S2-52, S2-68 … S2-72, Y-07, Y-08, Y-12). */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import { estimateTokens } from '../../src/prompts/tokens.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, armed, click, deepText, find, findAll, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

const words = (element: Element | undefined) => (element ? deepText(element).replace(/\s+/g, ' ').trim() : '');
const page = (chat: ToolChat) => find(chat, part('menu'));
const field = <Kind extends HTMLElement = HTMLInputElement>(chat: ToolChat, label: string) =>
  findAll(chat, 'label.setting')
    .find((one) => words(one).startsWith(label))
    ?.querySelector<Kind>('input, select') as Kind;

async function open(chat: ToolChat, item?: string): Promise<void> {
  await click(await appears(chat, part('menu-button')));
  await appears(chat, part('menu-item'));
  if (item) await click(find(chat, `[data-item=${item}]`) as Element);
}

/** A conversation in which one thing was done, one was refused and one failed. */
async function acted(attributes: Record<string, string> = {}) {
  const chat = await chatOnPage(attributes);
  const requests = answerByHand(chat);
  let undone = 0;
  chat.registerTool(tool('look', { risk: 'query', label: 'Look' }));
  chat.registerTool(
    tool('note', {
      risk: 'write',
      label: 'Note',
      describeCall: ({ title }: { title: string }) => `Note “${title}”`,
      undo: () => void (undone += 1),
    }),
  );
  chat.registerTool(tool('wipe', { risk: 'danger', label: 'Wipe', describeCall: () => 'Wipe “everything”' }));
  chat.registerTool(tool('fail', { risk: 'write', label: 'Fail', execute: () => Promise.reject(new Error('The disk is full')) }));
  const turn = chat.sendMessage('Do it');
  const say = async (text: string) => {
    const request = await requests.next();
    request.send(text);
    request.done();
  };
  await say(['look', 'note', 'fail', 'wipe'].map((name) => call(name, { title: 'milk' })).join('\n'));
  await click(await armed(chat, part('deny-button')));
  await say('Done.');
  await turn;
  return { chat, requests, undone: () => undone };
}

describe('the menu', () => {
  afterEach(() => resetMouse());

  it('goes by arrows, back by Escape, and gives the focus back to its button', async () => {
    const chat = await chatOnPage({});
    await open(chat);
    await until(() => find(chat, '[data-item=acts]')?.matches(':focus') === true, 'the first has no focus');
    await sendKeys({ press: 'ArrowUp' });
    await until(() => find(chat, '[data-item=shortcuts]')?.matches(':focus') === true, 'the last has no focus');
    await sendKeys({ press: 'Home' });
    await sendKeys({ press: 'Enter' });
    await until(() => words(page(chat)).includes('Nothing was changed'), 'no page');
    await sendKeys({ press: 'Escape' });
    await until(() => find(chat, '[data-item=acts]')?.matches(':focus') === true, 'the focus is elsewhere');
    await sendKeys({ press: 'Escape' });
    await until(() => !page(chat), 'the menu stays');
    await until(() => find(chat, part('menu-button'))?.matches(':focus') === true, 'the focus is elsewhere');
  });

  it('shows the keys that do something, by ? too, and Escape goes back to their entry', async () => {
    const { chat } = await acted();
    await open(chat);
    await until(() => find(chat, part('menu-item'))?.matches(':focus') === true, 'the menu has no focus');
    await sendKeys({ press: '?' });
    await appears(chat, 'kbd');
    expect(findAll(chat, '.keys dt').map((one) => words(one))).to.include('Send the message');
    await until(() => find(chat, '.up')?.matches(':focus') === true, 'the focus stays behind');
    await sendKeys({ press: 'Escape' });
    await until(() => find(chat, '[data-item=shortcuts]')?.matches(':focus') === true, 'the focus does not come back');
  });

  it('offers no settings where the page wants none', async () => {
    const chat = await chatOnPage({});
    await open(chat);
    expect(find(chat, '[data-item=settings]')).to.equal(undefined);
    chat.setAttribute('settings', 'on');
    await appears(chat, '[data-item=settings]');
  });

  describe('what it did', () => {
    it('lists what was changed, refused or failed, the newest first, with what takes it back', async () => {
      const { chat, undone } = await acted();
      await open(chat, 'acts');
      const rows = () => findAll(chat, 'ol li').map((row) => words(row.querySelector('.act') ?? row));
      await until(() => rows().length === 3, String(rows()));
      expect(rows()[0]).to.match(/^Wipe “everything” ?You said no/);
      expect(rows()[1]).to.match(/^Fail ?The disk is full/);
      expect(rows()[2]).to.match(/^Note “milk”/);
      await click(findAll(chat, 'ol li')[2]?.querySelector('button') as Element);
      await until(() => rows()[2]?.includes('Taken back') === true, String(rows()));
      expect(undone()).to.equal(1);
    });

    it('leads to the card, wherever it is scrolled to (S2-80)', async () => {
      const { chat } = await acted();
      await open(chat, 'acts');
      await appears(chat, 'ol li');
      await click(find(chat, part('jump-button')) as Element);
      await until(() => !page(chat), 'the menu stays');
      await until(() => find(chat, '[data-tool=wipe]')?.matches(':focus') === true, 'the card has no focus');
    });

    it('is there after a reload, a failed call with its error', async () => {
      const { chat } = await acted({ storage: 'session', 'session-id': `menu-${String(Math.random())}` });
      const id = chat.sessionId;
      chat.remove();
      const again = await chatOnPage({ storage: 'session', 'session-id': id });
      await until(() => again.messages.length > 0, 'nothing came back');
      await open(again, 'acts');
      await until(() => findAll(again, 'ol li').length === 3, 'not three');
      expect(words(findAll(again, 'ol li')[1])).to.contain('The disk is full');
    });
  });

  describe('settings', () => {
    async function settings(attributes: Record<string, string> = {}) {
      const chat = await chatOnPage({ settings: 'on', ...attributes });
      const requests = answerByHand(chat);
      chat.registerTool(tool('look', { risk: 'query', label: 'Look' }));
      chat.registerTool(tool('note', { risk: 'write', label: 'Note' }));
      await open(chat, 'settings');
      await appears(chat, '.tokens');
      const asked = async (text: string) => {
        void chat.sendMessage(text);
        return requests.next();
      };
      return { chat, requests, asked };
    }

    it('show what the model is told, which is what it is told, and about how many tokens that is', async () => {
      const { chat, asked } = await settings();
      const shown = () => find(chat, 'pre')?.textContent ?? '';
      const tokens = () => Number(/\d+/.exec(find(chat, '.tokens')?.textContent ?? '')?.[0]);
      expect(tokens()).to.equal(estimateTokens(shown()));
      const before = tokens();
      field(chat, 'Note').click();
      await until(() => tokens() < before, 'the number stays');
      const { body } = await asked('Hello');
      expect(body.system).to.equal(shown());
      expect(body.system).to.contain('look').and.to.not.contain('note');
    });

    it('switch all off: nothing is taught', async () => {
      const { chat, asked } = await settings();
      field(chat, 'The assistant may act').click();
      await until(() => !field(chat, 'Look'), 'tools stay');
      const { body } = await asked('Hello');
      expect(body.system).to.not.contain('look');
    });

    it('keep what is added later off, where that is wished', async () => {
      const { chat, asked } = await settings();
      field(chat, 'Also what is added later').click();
      await until(() => !field(chat, 'Also what is added later').checked, 'it stays');
      chat.registerTool(tool('later', { risk: 'query', label: 'Later' }));
      const { body } = await asked('Hello');
      expect(body.system).to.contain('look').and.to.not.contain('later');
    });

    it('refuse what is no number from 1, with a sentence, and keep what was', async () => {
      const { chat } = await settings();
      const steps = field(chat, 'Steps for one message');
      const give = (value: string) => {
        steps.value = value;
        steps.dispatchEvent(new Event('change'));
      };
      give('-1');
      await until(() => find(chat, '.refused') !== undefined, 'it is taken');
      expect(steps.getAttribute('aria-invalid')).to.equal('true');
      give('2');
      await until(() => !find(chat, '.refused'), 'it is refused');
    });

    it('ask before everything, and cannot ask for less than the page', async () => {
      const { chat, requests } = await settings({ approval: 'auto' });
      field(chat, 'Ask before everything').click();
      await until(() => field(chat, 'Ask before everything').checked, 'it stays');
      await sendKeys({ press: 'Escape' });
      await sendKeys({ press: 'Escape' });
      void chat.sendMessage('Look');
      const request = await requests.next();
      request.send(call('look', { title: 'x' }));
      request.done();
      await appears(chat, part('approve-button'));
      chat.cancelStream();
      await until(() => !chat.isLoading, 'the end');

      const strict = await settings({ approval: 'always' });
      const toggle = field(strict.chat, 'Ask before everything');
      expect([toggle.checked, toggle.disabled]).to.deep.equal([true, true]);
    });

    it('leave off what the page has switched off', async () => {
      const { chat } = await settings();
      chat.config = { toolCallConfig: { toolToggles: { note: false } } };
      await sendKeys({ press: 'Escape' });
      await click(find(chat, '[data-item=settings]') as Element);
      await until(() => field(chat, 'Note')?.disabled === true, 'it can be changed');
      expect(field(chat, 'Note').checked).to.equal(false);
    });

    it('speak another notation from the next message on', async () => {
      const { chat, asked } = await settings();
      const menu = field<HTMLSelectElement>(chat, 'How actions are written');
      menu.value = 'vcp';
      menu.dispatchEvent(new Event('change'));
      await until(() => find(chat, 'pre')?.textContent.includes('「始」') === true, 'the preview stays');
      const { body } = await asked('Hello');
      expect(body.system).to.contain('「始」');
    });
  });

  describe('the conversation', () => {
    it('is cleared after one question', async () => {
      const { chat } = await acted();
      await open(chat, 'clear');
      await until(() => find(chat, '.keep')?.matches(':focus') === true, 'the focus is elsewhere');
      await click(find(chat, '.delete') as Element);
      await until(() => chat.messages.length === 0, 'it stays');
      await until(() => !page(chat), 'the menu stays');
    });

    it('is saved as a file that can be opened again; what is none changes nothing', async () => {
      const { chat } = await acted();
      await open(chat);
      const saved: HTMLAnchorElement[] = [];
      const { click: follow } = HTMLAnchorElement.prototype;
      // A browser that shows what it downloads takes the focus from this page, and from every test after it.
      HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
        saved.push(this);
      };
      try {
        await click(find(chat, '[data-item=export]') as Element);
        await until(() => saved.length === 1, 'nothing is saved');
      } finally {
        HTMLAnchorElement.prototype.click = follow;
      }
      const [{ href, download }] = saved as [HTMLAnchorElement];
      expect(download).to.match(/^conversation-\d{4}-\d\d-\d\d\.json$/u);
      expect(await (await fetch(href)).json()).to.include({ format: 'tool-chat-session', version: 1 });
    });
  });
});
