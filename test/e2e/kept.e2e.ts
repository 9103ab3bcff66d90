// engines: storage, locks
/** A saved conversation in two tabs (Y-24), on the next page of a site, and with a storage that fails. */
import { expect } from 'chai';
import { canBeKilled, engineOfTests, openBrowsers, type Browsers } from './browsers.js';
import type { Driver } from './driver.js';
import { bringTo, comeBack, isSettled, send, statusOf, talk, until, untilPage } from './kept-call.js';
import { openShop, type Shop } from './shop.js';
import type { Plan } from './shop-page.js';
import { ALLOW, card, part, textOfChat, untilReady } from './widget.js';

describe('a kept conversation', () => {
  let browsers: Browsers;
  let shop: Shop;
  let count = 0;

  before(async () => {
    browsers = await openBrowsers();
    shop = await openShop();
  });
  after(async () => {
    await browsers.close();
    await shop.close();
  });

  const fresh = (name: string) => `${name}-${String((count += 1))}`;

  describe('in two tabs', () => {
    // Two frames in one page are tested in every engine: test/conversation/keeping.browser.test.ts.
    if (!canBeKilled()) return void it.skip('its driver has one window');
    let one: Driver;
    let two: Driver;

    beforeEach(async () => {
      one = await browsers.page();
      two = await browsers.page();
    });
    afterEach(async () => {
      await Promise.allSettled([one.close(), two.close()]);
    });

    it('runs a call once when both allow it at the same moment; the other tab says that it was handled', async () => {
      const session = fresh('both');
      await bringTo('awaiting approval', one, shop, session, { tool: 'pay' });
      await two.open(shop.url(session));
      await Promise.all([one.waitFor(ALLOW), two.waitFor(ALLOW)]);
      await Promise.all([one.click(ALLOW), two.click(ALLOW)]);
      // Where the conversation moved, it asks once more, and nothing has happened.
      const ran = () => shop.effects(session).length > 0;
      await until(async () => {
        // Decided a moment ago, the button is gone, and the effect still on its way.
        if (!ran() && (await textOfChat(two)).includes('please decide once more')) await two.click(ALLOW).catch(() => undefined);
        return ran();
      }, 'the effect');
      await Promise.all([one, two].map((tab) => tab.waitFor(card('success', 'pay'))));
      const handled = [one, two].map(async (tab) => (await textOfChat(tab)).includes('Handled in another tab'));
      expect(await Promise.all(handled)).to.include(true);
      expect(shop.effects(session)).to.have.length(1);
      expect(await talk(two, shop, session)).to.deep.equal([]);
      await until(async () => (await textOfChat(one)).includes('Here I am.'), 'the answer in the other tab');
      expect(shop.effects(session)).to.have.length(1);
    });

    it('goes on in the other tab when the one that leads is killed while its tool is at work', async () => {
      const session = fresh('crash');
      await bringTo('executing, the effect not answered', one, shop, session, { tool: 'pay' });
      await two.open(shop.url(session));
      await two.waitFor(card('executing', 'pay'));
      shop.hold(session, undefined);
      if (engineOfTests() === 'chromium') void one.open('chrome://crash').catch(() => undefined);
      else await one.close();
      await two.waitFor(card('interrupted', 'pay'), 20_000);
      expect(await talk(two, shop, session)).to.deep.equal([]);
      expect(shop.effects(session)).to.have.length(1);
      const told =
        shop
          .asked(session)
          .at(-1)
          ?.filter(({ content }) => content.includes('status="interrupted"')) ?? [];
      expect(told).to.have.length(1);
    });

    it('work on one thing one after the other; the one that waits says so, and goes on when the other is closed (Y-24)', async () => {
      const isAtWork = (session: string) => until(() => shop.effects(session).length > 0, 'the effect');
      const sessions = [fresh('lock'), fresh('lock')] as const;
      for (const [at, tab] of [one, two].entries()) {
        const session = sessions[at]!;
        shop.plan(session, { attributes: { approval: 'auto' } });
        shop.hold(session, 'effect');
        await tab.open(shop.url(session));
        await untilReady(tab);
        send(tab, 'Please print');
        if (tab === one) await isAtWork(session);
      }
      await until(async () => (await textOfChat(two)).includes('Waits until another chat or tab has finished with “paper”'), 'the wait');
      expect(shop.effects(sessions[1])).to.have.length(0);
      await one.close();
      await isAtWork(sessions[1]);
      shop.letGo(sessions[1]);
      await two.waitFor(card('success', 'print'));
    });
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
    const lastAsked = (session: string) =>
      shop
        .asked(session)
        .at(-1)
        ?.map(({ content }) => content)
        .slice(1)
        .join('\n') ?? '';

    it('asks again as soon as the tool is registered there, and goes on with its result', async () => {
      const { driver, session } = await next('later');
      const { outcome, wrong } = await comeBack(driver, shop, session, 'pay', ['awaiting_approval 0']);
      expect(wrong).to.deep.equal([]);
      expect(outcome).to.equal('awaiting_approval 0');
      expect(shop.effects(session)).to.have.length(1);
    });

    for (const [how, pays] of [
      ['has changed', 'otherwise'],
      ['is missing', 'never'],
    ] as const)
      it(`does not run a tool that ${how} there, tells the model, and goes on`, async () => {
        const { driver, session } = await next(pays);
        await driver.waitFor(isSettled, 20_000, 'pay');
        expect(await driver.evaluate(statusOf, 'pay')).to.equal('error');
        await until(() => shop.asked(session).length > 1, 'the model to be told');
        expect(lastAsked(session)).to.include('name="pay"').and.include('status="error"');
        expect(await talk(driver, shop, session)).to.deep.equal([]);
        expect(shop.effects(session)).to.have.length(0);
      });
  });

  describe('with a storage that fails', () => {
    for (const [trouble, sentence] of [
      ['blocked', 'This page has no storage'],
      ['full', 'The storage of this site is full'],
    ] as const)
      it(`goes on in memory and says so where it is ${trouble}; a query runs, and what needs a record is refused`, async () => {
        const driver = await browsers.page();
        const session = fresh(trouble);
        shop.plan(session, { trouble, attributes: { approval: 'auto' } });
        await driver.open(shop.url(session));
        await untilReady(driver);
        send(driver, 'Please look_up pay');
        await driver.waitFor(isSettled, 20_000, 'pay');
        expect(await driver.evaluate(statusOf, 'look_up')).to.equal('success');
        expect(await driver.evaluate(statusOf, 'pay')).to.equal('error');
        expect(shop.effects(session, 'look_up')).to.have.length(1);
        expect(shop.effects(session, 'pay')).to.have.length(0);
        expect(await driver.text(part('notice'))).to.include(sentence);
        expect(await talk(driver, shop, session)).to.deep.equal([]);
        expect(await driver.count(part('notice'))).to.equal(1);
      });

    it('survives that all data is cleared while it runs', async () => {
      const driver = await browsers.page();
      await driver.open(shop.url(fresh('clear')));
      await untilReady(driver);
      expect(await driver.evaluate(clearAll)).to.equal('cleared');
      // A page that is left while it opens its storage anew is frozen with it (Chromium), and the next one waits for ten seconds.
      await driver.reload();
      await driver.waitFor(isMade);
      const session = fresh('cleared');
      await bringTo('awaiting approval', driver, shop, session, { tool: 'pay' });
      expect(await driver.evaluate(clearAll)).to.equal('cleared');
      await driver.click(ALLOW);
      await driver.waitFor(isSettled, 20_000, 'pay');
      expect(await driver.evaluate(statusOf, 'pay')).to.equal('success');
      expect(shop.effects(session)).to.have.length(1);
      expect(await talk(driver, shop, session)).to.deep.equal([]);
      await driver.reload();
      await until(async () => (await textOfChat(driver).catch(() => '')).includes('Here I am.'), 'what was said after it');
      expect(shop.effects(session)).to.have.length(1);
    });
  });
});

// ——— What runs in the page

/** As a person does who clears the data of the site. */
function clearAll(): Promise<string> {
  localStorage.clear();
  sessionStorage.clear();
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase('tool-chat');
    request.onblocked = () => resolve('blocked');
    request.onerror = () => resolve('failed');
    request.onsuccess = () => resolve('cleared');
  });
}

async function isMade(): Promise<boolean> {
  const databases = await indexedDB.databases();
  return databases.some(({ name, version }) => name === 'tool-chat' && version === 1);
}
