// CI only: needs the documentation site and the whole package
/** The documentation as a reader meets it: the site that was built, served by the demo, and its first guide done word for word. */
import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningDemo } from '../../demo/server/demo.js';
import { serveDemo } from './demo-server.js';
import { launchBrowser, pageHands } from './drive-puppeteer.js';
import { type Driver, driverOf, launch } from './driver.js';
import { closeServer, listen, originOf } from '../helpers/http-server.js';
import { openPlayground } from './playground.js';
import { ALLOW, allow, card, type Chat, INPUT, part, say, textsOf, untilIdle } from './widget.js';

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

describe('the documentation as static files, with the network cut', () => {
  const missing: string[] = [];
  let driver: Driver;
  let server: Server;
  const page = (name: string) => `${originOf(server)}/under/some/path/demo/${name}.html`;

  before(async () => {
    const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
    server = await listen((request, response) => {
      const file = request.url!.replace(/^\/under\/some\/path|\?.*$/g, '');
      response.setHeader('content-type', types[/\w+$/.exec(file)![0]] ?? 'application/json');
      readFile(path.join(root, 'docs/.vitepress/dist', file)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(missing.push(file) && ''),
      );
    });
    const flags = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
    driver = driverOf(await pageHands('chromium', await launchBrowser('chromium', undefined, flags)), 'chromium');
  });
  after(async () => {
    await driver.close();
    await closeServer(server);
  });
  afterEach(() => expect([...missing.splice(0), ...driver.complaints]).to.deep.equal([]));

  it('has a live demo that asks, calls its tool and takes it back', async () => {
    await driver.open(page('live'));
    const tasks = () => textsOf(driver, '#tasks li');
    await driver.waitFor(INPUT);
    const before = await tasks();
    await say(driver, 'Which tasks are there?');
    await driver.waitFor(card('success', 'list_tasks'));
    await untilIdle(driver);
    await say(driver, 'Add a task: Buy milk');
    await allow(driver, 'create_task');
    expect(await tasks()).to.deep.equal([...before, 'Buy milk']);
    await driver.click(part('undo-button'));
    await driver.waitFor((count: number) => document.querySelectorAll('#tasks li').length === count, 10_000, before.length);
  });

  it('has a playground whose wires and presets work, those of the relay, too', async () => {
    const play = await openPlayground({ page: page('playground'), driver });
    await play.open();
    expect(await play.textIn('no-server')).to.include('inside this page');
    for (const wire of ['cutie', 'anthropic']) {
      await play.choose({ wire });
      await play.through();
    }
    for (const preset of ['semi-auto', 'orchestrated']) {
      await play.choose({ preset });
      await driver.evaluate(() => document.querySelector<Chat>('tool-chat')!.clear());
      await play.send('What is on the list?');
      if (preset === 'semi-auto') await driver.click(ALLOW);
      await driver.waitFor(card('success', 'list_items'));
      expect(await play.textIn('request')).to.include('POST /api/ai/');
    }
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
