// engines: IME, selection, focus
/** A typed word confirms the first waiting link of a chain; nothing that a script can do does (S4-10, S4-52; threat model rows 8 and 19). */
import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import type { Call, CardView } from '../../src/model/calls.js';
import { isConfirmation } from '../../src/conversation/chart/keyword-confirmation.js';
import type { ToolChatComposer } from '../../src/elements/tool-chat-composer/tool-chat-composer.js';
import { en } from '../../src/i18n/en.js';
import { call as callOf, card, FakeSurface, assistant } from './fake-surface.js';
import { armed, armedInView, arms, click, keys, press } from './doing.js';
import { stage, type PanelOptions } from './helpers.js';
import { call, chatWith, tool } from './tool-chat-stage.js';
import { fieldOf, find, findAll, frame, isChromium, part, said, until, words } from './looking.js';

const allow = { requestId: 'c1', digest: 'digest of c1', verdict: 'allow' };
const byWord = { ...allow, word: 'yes' };

function link(requestId: string, confirm: CardView['confirm'], change: Partial<Call> = {}): CardView {
  const asked = callOf(requestId, { risk: 'write', flags: ['chain'], ...change });
  return card(requestId, 'awaiting_approval', { call: asked, ...(confirm && { confirm }) });
}

async function chain(cards: CardView | CardView[], options: PanelOptions = {}) {
  const all = [cards].flat();
  const surface = new FakeSurface({
    ...{ isLoading: true, activities: ['awaitingApproval'], confirmWords: ['yes', '确认'] },
    views: [assistant('a1', ['Go on?', ...all.map(({ requestId }) => ({ call: requestId }))])],
    cards: Object.fromEntries(all.map((one) => [one.requestId, one])),
  });
  const confirms = (text: string) => ['yes', '确认'].includes(text.trim().toLowerCase());
  const { panel, decided } = await stage(surface, { conditions: { confirms }, height: Math.min(860, innerHeight), ...options });
  await armed(panel, part('deny-button'));
  for (const button of findAll(panel, part('approve-button'))) await arms(button);
  const composer = find<ToolChatComposer>(panel, 'tool-chat-composer') as ToolChatComposer;
  panel.focus();
  const settle = async () => {
    await frame();
    await composer.updateComplete;
    await panel.updateComplete;
  };
  /** Types, presses, and lets what comes of it be drawn. */
  const send = async (...pressed: string[]) => {
    await keys(...pressed, 'Enter');
    await settle();
  };
  const problem = () => find(panel, '.problem')?.textContent;
  return { surface, panel, decided, field: fieldOf(panel), composer, settle, send, problem, status: () => words(find(panel, '#status')) };
}

describe('a confirmation word', () => {
  // The other browsers have a window that is high enough.
  before(() => (isChromium ? setViewport({ width: 800, height: 900 }) : undefined));

  it('allows the call when a person types and sends it, once, also after corrections by hand', async () => {
    const { surface, decided, field, send, status } = await chain(link('c1', 'both'));
    expect(status()).to.equal(en.replyToContinue);
    await send('type: yea', 'Backspace', 'type: s');
    expect(decided).to.deep.equal([byWord]);
    expect([surface.asked, field.value], 'it is no message').to.deep.equal([[], '']);
    await send('type: yes');
    expect(decided, 'once').to.have.length(1);
  });

  it('counts by a click on “send”, too, and hides the button where only a word is to count', async () => {
    const { panel, decided, settle } = await chain(link('c1', 'keyword'));
    expect(find(panel, part('approve-button'))?.checkVisibility()).to.equal(false);
    await keys('type: yes');
    await settle();
    await click(find(panel, part('send-button')) as Element);
    expect(decided).to.deep.equal([byWord]);
    const other = await chain(link('c1', 'keyword'));
    await press(find(other.panel, part('deny-button')) as Element);
    expect(other.decided).to.deep.equal([{ ...allow, verdict: 'deny' }]);
  });

  it('is asked for one by one: no bar decides on several at once, as it does where buttons count, too', async () => {
    const ids = ['c1', 'c2', 'c3', 'c4'];
    const cards = Object.fromEntries(ids.map((id) => [id, link(id, 'keyword', { args: {} })]));
    const calls = ids.map((id) => ({ call: id }));
    const views = [assistant('a1', calls)];
    const surface = new FakeSurface({ isLoading: true, activities: ['awaitingApproval'], confirmWords: ['yes'], views, cards });
    const { panel } = await stage(surface);
    await until(() => findAll(panel, part('deny-button')).length === 4, 'it does not ask');
    expect(findAll(panel, 'tool-chat-batch').length).to.equal(0);
    for (const id of ids) surface.setCard(link(id, 'both', { args: {} }));
    await until(() => find(panel, part('approve-all-button')) !== undefined, 'there is no bar');
    surface.setCard(link('c4', 'keyword', { args: {} }));
    await until(() => find(panel, 'tool-chat-batch') === undefined, 'the bar decides on a call that only a word is to confirm');
  });

  for (const [where, confirm, text] of [
    ['something else is written', 'both', 'yes-no'],
    ['only buttons confirm', undefined, 'yes'],
  ] as const)
    it(`is a message like any other where ${where}`, async () => {
      const { surface, decided, send } = await chain(link('c1', confirm));
      await send(`type: ${text}`);
      expect([surface.asked, decided]).to.deep.equal([[`send ${text}`], []]);
    });

  it('is not enough for what could do harm: that needs its button, which is said, and nothing behind it is allowed instead', async () => {
    const cards = [link('c1', 'button', { risk: 'danger', args: {} }), link('c2', 'both', { args: {} })];
    const { surface, panel, decided, field, send, problem, status } = await chain(cards, { height: 720, width: 640 });
    expect(status()).to.equal(en.stepNeedsButton);
    await send('type: yes');
    expect([decided, surface.asked, field.value, problem()]).to.deep.equal([[], [], 'yes', en.stepNeedsButton]);
    await until(() => said(panel).join().includes(en.stepNeedsButton), 'the reason is not said');
    await press(await armedInView(panel, part('approve-button')));
    expect(decided).to.deep.equal([allow]);
  });

  it('waits for the whole question: not while it is hidden, moving, or unread', async () => {
    const { surface, panel, decided, settle, send, problem } = await chain(link('c1', 'both'));
    const list = find(panel, part('messages')) as HTMLElement;
    list.style.opacity = '0.1';
    await send('type: yes');
    expect([decided, surface.asked, problem()]).to.deep.equal([[], [], en.wordTooEarly]);
    list.style.opacity = '';
    await armed(panel, part('approve-button'));
    surface.setCard(link('c1', 'both', { digest: 'another', args: { task_id: 'x'.repeat(9000) } }));
    await settle();
    await send();
    expect(decided).to.deep.equal([]);
  });

  describe('from a script', () => {
    const written = (type: string) => new InputEvent(type, { bubbles: true, composed: true, data: 'yes', inputType: 'insertText' });

    it('allows nothing: a field that it filled, sent by a person', async () => {
      const { surface, decided, field, composer, settle, send, problem } = await chain(link('c1', 'both'));
      for (const fill of [
        () => void (composer.draft = 'yes'),
        () => {
          field.value = 'yes';
          field.dispatchEvent(written('input'));
        },
        () => {
          field.value = '';
          field.dispatchEvent(written('beforeinput'));
          field.setRangeText('yes');
          field.dispatchEvent(written('input'));
        },
      ]) {
        fill();
        await settle();
        field.focus();
        await send();
      }
      expect([decided, surface.asked, problem()]).to.deep.equal([[], [], en.wordNotTyped]);
    });

    for (const when of ['before', 'while the person’s input is on its way'])
      it(`allows nothing: a word of which the person typed only the end, the rest put there ${when}`, async () => {
        const { decided, field, send } = await chain(link('c1', 'both'));
        const put = () => {
          field.value = 'ye';
          field.setSelectionRange(2, 2);
        };
        if (when === 'before') put();
        else field.addEventListener('beforeinput', put, { once: true });
        await send('type: s');
        // Not every engine takes what a listener changes meanwhile.
        if (when === 'before') expect(field.value).to.equal('yes');
        expect(decided).to.deep.equal([]);
      });

    it('allows nothing: a word that a person typed and a script sends', async () => {
      const { surface, panel, decided, field, composer } = await chain(link('c1', 'both'));
      await keys('type: yes');
      await composer.updateComplete;
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, composed: true }));
      const button = find<HTMLButtonElement>(panel, part('send-button')) as HTMLButtonElement;
      button.click();
      const label = Object.assign(document.createElement('label'), { htmlFor: (button.id = 'lent'), textContent: 'Win a prize' });
      button.getRootNode().appendChild(label);
      await click(label);
      expect([decided, surface.asked.filter((one) => !one.startsWith('send'))]).to.deep.equal([[], []]);
    });

    it('allows nothing: built-ins that make a word of anything', async () => {
      const meant = { confirmKeywords: undefined, texts: en };
      const { decided } = await chain(link('c1', 'both'), { conditions: { confirms: (text) => isConfirmation(text, meant) } });
      const { trim, toLowerCase, normalize } = String.prototype;
      Object.assign(String.prototype, { trim: () => 'yes', toLowerCase: () => 'yes', normalize: () => 'yes' });
      try {
        await keys('type: no', 'Enter');
      } finally {
        Object.assign(String.prototype, { trim, toLowerCase, normalize });
      }
      expect(decided).to.deep.equal([]);
    });
  });

  it('goes through the whole widget: said by the person, not told to the model', async () => {
    const change = tool('change', { risk: 'write' });
    const { chat, model } = await chatWith([tool('look', { risk: 'query' }), change], { 'calls-per-turn': 'confirm-chain' });
    const { turn } = await model.begin('Go on', call('look'), call('change', { title: 'a' }));
    await armed(chat, part('approve-button'));
    fieldOf(chat).focus();
    await keys('type: yes', 'Enter');
    const { body } = await model.reply('All is done.');
    await turn;
    expect([change.ran, JSON.stringify(body).includes('"yes"')]).to.deep.equal([[{ title: 'a' }], false]);
    expect(findAll(chat, part('message-user'))).to.have.length(2);
  });
});
