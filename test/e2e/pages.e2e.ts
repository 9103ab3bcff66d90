// CI only: every page of the demo; what they show has tests of its own
/** The demo's smaller pages, each used as its user would: links (S1-27), files, the strictest policy, research (S4-23), the tester. */
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { serveDemo } from './demo-server.js';
import { ALLOW, allow, card, sendBy, textOfChat, textsOf, untilIdle, untilReady, useDriver, type Chat } from './widget.js';

describe('pages of the demo', function () {
  this.timeout(90_000);
  const driver = useDriver();
  let demo: RunningDemo;

  before(async () => {
    demo = await serveDemo({ upstream: scriptedUpstream({ delayMs: 0 }) });
  });
  after(() => demo?.close());

  async function open(path: string) {
    await driver.open(`${demo.url}${path}`);
    await untilReady(driver);
  }
  const send = (text: string) => sendBy(driver, text);
  /** Says it, and waits for the end of its call. */
  async function ask(text: string, tool: string) {
    await send(text);
    await driver.waitFor(card('success', tool));
    await untilIdle(driver);
  }
  async function askAndAllow(text: string, tool: string, status = 'success') {
    await send(text);
    await allow(driver, tool, { status });
  }
  const history = () =>
    driver.evaluate(() =>
      document
        .querySelector<Chat>('tool-chat')!
        .toolHistory.map(({ toolName, status, errorType }) => [toolName, status, errorType].filter(Boolean).join(' ')),
    );

  it('links: lists all links, adds the tag “test” and nothing else, and asks before it deletes one (S1-27)', async () => {
    await open('/links?lang=zh');
    await ask('列出所有链接', 'list_links');
    expect(await textOfChat(driver)).to.contain('MDN Web Docs');
    await ask('添加一个标签 test', 'add_tag');
    expect(await textsOf(driver, '#tags li')).to.deep.equal(['网页', '阅读', 'test']);
    await send('删除链接「Can I use」');
    await driver.waitFor(ALLOW);
    expect(await textsOf(driver, '#links .name')).to.include('Can I use');
    await allow(driver, 'delete_link');
    expect(await textsOf(driver, '#links .name')).to.deep.equal(['MDN Web Docs', '古登堡计划']);
    await driver.reload();
    await driver.waitFor('#tags li');
    expect(await textsOf(driver, '#tags li')).to.include('test');
  });

  it('files: each use asks, and what is written is there (S3-01, S3-04, S3-26 … S3-30)', async () => {
    const files = (wanted: string) =>
      driver.waitFor(
        (names: string) => [...document.querySelectorAll('#tree .file')].map((node) => node.textContent).join() === names,
        10_000,
        wanted,
      );
    await open('/files?lang=zh');
    await send('列出文件');
    await driver.waitFor(ALLOW);
    expect(await driver.exists(card('success', 'list_directory')), 'it runs by itself').to.equal(false);
    await allow(driver, 'list_directory');
    expect(await textOfChat(driver)).to.contain('notes/');

    await send('把「买牛奶」写入「/notes/../notes/today.txt」');
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver)).to.contain('新建文件“/notes/today.txt”');
    await files('ideas.md,readme.txt');
    await allow(driver, 'write_file');
    await files('ideas.md,today.txt,readme.txt');
    await driver.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('#tree .file')].find((node) => node.textContent === 'today.txt')!.click(),
    );
    await driver.waitFor(() => document.querySelector<HTMLTextAreaElement>('#content')?.value === '买牛奶');

    await open('/files?lang=zh&notation=json-tool-calls');
    await files('ideas.md,today.txt,readme.txt');
    await askAndAllow('读取「/notes/today.txt」', 'read_file');
    expect(await textOfChat(driver)).to.contain('买牛奶');
    await askAndAllow('读取「/../secret」', 'read_file', 'error');
    expect(await textOfChat(driver)).to.contain('超出了可用的文件范围');
    await askAndAllow('运行代码「6 * 7」', 'browser_js_eval');
    expect(await textOfChat(driver)).to.contain('结果是 42');
    // The path that leads out is in the log as well.
    expect(driver.complaints.filter((one) => !one.includes('Tool failed'))).to.deep.equal([]);
  });

  describe('research', () => {
    async function begin(lang = 'en') {
      await open(`/research?lang=${lang}`);
      await driver.evaluate(() => document.querySelector<Chat>('tool-chat')!.clear());
    }
    const breakWeb = (fault: string) =>
      driver.evaluate((name: string) => document.querySelector<HTMLInputElement>(`#faults [value=${name}]`)!.click(), fault);
    const ended = (tool: string) =>
      driver.waitFor(
        (name: string) => {
          const { isLoading, toolHistory } = document.querySelector<Chat>('tool-chat')!;
          return !isLoading && toolHistory.some(({ toolName }) => toolName === name);
        },
        30_000,
        tool,
      );

    it('calls a slow web a timeout and an empty one empty, and says what to do next (S4-23)', async () => {
      await begin();
      await breakWeb('empty');
      await send('Search the web for "caffeine"');
      await ended('webSearch');
      expect((await history()).at(-1)).to.equal('webSearch success empty_result');
      expect(await textOfChat(driver)).to.contain('try another word');

      await begin();
      await breakWeb('slow');
      await send('Search the web for "caffeine"');
      // Another tool stands in: a further step, so it asks.
      await driver.click(ALLOW, 20_000);
      await ended('searchArchive');
      expect(await history()).to.deep.equal(['webSearch error timeout', 'searchArchive success']);
      expect(await textOfChat(driver)).to.contain('Black tea');
    });
  });
});
