/** A first hour with it: of a visitor who books, changes, cancels and takes back, and of a site owner who makes it their own. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { type Driver, launch } from './driver.js';
import { ALLOW, card, type DemoUnderTest, DENY, part, say, serveTasks, untilIdle, untilOnBoard, untilReady } from './widget.js';

const TASK = 'Book the physiotherapist';
const ACT = 'tool-chat >>> ol li';

describe('a first use', function () {
  this.timeout(90_000);
  let driver: Driver;
  let demo: DemoUnderTest;

  before(async () => {
    driver = await launch();
    demo = await serveTasks(4);
  });
  after(async () => {
    await driver.close();
    await demo.close();
  });

  it('by a visitor: books, changes, does not cancel after all, takes the change back, and cancels', async () => {
    await driver.open(`${demo.url}/?lang=en`);
    await untilReady(driver);
    await driver.waitFor('.task-title');

    await say(driver, `Create a task "${TASK}"`);
    await driver.waitFor(card('success', 'create_task'));
    await untilIdle(driver);
    await untilOnBoard(driver, TASK);

    await say(driver, `Move "${TASK}" to tomorrow`);
    await driver.waitFor(card('success', 'create_schedule'));
    await untilIdle(driver);

    await say(driver, `Delete the task "${TASK}"`);
    await driver.waitFor(DENY);
    await driver.click(DENY);
    await driver.waitFor(card('denied', 'delete_task'));
    await untilIdle(driver);

    // What it did, and what of it is taken back.
    await driver.click(part('menu-button'));
    await driver.waitFor('tool-chat >>> [data-item=acts]');
    await driver.click('tool-chat >>> [data-item=acts]');
    await driver.waitFor(ACT);
    const acts = () =>
      driver.evaluate(() => {
        const menu = document
          .querySelector('tool-chat')
          ?.shadowRoot?.querySelector('tool-chat-panel')
          ?.shadowRoot?.querySelector('tool-chat-menu')?.shadowRoot;
        return [...(menu?.querySelectorAll('ol li') ?? [])].map(
          (row) => row.querySelector('.act')?.textContent?.replace(/\s+/g, ' ').trim() ?? '',
        );
      });
    expect((await acts()).map((row) => /You said no|Taken back/.exec(row)?.[0] ?? 'done')).to.deep.equal(['You said no', 'done', 'done']);
    await driver.click(`${ACT}:nth-child(2) button`);
    await driver.waitFor(`${ACT}[data-status=undone]`);
    await driver.press('Escape');
    await driver.press('Escape');
    await untilOnBoard(driver, TASK);

    await say(driver, `Delete the task "${TASK}"`);
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'delete_task'));
    await untilIdle(driver);
    await untilOnBoard(driver, TASK, false);
    expect(driver.complaints).to.deep.equal([]);
  });

  it('by a site owner: eight properties at most make it look like the page', async () => {
    const css = await readFile(new URL('../../demo/brand.css', import.meta.url), 'utf8');
    const set = [...new Set(css.match(/--tool-chat-[\w-]+(?=:)/g))];
    expect(set.length).to.be.within(4, 8);

    await driver.open(`${demo.url}/brand`);
    await driver.waitFor('tool-chat');
    await driver.evaluate(() => {
      document.querySelector('tool-chat')?.setAttribute('open', '');
    });
    await untilReady(driver);
    const look = await driver.evaluate(() => {
      const panel = document.querySelector('tool-chat')?.shadowRoot?.querySelector('tool-chat-panel')?.shadowRoot;
      const frame = getComputedStyle(panel?.querySelector('.panel') as Element);
      const page = getComputedStyle(document.body);
      return { family: frame.fontFamily.split(',')[0], page: page.fontFamily.split(',')[0], color: frame.color, text: page.color };
    });
    expect(look.family).to.equal(look.page);
    expect(look.color).to.equal(look.text);
    expect(driver.complaints).to.deep.equal([]);
  });
});
