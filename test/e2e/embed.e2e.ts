/** The widget on pages that know nothing of it, the README's snippet, and company it did not choose. Faults 80, 81, 103. */
import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { type Driver, launch } from './driver.js';
import { serveHost, type HostSite } from './host-server.js';
import { ALLOW, card, type Chat, ERROR_BAR, INPUT, part, readAll, say, textOfChat, untilIdle, untilReady } from './widget.js';

const CALL = '<tool_use><invoke name="rename"><parameter name="title">New name</parameter></invoke></tool_use>';

const REGISTER = `chat.registerTool({
  name: 'rename', description: 'Renames the page.', label: 'Rename',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute({ title }) { document.title = title; return 'Renamed'; },
})`;

/** What stands in the field. Runs in the page. */
const readField = () =>
  document
    .querySelector('tool-chat')
    ?.shadowRoot?.querySelector('tool-chat-panel')
    ?.shadowRoot?.querySelector('tool-chat-composer')
    ?.shadowRoot?.querySelector('textarea')?.value;

describe('a page that embeds the widget', () => {
  let driver: Driver;
  let site: HostSite;
  let pages = 0;

  before(async () => {
    driver = await launch();
    site = await serveHost();
  });
  after(async () => {
    await driver.close();
    await site.close();
  });

  /** Serves and opens a page of this content. */
  async function open(content: string, at = '/embed') {
    site.say();
    const path = `${at}/page-${String((pages += 1))}.html`;
    site.put(
      path,
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><meta name="viewport" content="width=device-width">${content}`,
    );
    await driver.open(site.url + path);
  }

  async function hello() {
    await untilReady(driver);
    site.say('Hello from the model.');
    await say(driver, 'Hello?');
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('Hello from the model.');
  }

  describe('by two lines (X-01)', () => {
    const tag = '<tool-chat endpoint="/api/ai/chat/stream"></tool-chat>';
    const scripts = {
      'a module in another folder': () => '<script type="module" src="../dist/tool-chat.js"></script>',
      'a classic script in another folder': () => '<script src="../dist/tool-chat.iife.js"></script>',
      'a module of another origin': () => `<script type="module" src="${site.elsewhere}/cdn/tool-chat.js"></script>`,
      'a classic script of another origin': () => `<script src="${site.elsewhere}/cdn/tool-chat.iife.js"></script>`,
    };
    for (const [name, script] of Object.entries(scripts))
      it(`chats with ${name}`, async () => {
        await open(`${script()}\n${tag}`, '/deep/er');
        await hello();
        expect(driver.complaints).to.deep.equal([]);
      });
  });

  it('can be written in before the conversation is there: it is sent once that has come, also at a second attempt', async () => {
    const chunk = (await readdir('dist/chunks')).find((file) => /^widget-[\w-]{7}\.js$/.test(file)) ?? '';
    const give = site.withhold(`/dist/chunks/${chunk}`);
    await open(`<script type="module" src="/dist/tool-chat.js"></script><tool-chat endpoint="/api/ai/chat/stream"></tool-chat>`);
    site.say('Both have come.');
    await driver.waitFor(INPUT);
    await say(driver, 'Early bird');
    await driver.type(INPUT, 'half a');
    await driver.waitFor(ERROR_BAR);
    expect(await textOfChat(driver))
      .to.contain('Part of the assistant could not be loaded')
      .and.to.contain('Early bird');
    give();
    // This one remembers, until the page is left, that a module did not come.
    if (driver.engine === 'firefox') return;
    await driver.click(part('retry-button'));
    await untilReady(driver);
    await untilIdle(driver);
    const text = await textOfChat(driver);
    expect(text).to.contain('Early bird').and.to.contain('Both have come.');
    expect(await driver.count(ERROR_BAR)).to.equal(0);
    expect(await driver.evaluate(() => document.querySelector<Chat>('tool-chat')?.messages.map((one) => one.role))).to.deep.equal([
      'user',
      'assistant',
    ]);
    expect(await driver.evaluate(readField)).to.equal('half a');
  });

  describe('with styles of its own', () => {
    const widget =
      '<script type="module" src="/dist/tool-chat.js"></script><tool-chat endpoint="/api/ai/chat/stream" theme="light"></tool-chat>';

    it('lends none of them to the widget, and gets none (X-01)', async () => {
      await open(
        `<style>* { color: red; font-size: 40px; letter-spacing: 1em; text-transform: uppercase } button { all: unset }</style><p id="own">Own</p>${widget}`,
      );
      const before = await driver.evaluate(() =>
        JSON.stringify(Object.entries(getComputedStyle(document.querySelector('#own') as Element))),
      );
      await hello();
      const found = await driver.evaluate(() => {
        const all: Element[] = [];
        const walk = (root: ParentNode) => {
          for (const element of root.querySelectorAll('*')) {
            all.push(element);
            if (element.shadowRoot) walk(element.shadowRoot);
          }
        };
        walk(document.querySelector('tool-chat')?.shadowRoot ?? document);
        const shown = all.filter((element) => element.checkVisibility() && element.matches('p, h2, button, textarea, div, span'));
        const strange = shown.filter((element) => {
          const { color, fontSize, letterSpacing, textTransform } = getComputedStyle(element);
          return color === 'rgb(255, 0, 0)' || fontSize === '40px' || letterSpacing === '40px' || textTransform === 'uppercase';
        });
        const send = all.find((element) => element.matches('[part~=send-button]'));
        return {
          shown: shown.length,
          strange: strange.map((element) => element.outerHTML.slice(0, 120)),
          cursor: send && getComputedStyle(send).display,
        };
      });
      expect(found.shown).to.be.above(5);
      expect(found.strange).to.deep.equal([]);
      expect(
        await driver.evaluate(() => JSON.stringify(Object.entries(getComputedStyle(document.querySelector('#own') as Element)))),
      ).to.equal(before);
    });

    it('that force a way to display break nothing inside', async () => {
      await open(`<style>* { display: block !important }</style>${widget}`);
      await hello();
      const send = await driver.evaluate(() => {
        const walk = (root: ParentNode): Element | undefined => {
          for (const element of root.querySelectorAll('*')) {
            const found = element.matches('[part~=send-button]') ? element : element.shadowRoot && walk(element.shadowRoot);
            if (found) return found;
          }
          return undefined;
        };
        const button = walk(document.querySelector('tool-chat')?.shadowRoot ?? document);
        return button?.getBoundingClientRect().width ?? 0;
      });
      expect(send).to.be.within(20, 80);
    });

    it('that hide the widget keep it from asking, and it says so', async () => {
      await open(`<script>(window.toolChat ??= []).push((chat) => { ${REGISTER} });</script>${widget}`);
      await untilReady(driver);
      site.say(CALL, 'Done.');
      await driver.evaluate(() => {
        const style = document.createElement('style');
        style.textContent = 'tool-chat { opacity: 0 !important }';
        document.head.append(style);
        (window as Window & { failures?: string[] }).failures = [];
        const chat = document.querySelector<Chat & { sendMessage(text: string): Promise<unknown> }>('tool-chat');
        chat?.addEventListener('tool-chat-error', ({ error }) =>
          (window as Window & { failures?: string[] }).failures?.push(error.message),
        );
        void chat?.sendMessage('Rename it');
      });
      await driver.waitFor(() =>
        document.querySelector<Chat & { matchesState(name: string): boolean }>('tool-chat')?.matchesState('awaitingApproval'),
      );
      await driver.waitFor(() => ((window as Window & { failures?: string[] }).failures ?? []).length > 0);
      expect(await driver.exists(ALLOW)).to.equal(false);
      expect(await driver.evaluate(() => document.title)).to.equal('Page');
    });
  });

  describe('registers tools whenever it likes (X-03)', () => {
    const script = '<script type="module" src="/dist/tool-chat.js"></script>';
    const tag = '<tool-chat endpoint="/api/ai/chat/stream"></tool-chat>';
    const orders = {
      'before the script has loaded': `<script>(window.toolChat ??= []).push((chat) => { ${REGISTER} });</script>${script}${tag}`,
      'after the script, before there is an element': `${script}<script type="module">
        toolChat.push((chat) => { ${REGISTER} });
        document.body.append(Object.assign(document.createElement('tool-chat'), { endpoint: '/api/ai/chat/stream' }));
      </script>`,
      'on the element, once it is upgraded': `${tag}${script}<script type="module">
        await customElements.whenDefined('tool-chat');
        const chat = document.querySelector('tool-chat');
        ${REGISTER};
      </script>`,
      'when the element says that it is ready': `<script>document.addEventListener('tool-chat-ready', ({ target: chat }) => { ${REGISTER} });</script>${tag}${script}`,
    };
    for (const [name, content] of Object.entries(orders))
      it(name, async () => {
        // High enough for the whole question: what has not been on screen keeps it shut.
        await driver.setViewport(1000, 900);
        await open(`<style>tool-chat { height: 860px }</style><body>${content}</body>`);
        await untilReady(driver);
        site.say(CALL, 'Done.');
        await say(driver, 'Rename it');
        await driver.waitFor(ALLOW);
        expect(site.asked.at(-1)?.[0]?.content, 'the prompt teaches the tool').to.contain('rename').and.to.contain('Renames the page.');
        await driver.click(ALLOW);
        await driver.waitFor(card('success', 'rename'));
        await untilIdle(driver);
        expect(await driver.evaluate(() => document.title)).to.equal('New name');
      });

    it('runs its functions once for each element, and tells when each is ready', async () => {
      await open(`<script>
        window.log = [];
        (window.toolChat ??= []).push((chat) => log.push('run ' + chat.id));
        document.addEventListener('tool-chat-ready', ({ target }) => log.push('ready ' + target.id));
      </script>${script}<tool-chat id="a"></tool-chat>`);
      await driver.waitFor(() => customElements.get('tool-chat') !== undefined);
      const log = await driver.evaluate(async () => {
        const queue = (window as unknown as { toolChat: { push(run: (chat: Element) => void): void } }).toolChat;
        const page = window as unknown as { log: string[] };
        const b = Object.assign(document.createElement('tool-chat'), { id: 'b' });
        document.body.append(b);
        queue.push((chat) => page.log.push(`late ${chat.id}`));
        document.body.prepend(b); // moved, not new
        await new Promise((resolve) => setTimeout(resolve));
        return page.log;
      });
      expect(log).to.deep.equal(['run a', 'ready a', 'run b', 'late a', 'late b', 'ready b']);
    });
  });

  it('made of the README’s snippet asks before it acts', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const snippet = /```html\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const withoutRisk = snippet.replace(/^\s*risk: .*\n/m, '');
    expect(withoutRisk).not.to.equal(snippet);
    site.say();
    site.put('/try.html', withoutRisk); // an empty file, and this in it
    await driver.open(`${site.url}/try.html`);
    await untilReady(driver);
    await say(driver, 'call set_title: Pasted from the README');
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver))
      .to.contain('Change the title')
      .and.to.contain('title = Pasted from the README');
    expect(await driver.evaluate(() => document.title)).to.equal('');
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'set_title'));
    await untilIdle(driver);
    expect(await driver.evaluate(() => document.title)).to.equal('Pasted from the README');
    expect(driver.complaints).to.deep.equal([]);
  });

  it('D81 loads the script twice and from two places: the first one counts', async () => {
    await open(`<script>
      window.warnings = [];
      const { warn } = console;
      console.warn = (...words) => { warnings.push(words.join(' ')); warn(...words); };
    </script>
    <script src="/dist/tool-chat.iife.js"></script><script type="module" src="/dist/tool-chat.js"></script>
    <script type="module" src="${site.elsewhere}/cdn/tool-chat.js"></script>
    <tool-chat endpoint="/api/ai/chat/stream"></tool-chat>`);
    await driver.waitFor(() => (window as unknown as { warnings: string[] }).warnings.length === 2);
    for (const warning of await driver.evaluate(() => (window as unknown as { warnings: string[] }).warnings))
      expect(warning).to.contain('[tool-chat]');
    await hello();
    expect(await driver.count('tool-chat-panel')).to.equal(1);
    const engines = await driver.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => /engine-[^/]*\.js$/.test(name)).length,
    );
    expect(engines, 'nothing of the second copy is evaluated').to.equal(1);
    expect(driver.complaints).to.deep.equal([]);
  });

  it('takes older messages in, on a page that keeps nothing', async () => {
    await open('<script type="module" src="/dist/tool-chat.js"></script><tool-chat endpoint="/api/ai/chat/stream"></tool-chat>');
    const texts = await driver.evaluate(async () => {
      const chat = document.querySelector<HTMLElement & { importSession(from: object): Promise<void>; messages: { text: string }[] }>(
        'tool-chat',
      )!;
      await chat.importSession([
        { role: 'user', text: 'hi' },
        { role: 'assistant', text: 'hello' },
      ]);
      return chat.messages.map(({ text }) => text);
    });
    expect(texts).to.deep.equal(['hi', 'hello']);
    expect(driver.complaints).to.deep.equal([]);
  });

  it('D80 keeps two widgets apart', async () => {
    await open(`<style>tool-chat { block-size: 420px; inline-size: 48%; float: left }</style>
      <script type="module" src="/dist/tool-chat.js"></script>
      <tool-chat id="a" endpoint="/api/ai/chat/stream?a"></tool-chat><tool-chat id="b" endpoint="/api/ai/chat/stream?b"></tool-chat>`);
    await driver.waitFor('#b >>> textarea');
    await driver.waitFor('#a >>> textarea');
    await driver.evaluate(() => {
      for (const chat of document.querySelectorAll<Chat & { registerTool(tool: object): void }>('tool-chat'))
        chat.registerTool({
          name: `tool_${chat.id}`,
          description: `Only of ${chat.id}.`,
          risk: 'query',
          execute: () => `done by ${chat.id}`,
        });
    });
    const from = site.asked.length;
    await driver.evaluate(async () => {
      type Sending = Chat & { sendMessage(text: string): Promise<unknown> };
      await Promise.all([...document.querySelectorAll<Sending>('tool-chat')].map((chat) => chat.sendMessage(`call tool_${chat.id}`)));
    });
    const asked = site.asked.slice(from).map((messages) => JSON.stringify(messages));
    expect(asked).to.have.length(4);
    for (const request of asked) expect(request.includes('tool_a') && request.includes('tool_b'), request).to.equal(false);
    for (const [own, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const text = await driver.evaluate(readAll, `#${own}`);
      expect(text).to.contain(`done by ${own}`).and.not.to.contain(`by ${other}`);
    }
    const history = await driver.evaluate(() =>
      [...document.querySelectorAll<Chat>('tool-chat')].map((chat) => chat.toolHistory.map(({ toolName }) => toolName)),
    );
    expect(history).to.deep.equal([['tool_a'], ['tool_b']]);
  });

  describe('with a floating widget', () => {
    const content =
      '<script type="module" src="/dist/tool-chat.js"></script><tool-chat layout="floating" endpoint="/api/ai/chat/stream"></tool-chat>';
    const loaded = () => driver.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/engine-')));
    const isOpen = () => driver.evaluate(() => document.querySelector('tool-chat')?.hasAttribute('open'));

    it('loads little until it is opened, opens by its button and closes by its own', async () => {
      await open(content);
      await driver.waitFor(part('launcher'));
      expect(await loaded()).to.equal(false);
      await driver.click(part('launcher'));
      await hello();
      expect(await isOpen()).to.equal(true);
      await driver.click('tool-chat-panel >>> header > button:last-of-type');
      expect(await isOpen()).to.equal(false);
      await driver.waitFor(
        (selector: string) => document.querySelector(selector)?.shadowRoot?.querySelector('tool-chat-panel')?.checkVisibility() === false,
        5000,
        'tool-chat',
      );
      expect(driver.complaints).to.deep.equal([]);
    });

    it('asks the page before it opens and before it closes', async () => {
      await open(content);
      await driver.waitFor(part('launcher'));
      const told = await driver.evaluate(() => {
        const chat = document.querySelector('tool-chat') as HTMLElement & { show(): void; hide(): void; open: boolean };
        const told: string[] = [];
        let veto = true;
        for (const name of ['tool-chat-show', 'tool-chat-hide'])
          document.addEventListener(name, (event) => {
            told.push(name);
            if (veto) event.preventDefault();
          });
        const open = () => told.push(String(chat.open));
        chat.show();
        open();
        veto = false;
        chat.show();
        open();
        chat.show();
        veto = true;
        chat.hide();
        open();
        veto = false;
        chat.hide();
        open();
        return told;
      });
      expect(told).to.deep.equal([
        'tool-chat-show',
        'false',
        'tool-chat-show',
        'true',
        'tool-chat-hide',
        'true',
        'tool-chat-hide',
        'false',
      ]);
    });

    it('fills a phone and moves nothing sideways', async () => {
      await driver.setViewport(460, 640); // as narrow as a window of WebKitGTK can be
      try {
        await open(`${content}<p>${'Text of the page. '.repeat(200)}</p>`);
        await driver.click(part('launcher'));
        await hello();
        await driver.waitFor(INPUT);
        const box = await driver.evaluate(() => {
          const panel = document.querySelector('tool-chat')?.shadowRoot?.querySelector('tool-chat-panel');
          const { left, top, width, height } = panel?.getBoundingClientRect() ?? new DOMRect();
          const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
          return { left, top, width, height, wide, inner: [innerWidth, innerHeight] };
        });
        expect(box).to.include({ left: 0, top: 0, wide: 0 });
        expect(box.width).to.be.within((box.inner[0] ?? 0) - 20, box.inner[0] ?? 0);
        expect(box.height).to.equal(box.inner[1]);
      } finally {
        await driver.setViewport(1280, 900);
      }
    });
  });
});
