/** A long conversation that comes back: when the rest is read, and what becomes of it where that fails (S0-153). */
import { expect } from 'chai';
import { createNotices } from '../../src/conversation/chart/notices.js';
import { createShownEnd } from '../../src/conversation/keeping/shown-end.js';
import { createTabState } from '../../src/conversation/keeping/tab-machine.js';
import { en } from '../../src/i18n/en.js';
import { StorageError } from '../../src/storage/storage-error.js';
import { emptyConversation, type StoredConversation } from '../../src/storage/stored-conversation.js';
import { textMessage } from '../storage/sample.js';

const end = { messages: [textMessage('u9', 'user')], parts: {}, calls: [] };
const whole: StoredConversation = { ...emptyConversation('long'), messages: [textMessage('u1', 'user'), ...end.messages] };
const slow = () => new StorageError('slow', '');
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('the end that is shown of a long conversation', () => {
  let quiet: (() => void) | undefined;
  beforeEach(() => {
    quiet = undefined;
    // A quiet moment never comes by itself.
    Object.assign(globalThis, { requestIdleCallback: (work: () => void) => (quiet = work) });
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'requestIdleCallback');
  });

  /** `reads`: the results of reading everything, one after the other. */
  function bench(reads: (StoredConversation | StorageError)[] = [whole]) {
    const tab = createTabState();
    tab.send('lead.won');
    const asked: string[] = [];
    const reported: string[] = [];
    const notices = createNotices(() => undefined);
    let isOver = false;
    const read = async () => {
      asked.push('all');
      const next = reads.shift();
      if (next instanceof StorageError) throw next;
      return next;
    };
    const store = { load: read, read, end: async () => (asked.push('end'), end) };
    const shown = createShownEnd({ notices, happens: () => undefined }, store, tab, ({ reason }) => reported.push(reason));
    const leave = () => {
      isOver = true;
      tab.send('leave');
      shown.drop();
    };
    const said = () => notices.list(en);
    return { shown, tab, asked, reported, said, leave, again: () => notices.answer('earlier', 'act'), all: shown.readAll(() => isOver) };
  }

  it('is there until everything is read, which happens in a quiet moment', async () => {
    const { shown, tab, asked, all } = bench();
    await settled();
    expect(shown.context?.messages).to.deep.equal(end.messages);
    expect(tab.is('joining')).to.equal(true);
    expect(asked).to.deep.equal(['end']);
    quiet?.();
    expect(await all).to.equal(whole);
    tab.send('taken.up');
    expect(shown.context).to.equal(undefined);
  });

  it('stays where the rest cannot be read, says so, and reads it when it is tried again', async () => {
    const { shown, all, said, again, reported } = bench([slow(), slow(), whole]);
    await settled();
    quiet?.();
    for (let tries = 0; tries < 2; tries += 1) {
      await settled();
      expect(said()).to.deep.equal([{ id: 'earlier', text: 'Earlier messages could not be read', action: 'Retry' }]);
      expect(shown.context?.messages).to.have.length(1);
      again();
    }
    expect(await all).to.equal(whole);
    expect(reported).to.deep.equal([]);
  });

  for (const [reason, reads, notices] of [
    ['slow', [slow(), slow()], 1],
    ['damaged', [new StorageError('damaged', '')], 0],
  ] as const)
    it(`is given up where the rest is needed, or at once where it was set aside, with the reason “${reason}”`, async () => {
      const { shown, all, reported, said } = bench([...reads]);
      await settled();
      quiet?.();
      await settled();
      expect(said()).to.have.length(notices);
      shown.need();
      expect(await all).to.equal(undefined);
      expect(reported).to.deep.equal([reason]);
    });

  it('is gone with the page, and nothing is read for it', async () => {
    const { shown, all, asked, leave } = bench();
    await settled();
    leave();
    expect(await all).to.equal(undefined);
    expect(shown.context).to.equal(undefined);
    expect(asked).to.deep.equal(['end']);
  });
});
