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

/** A quiet moment never comes by itself. `reads`: what reading everything gives, one after the other. */
function bench(reads: (StoredConversation | StorageError)[] = [whole], { found = end as typeof end | null, follows = false } = {}) {
  const tab = createTabState();
  if (follows) tab.send('lead.elsewhere');
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
  const store = { load: read, read, end: async () => (asked.push('end'), found ?? undefined) };
  const shown = createShownEnd({ notices, happens: () => undefined }, store, tab, ({ reason }) => reported.push(reason));
  const all = shown.readAll(() => isOver);
  return {
    ...{ shown, tab, asked, reported, all },
    said: () => notices.list(en),
    again: () => notices.answer('earlier', 'act'),
    leave() {
      isOver = true;
      tab.send('leave');
      shown.drop();
    },
    settled: () => new Promise((resolve) => setTimeout(resolve)),
  };
}

describe('the end that is shown of a long conversation', () => {
  let quiet: (() => void) | undefined;
  beforeEach(() => {
    quiet = undefined;
    Object.assign(globalThis, { requestIdleCallback: (work: () => void) => (quiet = work) });
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'requestIdleCallback');
  });

  it('stands there until everything is read, which happens in a quiet moment', async () => {
    const { shown, tab, asked, all, settled } = bench();
    await settled();
    expect(shown.context?.messages).to.deep.equal(end.messages);
    expect(tab.is('joining')).to.equal(true);
    expect(asked).to.deep.equal(['end']);
    quiet?.();
    expect(await all).to.equal(whole);
    tab.send('taken.up');
    expect(shown.context).to.equal(undefined);
  });

  for (const how of ['readOn', 'need'] as const)
    it(`is followed by the rest as soon as somebody calls ${how}()`, async () => {
      const { shown, all, settled } = bench();
      await settled();
      shown[how]();
      expect(await all).to.equal(whole);
    });

  it('keeps nobody waiting who needed all of it before it was there', async () => {
    const { shown, all } = bench();
    shown.need();
    expect(await all).to.equal(whole);
  });

  it('is not there where there is none, and none is asked for while another tab is shown', async () => {
    for (const [options, expected] of [
      [{ found: null }, ['end', 'all']],
      [{ follows: true }, ['all']],
    ] as const) {
      const { all, asked } = bench([whole], options);
      expect(await all).to.equal(whole);
      expect(asked).to.deep.equal(expected);
    }
  });

  it('stays where the rest cannot be read, says so, and reads it when it is tried again', async () => {
    const { shown, all, said, again, reported, settled } = bench([new StorageError('slow', ''), new StorageError('slow', ''), whole]);
    await settled();
    quiet?.();
    await settled();
    expect(said()).to.deep.equal([{ id: 'earlier', text: 'Earlier messages could not be read', action: 'Retry' }]);
    expect(shown.context?.messages).to.have.length(1);
    again();
    await settled();
    expect(said()).to.have.length(1);
    again();
    expect(await all).to.equal(whole);
    expect(reported).to.deep.equal([]);
  });

  it('is given up with a word where somebody needs the rest and it cannot be read', async () => {
    const { shown, all, reported, settled } = bench([new StorageError('slow', ''), new StorageError('slow', '')]);
    await settled();
    quiet?.();
    await settled();
    shown.need();
    expect(await all).to.equal(undefined);
    expect(reported).to.deep.equal(['slow']);
  });

  it('is given up at once where the rest was set aside', async () => {
    const { all, reported, said, settled } = bench([new StorageError('damaged', '')]);
    await settled();
    quiet?.();
    expect(await all).to.equal(undefined);
    expect(reported).to.deep.equal(['damaged']);
    expect(said()).to.deep.equal([]);
  });

  it('is gone with the page, and nothing is read for it', async () => {
    const { shown, all, asked, leave, settled } = bench();
    await settled();
    leave();
    expect(await all).to.equal(undefined);
    expect(shown.context).to.equal(undefined);
    expect(asked).to.deep.equal(['end']);
  });
});
