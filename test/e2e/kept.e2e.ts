// engines: storage, locks
/** A saved conversation whose leading tab is killed, on the next page of a site, and with a storage that is emptied. */
import { expect } from 'chai';
import { canBeKilled, engineOfTests } from './browsers.js';
import type { Driver } from './driver.js';
import { bringTo, isSettled, send, statusOf, talk, until, untilPage } from './kept-call.js';
import { useShop } from './shop.js';
import type { Plan } from './shop-page.js';
import { card, part, untilReady } from './widget.js';

describe('a kept conversation', () => {
  const { browsers, shop } = useShop();
  let count = 0;

  const fresh = (name: string) => `${name}-${String((count += 1))}`;

  // Two frames in one page are tested in every engine: test/conversation/in-tabs.browser.test.ts.
  if (canBeKilled())
    it('goes on in the other tab when the one that leads is killed while its tool is at work', async () => {
      const [one, two] = [await browsers.page(), await browsers.page()];
      const session = fresh('crash');
      await bringTo('executing, the effect not answered', one, shop, session, { tool: 'pay' });
      await two.open(shop.url(session));
      await two.waitFor(card('executing', 'pay'));
      shop.visit(session).hold = undefined;
      if (engineOfTests() === 'chromium') void one.open('chrome://crash').catch(() => undefined);
      else await one.close();
      await two.waitFor(card('interrupted', 'pay'), 20_000);
      expect(await talk(two, shop, session)).to.deep.equal([]);
      expect(shop.effects(session)).to.have.length(1);
      const told = shop.visit(session).asked.at(-1);
      expect(told?.filter(({ content }) => content.includes('status="interrupted"'))).to.have.length(1);
      await Promise.allSettled([one.close(), two.close()]);
    });

  describe('on the next page of the site', () => {
    /** A page whose card waits is left for another one with this tool. */
    async function next(pays: NonNullable<Plan['pays']>): Promise<{ driver: Driver; session: string }> {
      const driver = await browsers.page();
      const session = fresh('next');
      await bringTo('awaiting approval', driver, shop, session, { tool: 'pay' });
      await driver.open(shop.url(session, { pays }));
      await untilPage(driver, 2);
      return { driver, session };
    }

    for (const [how, pays] of [
      ['has changed', 'otherwise'],
      ['is missing', 'never'],
    ] as const)
      it(`does not run a tool that ${how} there, tells the model, and goes on`, async () => {
        const { driver, session } = await next(pays);
        await driver.waitFor(isSettled, 20_000, 'pay');
        expect(await driver.evaluate(statusOf, 'pay')).to.equal('error');
        const { asked } = shop.visit(session);
        await until(() => asked.length > 1, 'the model to be told');
        expect(JSON.stringify(asked.at(-1)?.slice(1))).to.match(/name=\\"pay\\".*status=\\"error\\"/);
        expect(await talk(driver, shop, session)).to.deep.equal([]);
        expect(shop.effects(session)).to.have.length(0);
      });
  });

  it('goes on in memory and says so where the storage is blocked; a query runs, and what needs a record is refused', async () => {
    const driver = await browsers.page();
    const session = fresh('blocked');
    shop.visit(session).plan = { isBlocked: true, attributes: { approval: 'auto' } };
    await driver.open(shop.url(session));
    await untilReady(driver);
    send(driver, 'Please look_up pay');
    await driver.waitFor(isSettled, 20_000, 'pay');
    expect(await driver.evaluate(statusOf, 'look_up')).to.equal('success');
    expect(await driver.evaluate(statusOf, 'pay')).to.equal('error');
    expect(shop.effects(session)).to.have.length(1);
    expect(await driver.text(part('notice'))).to.include('This page has no storage');
    expect(await talk(driver, shop, session)).to.deep.equal([]);
    expect(await driver.count(part('notice'))).to.equal(1);
  });
});
