/** `texts`: a page's own words in place of the widget's. */
import { expect } from '@open-wc/testing';
import { deepText, find, part, until } from './helpers.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { chatOnPage, listening } from './tool-chat-stage.js';

const textsOf = (chat: Element) => (find(chat, 'tool-chat-panel') as ToolChatPanel).texts!;
const placeholder = (chat: Element) => find<HTMLTextAreaElement>(chat, 'textarea')!.placeholder;

describe('texts of a page', () => {
  it('stand in place of the catalogue’s, whenever they are set, and go when they are taken away', async () => {
    const chat = await chatOnPage();
    const before = placeholder(chat);
    chat.texts = { placeholder: 'Ask our gardeners' };
    await until(() => placeholder(chat) === 'Ask our gardeners', 'the words');
    expect(chat.config['texts']).to.deep.equal({ placeholder: 'Ask our gardeners' });
    chat.texts = undefined;
    await until(() => placeholder(chat) === before, 'the words of before');
    chat.config = { texts: { placeholder: 'From config' } };
    await until(() => placeholder(chat) === 'From config', 'the words');
  });

  it('stay when the language changes, and the rest follows it', async () => {
    const chat = await chatOnPage();
    chat.texts = { placeholder: 'Ask our gardeners' };
    chat.setAttribute('lang', 'zh-CN');
    await until(() => find(chat, part('messages'))?.ariaLabel !== 'Messages', 'the language');
    await until(() => placeholder(chat) === 'Ask our gardeners', 'the words');
  });

  it('are those of the conversation, too, and so are the catalogue’s where a page has none', async () => {
    const chat = await chatOnPage({ endpoint: '', lang: 'zh-CN' });
    await until(() => textsOf(chat).noEndpoint !== 'No endpoint is set', 'the language');
    await chat.sendMessage('Hi');
    expect(chat.error).to.equal(textsOf(chat).noEndpoint);
    chat.texts = { noEndpoint: 'Nobody listens' };
    await until(() => textsOf(chat).noEndpoint === 'Nobody listens', 'the words');
    await chat.sendMessage('Hi');
    expect(chat.error).to.equal('Nobody listens');
  });

  it('may be sentences with something in them; one that fails is said in the catalogue’s words', async () => {
    const chat = await chatOnPage();
    chat.texts = {
      placeholder: 'Ask our gardeners',
      tryAgainIn: (seconds) => `Wait ${seconds}`,
      lockedNotUsed: 'It did something else' as never,
      retryingIn() {
        throw new Error('a mistake of the page');
      },
    };
    await until(() => placeholder(chat) === 'Ask our gardeners', 'the words');
    const { tryAgainIn, lockedNotUsed, retryingIn } = textsOf(chat);
    expect([tryAgainIn(3), lockedNotUsed('x'), retryingIn(1, 2, 3)]).to.deep.equal([
      'Wait 3',
      'It did something else',
      'Retrying in 1 s (2/3)',
    ]);
  });

  it('that do not fit are left out, each with one warning', async () => {
    const chat = await chatOnPage();
    const warnings = await listening(async () => {
      chat.texts = { placeholder: 7, noSuchText: 'x', cancel: 'Never mind' } as never;
      await until(() => textsOf(chat).cancel === 'Never mind', 'the words');
      chat.setAttribute('heading', 'Garden');
      await until(() => deepText(find(chat, 'h2')!) === 'Garden', 'the heading');
    });
    expect(warnings.filter((one) => one.includes('texts.'))).to.deep.equal([
      '[tool-chat] texts.placeholder (number) does not fit: a string → docs/error-codes.md#config',
      '[tool-chat] texts.noSuchText (string) does not fit: no text of this name → docs/error-codes.md#config',
    ]);
  });

  it('under aio-vcp: words that are loaded later are there, too', async () => {
    const chat = await chatOnPage({ preset: 'aio-vcp' });
    await import('../../src/i18n/en.js');
    expect(textsOf(chat).allow).to.equal('Allow');
    expect(textsOf(chat).noResults).to.equal('No results.');
  });
});
