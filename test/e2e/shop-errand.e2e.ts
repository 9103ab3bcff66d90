/** The demo's shop: one request goes on across three pages that are each loaded anew, and what it pays for happens once. */
import { after, before } from 'mocha';
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, card, textOfChat, untilIdle, untilReady, type Chat } from './widget.js';

describe('the shop of the demo', function () {
  this.timeout(60_000);
  let demo: RunningDemo;
  let driver: Driver;

  before(async () => {
    demo = await serveDemo({ upstream: scriptedUpstream({ delayMs: 0 }) });
    driver = await launch();
  });
  after(async () => {
    await driver?.close();
    await demo?.close();
  });

  const textsOf = (selector: string) =>
    driver.evaluate((wanted: string) => [...document.querySelectorAll(wanted)].map((node) => node.textContent?.trim() ?? ''), selector);

  /** A page that is left while it is asked gives no answer; the next one does. */
  async function acrossPages<Args extends unknown[]>(what: string | ((...args: Args) => unknown), ...args: Args) {
    for (const end = Date.now() + 30_000; ;) {
      try {
        return await driver.waitFor(what, 2000, ...args);
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  it('carries “Buy 2 green tea” from the shelves over the basket to the order, which asks, and is placed once', async () => {
    await driver.open(`${demo.url}/shop?lang=en`);
    await untilReady(driver);
    await driver.evaluate(
      () => void document.querySelector<Chat & { sendMessage(text: string): unknown }>('tool-chat')!.sendMessage('Buy 2 green tea'),
    );
    await acrossPages(() => location.pathname === '/shop-order' && document.querySelectorAll('#basket li').length > 0);
    await acrossPages(ALLOW);
    expect(await textsOf('#basket .name')).to.deep.equal(['Green tea']);
    expect(await textsOf('#orders li')).to.deep.equal([]);
    expect(await textOfChat(driver)).to.contain('€9.00');
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'place_order'));
    await untilIdle(driver);
    expect(await textsOf('#orders li')).to.deep.equal(['Order 1001 · €9.00']);
    expect(await textOfChat(driver)).to.contain('All done. Order 1001 is placed');
    const history = await driver.evaluate(() =>
      document.querySelector<Chat>('tool-chat')!.toolHistory.map(({ toolName, status }) => `${toolName} ${status}`),
    );
    expect(history).to.deep.equal([
      'add_to_basket success',
      'open_page success',
      'read_basket success',
      'open_page success',
      'place_order success',
    ]);
    await driver.reload();
    await untilReady(driver);
    expect(await textsOf('#orders li')).to.have.length(1);
  });
});
