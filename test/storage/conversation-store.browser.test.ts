import { expect } from 'chai';
import { createConversationStore, type ConversationStoreOptions } from '../../src/storage/conversation-store.js';
import { createDatabase } from '../../src/storage/indexeddb.js';
import type { NewerError } from '../../src/storage/conversation-area.js';
import { StorageError } from '../../src/storage/storage-error.js';
import { emptyConversation, type StoredConversation } from '../../src/storage/stored-conversation.js';
import { isFullEffort } from '../helpers/effort.js';
import { breaking, fresh, reasonOf, replace, resultOf } from './helpers.js';
import { callOf, fullConversation, textMessage } from './sample.js';

const areas = ['session', 'indexeddb'] as const;
type Area = (typeof areas)[number];

let sessionId = '';
beforeEach(() => (sessionId = fresh('session')));

/** A page that has opened the conversation of this test. */
function open(area: ConversationStoreOptions['area'] = 'indexeddb', more: Partial<ConversationStoreOptions> = {}) {
  const problems: StorageError[] = [];
  const store = createConversationStore({ sessionId, area, everyMs: 0, onProblem: (problem) => problems.push(problem), ...more });
  return {
    ...{ store, problems },
    reasons: () => problems.map(reasonOf),
    /** Whole, or what makes it another than an empty one. */
    async write(stored: Partial<StoredConversation>): Promise<void> {
      store.save({ ...emptyConversation(sessionId), ...stored });
      await store.flush();
    },
  };
}

/** What a page that is loaded now finds. */
const loaded = (area?: ConversationStoreOptions['area']) => open(area).store.load();

/** Counts the calls of these methods of the storage while `work` runs. */
async function callsDuring(work: () => Promise<unknown>, owner: object, ...names: string[]): Promise<number> {
  let calls = 0;
  const undo = names.map((name) =>
    replace(
      owner as Record<string, (...given: unknown[]) => unknown>,
      name,
      (original) =>
        function (this: unknown, ...given) {
          calls += 1;
          return original.apply(this, given);
        },
    ),
  );
  await work().finally(() => undo.forEach((one) => one()));
  return calls;
}

const writesDuring = (work: () => Promise<void>, area: Area = 'indexeddb') =>
  area === 'session' ? callsDuring(work, Storage.prototype, 'setItem') : callsDuring(work, IDBObjectStore.prototype, 'put');

for (const area of areas)
  describe(`the conversation in ${area === 'session' ? 'the session' : 'the database'}`, () => {
    it('comes back as it was', async () => {
      const { store, problems, write } = open(area);
      expect(await store.load()).to.equal(undefined);
      const stored = fullConversation(sessionId);
      await write(stored);
      const next = open(area);
      expect(await next.store.load()).to.deep.equal(stored);
      sessionId = fresh('session');
      expect(await loaded(area)).to.equal(undefined);
      expect([...problems, ...next.problems]).to.deep.equal([]);
    });

    it('is saved without being asked to, each time that it changes', async () => {
      const { store } = open(area);
      for (const draft of ['a', 'b']) {
        store.save({ ...emptyConversation(sessionId), draft });
        while ((await loaded(area))?.draft !== draft) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });

    it('drops what is no data: elements, functions, fields it does not know', async () => {
      const call = { ...callOf('c'), starting: true, byPerson: true, params: { amount: 5, run: () => 1 } };
      const change = { label: 'Text', before: document.body, target: document.body };
      const checked = { ...fullConversation(sessionId).calls[0]!.call!, preview: [change] };
      await open(area).write({ calls: [{ ...call, call: checked }] });
      const [back] = (await loaded(area))?.calls ?? [];
      expect(back).not.to.have.any.keys('starting', 'byPerson');
      expect(back?.params).to.deep.equal({ amount: 5, run: '[Function]' });
      expect(back?.call?.preview).to.deep.equal([{ label: 'Text', before: '[HTMLBodyElement]' }]);
    });

    it('sets damaged data aside, says so, and loses none of it', async () => {
      const damage = async (draft: string) => {
        await open(area).write({ draft });
        await tamper(area, (head) => ({ ...head, queue: 'none' }));
      };
      await damage('first');
      const one = open(area);
      expect([await one.store.load(), one.reasons()]).to.deep.equal([undefined, ['damaged']]);
      expect(one.problems[0]?.message).to.contain('queue: a list');
      expect(await one.store.load(), 'and it is gone').to.equal(undefined);
      await damage('second');
      expect(await loaded(area)).to.equal(undefined);
      expect(JSON.stringify(await setAside(area)))
        .to.contain('first')
        .and.to.contain('second');
      await one.store.clear();
      expect(await setAside(area)).to.equal(undefined);
    });

    it('leaves alone what a newer version wrote, and gives as much of it as it can read', async () => {
      await open(area).write({ draft: 'mine' });
      await tamper(area, (head) => ({ ...head, version: 2, mood: 'new' }));
      const next = open(area);
      expect([await next.store.load(), next.reasons()]).to.deep.equal([undefined, ['newer']]);
      expect((next.problems[0] as NewerError).stored?.draft).to.equal('mine');
      await next.write({ draft: 'other' });
      window.dispatchEvent(new PageTransitionEvent('pagehide'));
      await tamper(area, (head) => ({ ...head, version: 1 }));
      expect((await loaded(area))?.draft).to.equal('mine');
      expect(await setAside(area)).to.equal(undefined);
      await next.store.clear();
      await next.write({ draft: 'other' });
      expect((await loaded(area))?.draft).to.equal('other');
    });

    it('goes on without storage', async () => {
      const undo =
        area === 'session'
          ? breaking(Storage.prototype, 'getItem', 'SecurityError')
          : breaking(IDBFactory.prototype, 'open', 'SecurityError');
      try {
        const { store, problems, reasons } = open(area, area === 'session' ? {} : { database: createDatabase() });
        expect(await store.load()).to.equal(undefined);
        expect([problems[0] instanceof StorageError, reasons()]).to.deep.equal([true, ['unavailable']]);
      } finally {
        undo();
      }
    });
  });

describe('the conversation in the session', () => {
  it('keeps nothing rather than half of what is too long, and says so once', async () => {
    const { reasons, write } = open('session');
    await write({ draft: 'short' });
    for (let nth = 0; nth < 2; nth += 1) await write({ draft: 'x'.repeat(2_000_000) });
    expect([await loaded('session'), reasons()]).to.deep.equal([undefined, ['full']]);
    await write({ draft: 'short again' });
    expect((await loaded('session'))?.draft).to.equal('short again');
    sessionStorage.clear();
  });
});

describe('the conversation in the database', () => {
  const long = (length: number): StoredConversation => ({
    ...emptyConversation(sessionId),
    messages: Array.from({ length }, (_, nth) => textMessage(`m${String(nth)}`, nth % 2 ? 'assistant' : 'user', 'word '.repeat(50))),
  });

  it('writes nothing again that a page before it has written, however many there were', async () => {
    const first = { ...long(200), calls: [callOf('c1')] };
    await open().write(first);
    let messages = [...first.messages];
    const puts: number[] = [];
    for (let page = 0; page < 20; page += 1) {
      const next = open();
      const back = await next.store.load();
      expect(back).to.deep.equal({ ...first, messages });
      messages = [...back!.messages, textMessage(`page ${String(page)}`, 'user')];
      const gets = await callsDuring(
        async () => void puts.push(await writesDuring(() => next.write({ ...back!, messages }))),
        IDBObjectStore.prototype,
        'get',
      );
      expect(gets, 'what it reads in between').to.equal(2);
      expect(next.problems).to.deep.equal([]);
    }
    // Now and then all of it, so that the rows of many hands become those of one.
    expect(puts.filter((count) => count > 2).length).to.be.within(1, 4);
  });

  it('does not take for its own what the page before wrote after it was read', async () => {
    const [before, now] = [open(), open()];
    await before.write(long(20));
    const back = (await now.store.load())!;
    await now.write({ ...back, draft: 'x' });
    const key = ['live', sessionId, 'messages', 3];
    const row = (await rawRead(key)) as { by: string; at: number };
    // As it would be if it had stood still in the middle of writing.
    await rawWrite((table) => table.put({ ...row, at: row.at + 1, row: { message: textMessage('late', 'user') } }, key));
    const next = open();
    expect([await next.store.load(), next.reasons()]).to.deep.equal([undefined, ['damaged']]);
  });

  it('writes all of it where another tab has written since it was read, and never mixes what two wrote', async () => {
    const [one, other] = [open(), open()];
    const stored = long(20);
    await one.write(stored);
    const back = (await other.store.load())!;
    await one.write({ ...stored, messages: [...stored.messages.slice(0, 5), textMessage('of one', 'user')] });
    await other.write({ ...back, draft: 'of the other' });
    expect(await loaded()).to.deep.equal({ ...stored, draft: 'of the other' });
    await Promise.all([one.write(long(30)), other.write(long(10))]);
    expect([10, 30]).to.include((await loaded())?.messages.length);
  });

  it('does not read rows that belong to several writers, or lack one', async () => {
    type At = (...rest: (string | number)[]) => IDBValidKey;
    for (const spoil of [
      (table: IDBObjectStore, at: At) => table.delete(at('messages', 3)),
      (table: IDBObjectStore, at: At) => table.put({ by: 'other', row: { message: textMessage('m3', 'user') } }, at('messages', 3)),
      (table: IDBObjectStore, at: At) => table.put('?', at('unknown', 3)),
    ]) {
      await open().write(long(10));
      await rawWrite((table) => spoil(table, (...rest) => ['live', sessionId, ...rest]));
      const next = open();
      expect([await next.store.load(), next.reasons()]).to.deep.equal([undefined, ['damaged']]);
      sessionId = fresh('session');
    }
  });

  it('reads the last words of a page whose last transaction did not get through, and only if they are the last', async () => {
    const { store, write } = open();
    const reload = async () => (await loaded())?.draft;
    await write({ draft: 'written' });
    store.save({ ...emptyConversation(sessionId), draft: 'said' });
    const undo = breaking(IDBDatabase.prototype, 'transaction', 'InvalidStateError');
    dispatchEvent(new PageTransitionEvent('pagehide'));
    undo();
    expect(await reload()).to.equal('said');
    expect(await reload(), 'until something is written').to.equal('said');
    const key = `tool-chat:farewell:${sessionId}`;
    const words = sessionStorage.getItem(key) ?? '';
    sessionStorage.setItem(key, words.replace('"format"', '"other"'));
    expect(await reload(), 'unreadable words').to.equal('written');
    sessionStorage.setItem(key, words);
    await write({ draft: 'written later' });
    expect(sessionStorage.getItem(key)).to.equal(null);
    sessionStorage.setItem(key, words);
    expect(await reload(), 'older words').to.equal('written later');
    await store.clear();
    expect(await reload()).to.equal(undefined);
  });

  it('E87 goes on when the quota is used up, says so once, and again after it worked', async () => {
    const { reasons, write } = open();
    await write({ draft: 'first' });
    for (let times = 0; times < 2; times += 1) {
      const undo = breaking(IDBObjectStore.prototype, 'put', 'QuotaExceededError');
      for (let nth = 0; nth < 2; nth += 1) await write({ draft: 'lost' });
      undo();
      expect((await loaded())?.draft).not.to.equal('lost');
      await write({ draft: 'found' });
      expect((await loaded())?.draft).to.equal('found');
    }
    expect(reasons()).to.deep.equal(['full', 'full']);
  });

  it('keeps all of many results of 60 kB', async function () {
    this.timeout(120_000);
    const toolHistory = Array.from({ length: isFullEffort ? 2_000 : 40 }, (_, at) => ({
      ...resultOf(`c${String(at)}`),
      data: `${String(at)} ${'x'.repeat(60_000)}`,
    }));
    const calls = toolHistory.map((result) => callOf(result.requestId, { status: 'success', started: true, result }));
    const { store, problems, write } = open();
    await write({ messages: [textMessage('m1', 'user'), textMessage('a1', 'assistant')], calls, toolHistory });
    await store.close();
    const found = await loaded();
    for (const kept of [found?.toolHistory, found?.calls.map(({ result }) => result)])
      expect(kept?.map((result) => result?.data)).to.deep.equal(toolHistory.map(({ data }) => data));
    expect(problems).to.deep.equal([]);
  });

  it('E92 reads many messages with as many requests as a few', async () => {
    const requests = async (count: number) => {
      sessionId = fresh('session');
      await open().write(long(count));
      const read = async () => expect((await loaded())?.messages).to.have.length(count);
      return callsDuring(read, IDBObjectStore.prototype, 'get', 'getAll', 'getAllKeys', 'openCursor');
    };
    const many = await requests(4_000);
    expect(many).to.equal(await requests(4));
    expect(many).to.equal(3);
  });
});

// ——— Behind the store's back

async function rawWrite(work: (table: IDBObjectStore) => void): Promise<void> {
  const request = indexedDB.open('tool-chat');
  await new Promise((resolve) => (request.onsuccess = resolve));
  const tx = request.result.transaction('conversations', 'readwrite');
  work(tx.objectStore('conversations'));
  await new Promise((resolve) => (tx.oncomplete = resolve));
  request.result.close();
}

async function rawRead(key: IDBValidKey): Promise<unknown> {
  let found: IDBRequest | undefined;
  await rawWrite((table) => (found = table.get(key)));
  return found?.result as unknown;
}

async function tamper(area: Area, change: (head: Record<string, unknown>) => unknown): Promise<void> {
  if (area === 'session') {
    const key = `tool-chat:conversation:${sessionId}`;
    const all = JSON.parse(sessionStorage.getItem(key) ?? '') as { head: Record<string, unknown> };
    sessionStorage.setItem(key, JSON.stringify({ ...all, head: change(all.head) }));
    return;
  }
  const key = ['live', sessionId, 'head'];
  const all = (await rawRead(key)) as { row: Record<string, unknown> };
  await rawWrite((table) => table.put({ ...all, row: change(all.row) }, key));
}

async function setAside(area: Area): Promise<unknown> {
  if (area === 'session') return sessionStorage.getItem(`tool-chat:aside:${sessionId}`) ?? undefined;
  let found: IDBRequest<unknown[]> | undefined;
  await rawWrite((table) => (found = table.getAll(IDBKeyRange.bound(['aside', sessionId], ['aside', sessionId, []]))));
  return found?.result.length ? found.result : undefined;
}
