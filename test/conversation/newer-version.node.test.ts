/** What a newer version of this code has stored: shown, left alone, and never lost. In the storage of a tab; `conversation-store.browser.test.ts` has both. */
import { expect } from 'chai';
import { useSessionStorage } from '../helpers/session-storage.js';
import { fresh, rejection, until } from '../storage/helpers.js';
import { call, closeAll, page as openPage, type Page, type Reply } from './kept.js';

const RELOAD = 'The conversation was saved by a newer version: reload the page';

describe('a conversation that a newer version has stored', () => {
  const area = useSessionStorage();
  afterEach(closeAll);
  let id = '';
  beforeEach(() => (id = fresh('newer')));

  const page = (replies: Reply[] = []): Page => openPage(id, replies, { storage: 'session' });
  const key = () => `tool-chat:conversation:${id}`;
  const stored = () => JSON.parse(area.get(key()) ?? '{}') as { head: Record<string, unknown> };
  const change = (head: object) => area.set(key(), JSON.stringify({ ...stored(), head: { ...stored().head, ...head } }));

  /** Something was said, with a card that waits; then a newer version has stored it. */
  async function left(version = 2): Promise<string> {
    const before = page([call('pay', { amount: 5 })]);
    before.tool('pay');
    void before.chat.sendMessage('Pay');
    await before.card();
    await until(() => area.get(key())?.includes('awaiting_approval'));
    before.leave();
    await new Promise((resolve) => setTimeout(resolve)); // its last write is over
    change({ version, mood: 'of a later day' });
    return area.get(key())!;
  }

  it('is shown, with a sentence; nothing is sent, run or written, and what was typed stands in the field again', async () => {
    const text = await left();
    const old = page(['Never.']);
    old.tool('pay');
    await until(() => old.notices().length > 0);
    expect([old.texts(), old.notices()]).to.deep.equal([['Pay'], [RELOAD]]);
    old.decide('allow', await old.card());
    old.internals.surface.send('And this?');
    await until(() => old.view().draft === 'And this?');
    expect(await rejection(old.chat.sendMessage('That?'))).to.include({ code: 'STORAGE', reason: 'newer' });
    old.leave();
    expect([old.asked, old.runs, area.get(key())]).to.deep.equal([[], [], text]);
    // The newer version goes on where it was.
    change({ version: 1 });
    const next = page();
    next.tool('pay');
    expect((await next.card()).call?.args).to.deep.equal({ amount: 5 });
  });

  it('is none when the version is the same', async () => {
    await left(1);
    const next = page(['Paid.']);
    next.tool('pay');
    next.decide('allow', await next.card());
    await until(() => next.texts().includes('Paid.'));
    expect(next.notices()).to.deep.equal([]);
  });
});
