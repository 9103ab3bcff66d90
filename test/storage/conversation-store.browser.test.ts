import { expect } from 'chai';
import type { IDBPDatabase } from 'idb';
import { createConversationStore, type ConversationStore, type ConversationStoreOptions } from '../../src/storage/conversation-store.js';
import { createDatabase } from '../../src/storage/indexeddb.js';
import { StorageError } from '../../src/storage/storage-error.js';
import { emptyConversation, type StoredConversation } from '../../src/storage/stored-conversation.js';
import { fresh, openTab, reasonOf, replace, until } from './helpers.js';
import { callOf, fullConversation, textMessage } from './sample.js';

const areas = ['session', 'indexeddb'] as const;

interface Opened {
  store: ConversationStore;
  problems: StorageError[];
}

function open(sessionId: string, area: ConversationStoreOptions['area'], more: Partial<ConversationStoreOptions> = {}): Opened {
  const problems: StorageError[] = [];
  const store = createConversationStore({ sessionId, area, onProblem: (problem) => problems.push(problem), ...more });
  return { store, problems };
}

/** Counts what the database is asked to write while `work` runs. */
async function putsDuring(work: () => Promise<void>): Promise<number> {
  let puts = 0;
  const undo = replace(
    IDBObjectStore.prototype,
    'put',
    (original) =>
      function (this: IDBObjectStore, ...given) {
        puts += 1;
        return original.apply(this, given);
      },
  );
  try {
    await work();
  } finally {
    undo();
  }
  return puts;
}

for (const area of areas)
  describe(`the conversation in ${area === 'session' ? 'the session' : 'the database'}`, () => {
    it('comes back as it was', async () => {
      const sessionId = fresh('session');
      const { store, problems } = open(sessionId, area);
      expect(await store.load()).to.equal(undefined);
      const stored = fullConversation(sessionId);
      store.save(stored);
      await store.flush();
      const next = open(sessionId, area);
      expect([await next.store.load(), await open(fresh('session'), area).store.load()]).to.deep.equal([stored, undefined]);
      expect([...problems, ...next.problems]).to.deep.equal([]);
    });

    it('drops what is no data: elements, functions, fields it does not know', async () => {
      const sessionId = fresh('session');
      const { store } = open(sessionId, area);
      const call = { ...callOf('c'), starting: true, byPerson: true, params: { amount: 5, run: () => 1 } };
      const change = { label: 'Text', before: document.body, target: document.body };
      store.save({
        ...emptyConversation(sessionId),
        calls: [{ ...call, call: { ...fullConversation(sessionId).calls[0]!.call!, preview: [change] } }],
      });
      await store.flush();
      const [back] = (await open(sessionId, area).store.load())?.calls ?? [];
      expect(back).not.to.have.any.keys('starting', 'byPerson');
      expect(back?.params).to.deep.equal({ amount: 5, run: '[Function]' });
      expect(back?.call?.preview).to.deep.equal([{ label: 'Text', before: '[HTMLBodyElement]' }]);
    });

    it('writes at most every 250 ms, and the last one wins', async () => {
      const sessionId = fresh('session');
      const { store } = open(sessionId, area);
      await store.load();
      const writes: number[] = [];
      const count = <F extends (this: never, ...given: never[]) => unknown>(original: F) =>
        function (this: never, ...given: never[]) {
          if (String(given[0]).includes('live') || String(given[0]).startsWith('tool-chat:') || String(given[1]).includes('head'))
            writes.push(performance.now());
          return original.apply(this, given);
        } as unknown as F;
      const undo =
        area === 'session'
          ? replace(Storage.prototype, 'setItem', count)
          : replace(IDBObjectStore.prototype, 'put', (original) => count(original as never) as never);
      try {
        const until = performance.now() + 700;
        let nth = 0;
        while (performance.now() < until) {
          store.save({ ...emptyConversation(sessionId), draft: String((nth += 1)) });
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        await store.flush();
        expect((await open(sessionId, area).store.load())?.draft).to.equal(String(nth));
      } finally {
        undo();
      }
      expect(writes.length).to.be.within(2, 5);
    });

    it('sets damaged data aside, once, and says so', async () => {
      const sessionId = fresh('session');
      const damage = async (draft: string) => {
        const { store } = open(sessionId, area);
        store.save({ ...emptyConversation(sessionId), draft });
        await store.flush();
        await tamper(area, sessionId, (head) => ({ ...head, queue: 'none' }));
      };
      await damage('first');
      const one = open(sessionId, area);
      expect([await one.store.load(), one.problems.map(({ reason }) => reason)]).to.deep.equal([undefined, ['damaged']]);
      expect(one.problems[0]?.message).to.contain('queue: a list');
      expect(await one.store.load(), 'and it is gone').to.equal(undefined);
      await damage('second');
      expect(await open(sessionId, area).store.load()).to.equal(undefined);
      expect(JSON.stringify(await setAside(area, sessionId)))
        .to.contain('first')
        .and.not.to.contain('second');
      await one.store.clear();
      expect(await setAside(area, sessionId)).to.equal(undefined);
    });

    for (const [name, change] of Object.entries<(head: Record<string, unknown>) => unknown>({
      'a format of somebody else': (head) => ({ ...head, format: 'other' }),
      'no head': () => 'nothing',
      'another conversation': (head) => ({ ...head, sessionId: 'other' }),
      'a version before the first': (head) => ({ ...head, version: 0 }),
    }))
      it(`does not read ${name}`, async () => {
        const sessionId = fresh('session');
        const { store } = open(sessionId, area);
        store.save(emptyConversation(sessionId));
        await store.flush();
        await tamper(area, sessionId, change);
        const next = open(sessionId, area);
        expect([await next.store.load(), next.problems.map(({ reason }) => reason)]).to.deep.equal([undefined, ['damaged']]);
      });

    it('does not read what a newer version wrote', async () => {
      const sessionId = fresh('session');
      const { store } = open(sessionId, area);
      store.save(emptyConversation(sessionId));
      await store.flush();
      await tamper(area, sessionId, (head) => ({ ...head, version: 2 }));
      const next = open(sessionId, area);
      expect([await next.store.load(), next.problems.map(({ reason }) => reason)]).to.deep.equal([undefined, ['newer']]);
      expect(await setAside(area, sessionId)).not.to.equal(undefined);
    });

    it('does not keep what it could not read again, and says so once', async () => {
      const sessionId = fresh('session');
      const { store, problems } = open(sessionId, area);
      for (const status of ['done', 'finished']) {
        store.save({ ...emptyConversation(sessionId), calls: [{ ...callOf('c'), status: status as 'success' }] });
        await store.flush();
      }
      expect(problems.map(({ reason, message }) => [reason, message])).to.deep.equal([
        [
          'unkept',
          'The conversation cannot be stored (status: one of pending, queued, awaiting_approval, executing, undone, success, error, denied, cancelled, interrupted).',
        ],
      ]);
    });

    it('forgets', async () => {
      const sessionId = fresh('session');
      const { store } = open(sessionId, area);
      store.save(fullConversation(sessionId));
      await store.flush();
      store.save(fullConversation(sessionId));
      await store.clear();
      await store.close();
      expect(await open(sessionId, area).store.load()).to.equal(undefined);
    });

    it('is written when the page goes away, whatever was waiting', async () => {
      const sessionId = fresh('session');
      for (const [draft, messages] of [
        ['one', 3],
        ['two', 4],
        ['three', 2],
      ] as const) {
        const page = await openTab();
        const store = page.createConversationStore({ sessionId, area });
        await store.load();
        store.save({ ...emptyConversation(sessionId), draft: 'before', messages: [textMessage('m0', 'user')] });
        if (draft !== 'one') await store.flush();
        const list = Array.from({ length: messages }, (_, nth) => textMessage(`m${String(nth)}`, 'user'));
        store.save({ ...emptyConversation(sessionId), draft, messages: list });
        page.kill();
        const back = await open(sessionId, area).store.load();
        expect([back?.draft, back?.messages.length]).to.deep.equal([draft, messages]);
      }
    });

    it('goes on without storage', async () => {
      const undo =
        area === 'session'
          ? replace(Storage.prototype, 'getItem', () => () => {
              throw new DOMException('no', 'SecurityError');
            })
          : replace(IDBFactory.prototype, 'open', () => () => {
              throw new DOMException('no', 'SecurityError');
            });
      try {
        const { store, problems } = open(fresh('session'), area, area === 'session' ? {} : { database: createDatabase() });
        expect(await store.load()).to.equal(undefined);
        expect(problems.map((problem) => [problem instanceof StorageError, problem.reason])).to.deep.equal([[true, 'unavailable']]);
      } finally {
        undo();
      }
    });
  });

describe('the conversation in the session', () => {
  it('keeps nothing rather than half of what is too long, and says so once', async () => {
    const sessionId = fresh('session');
    const { store, problems } = open(sessionId, 'session');
    store.save({ ...emptyConversation(sessionId), draft: 'short' });
    await store.flush();
    for (let nth = 0; nth < 2; nth += 1) {
      store.save({ ...emptyConversation(sessionId), draft: 'x'.repeat(2_000_000) });
      await store.flush();
    }
    expect(await open(sessionId, 'session').store.load()).to.equal(undefined);
    expect(problems.map(({ reason }) => reason)).to.deep.equal(['full']);
    store.save({ ...emptyConversation(sessionId), draft: 'short again' });
    await store.flush();
    expect((await open(sessionId, 'session').store.load())?.draft).to.equal('short again');
    sessionStorage.clear();
  });
});

describe('the conversation in the database', () => {
  const long = (sessionId: string, length: number): StoredConversation => ({
    ...emptyConversation(sessionId),
    messages: Array.from({ length }, (_, nth) => textMessage(`m${String(nth)}`, nth % 2 ? 'assistant' : 'user', 'word '.repeat(50))),
  });

  it('writes what changed and nothing else', async () => {
    const sessionId = fresh('session');
    const { store } = open(sessionId, 'indexeddb', { everyMs: 0 });
    const first = long(sessionId, 200);
    const save = (stored: StoredConversation) =>
      putsDuring(async () => {
        store.save(stored);
        await store.flush();
      });
    expect([await save(first), await save({ ...first, draft: 'x' })]).to.deep.equal([201, 1]);
    const second = { ...first, messages: [...first.messages, textMessage('new', 'user')] };
    expect(await save(second)).to.equal(2);
    const third = { ...second, messages: second.messages.slice(0, 100) };
    expect(await save(third)).to.equal(1);
    expect((await open(sessionId, 'indexeddb').store.load())?.messages).to.deep.equal(third.messages);
  });

  it('writes nothing again that a page before it has written, however many there were', async () => {
    const sessionId = fresh('session');
    const first = { ...long(sessionId, 200), calls: [callOf('c1')] };
    const { store } = open(sessionId, 'indexeddb', { everyMs: 0 });
    store.save(first);
    await store.flush();
    let messages = [...first.messages];
    const puts: number[] = [];
    for (let page = 0; page < 20; page += 1) {
      const next = open(sessionId, 'indexeddb', { everyMs: 0 });
      const back = await next.store.load();
      expect(back).to.deep.equal({ ...first, messages });
      messages = [...(back?.messages ?? []), textMessage(`page ${String(page)}`, 'user')];
      puts.push(
        await putsDuring(async () => {
          next.store.save({ ...back!, messages });
          await next.store.flush();
        }),
      );
      expect(next.problems).to.deep.equal([]);
    }
    // Now and then all of it, so that the rows of many hands become those of one.
    expect(puts.filter((count) => count > 2).length).to.be.within(1, 4);
  });

  it('does not take for its own what the page before wrote after it was read', async () => {
    const sessionId = fresh('session');
    const [before, now] = [open(sessionId, 'indexeddb', { everyMs: 0 }), open(sessionId, 'indexeddb', { everyMs: 0 })];
    const stored = long(sessionId, 20);
    const write = async ({ store }: Opened, what: StoredConversation) => {
      store.save(what);
      await store.flush();
    };
    await write(before, stored);
    const back = (await now.store.load())!;
    await write(now, { ...back, draft: 'x' });
    const key = ['live', sessionId, 'messages', 3];
    const row = (await rawRead(key)) as { by: string; at: number };
    // As it would be if it had stood still in the middle of writing.
    await rawWrite((table) => table.put({ ...row, at: row.at + 1, row: { message: textMessage('late', 'user') } }, key));
    const next = open(sessionId, 'indexeddb');
    expect([await next.store.load(), next.problems.map(reasonOf)]).to.deep.equal([undefined, ['damaged']]);
  });

  it('writes all of it where another tab has written since it was read', async () => {
    const sessionId = fresh('session');
    const [one, other] = [open(sessionId, 'indexeddb', { everyMs: 0 }), open(sessionId, 'indexeddb', { everyMs: 0 })];
    const stored = long(sessionId, 20);
    one.store.save(stored);
    await one.store.flush();
    const back = (await other.store.load())!;
    one.store.save({ ...stored, messages: [...stored.messages.slice(0, 5), textMessage('of one', 'user')] });
    await one.store.flush();
    other.store.save({ ...back, draft: 'of the other' });
    await other.store.flush();
    expect(await open(sessionId, 'indexeddb').store.load()).to.deep.equal({ ...stored, draft: 'of the other' });
  });

  it('never mixes what two tabs wrote', async () => {
    const sessionId = fresh('session');
    const [one, other] = [open(sessionId, 'indexeddb', { everyMs: 0 }), open(sessionId, 'indexeddb', { everyMs: 0 })];
    const [long1, long2] = [long(sessionId, 30), long(sessionId, 10)];
    const write = async ({ store }: Opened, stored: StoredConversation) => {
      store.save(stored);
      await store.flush();
    };
    await write(one, long1);
    await write(other, long2);
    const grown = { ...long1, messages: [...long1.messages, textMessage('of one', 'user')] };
    await write(one, grown);
    expect(await open(sessionId, 'indexeddb').store.load()).to.deep.equal(grown);
    await Promise.all([write(one, long1), write(other, long2)]);
    const back = await open(sessionId, 'indexeddb').store.load();
    expect([10, 30]).to.include(back?.messages.length);
  });

  it('does not read rows that belong to several writers, or lack one', async () => {
    for (const spoil of [
      (table: IDBObjectStore, at: (...rest: (string | number)[]) => IDBValidKey) => table.delete(at('messages', 3)),
      (table: IDBObjectStore, at: (...rest: (string | number)[]) => IDBValidKey) =>
        table.put({ by: 'other', row: { message: textMessage('m3', 'user') } }, at('messages', 3)),
      (table: IDBObjectStore, at: (...rest: (string | number)[]) => IDBValidKey) => table.put('?', at('unknown', 3)),
    ]) {
      const sessionId = fresh('session');
      const { store } = open(sessionId, 'indexeddb');
      store.save(long(sessionId, 10));
      await store.flush();
      await rawWrite((table) => spoil(table, (...rest) => ['live', sessionId, ...rest]));
      const next = open(sessionId, 'indexeddb');
      expect([await next.store.load(), next.problems.map(reasonOf)]).to.deep.equal([undefined, ['damaged']]);
    }
  });

  it('reads the last words of a page whose last transaction did not get through, and only if they are the last', async () => {
    const sessionId = fresh('session');
    const { store } = open(sessionId, 'indexeddb', { everyMs: 0 });
    const save = async (draft: string) => {
      store.save({ ...emptyConversation(sessionId), draft });
      await store.flush();
    };
    const reload = async () => (await open(sessionId, 'indexeddb').store.load())?.draft;
    await save('written');
    store.save({ ...emptyConversation(sessionId), draft: 'said' });
    const undo = replace(IDBDatabase.prototype, 'transaction', () => () => {
      throw new DOMException('closed', 'InvalidStateError');
    });
    dispatchEvent(new PageTransitionEvent('pagehide'));
    undo();
    expect(await reload()).to.equal('said');
    expect(await reload(), 'until something is written').to.equal('said');
    const key = `tool-chat:farewell:${sessionId}`;
    const words = sessionStorage.getItem(key) ?? '';
    sessionStorage.setItem(key, words.replace('"format"', '"other"'));
    expect(await reload(), 'unreadable words').to.equal('written');
    sessionStorage.setItem(key, words);
    await save('written later');
    expect(sessionStorage.getItem(key)).to.equal(null);
    sessionStorage.setItem(key, words);
    expect(await reload(), 'older words').to.equal('written later');
    await store.clear();
    expect(await reload()).to.equal(undefined);
  });

  it('are not kept from others by a page that was left while it made its tables, and are made when it is shown again', async () => {
    const name = fresh('database');
    let made = 0;
    const makeAndLeave = (db: IDBPDatabase<never>) => {
      db.createObjectStore('conversations' as never);
      if (++made === 1) dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    };
    const count = (database: ReturnType<typeof createDatabase>) =>
      database
        .transact('conversations', 'readonly', (table) => table.count())
        .finally(() => {
          database.close();
        });
    const first = createDatabase({ name, versions: [makeAndLeave as never] });
    let answered = false;
    const waits = count(first).finally(() => (answered = true));
    await until(() => made === 1);
    expect(await count(createDatabase({ name, limitMs: 5000, versions: [makeAndLeave as never] }))).to.equal(0);
    expect([made, answered]).to.deep.equal([2, false]);
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(await waits).to.equal(0);
    indexedDB.deleteDatabase(name);
  });

  it('E87 goes on when the quota is used up, says so once, and again after it worked', async () => {
    const sessionId = fresh('session');
    const { store, problems } = open(sessionId, 'indexeddb', { everyMs: 0 });
    const save = async (draft: string) => {
      store.save({ ...emptyConversation(sessionId), draft });
      await store.flush();
    };
    await save('first');
    const full = () =>
      replace(IDBObjectStore.prototype, 'put', () => () => {
        throw new DOMException('no', 'QuotaExceededError');
      });
    for (let times = 0; times < 2; times += 1) {
      const undo = full();
      await save('lost');
      await save('lost');
      undo();
      expect((await open(sessionId, 'indexeddb').store.load())?.draft).not.to.equal('lost');
      await save('found');
      expect((await open(sessionId, 'indexeddb').store.load())?.draft).to.equal('found');
    }
    expect(problems.map(({ reason }) => reason)).to.deep.equal(['full', 'full']);
  });

  it('survives that the data is cleared while it runs', async () => {
    const sessionId = fresh('session');
    const { store } = open(sessionId, 'indexeddb', { everyMs: 0 });
    const first = long(sessionId, 20);
    store.save(first);
    await store.flush();
    await rawWrite((table) => table.clear());
    store.save({ ...first, draft: 'x' });
    await store.flush();
    expect((await open(sessionId, 'indexeddb').store.load())?.messages).to.have.length(20);
  });

  it('E92 reads many messages, and costs in proportion to their number', async () => {
    const cost = async (count: number) => {
      const sessionId = fresh('session');
      const { store } = open(sessionId, 'indexeddb', { everyMs: 0 });
      store.save(long(sessionId, count));
      await store.flush();
      // A busy machine can spoil a measurement, not improve it: the least of several counts.
      let least = Infinity;
      for (let tries = 0; tries < 3; tries += 1) {
        const from = performance.now();
        expect((await open(sessionId, 'indexeddb').store.load())?.messages).to.have.length(count);
        least = Math.min(least, performance.now() - from);
      }
      await store.clear();
      return least;
    };
    // Quadratic work would cost 16 times as much.
    expect(await cost(4_000)).to.be.below(12 * (await cost(1_000)) + 200);
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

async function tamper(area: 'session' | 'indexeddb', sessionId: string, change: (head: Record<string, unknown>) => unknown): Promise<void> {
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

async function setAside(area: 'session' | 'indexeddb', sessionId: string): Promise<unknown> {
  return area === 'session' ? (sessionStorage.getItem(`tool-chat:aside:${sessionId}`) ?? undefined) : rawRead(['aside', sessionId]);
}
