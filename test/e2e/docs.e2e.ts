/** The documentation as a reader meets it: the site that was built, served by the demo, and its first guide done word for word. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { RunningDemo } from '../../demo/server/demo.js';
import { serveDemo } from './demo-server.js';
import { type Driver, launch } from './driver.js';
import { serveHost, type HostSite } from './host-server.js';
import { ALLOW, INPUT, part, say, untilIdle, untilReady } from './widget.js';

describe('the documentation', () => {
  let driver: Driver;
  let demo: RunningDemo;

  before(async () => {
    driver = await launch();
    demo = await serveDemo();
  });
  after(async () => {
    await driver.close();
    await demo.close();
  });

  it('shows an example that runs where it is described', async () => {
    await driver.open(`${demo.url}/docs/guides/quick-start`);
    // Until the page has its scripts, a press does nothing.
    await driver.waitFor(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
    await driver.click('.try-it button');
    await driver.waitFor(() => {
      const frame = document.querySelector('iframe');
      const chat = frame?.contentDocument?.querySelector('tool-chat');
      return chat?.getAttribute('approval') === 'always' && chat.matches(':defined');
    }, 30_000);
  });

  it('has a model in its examples that writes calls, and a question before they run', async () => {
    await driver.open(`${demo.url}/docs/live?approval=always&lang=en`);
    await untilReady(driver);
    await say(driver, 'Add a task: Buy milk');
    await driver.waitFor(ALLOW);
    expect(await driver.text('main > p')).not.to.contain('Buy milk');
    await driver.click(ALLOW);
    await untilIdle(driver);
    expect(await driver.text('main > p')).to.contain('Buy milk');
  });

  it('finds the page of an error code', async () => {
    await driver.open(`${demo.url}/docs/`);
    await driver.waitFor(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
    await driver.click('.DocSearch-Button');
    await driver.type('.search-input', 'STREAM_CUT');
    await driver.waitFor('.results a[href*="STREAM_CUT"]');
  });

  it('draws the statecharts so that they can be read on a phone', async () => {
    await driver.setViewport(Math.max(390, driver.narrowest), 800);
    try {
      await driver.open(`${demo.url}/docs/architecture`);
      await driver.waitFor('svg.statechart');
      const { letters, widest, page } = await driver.evaluate(() => ({
        letters: [...document.querySelectorAll('.statechart text')].map((text) => text.getBoundingClientRect().height),
        widest: Math.max(...[...document.querySelectorAll('.statechart, .statechart *')].map((one) => one.getBoundingClientRect().right)),
        page: document.documentElement.clientWidth,
      }));
      expect(letters).to.have.length.above(80);
      expect(Math.min(...letters)).to.be.above(11);
      expect(widest).to.be.at.most(page);
    } finally {
      await driver.setViewport(1280, 800);
    }
  });

  it('is there in Chinese', async () => {
    await driver.open(`${demo.url}/docs/zh/guides/quick-start`);
    await driver.waitFor('h1');
    expect(await driver.text('h1')).to.contain('快速上手');
    expect(await driver.evaluate(() => document.documentElement.lang)).to.equal('zh-CN');
  });
});

describe('a page made of the quick start', () => {
  let driver: Driver;
  let site: HostSite;

  before(async () => {
    driver = await launch();
    site = await serveHost();
  });
  after(async () => {
    await driver.close();
    await site.close();
  });

  it('has an assistant in its corner that asks before it changes the title', async () => {
    const guide = await readFile(new URL('../../docs/guides/quick-start.md', import.meta.url), 'utf8');
    const [, page = ''] = /```html\n(<!doctype html>[\s\S]*?)\n```/.exec(guide) ?? [];
    const [, hand = ''] = /<!-- sample: title -->\n\n```js\n([\s\S]*?)\n```/.exec(guide) ?? [];
    site.put('/hand.js', hand);
    site.put('/page.html', page.replace('</body>', '<script src="/hand.js"></script></body>'));
    site.say('<tool_use><invoke name="set_title"><parameter name="title">Hello</parameter></invoke></tool_use>', 'Done.');
    await driver.open(`${site.url}/page.html`);
    await driver.waitFor(part('launcher'));
    await driver.click(part('launcher'));
    await driver.waitFor(INPUT);
    await say(driver, 'Say Helo');
    await driver.waitFor(ALLOW);
    expect(await driver.evaluate(() => document.title)).to.equal('My shop');
    await driver.click(ALLOW);
    await untilIdle(driver);
    expect(await driver.evaluate(() => document.title)).to.equal('Hello');
  });
});
