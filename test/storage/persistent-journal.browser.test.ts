import { expect } from 'chai';
import fc from 'fast-check';
import { conversationDatabase } from '../../src/storage/conversation-database.js';
import { createDatabase, type Database } from '../../src/storage/indexeddb.js';
import type { JournalIntent, LastingJournal } from '../../src/storage/journal.js';
import { createPersistentJournal } from '../../src/storage/persistent-journal.js';
import { createSessionJournal } from '../../src/storage/session-journal.js';
import { breaking, fresh, openTab, reasonOf, rejection, replace, resultOf } from './helpers.js';

const areas: Record<string, (sessionId: string, now?: () => number) => LastingJournal> = {
  'the database': (sessionId, now) => createPersistentJournal({ sessionId, database: createDatabase(), ...(now && { now }) }),
  'the session': (sessionId, now) => createSessionJournal({ sessionId, ...(now && { now }) }),
};

const intentOf = (requestId: string, more: Partial<JournalIntent> = {}): JournalIntent => ({
  ...{ requestId, toolName: 'pay', digest: 'd', args: { amount: 5 } },
  ...more,
});

let session = '';
beforeEach(() => (session = fresh('session')));

for (const [area, open] of Object.entries(areas)) {
  describe(`the journal in ${area}`, () => {
    it('starts a call once, however often and however soon it is asked, and in whatever page (X-17)', async () => {
      const id = fresh('call');
      const [one, other] = [open(session), open(session)];
      const answers = await Promise.all([one.intent(intentOf(id)), other.intent(intentOf(id)), one.intent(intentOf(id, { digest: 'x' }))]);
      expect(answers.filter((answer) => answer === 'start')).to.have.length(1);
      await one.settle(id, resultOf(id));
      expect(await open(session).intent(intentOf(id))).to.equal('known');
      expect(await open(fresh('session')).intent(intentOf(id)), 'of another conversation').to.equal('known');
    });

    it('knows after a reload what was started and has no end', async () => {
      const [first, second, ended] = [fresh('call'), fresh('call'), fresh('call')];
      let time = 100;
      const before = open(session, () => time++);
      for (const id of [first, second, ended]) await before.intent(intentOf(id));
      await before.settle(ended, resultOf(ended));
      const after = open(session);
      expect((await after.unfinished()).map(({ requestId, args, startedAt }) => ({ requestId, args, startedAt }))).to.deep.equal([
        { requestId: first, args: { amount: 5 }, startedAt: 100 },
        { requestId: second, args: { amount: 5 }, startedAt: 101 },
      ]);
      expect(await open(fresh('session')).unfinished()).to.deep.equal([]);
      const recalled = await after.recall([ended, fresh('unknown'), first]);
      expect(recalled.map(({ requestId }) => requestId)).to.deep.equal([ended, first]);
      expect(recalled.map(({ result }) => result?.status)).to.deep.equal(['success', undefined]);
    });

    it('keeps the first end of a call, and no arguments after it', async () => {
      const id = fresh('call');
      const journal = open(session, () => 7);
      await journal.settle(id, resultOf(id, 'too early'));
      expect(await journal.find(id)).to.equal(undefined);
      await journal.intent(intentOf(id));
      for (const end of ['first', 'second']) await journal.settle(id, resultOf(id, end));
      const kept = { requestId: id, toolName: 'pay', digest: 'd', startedAt: 7, attempt: 1, result: resultOf(id, 'first') };
      expect(await journal.find(id)).to.deep.equal(kept);
    });

    it('lets one of several run a query again, and nothing else', async () => {
      const [query, payment] = [fresh('call'), fresh('call')];
      const before = open(session);
      await before.intent(intentOf(query, { rerun: true }));
      await before.intent(intentOf(payment));
      const [one, other] = [open(session), open(session)];
      const again = intentOf(query, { rerun: true, again: 1 });
      expect((await Promise.all([one.intent(again), other.intent(again)])).sort()).to.deep.equal(['known', 'start']);
      expect(await one.intent({ ...again, again: 2, digest: 'other' }), 'other arguments').to.equal('known');
      expect(await one.intent({ ...again, again: 2 }), 'after the next crash').to.equal('start');
      await one.settle(query, resultOf(query));
      expect(await one.intent({ ...again, again: 3 }), 'after its end').to.equal('known');
      expect(await one.intent(intentOf(payment, { again: 1 }))).to.equal('known');
      expect(await one.intent(intentOf(payment, { rerun: true, again: 1 })), 'a flag that came later').to.equal('known');
    });

    it('forgets what a conversation was about, and still not starts its calls again', async () => {
      const [open1, ended, elsewhere] = [fresh('call'), fresh('call'), fresh('call')];
      const journal = open(session);
      const other = open(fresh('session'));
      await journal.intent(intentOf(open1));
      await journal.intent(intentOf(ended));
      await journal.settle(ended, resultOf(ended));
      await other.intent(intentOf(elsewhere));
      await journal.clear();
      expect([await journal.unfinished(), await journal.recall([open1, ended])]).to.deep.equal([[], []]);
      await journal.settle(open1, resultOf(open1));
      expect(await journal.find(open1), 'told afterwards').to.equal(undefined);
      expect(await journal.intent(intentOf(open1))).to.equal('known');
      expect(await journal.intent(intentOf(ended))).to.equal('known');
      expect(await other.unfinished()).to.have.length(1);
    });

    it('never lets a call start twice, whatever happens in between', async () => {
      const random = fc.array(
        fc.record({ what: fc.constantFrom('intent', 'again', 'settle', 'crash', 'clear'), tab: fc.nat(1), call: fc.nat(2) }),
        { minLength: 1, maxLength: 25 },
      );
      await fc.assert(
        fc.asyncProperty(random, fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), async (steps, reruns) => {
          session = fresh('session');
          const ids = reruns.map(() => fresh('call'));
          const tabs = [open(session), open(session)];
          const starts = new Map<string, number>();
          const running = steps.map(async ({ what, tab, call }) => {
            const id = ids[call] ?? '';
            const rerun = reruns[call] === true;
            const journal = tabs[tab] as LastingJournal;
            const count = (attempt: number) => (answer: string) => {
              const key = rerun ? `${id} ${String(attempt)}` : id;
              if (answer === 'start') starts.set(key, (starts.get(key) ?? 0) + 1);
            };
            if (what === 'crash') tabs[tab] = open(session);
            else if (what === 'clear') await journal.clear();
            else if (what === 'settle') await journal.settle(id, resultOf(id));
            else {
              const attempt = what === 'again' ? ((await journal.find(id))?.attempt ?? 0) : 0;
              await journal.intent(intentOf(id, { rerun, ...(what === 'again' && { again: attempt }) })).then(count(attempt));
            }
          });
          await Promise.all(running);
          for (const [key, times] of starts) expect(times, key).to.equal(1);
        }),
        { numRuns: 40 },
      );
    });
  });
}

describe('the journal in the session', () => {
  it('refuses a call it cannot write down, and remembers an end in little room', async () => {
    const kept = new Map<string, string>();
    let room = Infinity;
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem(key: string, text: string) {
        if (text.length > room) throw new DOMException('Full', 'QuotaExceededError');
        kept.set(key, text);
      },
    } as Storage;
    const journal = createSessionJournal({ sessionId: 's', storage });
    await journal.intent(intentOf('a'));
    room = 600;
    await journal.settle('a', resultOf('a', 'x'.repeat(1000)));
    expect((await journal.find('a'))?.result?.success).to.equal(true);
    room = 10;
    expect(reasonOf(await rejection(journal.intent(intentOf('b'))))).to.equal('full');
  });

  it('starts nothing that has a record nobody can read', async () => {
    const id = fresh('call');
    sessionStorage.setItem(`tool-chat:journal:${id}`, '{"request');
    const journal = createSessionJournal({ sessionId: fresh('session') });
    expect([await journal.intent(intentOf(id)), await journal.find(id)]).to.deep.equal(['known', undefined]);
  });
});

describe('the journal in the database', () => {
  const journalIn = (database: Database) => createPersistentJournal({ sessionId: fresh('session'), database });

  it('gives a call to one of two pages that ask at the same moment', async () => {
    const pages = await Promise.all([openTab(), openTab()]);
    const journals = pages.map((page) => page.createLastingJournal({ sessionId: session }));
    for (let round = 0; round < 20; round += 1) {
      const id = fresh('call');
      const answers = await Promise.all(journals.map((journal) => journal.intent(intentOf(id))));
      expect(answers.sort()).to.deep.equal(['known', 'start']);
    }
    for (const page of pages) page.kill();
  });

  it('starts nothing of a conversation that was forgotten since it was read, whoever forgot it', async () => {
    const [here, there] = [conversationDatabase(session, createDatabase()), conversationDatabase(session, createDatabase())];
    await here.load();
    const journal = createPersistentJournal({ sessionId: session, database: createDatabase() });
    const start = (id: string) => journal.intent(intentOf(id), here.generation);
    const [before, after] = [fresh('call'), fresh('call')];
    expect(await start(before)).to.equal('start');
    await there.clear();
    expect(reasonOf(await rejection(start(after)))).to.equal('lost');
    expect(await journal.find(after)).to.equal(undefined);
    await here.load();
    expect(await start(after)).to.equal('start');
  });

  it('writes the record of a new call in one trip, since a page may draw a frame between two', async () => {
    const journal = journalIn(createDatabase());
    await journal.intent(intentOf(fresh('call')));
    await journal.find('the table is free again');
    const order: string[] = [];
    const { commit } = IDBTransaction.prototype;
    const { get } = IDBObjectStore.prototype;
    IDBTransaction.prototype.commit = function () {
      order.push('commit');
      commit.call(this);
    };
    IDBObjectStore.prototype.get = function (key) {
      const request = get.call(this, key);
      request.addEventListener('success', () => order.push('answer'));
      return request;
    };
    const answer = await journal.intent(intentOf(fresh('call')), 0);
    Object.assign(IDBTransaction.prototype, { commit });
    Object.assign(IDBObjectStore.prototype, { get });
    expect([answer, ...order]).to.deep.equal(['start', 'commit', 'answer']);
  });

  it('answers only when the transaction is complete', async () => {
    // The page dies between the write and its completion, as far as the database can tell.
    const dying = (database: Database): Database => ({
      ...database,
      transact: (table, mode, work, durability) =>
        database.transact(
          table,
          mode,
          async (rows) => {
            const answer = await work(rows);
            if (mode === 'readwrite') rows.transaction.abort();
            return answer;
          },
          durability,
        ),
    });
    /** How often a call is started by a page that dies at once, and the page after it. */
    async function starts(make: (database: Database) => LastingJournal['intent']): Promise<number> {
      const intent = intentOf(fresh('call'));
      const database = createDatabase();
      let count = 0;
      for (const page of [dying(database), database, database]) if ((await make(page)(intent).catch(() => 'dead')) === 'start') count += 1;
      return count;
    }
    expect(await starts((database) => journalIn(database).intent)).to.equal(1);
  });

  it('starts nothing that has a record nobody can read', async () => {
    const database = createDatabase();
    for (const row of [{}, { toolName: 5 }, { toolName: 'pay', startedAt: 1, rerun: true, attempt: '1', sessionId: 5 }]) {
      const id = fresh('call');
      await database.transact('journal', 'readwrite', (rows) => rows.put({ requestId: id, ...row }));
      expect(await journalIn(database).intent(intentOf(id, { again: 1, rerun: true }))).to.equal('known');
    }
    const id = fresh('call');
    const sessionId = fresh('session');
    const row = { requestId: id, sessionId, toolName: 'pay', startedAt: 1, open: 1, result: { success: 'yes' }, args: 5 };
    await database.transact('journal', 'readwrite', (rows) => rows.put(row));
    expect(await createPersistentJournal({ sessionId, database }).unfinished()).to.deep.equal([
      { requestId: id, toolName: 'pay', digest: '', startedAt: 1, attempt: 1 },
    ]);
  });

  it('goes on after its connection was closed from outside', async () => {
    const database = createDatabase();
    const journal = journalIn(database);
    const id = fresh('call');
    await journal.intent(intentOf(id));
    database.connection()?.close();
    expect(await journal.intent(intentOf(id))).to.equal('known');
  });

  it('drops records that are older than 90 days', async () => {
    const database = createDatabase();
    const at = (days: number) => createPersistentJournal({ sessionId: session, database, now: () => Date.now() - days * 86_400_000 });
    const [old, young] = [fresh('call'), fresh('call')];
    await at(91).intent(intentOf(old));
    await at(80).intent(intentOf(young));
    await at(0).intent(intentOf(fresh('call')));
    expect(await at(0).find(old)).to.equal(undefined);
    expect(await at(0).find(young)).not.to.equal(undefined);
  });

  for (const [name, make, reason] of [
    ['storage is switched off', () => breaking(IDBFactory.prototype, 'open', 'SecurityError'), 'unavailable'],
    ['the quota is used up', () => breaking(IDBObjectStore.prototype, 'add', 'QuotaExceededError'), 'full'],
    ['opening never ends', () => replace(IDBFactory.prototype, 'open', mute), 'slow'],
    ['a transaction never ends', () => replace(IDBTransaction.prototype, 'commit', goOn), 'slow'],
  ] as const)
    it(`refuses the call with one clear error when ${name}`, async () => {
      const id = fresh('call');
      const undo = make();
      let error: unknown;
      try {
        error = await rejection(journalIn(createDatabase({ limitMs: 100 })).intent(intentOf(id)));
      } finally {
        undo();
      }
      expect(error).to.include({ name: 'StorageError', code: 'STORAGE', reason });
      expect(await journalIn(createDatabase()).intent(intentOf(id)), 'nothing was recorded').to.equal('start');
    });

  it('E90 makes way for a newer version, and says so when it is too old itself', async () => {
    const name = fresh('database');
    const old = createDatabase({ name });
    await old.transact('journal', 'readonly', (rows) => rows.count());
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.open(name, 99);
      request.onsuccess = () => {
        request.result.close();
        resolve();
      };
      request.onerror = () => reject(request.error as Error);
      request.onblocked = () => reject(new Error('blocked'));
    });
    const error = await rejection(old.transact('journal', 'readonly', (rows) => rows.count()));
    expect(reasonOf(error)).to.equal('newer');
    indexedDB.deleteDatabase(name);
  });
});

/** Instead of an end, a transaction has one request after the other. */
const goOn = () =>
  function (this: IDBTransaction) {
    const next = () => void (this.objectStore('journal').count().onsuccess = next);
    next();
  };

/** Requests whose answer never comes. */
function mute<Given extends unknown[], R extends IDBRequest>(original: (...given: Given) => R): (...given: Given) => R {
  return function (this: unknown, ...given) {
    return Object.assign(original.apply(this, given), { addEventListener() {} });
  };
}
