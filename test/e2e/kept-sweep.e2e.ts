// CI only: a page, or a browser, goes two dozen times
/**
 * Where a conversation is saved, against what can become of its page, against what it was at: what the user sees afterwards, and how often the
 * effect happened (S0-151 … S0-154, S0-177, X-14, X-17). What happens within a call is in `exactly-once.e2e.ts`.
 */
import { expect } from 'chai';
import { canBeKilled, engineOfTests } from './browsers.js';
import type { Driver } from './driver.js';
import { send, talk, until } from './kept-call.js';
import { pairwise, SEED } from './pairwise.js';
import { useShop } from './shop.js';
import { storedRows } from './stored-rows.js';
import { ALLOW, card, type Chat, ERROR_BAR, INPUT, say, textOfChat, untilReady } from './widget.js';

const STORAGES = ['none', 'session', 'indexeddb'] as const;
const POINTS = ['idle', 'waiting on a card', 'in a call', 'in an answer'] as const;
const WAYS = ['reloaded', 'closed and opened again', 'killed', 'frozen', 'discarded'] as const;
type Storage = (typeof STORAGES)[number];
type Point = (typeof POINTS)[number];
type Way = (typeof WAYS)[number];

/** What the user sees of each, and the effects there are by then. */
const KEPT: Record<Point, string> = {
  idle: 'answered, 0 effects',
  'waiting on a card': 'asks, 0 effects',
  'in a call': 'interrupted, 1 effects',
  'in an answer': 'whole, 0 effects',
};

function expected(storage: Storage, way: Way, point: Point): string {
  // A frozen page goes on where it was.
  if (way === 'frozen') return point === 'in a call' ? 'success, 1 effects' : KEPT[point];
  const outlives = storage === 'indexeddb' || (storage === 'session' && (way === 'reloaded' || way === 'discarded'));
  return outlives ? KEPT[point] : `nothing, ${point === 'in a call' ? '1' : '0'} effects`;
}

/** What the engine's driver can do: Firefox does not freeze pages, and WebKit has one window and no profile that outlives it. */
const ways = { chromium: WAYS, firefox: WAYS.slice(0, 3), webkit: WAYS.slice(0, 1) }[engineOfTests()];

describe(`a conversation whose page goes (SEED=${String(SEED)})`, () => {
  const { browsers, shop } = useShop();
  let count = 0;
  const rows = pairwise({ way: ways, point: POINTS, storage: STORAGES });

  async function bring(storage: Storage, point: Point): Promise<{ driver: Driver; session: string }> {
    const session = `sweep-${String((count += 1))}`;
    const counts = point === 'in an answer';
    shop.visit(session).plan = { attributes: { storage, ...(counts && { endpoint: '/api/ai/chat/stream', wire: 'cutie' }) } };
    const driver = await browsers.page();
    await driver.open(shop.url(session));
    await untilReady(driver);
    switch (point) {
      case 'idle':
        expect(await talk(driver, shop, session)).to.deep.equal([]);
        await untilKept(driver, session, storage, ['Here I am.', '"complete"']);
        break;
      case 'waiting on a card':
      case 'in a call':
        if (point === 'in a call') shop.visit(session).hold = 'effect';
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
    }
    return { driver, session };
  }

  /** What the user sees once the page is there, and nothing more happens by itself. */
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
    if (status) return `${/pay/i.test(seen) ? status : 'not shown'}, ${effects}`;
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
    else expect(shop.visit(session).counting.begun).to.equal(1);
    if (canBeKilled()) await driver.close();
  }

  const leave: Record<Exclude<Way, 'killed'>, (driver: Driver, session: string, storage: Storage) => Promise<Driver>> = {
    async reloaded(driver) {
      await driver.reload();
      return driver;
    },
    async 'closed and opened again'(driver, session) {
      await driver.close();
      const next = await browsers.page();
      await next.open(shop.url(session));
      return next;
    },
    async discarded(driver, session) {
      await driver.discard();
      await driver.open(shop.url(session));
      await driver.toFront();
      return driver;
    },
    async frozen(driver, session, storage) {
      await driver.freeze();
      const two = await browsers.page();
      await two.open(shop.url(session));
      await untilReady(two);
      // Another tab shows what is saved, and nothing of it happens there.
      if (storage === 'indexeddb') await two.waitFor(hasMessages, 20_000);
      await two.close();
      await driver.thaw();
      await driver.toFront();
      return driver;
    },
  };

  for (const { way, point, storage } of rows)
    if (way !== 'killed')
      it(`is ${way}, ${point}, with storage="${storage}"`, async () => {
        const { driver, session } = await bring(storage, point);
        const answers = point === 'in an answer';
        // A browser does not always send what a tab says while it closes, nor what the page has first to load.
        if (answers && storage === 'none') await driver.waitFor(canTellStop, 20_000);
        const next = await leave[way](driver, session, storage);
        const stopsModel = answers && storage === 'none' && way === 'reloaded';
        const maybe = storage === 'none' && way === 'closed and opened again';
        if (stopsModel) await until(() => shop.visit(session).counting.stopped === 1, 'the model to be stopped');
        const saw = await look(next, session);
        expect(saw).to.equal(expected(storage, way, point));
        if (answers && !stopsModel && !maybe && !saw.startsWith('nothing')) expect(shop.visit(session).counting.stopped).to.equal(0);
        await goesOn(next, point, session, saw);
      });

  describe('is killed with its browser', () => {
    if (!canBeKilled()) return;
    const killed = rows.filter(({ way }) => way === 'killed');
    const sessions = new Map<object, string>();
    before(async function () {
      this.timeout(120_000);
      for (const row of killed) sessions.set(row, (await bring(row.storage, row.point)).session);
      await browsers.kill();
    });
    for (const row of killed)
      it(`${row.point}, with storage="${row.storage}"`, async () => {
        const session = sessions.get(row) ?? '';
        const driver = await browsers.page();
        await driver.open(shop.url(session));
        const saw = await look(driver, session);
        expect(saw).to.equal(expected(row.storage, 'killed', row.point));
        await goesOn(driver, row.point, session, saw);
      });
  });

  if (ways.includes('frozen'))
    it('is led by a frozen tab: what another one sends comes back, what it allows does not run, and both go on when that tab wakes', async () => {
      const { driver: one, session } = await bring('indexeddb', 'waiting on a card');
      await one.evaluate(countTicks);
      const two = await browsers.page();
      await two.open(shop.url(session));
      await two.waitFor(ALLOW, 20_000);
      await one.freeze();
      await say(two, 'Order it');
      await until(async () => (await textOfChat(two)).includes('Not sent'), 'what was said to come back');
      expect(await two.value(INPUT)).to.equal('Order it');
      await two.click(ALLOW);
      await until(async () => (await textOfChat(two)).includes('not responding'), 'the notice of the other tab');
      await one.thaw();
      await one.toFront();
      // The control: the page stood still.
      const { log, ticks } = await one.evaluate(() => (window as unknown as { ticking: { log: string[]; ticks: number } }).ticking);
      expect([log, ticks < 2]).to.deep.equal([['freeze', 'resume'], true]);
      await one.click(ALLOW);
      await two.toFront();
      await two.waitFor(card('success', 'pay'), 20_000);
      expect(await talk(two, shop, session)).to.deep.equal([]);
      expect([shop.effects(session).length, JSON.stringify(shop.visit(session).asked).includes('Order it')]).to.deep.equal([1, false]);
    });

  it('is seen to be lost where nothing is saved: the look would notice', async () => {
    const { driver, session } = await bring('none', 'in an answer');
    await driver.reload();
    expect(await look(driver, session)).to.not.equal(KEPT['in an answer']);
  });
});

/** All of these texts stand in the storage of the page. */
function untilKept(driver: Driver, session: string, storage: Storage, texts: string[]): Promise<void> {
  if (storage === 'none') return Promise.resolve();
  return until(async () => {
    const found =
      storage === 'indexeddb'
        ? JSON.stringify((await storedRows(driver, session)) ?? '')
        : await driver.evaluate((key) => sessionStorage.getItem(key) ?? '', `tool-chat:conversation:${session}`);
    return texts.every((text) => found.includes(text));
  }, `${texts.join()} to be kept`);
}

// ——— What runs in the page

/** The answer has taken so long that what can stop it from outside is loaded. */
const canTellStop = () => performance.getEntriesByType('resource').some(({ name }) => /\/resum[^/]*$/.test(name));

/** Counts in `ticking` what a timer does between `freeze` and `resume`. */
function countTicks() {
  const ticking = { log: [] as string[], ticks: 0 };
  for (const type of ['freeze', 'resume']) document.addEventListener(type, () => ticking.log.push(type));
  setInterval(() => (ticking.ticks += Number(ticking.log.at(-1) === 'freeze')), 10);
  Object.assign(window, { ticking });
}

const hasMessages = () => (document.querySelector<Chat>('tool-chat')?.messages.length ?? 0) > 0;

/** The conversation is loaded, and either idle or waits for the user: seen twice, a moment apart. */
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
