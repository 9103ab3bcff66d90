/**
 * Where a conversation is kept, against what can become of its page, against what it was at: what a person sees afterwards, and how often
 * the effect happened (S0-151 … S0-154, S0-177, X-14, X-17). What happens within a call is `exactly-once.e2e.ts`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { canBeKilled, engineOfTests, openBrowsers, type Browsers } from './browsers.js';
import type { Driver } from './driver.js';
import { send, talk, until } from './kept-call.js';
import { openShop, type Shop } from './shop.js';
import { storedRows } from './stored-rows.js';
import { ALLOW, card, type Chat, ERROR_BAR, textOfChat, untilReady } from './widget.js';

const STORAGES = ['none', 'session', 'indexeddb'] as const;
const POINTS = ['idle', 'waiting on a card', 'in a call', 'in an answer'] as const;
type Storage = (typeof STORAGES)[number];
type Point = (typeof POINTS)[number];
type Way = 'reloaded' | 'closed and opened again' | 'killed' | 'frozen' | 'discarded';

/** What a person sees of each, and the effects there are by then. */
const KEPT: Record<Point, string> = {
  idle: 'answered, 0 effects',
  'waiting on a card': 'asks, 0 effects',
  'in a call': 'interrupted, 1 effects',
  'in an answer': 'whole, 0 effects',
};
/** The page went on where it was. */
const STAYED: Record<Point, string> = { ...KEPT, 'in a call': 'success, 1 effects' };
const LOST: Record<Point, string> = { ...KEPT, ...nothing(['idle', 'waiting on a card', 'in an answer'], 0), ...nothing(['in a call'], 1) };

function nothing(points: readonly Point[], effects: number): Partial<Record<Point, string>> {
  return Object.fromEntries(points.map((point) => [point, `nothing, ${String(effects)} effects`]));
}

function expected(storage: Storage, way: Way, point: Point): string {
  if (way === 'frozen') return STAYED[point];
  const outlives = storage === 'indexeddb' || (storage === 'session' && (way === 'reloaded' || way === 'discarded'));
  return (outlives ? KEPT : LOST)[point];
}

const expectedInEach = (way: Way, point: Point) => Object.fromEntries(STORAGES.map((storage) => [storage, expected(storage, way, point)]));

describe('a conversation whose page goes', () => {
  /** One for each storage: only the page in front of a browser gets frames, and the three need not wait for each other. */
  const browsers = new Map<Storage, Browsers>();
  let shop: Shop;
  let count = 0;

  before(async () => {
    shop = await openShop();
    const shared = canBeKilled() ? undefined : await openBrowsers();
    for (const storage of STORAGES) browsers.set(storage, shared ?? (await openBrowsers()));
  });
  after(async () => {
    await Promise.all([...new Set(browsers.values())].map((each) => each.close()));
    await shop.close();
  });

  const pageOf = (storage: Storage): Promise<Driver> => browsers.get(storage)!.page();

  /** At the same time, where each has a browser of its own. */
  async function inEach<T>(work: (storage: Storage) => Promise<T>): Promise<Record<Storage, T>> {
    const results: [Storage, T][] = [];
    if (canBeKilled())
      results.push(...(await Promise.all(STORAGES.map(async (storage): Promise<[Storage, T]> => [storage, await work(storage)]))));
    else for (const storage of STORAGES) results.push([storage, await work(storage)]);
    return Object.fromEntries(results) as Record<Storage, T>;
  }

  async function bring(storage: Storage, point: Point): Promise<{ driver: Driver; session: string }> {
    const session = `sweep-${String((count += 1))}`;
    const counts = point === 'in an answer';
    shop.plan(session, { attributes: { storage, ...(counts && { endpoint: '/api/ai/chat/stream', wire: 'cutie' }) } });
    const driver = await pageOf(storage);
    await driver.open(shop.url(session));
    await untilReady(driver);
    switch (point) {
      case 'idle':
        expect(await talk(driver, shop, session)).to.deep.equal([]);
        await untilKept(driver, session, storage, ['Here I am.', '"complete"']);
        break;
      case 'waiting on a card':
      case 'in a call':
        if (point === 'in a call') shop.hold(session, 'effect');
        send(driver, 'Please pay');
        await driver.waitFor(ALLOW, 20_000);
        await untilKept(driver, session, storage, ['awaiting_approval']);
        if (point === 'waiting on a card') break;
        await driver.click(ALLOW);
        await until(() => shop.effects(session).length > 0, 'the effect');
        await untilKept(driver, session, storage, ['"executing"']);
        break;
      case 'in an answer':
        send(driver, `Count ${session}`);
        await until(async () => (await textOfChat(driver)).includes('One, two,'), 'the answer to begin');
        await untilKept(driver, session, storage, ['One, two,', '"place"']);
        // What tells the relay that nobody reads on comes with the first frame, and not at once.
        await driver.evaluate((module) => import(module).then(() => undefined), await chunkOf('src/transports/resume.ts'));
    }
    return { driver, session };
  }

  /** What a person sees once the page is there, and nothing more happens by itself. */
  async function look(driver: Driver, session: string): Promise<string> {
    await untilReady(driver);
    shop.letGo(session);
    shop.goOnCounting(session);
    await driver.waitFor(isQuiet, 20_000);
    const asks = await driver.exists(card('awaiting_approval', 'pay'));
    const { status, text } = await driver.evaluate(() => {
      const { toolHistory = [], messages = [] } = document.querySelector<Chat>('tool-chat') ?? {};
      return { status: toolHistory.at(-1)?.status, text: messages.map((message) => message.text).join(' ') };
    });
    const seen = await textOfChat(driver);
    const effects = `${String(shop.effects(session).length)} effects`;
    if (asks) return `asks, ${effects}`;
    if (status) return `${seen.includes('pay') || seen.includes('Pay') ? status : 'not shown'}, ${effects}`;
    if (text === '') return `nothing, ${effects}`;
    if (text.includes('Here I am.')) return `${seen.includes('Here I am.') ? 'answered' : 'not shown'}, ${effects}`;
    const isWhole = text.includes('One, two, three.') && seen.includes('One, two, three.') && !(await driver.exists(ERROR_BAR));
    return `${isWhole ? 'whole' : 'broken off'}, ${effects}`;
  }

  /** Whatever it was: the effect happened at most once, the model was asked once for each answer, and the chat goes on. */
  async function goesOn(driver: Driver, point: Point, session: string, saw: string): Promise<void> {
    if (saw.startsWith('asks')) {
      await driver.click(ALLOW);
      await driver.waitFor(card('success', 'pay'), 20_000);
    }
    expect(shop.effects(session)).to.have.length(point === 'in a call' || saw.startsWith('asks') ? 1 : 0);
    if (point !== 'in an answer') expect(await talk(driver, shop, session)).to.deep.equal([]);
    else expect(shop.counting(session).begun).to.equal(1);
  }

  /** Those on which the relay is told that nobody reads on. Firefox does not always send what a tab says while it closes: `resumeWindow` is for that. */
  const ways: Way[] = engineOfTests() === 'firefox' ? ['reloaded'] : ['reloaded', 'closed and opened again'];

  function sweep(way: Way, leave: (driver: Driver, session: string, storage: Storage) => Promise<Driver>): void {
    for (const point of POINTS)
      it(`${point}, with each storage`, async () => {
        const found = await inEach(async (storage) => {
          const { driver, session } = await bring(storage, point);
          const next = await leave(driver, session, storage);
          const stopsModel = storage === 'none' && point === 'in an answer' && ways.includes(way);
          if (stopsModel) await until(() => shop.counting(session).stopped === 1, 'the model to be stopped');
          const saw = await look(next, session);
          if (saw === expected(storage, way, point)) await goesOn(next, point, session, saw);
          if (!stopsModel && point === 'in an answer' && !saw.startsWith('nothing')) expect(shop.counting(session).stopped).to.equal(0);
          if (canBeKilled()) await next.close();
          return saw;
        });
        expect(found).to.deep.equal(expectedInEach(way, point));
      });
  }

  describe('is reloaded', () => {
    sweep('reloaded', async (driver) => {
      await driver.reload();
      return driver;
    });
  });

  describe('is closed and opened again', () => {
    if (!canBeKilled()) return void it.skip('its driver has one window');
    sweep('closed and opened again', async (driver, session, storage) => {
      await driver.close();
      const next = await pageOf(storage);
      await next.open(shop.url(session));
      return next;
    });
  });

  describe('is killed with its browser', () => {
    if (!canBeKilled()) return void it.skip('its driver begins every session with an empty profile');
    const sessions = new Map<string, string>();
    before(async function () {
      this.timeout(120_000);
      await inEach(async (storage) => {
        for (const point of POINTS) sessions.set(`${storage} ${point}`, (await bring(storage, point)).session);
        await browsers.get(storage)?.kill();
      });
    });
    for (const point of POINTS)
      it(`${point}, with each storage`, async () => {
        const found = await inEach(async (storage) => {
          const session = sessions.get(`${storage} ${point}`) ?? '';
          const driver = await pageOf(storage);
          await driver.open(shop.url(session));
          const saw = await look(driver, session);
          if (saw === expected(storage, 'killed', point)) await goesOn(driver, point, session, saw);
          await driver.close();
          return saw;
        });
        expect(found).to.deep.equal(expectedInEach('killed', point));
      });
  });

  describe('is discarded', () => {
    if (engineOfTests() !== 'chromium') return void it.skip('its driver cannot end the process of a page');
    sweep('discarded', async (driver, session) => {
      await driver.discard();
      await driver.open(shop.url(session));
      await driver.toFront();
      return driver;
    });
  });

  describe('is frozen, and goes on', () => {
    if (engineOfTests() !== 'chromium') return void it.skip('its driver cannot freeze a page');
    sweep('frozen', async (driver, session, storage) => {
      await driver.freeze();
      const two = await pageOf(storage);
      await two.open(shop.url(session));
      await untilReady(two);
      // Another tab shows what is kept, and nothing of it happens there.
      if (storage === 'indexeddb') await two.waitFor(() => (document.querySelector<Chat>('tool-chat')?.messages.length ?? 0) > 0, 20_000);
      await two.close();
      await driver.thaw();
      await driver.toFront();
      return driver;
    });

    for (const how of ['clear', 'forget'] as const)
      it(`and ${how}() in another tab has reached it`, async () => {
        const { driver, session } = await bring('indexeddb', 'waiting on a card');
        await driver.waitFor(isWritten, 20_000, session);
        await driver.freeze();
        const two = await pageOf('indexeddb');
        try {
          await two.open(shop.url(session));
          await two.waitFor(() => (document.querySelector<Chat>('tool-chat')?.messages.length ?? 0) > 0, 20_000);
          expect(await two.evaluate(takeAway, how)).to.equal('gone');
        } finally {
          await driver.thaw();
        }
        await driver.toFront();
        await driver.waitFor(() => document.querySelector<Chat>('tool-chat')?.messages.length === 0, 20_000);
        expect(await driver.exists(card('awaiting_approval', 'pay'))).to.equal(false);
        await driver.close();
        await two.reload();
        expect(await look(two, session)).to.equal('nothing, 0 effects');
        expect(await talk(two, shop, session)).to.deep.equal([]);
        await two.close();
      });
  });

  it('is seen to be lost where nothing is kept: the look would notice', async () => {
    const { driver, session } = await bring('none', 'in an answer');
    await driver.reload();
    expect(await look(driver, session)).to.not.equal(KEPT['in an answer']);
  });
});

/** All of these texts stand in the storage of the page. */
function untilKept(driver: Driver, session: string, storage: Storage, texts: string[]): Promise<void> {
  if (storage === 'none') return Promise.resolve();
  const read =
    storage === 'indexeddb'
      ? async () => JSON.stringify((await storedRows(driver, session)) ?? '')
      : () => driver.evaluate((key) => sessionStorage.getItem(key) ?? '', `tool-chat:conversation:${session}`);
  return until(async () => {
    const found = await read();
    return texts.every((text) => found.includes(text));
  }, `${texts.join()} to be kept`);
}

/** The file of the build that holds a module: the maps beside the files know. */
async function chunkOf(source: string): Promise<string> {
  const folder = 'dist/chunks/';
  for (const name of await readdir(folder))
    if (name.endsWith('.js.map') && (await readFile(folder + name, 'utf8')).includes(`/${source}"`))
      return `/${folder}${name.slice(0, -4)}`;
  throw new Error(`No file of the build holds ${source}.`);
}

// ——— What runs in the page

/** Nothing of it has been written for longer than two writes are apart. */
async function isWritten(session: string): Promise<boolean> {
  const stamp = async () => {
    const db = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open('tool-chat');
      request.onsuccess = () => resolve(request.result);
    });
    const head = await new Promise<unknown>((resolve) => {
      const found = db.transaction('conversations').objectStore('conversations').get(['live', session, 'head']);
      found.onsuccess = () => resolve((found.result as { at?: unknown } | undefined)?.at);
    });
    db.close();
    return head;
  };
  const before = await stamp();
  await new Promise((resolve) => setTimeout(resolve, 400)); // writes of one conversation are up to 250 ms apart, and that none comes has no event
  return before === (await stamp());
}

async function takeAway(how: string): Promise<string> {
  const chat = document.querySelector('tool-chat') as unknown as Record<string, () => Promise<void>>;
  try {
    await chat[how]?.();
    return 'gone';
  } catch (error) {
    const { name, reason } = error as { name?: string; reason?: string };
    return `${String(name)}: ${String(reason)}`;
  }
}

/** The conversation is loaded, and either idle or waits for a person: seen twice, a moment apart. */
async function isQuiet(): Promise<boolean> {
  const chat = document.querySelector<Chat & { matchesState?(name: string): boolean; exportSession?(): Promise<unknown> }>('tool-chat');
  if (!chat?.matchesState || !chat.exportSession) return false;
  // Resolves once it is known what there is.
  await chat.exportSession();
  const rests = () => !chat.isLoading || chat.matchesState?.('awaitingApproval') === true;
  if (!rests()) return false;
  await new Promise((resolve) => setTimeout(resolve, 150)); // that nothing more begins by itself has no event
  return rests();
}
