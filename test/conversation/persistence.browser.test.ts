// engines: storage
/** Conversations that outlive their page: reload, crash, the next page, a storage that fails (X-14, X-17, S4-56, faults.md D and E). */
import { ToolError } from '../../src/base/errors.js';
import { expect } from 'chai';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { emptyConversation } from '../../src/storage/stored-conversation.js';
import { breaking, fresh, replace, until } from '../storage/helpers.js';
import { textMessage } from '../storage/sample.js';
import { call, closeAll, everything, forever, frame, left, page, stored, type Page, type PageOptions, type Reply } from './kept.js';

const leavePage = () => dispatchEvent(new PageTransitionEvent('pagehide'));
const pay = call('pay', { amount: 5 });

describe('a kept conversation, after a reload', () => {
  afterEach(closeAll);
  let id = '';
  beforeEach(() => (id = fresh('kept')));

  it('shows what was said, and waits with what is sent before it is loaded', async () => {
    await left(id, ['Hello!'], 'Hi');
    const after = page(id, ['Again!']);
    const sent = after.chat.sendMessage('second');
    expect([after.chat.isLoading, after.view().queue]).to.deep.equal([true, ['second']]);
    expect([(await sent).success, after.view().queue]).to.deep.equal([true, []]);
    expect(after.texts()).to.deep.equal(['Hi', 'Hello!', 'second', 'Again!']);
    expect(after.asked.map(({ messages }) => messages.map(({ text }) => text))).to.deep.equal([['Hi', 'Hello!', 'second']]);
  });

  it('D76 shows a card that waited, a sentence and a queue; runs nothing by itself, and goes on after the click', async () => {
    const before = page(id, [`I will. ${pay}`], { register: { pay: {} } });
    await before.ask();
    void before.chat.sendMessage('and then');
    before.internals.surface.draft?.('half a sen');
    before.leave();
    // Whatever the page allows by now.
    const after = page(id, ['Paid.', 'Then what?'], { approval: 'auto' });
    await until(() => after.cards()[0]?.progress?.message?.startsWith('Waiting for this page'));
    after.tool('pay');
    const card = await after.card();
    expect(after.view()).to.deep.include({ draft: 'half a sen', queue: ['and then'] });
    expect(card.call).to.deep.include({ toolName: 'pay', args: { amount: 5 } });
    expect(card.call?.reason).to.include('Needs approval again');
    expect([after.runs.length, after.asked.length]).to.deep.equal([0, 0]);
    after.decide('allow', card);
    await after.said('Then what?');
    expect(after.texts()).to.deep.equal(['Pay', 'I will.', 'Paid.', 'and then', 'Then what?']);
    expect(after.runs).to.deep.equal([{ name: 'pay', args: { amount: 5 }, requestId: card.requestId }]);
    expect(before.runs).to.have.length(0);
    expect(after.asked[0]?.messages.at(-1)?.text).to.include('pay done');
  });

  it('D74 says of a call that was at work when its page was killed that it was interrupted, to the model, too, and never runs it once more', async () => {
    const inside = await frame();
    const killed = page(id, [pay], { frame: inside, approval: 'auto', register: { pay: { execute: forever } } });
    void killed.chat.sendMessage('Pay');
    await killed.card('executing');
    inside.kill();
    const next = page(id, ['So.'], { approval: 'auto', register: { pay: {} } });
    await next.said('So.');
    expect([next.statuses(), next.runs]).to.deep.equal([['interrupted'], []]);
    expect(next.asked[0]?.messages.at(-1)?.text).to.include('status="interrupted"');
  });

  it('stores a draft once, after the last key, or when the page is left (S0-152)', async () => {
    const one = page(id, ['Hello!']);
    await one.chat.sendMessage('Hi');
    await stored(id, (found) => found?.messages[1]?.text === 'Hello!');
    const writes: string[] = [];
    const undo = replace(
      Storage.prototype,
      'setItem',
      (original) =>
        function (this: Storage, key: string, text: string) {
          if (key.includes('draft')) writes.push(text);
          original.call(this, key, text);
        },
    );
    try {
      for (let at = 1; at <= 20; at++) one.internals.surface.draft?.('twenty keys in a row'.slice(0, at));
      await until(() => writes.length > 0);
      one.internals.surface.draft?.('left in mid-word');
      leavePage();
      expect(writes).to.deep.equal(['twenty keys in a row', 'left in mid-word']);
      dispatchEvent(new PageTransitionEvent('pageshow'));
    } finally {
      undo();
    }
  });

  it('shows the same cards, offers the same to do about them, and tells the model the same', async () => {
    const undone: unknown[] = [];
    const tools: PageOptions['register'] = {
      pay: { undo: ({ requestId }) => Promise.resolve(void undone.push(requestId)) },
      fail: { risk: 'write', execute: () => Promise.reject(new ToolError('No.')) },
      look: { risk: 'query' },
    };
    const register = (one: Page) => Object.entries(tools).forEach(([name, more]) => void one.tool(name, more));
    const replies = [call('look') + pay, call('fail', { amount: 1 }), 'Over.'];
    const before = page(id, replies, { callsPerTurn: 'confirm-chain', register: tools });
    before.decide('allow', await before.ask());
    const link = await until(() => before.cards().find((card) => card.toolName === 'fail' && card.status === 'awaiting_approval'));
    before.decide('allow', link, { word: 'yes' });
    await until(() => before.texts().includes('Over.') && before.cards()[1]?.undo && before.cards()[2]?.edit);
    const shown = { cards: before.cards(), texts: before.texts() };
    expect(shown.texts).to.include('yes');
    const offers = shown.cards.map(({ status, undo, edit }) => `${status} ${String(undo ?? typeof edit)}`);
    expect(offers.join()).to.equal('success undefined,success offered,error object');
    await before.idle();
    before.leave();
    const after = page(id, ['On.'], { callsPerTurn: 'confirm-chain' });
    await until(() => after.cards().length === 3);
    expect(after.cards().filter(({ undo, edit }) => undo ?? edit)).to.deep.equal([]);
    register(after);
    await until(() => after.cards()[1]?.undo && after.cards()[2]?.edit);
    expect({ cards: after.cards(), texts: after.texts() }).to.deep.equal(shown);
    await after.chat.sendMessage('And?');
    expect(after.asked[0]?.messages.slice(0, -2)).to.deep.equal(before.asked.at(-1)?.messages);
    const { requestId } = shown.cards[1]!;
    await after.chat.undo(requestId);
    expect(undone).to.deep.equal([requestId]);
    after.leave();
    const third = page(id, [], { register: tools });
    await until(() => third.cards()[2]?.edit);
    expect(third.cards()[1]).to.include({ status: 'undone' }).and.not.have.property('undo');
  });

  it('knows of an undo in whose middle the page crashed, and does not undo a second time', async () => {
    await left(id, [pay, 'Paid.'], 'Pay', { approval: 'auto', register: { pay: { undo: forever } } });
    const inside = await frame();
    // A crash says nothing.
    for (const type of ['pagehide', 'visibilitychange', 'freeze'])
      inside.window.addEventListener(type, (event) => event.stopImmediatePropagation(), true);
    let times = 0;
    const undo = () => {
      times += 1;
      inside.kill();
      return forever();
    };
    const crashes = page(id, [], { frame: inside, register: { pay: { undo } } });
    await until(() => crashes.cards()[0]?.undo === 'offered');
    void crashes.chat.undo(crashes.cards()[0]!.requestId).catch(() => undefined);
    await until(() => times === 1);
    const after = page(id, [], { register: { pay: { undo: () => Promise.resolve(void (times += 1)) } } });
    await until(() => after.cards()[0]?.undo !== undefined);
    await after.chat.undo(after.cards()[0]!.requestId).catch(() => undefined);
    expect(times).to.equal(1);
  });

  it('asks for the arguments that a person had written', async () => {
    const tools = { pay: {} };
    const before = page(id, [pay], { register: tools });
    before.decide('allow', await before.ask(), { verdict: 'edit', args: { amount: 7 } });
    await until(() => before.cards()[0]?.call?.args['amount'] === 7);
    before.leave();
    const after = page(id, ['Paid.'], { approval: 'auto', register: tools });
    const card = await after.card();
    expect([card.call?.args, card.edited]).to.deep.equal([{ amount: 7 }, [{ label: 'amount', before: 5, after: 7 }]]);
    after.decide('allow', card);
    await after.said('Paid.');
    expect(after.runs.map(({ args }) => args)).to.deep.equal([{ amount: 7 }]);
    expect(after.asked[0]?.messages.at(-1)?.text).to.include('7');
  });

  it('keeps what is granted for always, for the very same tool', async () => {
    const noting = (tool = {}) =>
      page(id, [call('note'), 'Noted.'], { approval: 'always', register: { note: { risk: 'write', ...tool } } });
    const one = noting();
    const card = await one.ask('Note');
    const always = card.offers!.findIndex((offer) => offer.includes('always'));
    expect(always).to.be.at.least(0);
    one.decide('allow', card, { remember: always });
    await one.said('Noted.');
    one.leave();
    const two = noting();
    await until(() => two.chat.grants.length === 1);
    await two.chat.sendMessage('Note');
    expect([two.runs.length, two.cards().at(-1)?.call?.decidedBy]).to.deep.equal([1, 'grant']);
    two.leave();
    const changed = noting({ description: 'Something else.' });
    await until(() => changed.chat.grants.length === 1);
    await changed.ask('Note');
    expect(changed.runs).to.have.length(0);
  });

  for (const forget of ['clear', 'forget'] as const)
    it(`is forgotten by ${forget}() before it is loaded`, async () => {
      await left(id, [pay, 'Paid.'], 'Pay secretly', { approval: 'auto', register: { pay: {} } });
      await stored(id, (found) => found?.messages.length === 4);
      const after = page(id, ['x']);
      await after.chat[forget]();
      expect(after.texts()).to.deep.equal([]);
      expect(await everything(id)).to.not.match(/secretly|Paid/);
      after.leave();
      const third = page(id, ['Hello!']);
      await third.chat.sendMessage('Hi');
      expect(third.texts()).to.deep.equal(['Hi', 'Hello!']);
    });

  it('is not written over where it could not be read', async () => {
    await left(id, ['Hello!'], 'Hi');
    await stored(id, (found) => found?.messages.length === 2);
    const mend = breaking(IDBDatabase.prototype, 'transaction', 'UnknownError');
    const blind = page(id, ['Who are you?']);
    await blind.chat.sendMessage('Hi again');
    mend();
    blind.leave();
    const after = page(id);
    await until(() => after.texts().length === 2);
    expect(after.texts()).to.deep.equal(['Hi', 'Hello!']);
  });
});

describe('a long kept conversation (S0-153)', () => {
  const COUNT = 500;
  const messages = Array.from({ length: COUNT }, (_, at) => textMessage(`m${at}`, at % 2 === 0 ? 'user' : 'assistant', `said ${at}`));
  const all = messages.map(({ text }) => text);
  let undo: (() => void)[] = [];
  /** What reading everything meets. */
  let broken: Error | undefined;
  const itBroke = new DOMException('It broke.', 'UnknownError');

  beforeEach(() => {
    broken = undefined;
    const before = Object.getOwnPropertyDescriptor(window, 'requestIdleCallback');
    // A moment in which the page has nothing to do never comes by itself.
    Object.defineProperty(window, 'requestIdleCallback', { configurable: true, value: () => 0 });
    const fails = replace(
      IDBObjectStore.prototype,
      'getAllKeys',
      (original) =>
        function (this: IDBObjectStore, ...given) {
          if (broken) throw broken;
          return original.apply(this, given) as IDBRequest<IDBValidKey[]>;
        },
    );
    const restore = () => {
      if (before) Object.defineProperty(window, 'requestIdleCallback', before);
      else Reflect.deleteProperty(window, 'requestIdleCallback');
    };
    undo = [fails, restore];
  });
  afterEach(() => {
    closeAll();
    for (const each of undo) each();
  });

  /** The next page, which shows the end and no more. */
  async function partly(replies: Reply[] = []): Promise<Page & { id: string }> {
    const id = fresh('long');
    const store = createConversationStore({ sessionId: id, area: 'indexeddb' });
    store.save({ ...emptyConversation(id), messages });
    await store.close();
    const shown = page(id, replies);
    await until(() => shown.texts().length > 0);
    expect(shown.texts(), 'the end').to.deep.equal(all.slice(-60));
    expect(shown.chat.messages, 'a part is never given for the whole').to.deep.equal([]);
    return { ...shown, id };
  }

  /** What the page after that has. */
  async function afterwards(id: string): Promise<string[]> {
    closeAll();
    const next = page(id);
    await until(() => next.texts().length > 0);
    next.internals.surface.readOn?.();
    await until(() => next.chat.messages.length > 0);
    return next.texts();
  }

  it('shows its end, and all of it once somebody scrolls up', async () => {
    const { chat, internals, view, texts } = await partly();
    internals.surface.readOn?.();
    await until(() => chat.messages.length === COUNT);
    expect(texts()).to.deep.equal(all);
    expect(view().prepended, 'they are known to stand before').to.equal(COUNT - 60);
    await chat.clear();
    expect(view().prepended).to.equal(undefined);
  });

  it('keeps all of it, and what is said or edited before it was read', async () => {
    const { chat, id, asked } = await partly(['Answer.', 'Other.']);
    expect((await chat.sendMessage('And now?')).success).to.equal(true);
    expect(asked[0]?.messages.at(-1)?.text).to.equal('And now?');
    expect(await afterwards(id)).to.deep.equal([...all, 'And now?', 'Answer.']);
    const edited = await partly(['Other.']);
    await edited.chat.editMessage('m490', 'Otherwise');
    expect(edited.chat.messages.map(({ text }) => text)).to.deep.equal([...all.slice(0, 490), 'Otherwise', 'Other.']);
    const exported = await partly();
    expect((await exported.chat.exportSession()).messages.map(({ text }) => text)).to.deep.equal(all);
  });

  it('is as it was where the page is left before the rest was read, also with a word in the field', async () => {
    const { id } = await partly();
    leavePage();
    expect(await afterwards(id)).to.deep.equal(all);
    const again = await partly();
    again.internals.surface.draft?.('Dear');
    again.leave();
    const back = page(again.id);
    await until(() => back.view().draft === 'Dear');
    expect(await afterwards(again.id)).to.deep.equal(all);
  });

  it('says so where the rest cannot be read, reads it when it is tried again, and is not written over where somebody goes on', async () => {
    const { chat, internals, texts, notices } = await partly();
    broken = itBroke;
    internals.surface.readOn?.();
    await until(() => notices().includes('Earlier messages could not be read'));
    expect(texts()).to.deep.equal(all.slice(-60));
    broken = undefined;
    internals.surface.answerNotice('earlier', 'act');
    await until(() => chat.messages.length === COUNT);
    expect(notices()).to.deep.equal([]);
    const blind = await partly(['Answer.']);
    broken = itBroke;
    await blind.chat.sendMessage('Anyone?');
    expect(blind.chat.messages.map(({ text }) => text)).to.deep.equal(['Anyone?', 'Answer.']);
    expect(blind.notices().join()).to.include('is not saved');
    broken = undefined;
    expect(await afterwards(blind.id)).to.deep.equal(all);
  });
});
