/** What the chats of two tabs work on is worked on by one of them at a time; a tab that is closed lets go of it (Y-24). */
import { expect } from 'chai';
import { canBeKilled, openBrowsers, type Browsers } from './browsers.js';
import type { Driver } from './driver.js';
import { serveHost, type HostSite } from './host-server.js';
import { card, say, textOfChat, untilIdle, untilReady } from './widget.js';

type Page = Window & { finish?: () => void };

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tab</title><style>tool-chat { height: 90vh }</style>
<tool-chat endpoint="/api/ai/chat/stream"></tool-chat><script type="module" src="/dist/tool-chat.js"></script>
<script>(window.toolChat ??= []).push((chat) => chat.registerTool({
  name: 'tidy', description: 'Tidies the tasks.', risk: 'query', resource: 'tasks',
  execute: () => new Promise((resolve) => (window.finish = resolve)),
}));</script>`;

const TIDY = '<tool_use><invoke name="tidy"></invoke></tool_use>';
const isAtWork = () => (window as Page).finish !== undefined;

describe('two tabs', function () {
  let browsers: Browsers;
  let site: HostSite;

  before(async function () {
    if (!canBeKilled()) return this.skip(); // WebKit's driver has one window
    browsers = await openBrowsers();
    site = await serveHost();
    site.put('/page.html', page);
  });
  after(async () => {
    await browsers?.close();
    await site?.close();
  });

  async function tab(): Promise<Driver> {
    const driver = await browsers.page();
    await driver.open(`${site.url}/page.html`);
    await untilReady(driver);
    return driver;
  }

  it('work on one thing one after the other; the one that waits says so, and goes on when the other is closed (Y-24)', async () => {
    const one = await tab();
    site.say(TIDY, 'Done.');
    await say(one, 'Tidy');
    await one.waitFor(isAtWork);

    const two = await tab();
    site.say(TIDY, 'All is tidy.');
    await say(two, 'Tidy');
    await two.waitFor(() => {
      const read = (node: Node): string =>
        node instanceof Text ? node.data : [...((node as Element).shadowRoot ?? node).childNodes].map(read).join('');
      return read(document.querySelector('tool-chat')!).includes('Waits until another chat or tab has finished with “tasks”');
    });
    expect(await two.evaluate(isAtWork)).to.equal(false);

    await one.close();
    await two.waitFor(isAtWork);
    await two.evaluate(() => (window as Page).finish?.());
    await two.waitFor(card('success', 'tidy'));
    await untilIdle(two);
    expect(await textOfChat(two)).to.contain('All is tidy.');
  });
});
