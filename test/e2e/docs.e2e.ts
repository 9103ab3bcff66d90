// CI only: needs the documentation site and the whole package
/** The documentation as a reader meets it: the site that was built, served by the demo, and its first guide done word for word. */
import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningDemo } from '../../demo/server/demo.js';
import { serveDemo } from './demo-server.js';
import { type Driver, launch } from './driver.js';
import { ALLOW, INPUT, part, say, untilIdle } from './widget.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

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
});

describe('the quick start, word for word', () => {
  let driver: Driver;
  let folder: string;
  let server: ChildProcess;

  before(async () => {
    driver = await launch();
  });
  after(() => driver.close());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tool-chat-quick-start-'));
  });
  afterEach(async () => {
    server.kill();
    await rm(folder, { recursive: true });
  });

  for (const [language, wish, title, changed] of [
    ['', 'Set the title to Hello', 'My shop', 'Hello'],
    ['zh/', '把本页的标题设为「你好」', '我的商店', '你好'],
  ] as const)
    it(`makes an assistant in the corner of a page that asks before it changes the title (docs/${language})`, async () => {
      const guide = await readFile(path.join(root, `docs/${language}guides/quick-start.md`), 'utf8');
      const [, page = ''] = /```html\n(<!doctype html>[\s\S]*?)\n```/.exec(guide) ?? [];
      const [serve = '', tools = ''] = [...guide.matchAll(/```js\n([\s\S]*?)\n```/g)].map(([, source = '']) => source);
      const [, script = ''] = /`(<script src="\/tools\.js"><\/script>)`/.exec(guide) ?? [];
      expect(guide).to.contain(wish);
      await mkdir(path.join(folder, 'public'));
      await mkdir(path.join(folder, 'node_modules'));
      await symlink(root, path.join(folder, 'node_modules/tool-chat'));
      for (const name of ['hono', '@hono']) await symlink(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name));
      await writeFile(path.join(folder, 'public/index.html'), page.replace('<script', `${script}\n    <script`));
      await writeFile(path.join(folder, 'public/tools.js'), tools);
      // Any free port, for the guide's may be taken.
      await writeFile(path.join(folder, 'serve.mjs'), serve.replace('port: 8080', 'port: 0'));
      server = spawn(process.execPath, ['serve.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
      const [url] = (await once(server.stdout!.setEncoding('utf8'), 'data')) as [string];

      await driver.open(url.trim());
      await driver.click(part('launcher'));
      await driver.waitFor(INPUT);
      await say(driver, wish);
      await driver.waitFor(ALLOW);
      expect(await driver.evaluate(() => document.title)).to.equal(title);
      await driver.click(ALLOW);
      await untilIdle(driver);
      expect(await driver.evaluate(() => document.title)).to.equal(changed);
    });
});
