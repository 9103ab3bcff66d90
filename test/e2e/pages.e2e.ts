// CI only: every page of the demo; what they show has tests of its own
/** The demo's smaller pages, each used as its user would: tasks (S0-184, S0-199), links (S1-27), files (S3-01 …), two chats (S4-40, Y-24), research (S4-23, S4-33). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, card, part, say, sendBy, textOfChat, textsOf, untilIdle, untilReady, type Chat } from './widget.js';

describe('pages of the demo', function () {
  this.timeout(90_000);
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
  const send = (text: string, options: { chat?: string; tool?: string } = {}) => sendBy(driver, text, options);
  async function allow(status = '', tool = '') {
    await driver.waitFor(ALLOW, 20_000);
    await driver.click(ALLOW);
    if (status) await driver.waitFor(card(status, tool));
    if (status) await untilIdle(driver);
  }
  const history = () =>
    driver.evaluate(() =>
      document
        .querySelector<Chat>('tool-chat')!
        .toolHistory.map(({ toolName, status, errorType }) => [toolName, status, errorType].filter(Boolean).join(' ')),
    );

  it('lead to each other, mark the one that is open, say who answers, and show their sources', async () => {
    for (const path of ['/links', '/files', '/research', '/shop', '/two', '/strict']) {
      await open(`${path}?lang=en`);
      expect(await textsOf(driver, '.pages [aria-current=page]'), path).to.have.length(1);
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
    expect(await textsOf(driver, '#tags li')).to.deep.equal(['网页', '阅读', 'test']);
    await send('删除链接「Can I use」');
    await driver.waitFor(ALLOW);
    expect(await textsOf(driver, '#links .name')).to.include('Can I use');
    await allow('success', 'delete_link');
    expect(await textsOf(driver, '#links .name')).to.deep.equal(['MDN Web Docs', '古登堡计划']);
    await driver.reload();
    await driver.waitFor('#tags li');
    expect(await textsOf(driver, '#tags li')).to.include('test');
  });

  it('files: each use asks; what is written is there after a reload, can be undone then, and what the user writes is not lost (S3-01, S3-04, S3-26 … S3-30)', async () => {
    const files = (wanted: string) =>
      driver.waitFor(
        (names: string) => [...document.querySelectorAll('#tree .file')].map((node) => node.textContent).join() === names,
        10_000,
        wanted,
      );
    const type = (text: string) =>
      driver.evaluate((words: string) => {
        const field = document.querySelector<HTMLTextAreaElement>('#content')!;
        field.value = words;
        field.dispatchEvent(new Event('input'));
      }, text);
    await open('/files?lang=zh');
    await files('ideas.md,readme.txt');
    await send('列出文件');
    await driver.waitFor(ALLOW);
    expect(await driver.exists(card('success', 'list_directory')), 'it runs by itself').to.equal(false);
    await allow('success', 'list_directory');
    expect(await textOfChat(driver)).to.contain('notes/');

    await send('把「买牛奶」写入「/notes/../notes/today.txt」');
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver)).to.contain('新建文件“/notes/today.txt”');
    await files('ideas.md,readme.txt');
    await allow();
    await files('ideas.md,today.txt,readme.txt');
    await untilIdle(driver);
    await driver.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('#tree .file')].find((node) => node.textContent === 'today.txt')!.click(),
    );
    await driver.waitFor(() => document.querySelector<HTMLTextAreaElement>('#content')?.value === '买牛奶');

    // What is not saved stays, whatever the chat writes.
    await type('我写的');
    await send('把「买面包」写入「/notes/today.txt」');
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver)).to.contain('覆盖文件');
    await allow();
    await driver.waitFor(() => document.querySelector('#state')?.textContent?.includes('期间被其他操作改动过'));
    await untilIdle(driver);
    expect(await driver.value('#content')).to.equal('我写的');
    await driver.click('#save');
    await driver.waitFor(() => document.querySelector('#state')?.textContent === '已保存');

    await open('/files?lang=zh&notation=json-tool-calls');
    await files('ideas.md,today.txt,readme.txt');
    await send('读取「/notes/today.txt」');
    await allow('success', 'read_file');
    expect(await textOfChat(driver)).to.contain('我写的');
    await send('读取「/../secret」');
    await allow('error', 'read_file');
    expect(await textOfChat(driver)).to.contain('超出了可用的文件范围');
    await send('运行代码「6 * 7」');
    await allow('success', 'browser_js_eval');
    expect(await textOfChat(driver)).to.contain('结果是 42');

    await open('/files?lang=en');
    await send('Write “buy milk” to “/notes/late.txt”');
    await allow();
    await files('ideas.md,late.txt,today.txt,readme.txt');
    await untilIdle(driver);
    await open('/files?lang=en');
    await driver.waitFor(part('undo-button'));
    await driver.click(`${part('undo-button')}`);
    await driver.waitFor(card('undone', 'write_file'));
    // The path that leads out is in the log as well.
    expect(driver.complaints.filter((one) => !one.includes('Tool failed'))).to.deep.equal([]);
  });

  it('two chats: what is said to one reaches only it, and the printer they share takes one job at a time (S4-40, Y-24)', async () => {
    await open('/two?lang=en');
    await driver.waitFor(() => document.querySelectorAll('tool-chat').length === 2);
    await send('Add the food "honey"', { chat: '#food-chat' });
    await driver.waitFor('#food-chat >>> [data-status=success]');
    expect(await textsOf(driver, '#food li')).to.include('honey');
    expect(await textsOf(driver, '#books li')).to.not.include('honey');
    expect(await driver.count('#books-chat >>> [data-status]')).to.equal(0);

    await send('Print a label "jam"', { chat: '#food-chat' });
    await send('Print a label "novels"', { chat: '#books-chat' });
    const jobs = () => (window as unknown as { printerJobs: { label: string; from: number; to: number | null }[] }).printerJobs;
    await driver.waitFor(
      () => (window as unknown as { printerJobs: { to: number | null }[] }).printerJobs.filter(({ to }) => to !== null).length === 2,
      20_000,
    );
    const [first, second] = await driver.evaluate(jobs);
    expect(new Set([first!.label, second!.label])).to.deep.equal(new Set(['jam', 'novels']));
    expect(second!.from).to.be.at.least(first!.to!);
  });

  it('strict policy: a call works by a click and the browser refuses nothing; what an attacker tries, it refuses', async () => {
    await open('/strict?lang=en');
    await send('Archive the note "Tax return"');
    await allow('success', 'archive_note');
    expect(await textsOf(driver, '#notes li:first-child .tag:not([hidden])')).to.have.length(1);
    const refusals = () =>
      driver.evaluate(() => (window as unknown as { refusals?: string[] }).refusals ?? ['the inline script did not run']);
    expect(await refusals()).to.deep.equal([]);
    await driver.click('#attack');
    await driver.waitFor(() => (window as unknown as { refusals: string[] }).refusals.length >= 2);
    expect((await refusals()).join()).to.contain('img-src');
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
      findAll(document, '.fold button[aria-expanded=false]').at(-1)?.click();
      for (const scroller of [findAll(document, '.facts').at(-1), findAll(document, '[part~=messages]').at(-1)])
        if (scroller && scroller.scrollTop + scroller.clientHeight < scroller.scrollHeight - 1) scroller.scrollTop = scroller.scrollHeight;
      return findAll(document, '[part~=approve-button]').at(-1)?.getAttribute('aria-disabled') !== 'true';
    }, 30_000);
    expect(await driver.count('tool-chat >>> [part~=approve-button]')).to.equal(1);
    const asked = await textOfChat(driver);
    for (const title of ['Review the release checklist', 'Call the dentist']) expect(asked).to.contain(title);
    await allow('success', 'batch_update_tasks');
    await driver.waitFor(() => document.querySelectorAll('.task:not(.done)').length === 0);

    // What is downloaded is looked at, not saved.
    await driver.evaluate(() => {
      HTMLAnchorElement.prototype.click = () => undefined;
      URL.createObjectURL = (file) => {
        void (file as Blob).text().then((text) => Object.assign(window, { savedFile: text }));
        return '#';
      };
    });
    await send('Save a calendar file');
    await driver.waitFor(() => (window as Window & { savedFile?: string }).savedFile?.includes('SUMMARY:Prepare the slides for Friday'));
    await untilIdle(driver);
    await driver.setViewport(1280, 900);
  });

  describe('research', () => {
    async function begin(lang = 'en') {
      await open(`/research?lang=${lang}`);
      await driver.evaluate(() => document.querySelector<Chat>('tool-chat')!.clear());
    }
    const breakWeb = (fault: string) =>
      driver.evaluate((name: string) => document.querySelector<HTMLInputElement>(`#faults [value=${name}]`)!.click(), fault);
    const ended = (tool: string, calls = 1) =>
      driver.waitFor(
        (name: string, count: number) => {
          const { isLoading, toolHistory } = document.querySelector<Chat>('tool-chat')!;
          return !isLoading && toolHistory.filter(({ toolName }) => toolName === name).length === count;
        },
        30_000,
        tool,
        calls,
      );

    it('plans “比较…总结…保存”, confirms the chain by a press and by a keyword, and keeps the note in its own store', async () => {
      await begin('zh');
      await send('比较绿茶和红茶，总结成笔记并保存');
      await driver.waitFor(part('plan'));
      await driver.waitFor(card('success', 'webSearch'));
      await allow();
      await driver.waitFor(card('success', 'extractWebUrl'));
      await driver.waitFor(ALLOW);
      // A word is as good as the button.
      await say(driver, '继续');
      await driver.waitFor(() => document.querySelector<Chat>('tool-chat')!.toolHistory.length === 3, 15_000);
      await driver.waitFor(ALLOW);
      expect(await textOfChat(driver)).to.contain('写笔记「关于绿茶和红茶」');
      await allow();
      await ended('write_note');
      expect(await history()).to.deep.equal(['webSearch', 'extractWebUrl', 'extractWebUrl', 'write_note'].map((name) => `${name} success`));
      await driver.reload();
      await driver.waitFor('#notes .name');
      expect(await driver.text('#notes')).to.contain('关于绿茶和红茶');
    });

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
      await allow();
      await ended('searchArchive');
      expect(await history()).to.deep.equal(['webSearch error timeout', 'searchArchive success']);
      expect(await textOfChat(driver)).to.contain('Black tea');
    });

    it('runs the tool that was chosen for a message, and answers a queue', async () => {
      await begin();
      await send('caffeine at night', { tool: 'searchArchive' });
      await ended('searchArchive');
      expect(await history()).to.deep.equal(['searchArchive success']);
      await send('Search the web for "coffee"');
      await send('Search the web for "harvest"');
      await ended('webSearch', 2);
      expect(await textOfChat(driver))
        .to.contain('Filter coffee')
        .and.to.contain('When tea is picked');
    });

    it('remembers a name over a reload and a new conversation, found by its meaning where the relay has a model for that (S4-33)', async () => {
      let tell: (asked: string) => void = () => {};
      const asked = new Promise<string>((resolve) => (tell = resolve));
      const vectors = createServer((request, response) => {
        void (async () => {
          let body = '';
          for await (const piece of request) body += String(piece);
          const { model, input } = JSON.parse(body) as { model: string; input: string[] };
          tell(`${request.url} ${model}: ${input.join()}`);
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 0, 0] })) }));
        })();
      });
      await new Promise<void>((resolve) => vectors.listen(0, '127.0.0.1', resolve));
      const base = `http://127.0.0.1:${(vectors.address() as AddressInfo).port}/v1`;
      const upstream = scriptedUpstream({ delayMs: 0 });
      const other = await serveDemo({ upstream, env: { MODEL_EMBEDDINGS: 'small-model', EMBEDDINGS_BASE_URL: base } });
      try {
        await driver.open(`${other.url}/research?lang=en`);
        await untilReady(driver);
        await send('My name is Ada');
        await driver.waitFor(() => /by their meaning \(small-model\)/.test(document.querySelector('#log')?.textContent ?? ''));
        expect(await asked).to.equal('/v1/embeddings small-model: My name is Ada');
        await untilIdle(driver);
        // Forgotten by the conversation, of which only the last messages are sent.
        await driver.evaluate(async () => {
          const chat = document.querySelector<Chat & { newConversation(): Promise<unknown> }>('tool-chat')!;
          await chat.newConversation();
        });
        await driver.reload();
        await untilReady(driver);
        await send('What is my name?');
        await driver.waitFor(() =>
          document.querySelector<Chat>('tool-chat')!.messages.some(({ text }) => text.includes('Your name is Ada')),
        );
      } finally {
        await other.close();
        vectors.close();
      }
    });
  });
});
