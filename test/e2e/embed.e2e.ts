// engines: css, layout
/** The widget on pages that know nothing of it, the README's tools, and company it did not choose. */
import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { html } from './host-server.js';
import { allow, type Chat, ERROR_BAR, INPUT, part, say, textOfChat, toolUse, untilIdle, untilReady, useSite } from './widget.js';

const SCRIPT = '<script type="module" src="/dist/tool-chat.js"></script>';
const TAG = '<tool-chat endpoint="/api/ai/chat/stream"></tool-chat>';
const REGISTER = `chat.registerTool({
  name: 'rename', description: 'Renames the page.', label: 'Rename',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute({ title }) { document.title = title; return 'Renamed'; },
})`;

type Page = Window & { warnings: string[] };

describe('a page that embeds the widget', () => {
  const { driver, site } = useSite();
  let pages = 0;

  /** Serves and opens a page of this content. */
  async function open(content: string, at = '/embed') {
    site.say();
    const path = `${at}/page-${String((pages += 1))}.html`;
    site.put(path, html('Page', `<meta name="viewport" content="width=device-width">${content}`));
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
    for (const [script, from] of [
      ['type="module" src="../dist/tool-chat.js"', 'a module in another folder'],
      ['src="../dist/tool-chat.iife.js"', 'a classic script in another folder'],
      ['type="module" src="ELSEWHERE/cdn/tool-chat.js"', 'a module of another origin'],
      ['src="ELSEWHERE/cdn/tool-chat.iife.js"', 'a classic script of another origin'],
    ] as const)
      it(`chats with ${from}`, async () => {
        await open(`<script ${script.replace('ELSEWHERE', site.elsewhere)}></script>\n${TAG}`, '/deep/er');
        await hello();
        expect(driver.complaints).to.deep.equal([]);
      });
  });

  describe('by a script that does not know where it came from', () => {
    let code = '';
    before(async () => (code = await readFile('dist/tool-chat.iife.js', 'utf8')));
    const inline = (attributes = '') => `<script ${attributes}>${code.replaceAll('</script', '<\\/script')}</script>`;
    const joined = (attributes = '') => {
      site.put('/cache/all.js', `var theme = 1;\n${code};\nvar slider = 1;`);
      return `<script src="/cache/all.js" ${attributes}></script>`;
    };
    const ways: Record<string, () => string> = {
      'inlined, with `data-base`': () => inline('data-base="/dist"'),
      'inlined, with `window.toolChatBase`': () => `<script>toolChatBase = '../dist/'</script>${inline()}`,
      'joined to others, with `data-base`': () => joined('data-base="../dist"'),
    };
    for (const [way, scripts] of Object.entries(ways))
      it(`chats: ${way}`, async () => {
        await open(scripts() + TAG);
        await hello();
        expect(driver.complaints).to.deep.equal([]);
      });

    it('is told in the console what to set, and on the page that something is missing, where nobody names the folder', async () => {
      await open(`<script>warnings = []; console.warn = (...words) => warnings.push(words.join(' '))</script>${joined()}${TAG}`);
      await driver.waitFor(() => (window as unknown as Page).warnings.length > 0);
      expect((await driver.evaluate(() => (window as unknown as Page).warnings)).join()).to.contain('data-base');
      await driver.waitFor('tool-chat >>> [role=alert]');
    });
  });

  it('can be written in before the conversation is there: it is sent once that has come, also at a second attempt', async () => {
    const chunk = (await readdir('dist/chunks')).find((file) => /^widget-[\w-]{7}\.js$/.test(file)) ?? '';
    const give = site.withhold(`/dist/chunks/${chunk}`);
    await open(SCRIPT + TAG);
    site.say('Both have come.');
    await driver.waitFor(INPUT);
    await say(driver, 'Early bird');
    await driver.type(INPUT, 'half a');
    await driver.waitFor(ERROR_BAR);
    expect(await textOfChat(driver))
      .to.contain('Part of the assistant could not be loaded')
      .and.to.contain('Early bird');
    give();
    // Firefox remembers, until the page is left, that a module did not come.
    if (driver.engine === 'firefox') return;
    await driver.click(part('retry-button'));
    await untilReady(driver);
    await untilIdle(driver);
    expect(await textOfChat(driver))
      .to.contain('Early bird')
      .and.to.contain('Both have come.');
    expect(await driver.count(ERROR_BAR)).to.equal(0);
    const roles = await driver.evaluate(() =>
      document
        .querySelector<Chat>('tool-chat')
        ?.messages.map(({ role }) => role)
        .join(),
    );
    expect(roles).to.equal('user,assistant');
    expect(await driver.value(INPUT)).to.equal('half a');
  });

  describe('registers tools whenever it likes (X-03)', () => {
    const orders = {
      'before the script has loaded': `<script>(window.toolChat ??= []).push((chat) => { ${REGISTER} });</script>${SCRIPT}${TAG}`,
      'after the script, before there is an element': `${SCRIPT}<script type="module">
        toolChat.push((chat) => { ${REGISTER} });
        document.body.append(Object.assign(document.createElement('tool-chat'), { endpoint: '/api/ai/chat/stream' }));
      </script>`,
      'on the element, once it is upgraded': `${TAG}${SCRIPT}<script type="module">
        await customElements.whenDefined('tool-chat');
        const chat = document.querySelector('tool-chat');
        ${REGISTER};
      </script>`,
      'when the element says that it is ready': `<script>document.addEventListener('tool-chat-ready', ({ target: chat }) => { ${REGISTER} });</script>${TAG}${SCRIPT}`,
    };
    for (const [name, content] of Object.entries(orders)) it(name, () => renames(content));
  });

  /** What Prototype.js and MooTools have done to pages: `$A`, lists as texts, lists without `entries`. */
  const LIBRARY = `Array.from = (from) => { const list = []; for (let at = 0; at < (from.length || 0); at += 1) list.push(from[at]); return list; };
    for (const { prototype } of [Array, String, Number]) prototype.toJSON = function () { return this + ''; };
    delete Array.prototype.entries;`;
  for (const script of [SCRIPT, '<script src="/dist/tool-chat.iife.js"></script>'])
    it(`may have replaced built-ins, and keeps its own: ${script}`, async () => {
      await renames(`<script>${LIBRARY} (window.toolChat ??= []).push((chat) => { ${REGISTER} });</script>${script}${TAG}`);
      // A text: a driver's own lists pass through what the page has replaced.
      const itsOwn = () => `${JSON.stringify([1])} ${String(Array.from(new Set([1])).length)}`;
      expect(await driver.evaluate(itsOwn)).to.equal('"1" 0');
    });

  async function renames(content: string) {
    // High enough for the whole question: what has not been on screen cannot be allowed.
    await open(`<style>tool-chat { height: 860px }</style><body>${content}</body>`);
    await untilReady(driver);
    site.say(toolUse('rename', { title: 'New name' }), 'Done.');
    await say(driver, 'Rename it');
    await allow(driver, 'rename');
    expect(site.asked.at(-1)?.[0]?.content, 'the prompt teaches the tool').to.contain('rename').and.to.contain('Renames the page.');
    expect(await driver.evaluate(() => document.title)).to.equal('New name');
  }

  it('reads by an OpenAPI description, with the code of the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const paths = { '/tasks/{id}': { parameters, get: { operationId: 'getTask' } } };
    const description = { openapi: '3.1.0', info: { title: 'Tasks', version: '1' }, servers: [{ url: '/api' }], paths };
    site.put('/openapi.json', JSON.stringify(description));
    site.put('/api/tasks/7', '{"id":"7","title":"Buy milk"}');
    const code = /```js\n([^]*?)\n```/.exec(readme)![1]!.replace("'tool-chat/tools'", "'/dist/lib/toolkits/index.js'");
    const script = `<script type="module">const chat = document.querySelector('tool-chat');\n${code}</script>`;
    await open(`<style>tool-chat { height: 90vh }</style>${SCRIPT}${TAG}${script}`);
    await untilReady(driver);
    site.say(toolUse('get_task', { id: '7' }), 'It says: Buy milk.');
    await say(driver, 'What is task 7?');
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('It says: Buy milk.');
    expect(JSON.stringify(site.asked.at(-1))).to.contain('Buy milk');
    expect(driver.complaints).to.deep.equal([]);
  });

  it('may load the script three times and from two places: the first one counts', async () => {
    await open(`<script>
      window.warnings = [];
      console.warn = (...words) => warnings.push(words.join(' '));
    </script>
    <script src="/dist/tool-chat.iife.js"></script>${SCRIPT}
    <script type="module" src="${site.elsewhere}/cdn/tool-chat.js"></script>${TAG}`);
    await driver.waitFor(() => (window as unknown as Page).warnings.length === 2);
    const warnings = await driver.evaluate(() => (window as unknown as Page).warnings);
    for (const warning of warnings) expect(warning).to.contain('[tool-chat]');
    await hello();
    expect(await driver.count('tool-chat-panel')).to.equal(1);
    const engines = await driver.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => /engine-[^/]*\.js$/.test(name)).length,
    );
    expect(engines, 'nothing of the second copy is evaluated').to.equal(1);
    expect(driver.complaints).to.deep.equal([]);
  });

  describe('with a floating widget', () => {
    const content = `${SCRIPT}<tool-chat layout="floating" endpoint="/api/ai/chat/stream"></tool-chat>`;
    const isOpen = () => driver.evaluate(() => document.querySelector('tool-chat')?.open);

    it('loads little until it is opened, opens by its button and closes by its own', async () => {
      await open(content);
      await driver.waitFor(part('launcher'));
      const loaded = () => performance.getEntriesByType('resource').some(({ name }) => name.includes('/engine-'));
      expect(await driver.evaluate(loaded)).to.equal(false);
      await driver.click(part('launcher'));
      await hello();
      expect(await isOpen()).to.equal(true);
      await driver.click('tool-chat-panel >>> header > button:last-of-type');
      expect(await isOpen()).to.equal(false);
      await driver.waitFor(
        () => document.querySelector('tool-chat')?.shadowRoot?.querySelector('tool-chat-panel')?.checkVisibility() === false,
      );
      expect(driver.complaints).to.deep.equal([]);
    });
  });
});
