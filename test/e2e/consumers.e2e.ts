// CI only: packs the package and builds a page with each framework
/** The packed package in other hands: one small page for each framework that people build sites with. */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'vite';
import { consumers, type Consumers } from '../helpers/consumers.js';
import { engineOfTests } from './browsers.js';
import { html } from './host-server.js';
import { say, toolUse, untilIdle, untilReady, useSite } from './widget.js';

/** Entry of each framework's page, and what a bundler needs to read it. */
const frameworks: Record<string, { entry: string; plugins?(): Promise<unknown[]> }> = {
  React: { entry: 'react/app.tsx' },
  Vue: {
    entry: 'vue/app.ts',
    async plugins() {
      const { default: vue } = await import('@vitejs/plugin-vue');
      return [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'tool-chat' } } })];
    },
  },
  Svelte: {
    entry: 'svelte/app.ts',
    async plugins() {
      const { svelte } = await import('@sveltejs/vite-plugin-svelte');
      return [svelte({ configFile: false })];
    },
  },
  // Its own compiler writes plain modules, which are bundled like any others.
  Angular: { entry: 'angular/out/angular/app.js' },
};

describe('the packed package in other hands', () => {
  const { driver, site } = useSite();
  let others: Consumers;

  before(async function () {
    this.timeout(120_000);
    // Engines run side by side.
    others = await consumers(`consumers-${engineOfTests()}`);
    expect(await others.complaintsOf('ngc', '-p', 'angular/tsconfig.json')).to.equal('');
  });

  /** Builds a page's script, or what its server runs, as `main.js` of a folder. */
  async function bundle(entry: string, plugins: () => Promise<unknown[]>, ssr = false): Promise<string> {
    const { home } = others;
    const outDir = path.join(home, 'built', entry.replaceAll(/\W/g, '-'));
    await build({
      configFile: false,
      root: home,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
      plugins: (await plugins()) as Plugin[],
      build: { ssr, outDir, target: 'es2022', rolldownOptions: { input: path.join(home, entry), output: { entryFileNames: 'main.js' } } },
    });
    return outDir;
  }

  /** Serves it in a page that has `body`; chunks of a bundler are asked for from the root of the site. */
  async function serve(outDir: string, body: string): Promise<string> {
    const folder = path.basename(outDir);
    for (const file of await readdir(outDir, { recursive: true }))
      if (file.endsWith('.js')) {
        const text = await readFile(path.join(outDir, file), 'utf8');
        site.put(`/${folder}/${file}`, text);
        if (file.startsWith('assets')) site.put(`/${file.replaceAll(path.sep, '/')}`, text);
      }
    site.put(`/${folder}/page.html`, html('Page', `${body}<script type="module" src="main.js"></script>`));
    return `${site.url}/${folder}/page.html`;
  }

  async function open(page: string) {
    site.say(toolUse('rename', { title: 'Hello' }), 'Done.');
    await driver.open(page);
    await untilReady(driver);
  }

  /** Says something that calls the page's tool, whose listener writes down the result. */
  async function rename() {
    await say(driver, 'Call it Hello');
    await untilIdle(driver);
    await driver.waitFor(() => document.querySelector('output')?.textContent);
    expect(await driver.text('output')).to.equal('Renamed to Hello for Ada');
  }

  for (const [name, { entry, plugins = () => Promise.resolve([]) }] of Object.entries(frameworks))
    it(`works in ${name}: a tool, properties, and a listener in the template`, async () => {
      const page = await serve(await bundle(entry, plugins), '<div id="app"></div>');
      await open(page);
      await rename();
      expect(await driver.evaluate(() => document.title)).to.equal('Hello');
      expect(await driver.evaluate(() => document.querySelector('tool-chat')?.heading)).to.equal(`In ${name}`);
    });

  /** What the script saw that ran before the element was known. */
  type Early = Window & { first: { tag: Element; known: boolean; complaints: string[] } };

  /** What was there before the element was known is there afterwards, and works: on the same node, attributes, children, properties. */
  async function expectAwake(page: string): Promise<void> {
    await open(`${site.url}/${page}`);
    const seen = await driver.evaluate(() => {
      const chat = document.querySelector('tool-chat') as unknown as HTMLElement & Record<string, unknown>;
      const { tag, known } = (window as unknown as Early).first;
      const empty = chat.querySelector('[slot=empty]');
      return {
        known,
        same: tag === chat,
        attributes: ['class', 'heading', 'max-iterations', 'approval'].map((name) => chat.getAttribute(name)),
        properties: ['heading', 'maxIterations', 'approval', 'maxTokens', 'memory', 'lang'].map((name) => chat[name]),
        child: empty?.textContent,
        childIsShown: (empty?.getBoundingClientRect().height ?? 0) > 0,
      };
    });
    expect(seen).to.deep.equal({
      known: false,
      same: true,
      attributes: ['assistant', 'From a server', '4', 'always'],
      properties: ['From a server', 4, 'always', 321, 'full', 'de'],
      child: 'Ask our shop',
      childIsShown: true,
    });
    await rename();
    expect(await driver.evaluate(() => (window as unknown as Early).first.complaints)).to.deep.equal([]);
  }

  it('wakes what a server has rendered with React, and nothing that was set before is lost', async () => {
    site.put('/next/page.html', await others.renderedPage());
    site.put('/next/early.js', await readFile(path.join(others.home, 'next/early.js'), 'utf8'));
    const out = path.join(others.home, 'next/out');
    for (const file of await readdir(out)) site.put(`/next/${file}`, await readFile(path.join(out, file), 'utf8'));
    await expectAwake('next/page.html');
  });

  for (const name of ['Vue', 'Svelte'] as const)
    it(`wakes what a server has rendered with ${name}, on the same node`, async () => {
      const [folder, plugins] = [name.toLowerCase(), frameworks[name]?.plugins ?? (() => Promise.resolve([]))];
      const server = path.join(await bundle(`${folder}/server.ts`, plugins, true), 'main.js');
      const { stdout } = await promisify(execFile)(process.execPath, [server]);
      expect(stdout).to.contain(`<tool-chat endpoint="/api/ai/chat/stream" heading="In ${name}"`);
      const before = '<script>window.first = { tag: document.querySelector("tool-chat") };</script>';
      const page = await serve(await bundle(`${folder}/wake.ts`, plugins), `<div id="app">${stdout.trim()}</div>${before}`);
      await open(page);
      await rename();
      const same = () => (window as unknown as Early).first.tag === document.querySelector('tool-chat');
      expect(await driver.evaluate(same)).to.equal(true);
    });
});
