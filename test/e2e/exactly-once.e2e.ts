/**
 * Nothing happens twice, and nothing silently: the page is stopped at every point of a tool call, left or killed there, and opened again. A
 * server counts what was really done. Faults 73, 74 and 76 (faults.md D).
 */
import { expect } from 'chai';
import { canBeKilled, engineOfTests, openBrowsers, type Browsers } from './browsers.js';
import { bringTo, comeBack, type Found, type Tool } from './kept-call.js';
import { openShop, type Shop } from './shop.js';
import type { Plan, Point } from './shop-page.js';

/** What a call can have become once the page is back, and how many effects there are: `success 1`. */
type Outcome = `${'awaiting_approval' | 'cancelled' | 'interrupted' | 'success'} ${0 | 1 | 2}`;

/** A page that is left may still come a little further: what can follow from that is `orElse`. A kill allows no more than `then`. */
interface Expected {
  then: readonly Outcome[];
  orElse?: readonly Outcome[];
}

const POINTS: Record<Point, Expected> = {
  held: { then: ['cancelled 0'] },
  checking: { then: ['awaiting_approval 0'] },
  'awaiting approval': { then: ['awaiting_approval 0'] },
  queued: { then: ['awaiting_approval 0'] },
  clearing: { then: ['awaiting_approval 0'], orElse: ['interrupted 0', 'interrupted 1', 'success 1'] },
  'before its intent is written': { then: ['awaiting_approval 0'], orElse: ['interrupted 0', 'interrupted 1', 'success 1'] },
  'with its intent written': { then: ['interrupted 0'], orElse: ['interrupted 1', 'success 1'] },
  'executing, before the effect': { then: ['interrupted 0'], orElse: ['interrupted 1', 'success 1'] },
  'executing, the effect not answered': { then: ['interrupted 1'] },
  'executing, the effect answered': { then: ['interrupted 1'], orElse: ['success 1'] },
  'before its end is recorded': { then: ['interrupted 1'], orElse: ['success 1'] },
  'with its end recorded': { then: ['success 1'] },
  settled: { then: ['success 1'] },
  'told to the model': { then: ['success 1'] },
};

/** Cases of test/faults/cases.ts, as titles begin with them. */
const FAULTS: Partial<Record<Point, string>> = {
  held: 'D73 ',
  'awaiting approval': 'D76 ',
  'executing, the effect not answered': 'D74 ',
};

interface Case extends Expected {
  title: string;
  tool: Tool;
  point: Point;
  /** What `verify()` answers. Default: the truth. */
  says?: string;
}

const again: Expected = { then: ['success 1', 'success 2'] };

const payments = (Object.keys(POINTS) as Point[]).map((point): Case => ({
  title: `${FAULTS[point] ?? ''}${point}`,
  tool: 'pay',
  point,
  ...POINTS[point],
}));

const others: readonly Case[] = [
  { title: 'a query, with its intent written: it runs again', tool: 'look_up', point: 'with its intent written', ...again },
  { title: 'a query, its effect not answered: it runs again', tool: 'look_up', point: 'executing, the effect not answered', ...again },
  { title: 'a query, with its end recorded: it does not', tool: 'look_up', point: 'with its end recorded', then: ['success 1'] },
  { title: 'an idempotent write, before its effect: it runs again', tool: 'put_name', point: 'executing, before the effect', ...again },
  {
    title: 'an idempotent write, before its end is recorded: it runs again',
    tool: 'put_name',
    point: 'before its end is recorded',
    ...again,
  },
  {
    title: 'a tool that can verify, before its effect: it is not done',
    tool: 'transfer',
    point: 'executing, before the effect',
    then: ['cancelled 0'],
    orElse: ['success 1'],
  },
  {
    title: 'a tool that can verify, its effect not answered: it is done',
    tool: 'transfer',
    point: 'executing, the effect not answered',
    then: ['success 1'],
  },
  {
    title: 'a tool that can verify, and does not know',
    tool: 'transfer',
    point: 'executing, the effect not answered',
    says: 'unknown',
    then: ['interrupted 1'],
  },
];

const cases = [...payments, ...others];

/** Where Firefox is killed; all of them would take it minutes. */
const FEW: ReadonlySet<Point> = new Set<Point>([
  'awaiting approval',
  'before its intent is written',
  'with its intent written',
  'executing, the effect not answered',
  'with its end recorded',
]);

describe('a tool call happens once', () => {
  let browsers: Browsers;
  let shop: Shop;
  let count = 0;
  /** What became of what, one line a case. */
  const matrix: string[] = [];

  before(async () => {
    browsers = await openBrowsers();
    shop = await openShop();
  });
  after(async () => {
    await browsers.close();
    await shop.close();
    for (const line of matrix) console.log(`      ${line}`);
  });

  async function bring({ point, tool, says }: Case, way: Plan['way'], more: Partial<Plan> = {}) {
    const session = `${way}-${String((count += 1))}`;
    if (says) shop.verify(session, says);
    const driver = await browsers.page();
    await bringTo(point, driver, shop, session, { tool, way, apart: way === 'kill', ...more });
    return { driver, session };
  }

  function note(title: string, way: string, { outcome, wrong }: Found) {
    matrix.push(`${title} · ${way} → ${outcome}`);
    expect(wrong).to.deep.equal([]);
  }

  describe('wherever its page is reloaded', () => {
    for (const one of cases)
      it(one.title, async () => {
        const { driver, session } = await bring(one, 'reload');
        if (!shop.hasStopped(session)) await driver.reload();
        note(one.title, 'reload', await comeBack(driver, shop, session, one.tool, [...one.then, ...(one.orElse ?? [])]));
        if (canBeKilled()) await driver.close();
      });
  });

  /** Each on a page of its own of one browser, which is killed once all are there. */
  describe('wherever the browser is killed', () => {
    if (!canBeKilled()) return void it.skip('its driver begins every session with an empty profile');
    const sessions = new Map<Case, string>();
    const killed = cases.filter(({ point }) => engineOfTests() === 'chromium' || FEW.has(point));

    before(async function () {
      this.timeout(180_000);
      for (const one of killed) sessions.set(one, (await bring(one, 'kill')).session);
      await browsers.kill();
    });

    for (const one of killed)
      it(one.title, async () => {
        const driver = await browsers.page();
        const session = sessions.get(one) ?? '';
        await driver.open(shop.url(session, { apart: true }));
        note(one.title, 'kill', await comeBack(driver, shop, session, one.tool, one.then));
        await driver.close();
      });
  });

  it('is seen to happen twice where nothing is kept', async () => {
    const one = payments.find(({ point }) => point === 'executing, the effect not answered') as Case;
    const { driver, session } = await bring(one, 'reload', { forgetful: true });
    await driver.reload();
    const { wrong } = await comeBack(driver, shop, session, 'pay', one.then);
    expect(wrong.join('; ')).to.include('it is awaiting_approval 1').and.include('2 effects');
  });
});
