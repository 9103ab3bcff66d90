/** A long kept conversation that comes back: its end first, the rest when it is wanted, and nothing acts on less than all of it (S0-153). */
import { expect } from 'chai';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { emptyConversation } from '../../src/storage/stored-conversation.js';
import { fresh, replace, until } from '../storage/helpers.js';
import { textMessage } from '../storage/sample.js';
import { closeAll, page, stored, type Page, type PageOptions, type Reply } from './kept.js';

const COUNT = 500;
const messages = Array.from({ length: COUNT }, (_, at) => textMessage(`m${at}`, at % 2 === 0 ? 'user' : 'assistant', `said ${at}`));
const all = messages.map(({ text }) => text);

describe('a long kept conversation', function () {
  this.timeout(60_000);

  let undo: (() => void)[] = [];
  /** Rows that came out of the table of conversations. */
  let rows = 0;
  /** A moment in which the page has nothing to do, which does not come by itself. */
  let quiet: (() => void) | undefined;
  /** What reading everything meets. */
  let broken: Error | undefined;

  beforeEach(() => {
    const before = Object.getOwnPropertyDescriptor(window, 'requestIdleCallback');
    quiet = broken = undefined;
    Object.defineProperty(window, 'requestIdleCallback', {
      configurable: true,
      value: (work: () => void) => {
        quiet = work;
        return 0;
      },
    });
    undo = [
      () => {
        if (before) Object.defineProperty(window, 'requestIdleCallback', before);
        else Reflect.deleteProperty(window, 'requestIdleCallback');
      },
      replace(
        IDBObjectStore.prototype,
        'getAll',
        (original) =>
          function (this: IDBObjectStore, ...given) {
            const request = original.apply(this, given) as IDBRequest<unknown[]>;
            if (this.name === 'conversations') request.addEventListener('success', () => (rows += request.result.length));
            return request;
          },
      ),
      replace(
        IDBObjectStore.prototype,
        'getAllKeys',
        (original) =>
          function (this: IDBObjectStore, ...given) {
            if (broken) throw broken;
            return original.apply(this, given) as IDBRequest<IDBValidKey[]>;
          },
      ),
    ];
  });
  afterEach(() => {
    closeAll();
    for (const each of undo) each();
  });

  async function write(id: string): Promise<void> {
    const store = createConversationStore({ sessionId: id, area: 'indexeddb' });
    store.save({ ...emptyConversation(id), messages });
    await store.close();
  }

  /** The next page, which shows the end and no more. */
  async function partly(replies: Reply[] = [], options: PageOptions = {}): Promise<Page & { id: string }> {
    const id = fresh('long');
    await write(id);
    rows = 0;
    const shown = page(id, replies, options);
    await until(() => shown.texts().length > 0);
    expect(shown.texts(), 'the end').to.deep.equal(all.slice(-60));
    return { ...shown, id };
  }

  /** What the page after that has. */
  async function afterwards(id: string): Promise<Page> {
    closeAll();
    const next = page(id);
    await until(() => next.texts().length > 0);
    quiet?.();
    await until(() => next.chat.messages.length > 0);
    return next;
  }

  it('shows its end, of which no more was read, and all of it once somebody scrolls up', async () => {
    const { chat, internals, view, texts } = await partly();
    expect(rows).to.equal(60);
    expect(chat.messages, 'a part is never given for the whole').to.deep.equal([]);
    internals.surface.readOn?.();
    await until(() => chat.messages.length === COUNT);
    expect(texts()).to.deep.equal(all);
    expect(view().prepended, 'they are known to stand before').to.equal(COUNT - 60);
    await chat.clear();
    expect(view().prepended).to.equal(undefined);
  });

  it('has all of it after a quiet moment', async () => {
    const { chat } = await partly();
    await until(() => quiet);
    quiet?.();
    await until(() => chat.messages.length === COUNT);
  });

  it('keeps all of it, and what is said before it was read', async () => {
    const { chat, id, asked, view } = await partly(['Answer.']);
    const sent = chat.sendMessage('And now?');
    expect(view().queue).to.deep.equal(['And now?']);
    expect((await sent).success).to.equal(true);
    expect(asked[0]?.messages.at(-1)?.text).to.equal('And now?');
    await stored(id, (found) => found?.messages.length === COUNT + 2);
    expect((await afterwards(id)).texts()).to.deep.equal([...all, 'And now?', 'Answer.']);
  });

  it('is edited, asked anew and rated in all of it', async () => {
    const edited = await partly(['Other.']);
    await edited.chat.editMessage('m490', 'Otherwise');
    expect(edited.chat.messages.map(({ text }) => text)).to.deep.equal([...all.slice(0, 490), 'Otherwise', 'Other.']);
    const anew = await partly(['Anew.']);
    await anew.chat.regenerate();
    expect(anew.chat.messages.map(({ text }) => text)).to.deep.equal([...all.slice(0, -1), 'Anew.']);
    const rated = await partly();
    rated.internals.surface.messageActions?.rate('m499', { value: 'up' });
    await until(() => rated.chat.messages.at(-1)?.metadata.feedback?.value === 'up');
    expect(rated.chat.messages).to.have.length(COUNT);
  });

  it('is exported whole, and an imported one takes its place', async () => {
    const { chat } = await partly();
    expect((await chat.exportSession()).messages.map(({ text }) => text)).to.deep.equal(all);
    const other = await partly();
    await other.chat.importSession(JSON.stringify([{ role: 'user', content: 'Only this' }]));
    expect(other.chat.messages.map(({ text }) => text)).to.deep.equal(['Only this']);
    await stored(other.id, (found) => found?.messages.length === 1);
  });

  it('is forgotten whole, and left for another', async () => {
    const { chat, id } = await partly();
    await chat.clear();
    expect(chat.messages).to.deep.equal([]);
    await stored(id, (found) => !found?.messages.length);
    const left = await partly();
    const other = await left.chat.newConversation();
    expect(other).not.to.equal(left.id);
    await left.chat.openConversation(left.id);
    expect(left.chat.messages).to.have.length(COUNT);
  });

  it('goes on with what another tab says', async () => {
    const { chat, id } = await partly(['Answer.']);
    const other = page(id);
    await until(() => !other.internals.surface.view.isLoading && other.texts().length > 0);
    await other.chat.sendMessage('From there');
    expect(chat.messages.map(({ text }) => text)).to.deep.equal([...all, 'From there', 'Answer.']);
    await until(() => other.texts().length === COUNT + 2);
    await stored(id, (found) => found?.messages.length === COUNT + 2);
  });

  it('is handed to another tab whole', async () => {
    const { id } = await partly();
    const other = page(id, ['Hello.'], { approval: 'auto' });
    other.tool('look', { risk: 'query' });
    await until(() => other.texts().length > 0);
    const result = await other.chat.executeToolManually({ type: 'tool_use', name: 'look', params: {}, partial: false });
    expect(result.status).to.equal('success');
    expect(other.chat.messages.slice(0, COUNT).map(({ text }) => text)).to.deep.equal(all);
  });

  it('is as it was where the page is left before the rest was read, also with a word in the field', async () => {
    const { id, internals, chat } = await partly();
    window.dispatchEvent(new PageTransitionEvent('pagehide'));
    closeAll();
    expect((await afterwards(id)).chat.messages).to.have.length(COUNT);
    expect(chat.messages).to.have.length(0);
    const again = await partly();
    again.internals.surface.draft?.('Dear');
    await until(() => again.chat.messages.length === COUNT);
    await stored(again.id, (found) => found?.draft === 'Dear' && found.messages.length === COUNT);
    expect(internals).not.to.equal(again.internals);
  });

  it('says so where the rest cannot be read, and reads it when that is tried again', async () => {
    const { chat, id, internals, notices, texts } = await partly();
    await until(() => quiet);
    broken = new DOMException('It broke.', 'UnknownError');
    quiet?.();
    await until(() => notices().length > 0);
    expect(notices()).to.deep.equal(['Earlier messages could not be read']);
    expect(texts()).to.have.length(60);
    broken = undefined;
    internals.surface.answerNotice('earlier', 'act');
    await until(() => chat.messages.length === COUNT);
    expect(notices()).to.deep.equal([]);
    expect((await afterwards(id)).chat.messages).to.have.length(COUNT);
  });

  it('is not written over where the rest cannot be read and somebody goes on', async () => {
    const { chat, id, notices } = await partly(['Answer.']);
    broken = new DOMException('It broke.', 'UnknownError');
    await chat.sendMessage('Anyone?');
    expect(chat.messages.map(({ text }) => text)).to.deep.equal(['Anyone?', 'Answer.']);
    expect(notices().join()).to.include('will be gone with this page');
    broken = undefined;
    expect((await afterwards(id)).texts()).to.deep.equal(all);
  });
});
