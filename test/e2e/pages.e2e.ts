/** The demo's smaller pages, each played as its visitor would: tasks (S0-184, S0-199), links (S1-27), two chats (S4-40, Y-24), the strictest policy. */
import { after, before } from 'mocha';
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, card, part, say, textOfChat, untilIdle, untilReady, type Chat } from './widget.js';

type Talk = Chat & { sendMessage(text: string): Promise<unknown> };

describe('pages of the demo', function () {
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

  async function open(path: string) {
    await driver.open(`${demo.url}${path}`);
    await untilReady(driver);
  }

  /** By the page's own field, in words that any driver can type. */
  const send = (text: string, chat = 'tool-chat') =>
    driver.evaluate((words: string, selector: string) => void document.querySelector<Talk>(selector)!.sendMessage(words), text, chat);
  const textsOf = (selector: string) =>
    driver.evaluate((wanted: string) => [...document.querySelectorAll(wanted)].map((node) => node.textContent?.trim() ?? ''), selector);

  it('lead to each other, mark the one that is open, say who answers, and show their sources', async () => {
    for (const path of ['/links', '/files', '/research', '/shop', '/two', '/strict']) {
      await open(`${path}?lang=en`);
      expect(await textsOf('.pages [aria-current=page]'), path).to.have.length(1);
      const links = await driver.evaluate(() =>
        [...document.querySelectorAll<HTMLAnchorElement>('.pages a')].map((link) => link.getAttribute('href') ?? ''),
      );
      for (const link of links) expect(links, link).to.include(link);
      await driver.waitFor('#model-note');
      expect(await driver.text('#model-note'), path).to.contain('no AI');
      await driver.evaluate(() => document.querySelector<HTMLDetailsElement>('.sources')!.setAttribute('open', ''));
      await driver.waitFor(() => document.querySelector('.sources pre')?.textContent?.includes('<tool-chat'));
    }
    expect(driver.complaints).to.deep.equal([]);
  });

  it('links: lists all links, adds the tag “test” and nothing else, and asks before it deletes one (S1-27)', async () => {
    await open('/links?lang=zh');
    await send('列出所有链接');
    await driver.waitFor(card('success', 'list_links'));
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('MDN Web Docs');
    await say(driver, '添加一个标签 test');
    await driver.waitFor(card('success', 'add_tag'));
    await untilIdle(driver);
    expect(await textsOf('#tags li')).to.deep.equal(['网页', '阅读', 'test']);
    const request = await driver.evaluate(() =>
      document.querySelector<Chat & { generatePrompt(): Promise<string> }>('tool-chat')!.generatePrompt(),
    );
    expect(request).to.contain('"action": "tool_call"');
    await send('删除链接「Can I use」');
    await driver.waitFor(ALLOW);
    expect(await textsOf('#links .name')).to.include('Can I use');
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'delete_link'));
    await untilIdle(driver);
    expect(await textsOf('#links .name')).to.deep.equal(['MDN Web Docs', '古登堡计划']);
    await driver.reload();
    await driver.waitFor('#tags li');
    expect(await textsOf('#tags li')).to.include('test');
  });

  /** Names of the files in the panel of `/files`. */
  const files = (wanted: string) =>
    driver.waitFor(
      (names: string) => [...document.querySelectorAll('#tree .file')].map((node) => node.textContent).join() === names,
      10_000,
      wanted,
    );

  it('files: a write is taken back after a reload (S3-29, S3-30)', async () => {
    await open('/files?lang=en');
    await files('ideas.md,readme.txt');
    await send('Write “buy milk” to “/notes/late.txt”');
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await files('ideas.md,late.txt,readme.txt');
    await untilIdle(driver);
    await open('/files?lang=en');
    await files('ideas.md,late.txt,readme.txt');
    await driver.waitFor(part('undo-button'));
    await driver.click(part('undo-button'));
    await driver.waitFor(card('undone', 'write_file'));
    await files('ideas.md,readme.txt');
  });

  it('files: lists, reads and writes after a press each; a file is there after a reload, and what a person writes is not lost (S3-01, S3-04, S3-26 … S3-30)', async () => {
    await open('/files?lang=zh');
    await files('ideas.md,readme.txt');
    await send('列出文件');
    await driver.waitFor(ALLOW);
    expect(await driver.exists(card('success', 'list_directory')), 'it runs by itself').to.equal(false);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'list_directory'));
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('notes/');

    await send('把「买牛奶」写入「/notes/../notes/today.txt」');
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver)).to.contain('新建文件“/notes/today.txt”');
    await files('ideas.md,readme.txt');
    await driver.click(ALLOW);
    await files('ideas.md,today.txt,readme.txt');
    await untilIdle(driver);
    await driver.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('#tree .file')].find((node) => node.textContent === 'today.txt')!.click(),
    );
    await driver.waitFor(() => document.querySelector<HTMLTextAreaElement>('#content')?.value === '买牛奶');

    // What is not saved stays, whatever the chat writes.
    await driver.evaluate(() => {
      const field = document.querySelector<HTMLTextAreaElement>('#content')!;
      field.value = '我写的';
      field.dispatchEvent(new Event('input'));
    });
    await send('把「买面包」写入「/notes/today.txt」');
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver)).to.contain('覆盖文件');
    await driver.click(ALLOW);
    await driver.waitFor(() => document.querySelector('#state')?.textContent?.includes('期间被其他操作改动过'));
    await untilIdle(driver);
    expect(await driver.evaluate(() => document.querySelector<HTMLTextAreaElement>('#content')!.value)).to.equal('我写的');
    // The word about it stays while the person types on.
    await driver.evaluate(() => {
      const field = document.querySelector<HTMLTextAreaElement>('#content')!;
      field.value = '我写的字';
      field.dispatchEvent(new Event('input'));
    });
    expect((await textsOf('#state'))[0]).to.contain('期间被其他操作改动过');
    await driver.click('#save');
    await driver.waitFor(() => document.querySelector('#state')?.textContent === '已保存');

    await open('/files?lang=zh&notation=json-tool-calls');
    await files('ideas.md,today.txt,readme.txt');
    await send('读取「/notes/today.txt」');
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'read_file'));
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('我写的字');
    await send('读取「/../secret」');
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await driver.waitFor(card('error', 'read_file'));
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('超出了可用的文件范围');
    await send('运行代码「6 * 7」');
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'browser_js_eval'));
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('结果是 42');
    // The path that leads out is in the log as well.
    expect(driver.complaints.filter((one) => !one.includes('Tool failed'))).to.deep.equal([]);
  });

  it('two chats: what is said to one reaches only it, and the printer they share takes one job at a time (S4-40, Y-24)', async () => {
    await open('/two?lang=en');
    await driver.waitFor(() => document.querySelectorAll('tool-chat').length === 2);
    await send('Add the food "honey"', '#food-chat');
    await driver.waitFor('#food-chat >>> [data-status=success]');
    expect(await textsOf('#food li')).to.include('honey');
    expect(await textsOf('#books li')).to.not.include('honey');
    expect(await driver.count('#books-chat >>> [data-status]')).to.equal(0);
    // The other has no such tool.
    await send('Add the food "sugar"', '#books-chat');
    await driver.waitFor(
      () => document.querySelector<Chat>('#books-chat')!.messages.length >= 2 && !document.querySelector<Chat>('#books-chat')!.isLoading,
    );
    expect(await textsOf('#food li')).to.not.include('sugar');

    await driver.evaluate(() => {
      void document.querySelector<Talk>('#food-chat')!.sendMessage('Print a label "jam"');
      void document.querySelector<Talk>('#books-chat')!.sendMessage('Print a label "novels"');
    });
    type Job = { label: string; from: number; to: number | null };
    const jobs = () => (window as unknown as { printerJobs: Job[] }).printerJobs;
    await driver.waitFor(
      () => (window as unknown as { printerJobs: Job[] }).printerJobs.filter(({ to }) => to !== null).length === 2,
      20_000,
    );
    const [first, second] = await driver.evaluate(jobs);
    expect(new Set([first!.label, second!.label])).to.deep.equal(new Set(['jam', 'novels']));
    expect(second!.from).to.be.at.least(first!.to!);
  });

  it('strict policy: a call works by a click and the browser refuses nothing; what an attacker tries, it does', async () => {
    await open('/strict?lang=en');
    await send('Archive the note "Tax return"');
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'archive_note'));
    await untilIdle(driver);
    expect(await textsOf('#notes li:first-child .tag:not([hidden])')).to.have.length(1);
    const refusals = () =>
      driver.evaluate(() => (window as unknown as { refusals?: string[] }).refusals ?? ['the inline script did not run']);
    expect(await refusals()).to.deep.equal([]);
    expect(await driver.text('#policy'))
      .to.contain("require-trusted-types-for 'script'")
      .and.to.contain("'nonce-…'");
    await driver.click('#attack');
    await driver.waitFor(() => (window as unknown as { refusals: string[] }).refusals.length >= 2);
    expect((await refusals()).join()).to.contain('img-src');
    expect(await textsOf('#refusals li')).to.have.length((await refusals()).length);
  });

  it('tasks: counts, completes several after one question that names each, and saves a calendar file (S0-184, S0-199)', async () => {
    // Of its own: pages that were left within a moment, while they opened the same database, keep Chromium from opening it for seconds.
    await driver.close();
    driver = await launch();
    // High enough for a long question as a whole.
    await driver.setViewport(1280, 2400);
    await open('/?lang=en');
    await driver.waitFor('.task-title');
    await send('How many tasks are there?');
    await driver.waitFor(card('success', 'task_stats'));
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.match(/\d+ tasks: \d+ open, \d+ done/);

    await send('Complete all tasks');
    await driver.waitFor(card('awaiting_approval', 'batch_update_tasks'), 20_000);
    // A long question is read to its end before it can be answered.
    await driver.waitFor(() => {
      const findAll = (root: ParentNode, wanted: string): HTMLElement[] => [
        ...root.querySelectorAll<HTMLElement>(wanted),
        ...[...root.querySelectorAll('*')].flatMap((node) => (node.shadowRoot ? findAll(node.shadowRoot, wanted) : [])),
      ];
      const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: Element) => scrollTop + clientHeight >= scrollHeight - 1;
      findAll(document, '.fold button[aria-expanded=false]').at(-1)?.click();
      for (const scroller of [findAll(document, '.facts').at(-1), findAll(document, '[part~=messages]').at(-1)])
        if (scroller && !isAtEnd(scroller)) scroller.scrollTop = scroller.scrollHeight;
      return findAll(document, '[part~=approve-button]').at(-1)?.getAttribute('aria-disabled') !== 'true';
    }, 30_000);
    expect(await driver.count('tool-chat >>> [part~=approve-button]')).to.equal(1);
    const asked = await textOfChat(driver);
    for (const title of ['Review the release checklist', 'Call the dentist']) expect(asked).to.contain(title);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'batch_update_tasks'));
    await untilIdle(driver);
    await driver.waitFor(() => document.querySelectorAll('.task:not(.done)').length === 0);

    // What is downloaded is looked at, not saved.
    await driver.evaluate(() => {
      const page = window as Window & { savedFile?: string };
      HTMLAnchorElement.prototype.click = () => undefined;
      URL.createObjectURL = (file) => {
        void (file as Blob).text().then((text) => (page.savedFile = text));
        return '#';
      };
    });
    await send('Save a calendar file');
    await driver.waitFor(card('success', 'export_calendar'));
    await driver.waitFor(() => (window as Window & { savedFile?: string }).savedFile?.includes('SUMMARY:Prepare the slides for Friday'));
    await untilIdle(driver);
  });
});
