// CI only: two page loads for each of two dozen points
// engines: storage
/**
 * Nothing happens twice, and nothing silently: the page is stopped at every point of a tool call, reloaded or killed there, and opened again.
 * A server counts what was really done. Each case is left one of the two ways, drawn by the seed, and both ways with full effort.
 */
import { expect } from 'chai';
import { isFullEffort } from '../helpers/effort.js';
import { canBeKilled, engineOfTests } from './browsers.js';
import { bringTo, comeBack, type Found, type Tool } from './kept-call.js';
import { SEED, shuffled } from './pairwise.js';
import { useShop } from './shop.js';
import type { Plan, Point } from './shop-page.js';

/** What a call can have become once the page is back, and how many effects there are: `success 1`. */
type Outcome = `${'awaiting_approval' | 'cancelled' | 'interrupted' | 'success'} ${0 | 1 | 2}`;

/** A page that is left may still come a little further: `orElse` is what can follow from that. A kill allows no more than `then`. */
interface Expected {
  then: readonly Outcome[];
  orElse?: readonly Outcome[];
}

const LATER: readonly Outcome[] = ['interrupted 0', 'interrupted 1', 'success 1'];
const POINTS: Record<Point, Expected> = {
  held: { then: ['cancelled 0'] },
  checking: { then: ['awaiting_approval 0'] },
  'awaiting approval': { then: ['awaiting_approval 0'] },
  queued: { then: ['awaiting_approval 0'] },
  clearing: { then: ['awaiting_approval 0'], orElse: LATER },
  'before its intent is written': { then: ['awaiting_approval 0'], orElse: LATER },
  'with its intent written': { then: ['interrupted 0'], orElse: LATER },
  'executing, before the effect': { then: ['interrupted 0'], orElse: LATER },
  'executing, the effect not answered': { then: ['interrupted 1'] },
  'executing, the effect answered': { then: ['interrupted 1'], orElse: ['success 1'] },
  'before its end is recorded': { then: ['interrupted 1'], orElse: ['success 1'] },
  'with its end recorded': { then: ['success 1'] },
  settled: { then: ['success 1'] },
  'told to the model': { then: ['success 1'] },
};

/** `says`: what `verify()` answers. Default: the truth. */
type Case = Expected & { title: string; tool: Tool; point: Point; says?: string };

const AGAIN: Expected = { then: ['success 1', 'success 2'] };
const others: readonly [what: string, tool: Tool, point: Point, expected: Expected, says?: string][] = [
  ['a query runs again', 'look_up', 'with its intent written', AGAIN],
  ['a query runs again', 'look_up', 'executing, the effect not answered', AGAIN],
  ['a query does not run again', 'look_up', 'with its end recorded', { then: ['success 1'] }],
  ['an idempotent write runs again', 'put_name', 'executing, before the effect', AGAIN],
  ['an idempotent write runs again', 'put_name', 'before its end is recorded', AGAIN],
  ['what can be verified is not done', 'transfer', 'executing, before the effect', { then: ['cancelled 0'], orElse: ['success 1'] }],
  ['what can be verified is done', 'transfer', 'executing, the effect not answered', { then: ['success 1'] }],
  ['what cannot tell is interrupted', 'transfer', 'executing, the effect not answered', { then: ['interrupted 1'] }, 'unknown'],
];
const toCase = ([what, tool, point, expected, says]: (typeof others)[number]): Case => ({
  title: `${what}, ${point}`,
  tool,
  point,
  ...expected,
  ...(says && { says }),
});
const payments = (Object.keys(POINTS) as Point[]).map((point) => toCase(['a payment', 'pay', point, POINTS[point]]));
const cases: readonly Case[] = [...payments, ...others.map(toCase)];
/** At these it could most easily happen twice: they are always left both ways. */
const BOTH = new Set<Point>(['with its intent written', 'executing, the effect not answered', 'with its end recorded']);

const mixed = shuffled(cases);
const isBoth = (one: Case) => isFullEffort || (one.tool === 'pay' && BOTH.has(one.point));
/** The others take seconds for each: they have a sample of what Chromium has. */
const share = engineOfTests() === 'chromium' ? 2 : 4;
const reloaded = mixed.filter((one, at) => isBoth(one) || at % share === 0);
const killed = mixed.filter((one, at) => isBoth(one) || at % share === 1);

describe(`a tool call happens once (SEED=${String(SEED)})`, () => {
  const { browsers, shop } = useShop();
  let count = 0;

  async function bring({ point, tool, says }: Case, way: Plan['way'], more: Partial<Plan> = {}) {
    const session = `${way}-${String((count += 1))}`;
    if (says) shop.visit(session).verify = says;
    const driver = await browsers.page();
    await bringTo(point, driver, shop, session, { tool, way, apart: way === 'kill', ...more });
    return { driver, session };
  }

  async function reload(one: Case, more: Partial<Plan> = {}): Promise<Found> {
    const { driver, session } = await bring(one, 'reload', more);
    if (!shop.visit(session).stopped) await driver.reload();
    const found = await comeBack(driver, shop, session, one.tool, [...one.then, ...(one.orElse ?? [])]);
    if (canBeKilled()) await driver.close();
    return found;
  }

  describe('wherever its page is reloaded', () => {
    for (const one of reloaded)
      it(one.title, async () => {
        expect((await reload(one)).wrong).to.deep.equal([]);
      });
  });

  /** Each on a page of its own of one browser, which is killed once all are there. */
  describe('wherever the browser is killed', () => {
    if (!canBeKilled()) return void it.skip('its driver begins every session with an empty profile');
    const sessions = new Map<Case, string>();

    before(async function () {
      this.timeout(180_000);
      for (const one of killed) sessions.set(one, (await bring(one, 'kill')).session);
      await browsers.kill();
    });

    for (const one of killed)
      it(one.title, async () => {
        const driver = await browsers.page();
        await driver.open(shop.url(sessions.get(one) ?? '', { apart: true }));
        const { wrong } = await comeBack(driver, shop, sessions.get(one) ?? '', one.tool, one.then);
        expect(wrong).to.deep.equal([]);
        await driver.close();
      });
  });

  it('is seen to happen twice where nothing is kept', async () => {
    const one = payments.find(({ point }) => point === 'executing, the effect not answered') as Case;
    const { wrong } = await reload(one, { forgetful: true });
    expect(wrong.join('; ')).to.include('it is awaiting_approval 1').and.include('2 effects');
  });
});
