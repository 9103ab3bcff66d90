/** A typed word confirms the first waiting link of a chain; nothing that a script can do does (S4-10, S4-52; threat model rows 8 and 19). */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys, setViewport } from '@web/test-runner-commands';
import type { Call, CardView } from '../../src/model/calls.js';
import { isConfirmation } from '../../src/conversation/chart/keyword-confirmation.js';
import type { ToolChatComposer } from '../../src/elements/tool-chat-composer/tool-chat-composer.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call as callOf, card, FakeSurface, user } from './fake-surface.js';
import { appears, armed, click, deepText, find, findAll, frame, part, stage, until, type PanelOptions } from './helpers.js';
import { call, chatOnPage, scripted, tool } from './tool-chat-stage.js';

const confirms = (text: string) => ['yes', '确认'].includes(text.trim().toLowerCase());
const allow = { requestId: 'c1', digest: 'digest of c1', verdict: 'allow' };

function link(requestId: string, confirm: CardView['confirm'], change: Partial<Call> = {}): CardView {
  const asked = callOf(requestId, { risk: 'write', flags: ['chain'], ...change });
  return card(requestId, 'awaiting_approval', { call: asked, ...(confirm && { confirm }) });
}

async function chain(cards: CardView[], options: PanelOptions = {}) {
  const surface = new FakeSurface({
    isLoading: true,
    activities: ['awaitingApproval'],
    views: [
      user('u1', 'Go on'),
      assistant(
        'a1',
        cards.map(({ requestId }) => ({ call: requestId })),
      ),
    ],
    cards: Object.fromEntries(cards.map((one) => [one.requestId, one])),
    confirmWords: ['yes', '确认'],
  });
  const { panel, decided } = await stage(surface, { conditions: { confirms }, height: Math.min(860, innerHeight), ...options });
  await armed(panel, part('deny-button'));
  await until(() => findAll(panel, part('approve-button')).every((one) => one.getAttribute('aria-disabled') === 'false'), 'no button arms');
  const field = find<HTMLTextAreaElement>(panel, 'textarea') as HTMLTextAreaElement;
  const composer = find<ToolChatComposer>(panel, 'tool-chat-composer') as ToolChatComposer;
  panel.focus();
  const settle = async () => {
    await frame();
    await composer.updateComplete;
    await panel.updateComplete;
  };
  return { surface, panel, decided, field, composer, settle, status: () => find(panel, '#status')?.textContent.trim() };
}

describe('a confirmation word', () => {
  // The other browsers have a window that is high enough.
  before(() => (navigator.userAgent.includes('Chrome') ? setViewport({ width: 800, height: 900 }) : undefined));
  afterEach(() => resetMouse());

  it('allows the call when a person types and sends it', async () => {
    const { surface, decided, field, settle, status } = await chain([link('c1', 'both')]);
    expect(status()).to.equal(en.replyToContinue);
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    await settle();
    expect(decided).to.deep.equal([{ ...allow, word: 'yes' }]);
    expect(surface.asked, 'it is no message').to.deep.equal([]);
    expect(field.value).to.equal('');
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    expect(decided, 'once').to.have.length(1);
  });

  it('counts by a click on “send”, too', async () => {
    const { panel, decided, settle } = await chain([link('c1', 'keyword')]);
    await sendKeys({ type: 'yes' });
    await settle();
    await click(find(panel, part('send-button')) as Element);
    expect(decided).to.deep.equal([{ ...allow, word: 'yes' }]);
  });

  it('counts after corrections by hand', async () => {
    const { decided } = await chain([link('c1', 'both')]);
    await sendKeys({ type: 'yea' });
    await sendKeys({ press: 'Backspace' });
    await sendKeys({ type: 's' });
    await sendKeys({ press: 'Enter' });
    expect(decided).to.have.length(1);
  });

  it('says in the person’s language what to do, and which words do it', async () => {
    const { panel, status } = await chain([link('c1', 'both')], { texts: zhCN, lang: 'zh-CN' });
    expect(status()).to.equal('回复确认关键字即可继续');
    expect(find(panel, '.words')?.textContent).to.equal('yes · 确认');
  });

  it('is a message like any other where something else is written', async () => {
    const { surface, decided } = await chain([link('c1', 'both')]);
    await sendKeys({ type: 'yes-no' });
    await sendKeys({ press: 'Enter' });
    expect(surface.asked).to.deep.equal(['send yes-no']);
    expect(decided).to.deep.equal([]);
  });

  it('is a message where only buttons confirm', async () => {
    const { surface, decided } = await chain([link('c1', undefined)]);
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    expect(surface.asked).to.deep.equal(['send yes']);
    expect(decided).to.deep.equal([]);
  });

  it('allows the first of several, and no other', async () => {
    const { decided } = await chain([link('c1', 'both', { args: {} }), link('c2', 'both', { args: {} })]);
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    expect(decided).to.deep.equal([{ ...allow, word: 'yes' }]);
  });

  it('is not enough for what could do harm: that needs its button, and nothing behind it is allowed instead', async () => {
    const cards = [link('c1', 'button', { risk: 'danger', args: {} }), link('c2', 'both', { args: {} })];
    const { surface, panel, decided, field, settle, status } = await chain(cards, { height: 720, width: 640 });
    expect(status()).to.equal(en.stepNeedsButton);
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    await settle();
    expect(decided).to.deep.equal([]);
    expect(surface.asked, 'and nothing is sent').to.deep.equal([]);
    expect(field.value).to.equal('yes');
    expect(find(panel, '.problem')?.textContent).to.equal(en.stepNeedsButton);
    // What was said below took some room.
    const button = await armed(panel, part('approve-button'));
    button.scrollIntoView({ block: 'center' });
    await frame();
    await frame();
    await click(await armed(panel, part('approve-button')));
    expect(decided).to.deep.equal([allow]);
  });

  it('hides the button where only a word is to count; “deny” stays', async () => {
    const { panel, decided } = await chain([link('c1', 'keyword')]);
    const button = find<HTMLElement>(panel, part('approve-button')) as HTMLElement;
    expect(button.checkVisibility()).to.equal(false);
    await click(find(panel, part('deny-button')) as Element);
    expect(decided).to.deep.equal([{ ...allow, verdict: 'deny' }]);
  });

  it('waits for the whole question: not while it is hidden, moving, or unread', async () => {
    const { surface, panel, decided, settle } = await chain([link('c1', 'both')]);
    const list = find<HTMLElement>(panel, part('messages')) as HTMLElement;
    list.style.opacity = '0.1';
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    await settle();
    expect(decided).to.deep.equal([]);
    expect(surface.asked).to.deep.equal([]);
    expect(find(panel, '.problem')?.textContent).to.equal(en.wordTooEarly);
    list.style.opacity = '';
    await armed(panel, part('approve-button'));
    surface.setCard(link('c1', 'both', { digest: 'another', args: { task_id: 'x'.repeat(9000) } }));
    await settle();
    await sendKeys({ press: 'Enter' });
    expect(decided).to.deep.equal([]);
  });

  describe('from a script', () => {
    const keydown = () => new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, composed: true });

    it('allows nothing: a field that it filled, sent by a person', async () => {
      const { surface, panel, decided, field, composer, settle } = await chain([link('c1', 'both')]);
      for (const fill of [
        () => void (composer.draft = 'yes'),
        () => {
          field.value = 'yes';
          field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, data: 'yes', inputType: 'insertText' }));
        },
        () => {
          field.value = '';
          field.dispatchEvent(new InputEvent('beforeinput', { bubbles: true, composed: true, data: 'yes', inputType: 'insertText' }));
          field.setRangeText('yes');
          field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, data: 'yes', inputType: 'insertText' }));
        },
      ]) {
        fill();
        await settle();
        field.focus();
        await sendKeys({ press: 'Enter' });
        await settle();
      }
      expect(decided).to.deep.equal([]);
      expect(surface.asked).to.deep.equal([]);
      expect(find(panel, '.problem')?.textContent).to.equal(en.wordNotTyped);
    });

    it('allows nothing: a word of which the person typed only the end', async () => {
      const { decided, field, settle } = await chain([link('c1', 'both')]);
      field.value = 'ye';
      field.setSelectionRange(2, 2);
      await sendKeys({ type: 's' });
      await sendKeys({ press: 'Enter' });
      await settle();
      expect(field.value).to.equal('yes');
      expect(decided).to.deep.equal([]);
    });

    it('allows nothing: a word that it put there while the person’s input was on its way', async () => {
      const { decided, field, settle } = await chain([link('c1', 'both')]);
      field.addEventListener(
        'beforeinput',
        () => {
          field.value = 'ye';
          field.setSelectionRange(2, 2);
        },
        { once: true },
      );
      await sendKeys({ type: 's' });
      await sendKeys({ press: 'Enter' });
      await settle();
      expect(decided).to.deep.equal([]);
    });

    it('allows nothing: a word that a person typed and a script sends', async () => {
      const { surface, panel, decided, field, composer } = await chain([link('c1', 'both')]);
      await sendKeys({ type: 'yes' });
      await composer.updateComplete;
      field.dispatchEvent(keydown());
      find<HTMLButtonElement>(panel, part('send-button'))?.click();
      const label = document.createElement('label');
      const button = find<HTMLButtonElement>(panel, part('send-button')) as HTMLButtonElement;
      label.htmlFor = button.id = 'lent';
      label.textContent = 'Win a prize';
      button.getRootNode().appendChild(label);
      await click(label);
      expect(decided).to.deep.equal([]);
      expect(surface.asked.filter((one) => !one.startsWith('send'))).to.deep.equal([]);
    });

    it('allows nothing: built-ins that make a word of anything', async () => {
      const words = { confirmKeywords: undefined, texts: en };
      const { decided } = await chain([link('c1', 'both')], { conditions: { confirms: (text) => isConfirmation(text, words) } });
      const { trim, toLowerCase, normalize } = String.prototype;
      Object.assign(String.prototype, { trim: () => 'yes', toLowerCase: () => 'yes', normalize: () => 'yes' });
      try {
        await sendKeys({ type: 'no' });
        await sendKeys({ press: 'Enter' });
      } finally {
        Object.assign(String.prototype, { trim, toLowerCase, normalize });
      }
      expect(decided).to.deep.equal([]);
    });
  });

  it('goes through the whole widget: said by the person, not told to the model', async () => {
    const script = await scripted(call('look'), call('change', { title: 'a' }), 'All is done.');
    const chat = await chatOnPage({ endpoint: script.endpoint, 'calls-per-turn': 'confirm-chain' });
    const [look, change] = [tool('look', { risk: 'query' }), tool('change', { risk: 'write' })];
    chat.registerTool(look);
    chat.registerTool(change);
    const turn = chat.sendMessage('Go on');
    await armed(chat, part('approve-button'));
    expect(find(chat, '#status')?.textContent.trim()).to.equal(en.replyToContinue);
    find<HTMLElement>(chat, 'textarea')?.focus();
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    const { success, results } = await turn;
    expect(success).to.equal(true);
    expect(results.map(({ status }) => status)).to.deep.equal(['success', 'success']);
    expect([look.ran.length, change.ran]).to.deep.equal([1, [{ title: 'a' }]]);
    await until(() => findAll(chat, part('message-user')).length === 2, 'what was said does not stay');
    expect(chat.messages.filter(({ role }) => role === 'user').map(({ text }) => text)).to.deep.equal(['Go on']);
    expect((await script.log()).some(({ body }) => body.includes('"yes"'))).to.equal(false);
  });

  it('is not what a script sends through the widget', async () => {
    const script = await scripted(call('look'), call('change'), 'All is done.');
    const chat = await chatOnPage({ endpoint: script.endpoint, 'calls-per-turn': 'confirm-chain', 'confirm-via': 'keyword' });
    const change = tool('change', { risk: 'write' });
    chat.registerTool(tool('look', { risk: 'query' }));
    chat.registerTool(change);
    void chat.sendMessage('Go on');
    await appears(chat, part('deny-button'));
    void chat.sendMessage('yes');
    void chat.sendMessageWithTools('确认');
    await frame();
    expect(change.ran).to.deep.equal([]);
    expect(chat.session.requiresConfirm).to.equal(true);
    await chat.clear();
    expect(change.ran).to.deep.equal([]);
  });

  it('is spoken about', async () => {
    const { panel, settle } = await chain([link('c1', 'button', { risk: 'danger' })]);
    await sendKeys({ type: 'yes' });
    await sendKeys({ press: 'Enter' });
    await settle();
    const said = () => deepText(find(panel, '.said') as Element);
    await until(() => said().includes(en.stepNeedsButton), 'the reason is not said');
  });
});
