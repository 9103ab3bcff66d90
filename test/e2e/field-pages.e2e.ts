// CI only: pages and habits that people reported, each played through a whole turn
// engines: selection, shadow roots, policies, frames, focus, history
/** Host pages and what people do in them, rebuilt from public reports. What only asks how an answer is drawn is in `test/fixtures/pages/`. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Server, ServerResponse } from 'node:http';
import { engineOfTests } from './browsers.js';
import { until } from './kept-call.js';
import { closeServer, frame, html, LAST_FRAMES, listen, originOf, sendBuilt } from './host-server.js';
import { INPUT, say, textOfChat, toolUse, untilIdle, untilReady, useDriver } from './widget.js';

interface Answer {
  text: string;
  /** Characters that come at once, and the milliseconds between such pieces. */
  size?: number;
  gap?: number;
  /** Comes once the page has asked for `/go`. */
  rest?: string;
}
interface Drawn {
  id: string;
  cases: { text: string; has?: string; lines?: number; never?: string; clean?: true; decided?: string }[];
}

const fixtures = new URL('../fixtures/pages/', import.meta.url);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const SCRIPT = '<script type="module" src="/dist/tool-chat.js"></script>';
const tag = (attributes = 'style="height:600px"') => `<tool-chat endpoint="/v1/chat/completions" ${attributes}></tool-chat>`;
const REMOVE = `(window.toolChat ??= []).push((chat) => {
  window.chat = chat;
  chat.registerTool({ name: 'remove', description: 'Removes an entry.', risk: 'danger', execute: () => (document.title += '+') && 'ok',
    parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } });
});`;
const CALL = `I will do it.\n${toolUse('remove', { id: '7' })}`;
const list = (length: number) => Array.from({ length }, (_, at) => `- **line** ${at}`).join('\n');
const words = (length: number) => Array.from({ length }, (_, at) => `word${at}`).join(' ');

describe('a page from the field', function () {
  this.timeout(60_000);
  const driver = useDriver();
  let server: Server;
  let origin = '';
  let drawn: Drawn[];
  let answers: Answer[] = [];
  let fails = false;
  let go = () => {};
  const pages = new Map<string, { content: string; policy?: string }>();

  before(async () => {
    const [helpers, data] = await Promise.all(['page.js', 'answers.json'].map((file) => readFile(new URL(file, fixtures), 'utf8')));
    drawn = JSON.parse(data!) as Drawn[];
    server = await listen((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://host');
      const page = pages.get(pathname);
      response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
      if (request.method === 'OPTIONS') return void response.writeHead(204).end();
      if (request.method === 'POST') return void answer(response);
      if (pathname === '/go') return void (go(), response.end());
      if (pathname === '/page.js') return void response.setHeader('content-type', 'text/javascript').end(helpers);
      if (!page) return void sendBuilt(pathname.replace('/dist/', '/'), response);
      if (page.policy !== undefined) response.setHeader('content-security-policy', page.policy);
      response.setHeader('content-type', 'text/html').end(page.content);
    });
    origin = originOf(server);
  });
  after(() => closeServer(server));
  beforeEach(() => {
    answers = [];
    fails = false;
  });

  async function answer(response: ServerResponse) {
    if (fails) return void response.writeHead(500).end();
    const { text, size = 24, gap = 0, rest } = answers.shift() ?? { text: 'Done.' };
    response.setHeader('content-type', 'text/event-stream').flushHeaders();
    const stream = async (all: string) => {
      const letters = [...all];
      for (let at = 0; at < letters.length && !response.destroyed; at += size) {
        response.write(frame(letters.slice(at, at + size).join('')));
        if (gap > 0) await pause(gap);
      }
    };
    const gone = new Promise<void>((resolve) => void response.once('close', resolve));
    const told = new Promise<void>((resolve) => (go = resolve));
    await stream(text);
    if (rest !== undefined) await Promise.race([told, gone]);
    await stream(rest ?? '');
    response.end(LAST_FRAMES);
  }

  /** Serves a page of this content, and opens it. */
  async function open(content: string, path = '/p.html', policy?: string) {
    pages.set(path, { content: html('Page', `<script src="/page.js"></script>${content}`), ...(policy !== undefined && { policy }) });
    await driver.open(origin + path);
  }
  async function openChat(content = SCRIPT + tag()) {
    await open(`<style>body { margin: 0 }</style>${content}`);
    await inPage('ready');
  }
  /** Runs one of the functions of `test/fixtures/pages/page.js`. */
  const inPage = <Result = unknown>(name: string, ...args: unknown[]) =>
    driver.evaluate(
      (does: string, given: unknown[]) =>
        (window as unknown as { page: Record<string, (...args: unknown[]) => unknown> }).page[does]!(...given),
      name,
      args,
    ) as Promise<Result>;
  const send = () =>
    driver.evaluate(
      () => void (document.querySelector('tool-chat') as HTMLElement & { sendMessage(text: string): unknown }).sendMessage('go'),
    );
  const press = async (selector: string, x = 0, y = 0) => {
    const at = await inPage<{ x: number; y: number }>('place', selector);
    await driver.clickAt(Math.round(at.x + x), Math.round(at.y + y));
  };

  const drawnBy = {
    chromium: ['03-br-and-html', '05-relative-links', '14-markdown-cjk-money', '15-tex', '17-nested-fences', '30-line-breaks'],
    // Only lines and formulas are laid out by the engine.
    firefox: ['15-tex', '30-line-breaks'],
    webkit: ['15-tex', '30-line-breaks'],
  };
  for (const id of drawnBy[engineOfTests()])
    it(`draws what was written: ${id}`, async () => {
      const { cases } = drawn.find((one) => one.id === id)!;
      await openChat(`<base href="/shop/">${SCRIPT.replace('/dist', `${origin}/dist`)}${tag()}`);
      answers = cases.map(({ text }) => ({ text }));
      expect(await inPage('draw', cases)).to.deep.equal([]);
    });

  it('keeps what is selected in an answer that grows, and at its end: 09-select-while-streaming', async () => {
    await openChat();
    const scenes: [before: string, after: string, selector: string][] = [
      ['First paragraph is here.\n\n', `Then ${words(40)}.\n\n${words(40)}`, 'p'],
      ['```js\nconst first = 1;\nconst second = 2;\n', 'const third = 3;\n'.repeat(20) + '```\n\nDone.', '.code-lines'],
    ];
    for (const [text, rest, selector] of scenes) {
      answers = [{ text, rest, size: 16, gap: 4 }];
      const [first, ...later] = await inPage<string[]>('select', selector);
      expect(later, text).to.deep.equal([first, first]);
      expect(first).to.not.contain('gone');
    }
  });

  const define = (name: string, mode: string, inner: string) =>
    `customElements.define('${name}', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: '${mode}' }).innerHTML = \`${inner}\`; } });`;
  const tall = tag('style="height:700px"');
  const PLACES: Record<string, string> = {
    'in an open shadow root': `<my-app></my-app><script>${define('my-app', 'open', `<style>tool-chat{height:700px}</style>${tag('')}`)}</script>`,
    'in a closed shadow root': `<my-app></my-app><script>${define('my-app', 'closed', `<style>tool-chat{height:700px}</style>${tag('')}`)}</script>`,
    'two shadow roots deep, slotted': `<outer-app>${tall}</outer-app><script>${define('inner-app', 'open', '<div><slot></slot></div>')}${define('outer-app', 'open', '<inner-app><slot></slot></inner-app>')}</script>`,
    'in a modal dialog': `<dialog id="d" style="width:900px;height:760px;max-height:none">${tall}</dialog><script>d.showModal()</script>`,
    'in a popover': `<div popover id="d" style="width:900px;height:760px;margin:auto">${tall}</div><script>d.showPopover()</script>`,
    zoomed: `<div style="zoom:1.25">${tag('style="height:620px"')}</div>`,
    'under contain: strict': `<div style="contain:strict;height:720px">${tall}</div>`,
    'floating in a transformed parent': `<div style="transform:translateZ(0);height:760px">${tag('layout="floating" open')}</div>`,
  };
  // WebKit says where something is in the units of what is zoomed, so that a test cannot press it.
  if (engineOfTests() === 'webkit') delete PLACES['zoomed'];
  for (const [place, content] of Object.entries(PLACES))
    it(`lets a question be allowed ${place}: 25-nested-shadow-approval`, async () => {
      answers = [{ text: CALL }, { text: 'Done.' }];
      await open(`<style>body { margin: 0 }</style><script>${REMOVE}</script>${SCRIPT}<body>${content}`);
      await driver.waitFor(() => 'chat' in window);
      await driver.evaluate(() => void (window as unknown as { chat: { sendMessage(text: string): unknown } }).chat.sendMessage('go'));
      await press('[part~=approve-button]');
      await driver.waitFor(() => document.title === 'Page+');
      // The next page must not find the rest of this turn under way.
      await driver.waitFor(() => !(window as unknown as { chat: { isLoading: boolean } }).chat.isLoading);
    });

  const NONCE = "default-src 'none'; script-src 'nonce-abc'; style-src 'nonce-abc'; connect-src 'self'; base-uri 'none'";
  const DYNAMIC = NONCE.replace("'nonce-abc'", "'nonce-abc' 'strict-dynamic'");
  const TRUSTED = `${DYNAMIC.replace("style-src 'nonce-abc'", "style-src 'self'")}; require-trusted-types-for 'script'; trusted-types lit-html`;
  const MODULE = '<script nonce="abc" type="module" src="/dist/tool-chat.js"></script>';
  const CLASSIC = '<script nonce="abc" src="/dist/tool-chat.iife.js"></script>';
  const ADDED = `<script nonce="abc">{ const s = document.createElement('script'); Object.assign(s, { type: 'module', nonce: 'abc', src: '/dist/tool-chat.js' }); document.head.append(s) }</script>`;
  for (const [name, policy, scripts] of [
    ['a nonce', NONCE, [MODULE, CLASSIC, ADDED]],
    ['a nonce and strict-dynamic', DYNAMIC, [MODULE, CLASSIC, ADDED]],
    ['these and Trusted Types', TRUSTED, [MODULE, CLASSIC]],
  ] as const)
    it(`works under a policy of ${name} without a violation: 28-csp-nonce`, async () => {
      for (const script of scripts) {
        const watch = `<script nonce="abc">violations = []; addEventListener('securitypolicyviolation', (event) => /favicon/.test(event.blockedURI) || violations.push(event.violatedDirective + event.blockedURI))</script>`;
        pages.set('/csp.html', { content: html('Page', watch + script + tag('')), policy });
        await driver.open(`${origin}/csp.html`);
        await untilReady(driver);
        answers = [{ text: '## Title\n\n| a | b |\n|---|---|\n| **x** | $x^2$ |\n\n```js\nlet a = 1\n```\n\nNote[^1]\n\n[^1]: n' }];
        await say(driver, 'hi');
        await driver.waitFor('tool-chat >>> math');
        await driver.waitFor('tool-chat >>> .code-lines');
        expect(await driver.evaluate(() => (window as unknown as { violations: string[] }).violations), script).to.deep.equal([]);
      }
    });

  describe('with a frame of another site: 35-frame', () => {
    /** The frame says where its buttons are, since its page cannot be looked into from here. */
    const INNER = `<style>body { margin: 0 }</style><script>
      const tell = async () => {
        const at = await page.place('.code-copy:not(.code-wrap)');
        parent.postMessage({ ...at, label: page.deep('.code-copy:not(.code-wrap)').textContent, messages: chat.messages.length }, '*');
      };
      addEventListener('message', ({ data }) => data === 'go' ? chat.sendMessage('go').then(tell) : tell());
      (window.toolChat ??= []).push((chat) => { window.chat = chat; parent.postMessage({ ready: true }, '*'); });
    </script>`;
    for (const sandbox of [undefined, 'allow-scripts allow-same-origin allow-popups allow-forms', 'allow-scripts'])
      it(`copies, says so, and goes on: ${sandbox ?? 'no sandbox'}`, async () => {
        pages.set('/in.html', {
          content: html(
            'In',
            `<script src="/page.js"></script>${INNER}${SCRIPT}${tag(`storage="indexeddb" session-id="f${String(Date.now())}" style="height:500px"`)}`,
          ),
        });
        answers = [{ text: 'The code:\n\n```js\nlet a = 1;\n```' }, { text: '```js\nlet b = 2;\n```' }];
        const other = origin.replace('127.0.0.1', 'localhost');
        await open(`<style>body { margin: 0 }</style><script>heard = {}; addEventListener('message', ({ data }) => Object.assign(heard, data))</script>
          <iframe src="${other}/in.html" style="width:900px;height:560px;border:0" ${sandbox === undefined ? '' : `sandbox="${sandbox}"`}></iframe>`);
        type Heard = { ready?: true; x?: number; y?: number; label?: string; messages?: number };
        const heard = () => (window as unknown as { heard: Heard }).heard;
        const post = (word: string) =>
          driver.evaluate((data: string) => document.querySelector('iframe')!.contentWindow!.postMessage(data, '*'), word);
        await driver.waitFor(() => (window as unknown as { heard: Heard }).heard.ready);
        await post('go');
        await driver.waitFor(() => (window as unknown as { heard: Heard }).heard.x, 20_000);
        const { x = 0, y = 0 } = await driver.evaluate(heard);
        await driver.clickAt(Math.round(x), Math.round(y));
        await driver.waitFor(() => {
          document.querySelector('iframe')!.contentWindow!.postMessage('tell', '*');
          return /copied/i.test((window as unknown as { heard: Heard }).heard.label ?? '');
        });
        await post('go');
        await driver.waitFor(() => (window as unknown as { heard: Heard }).heard.messages === 4, 20_000);
      });
  });

  it('neither moves nor loses the focus while a chat below the fold loads, answers, asks, is stopped and fails: 36-page-stays', async () => {
    await openChat(`<style>body { margin: 0 } p { height: 900px; margin: 0 }</style><script>${REMOVE}</script>${SCRIPT}
      <p><input id="own" autofocus></p>${tag('style="height:500px"')}<p>below</p>`);
    await driver.evaluate(() => document.querySelector<HTMLElement>('#own')!.focus({ preventScroll: true }));
    const stays = async (when: string) => {
      await pause(200);
      expect(await inPage('stays'), when).to.deep.equal([0, 'own']);
    };
    await stays('loaded');
    answers = [{ text: list(30), gap: 4 }];
    await send();
    await untilIdle(driver);
    await stays('answered');
    answers = [{ text: CALL }];
    await send();
    await driver.waitFor(() =>
      (document.querySelector('tool-chat') as HTMLElement & { matchesState(name: string): boolean }).matchesState('awaitingApproval'),
    );
    await stays('a question waits');
    await driver.evaluate(() => (document.querySelector('tool-chat') as HTMLElement & { cancelStream(): unknown }).cancelStream());
    await untilIdle(driver);
    await stays('stopped');
    fails = true;
    await send();
    await driver.waitFor(() => (document.querySelector('tool-chat') as HTMLElement & { error: unknown }).error !== null, 20_000);
    await stays('an error is shown');
  });

  // After Back, the driver of Firefox does not hear of the next navigation.
  for (const attributes of engineOfTests() === 'firefox' ? [] : ['', 'storage="indexeddb" session-id="b"'])
    it(`works when it has come back by Back: 41-back-forward ${attributes}`, async () => {
      await open('', '/other.html');
      await open(
        `<script>shown = []; addEventListener('pageshow', ({ persisted }) => shown.push(persisted))</script>${SCRIPT}${tag(attributes)}`,
      );
      await inPage('ready');
      answers = [{ text: 'An answer.' }];
      await send();
      await untilIdle(driver);
      await driver.open(`${origin}/other.html`);
      await driver.evaluate(() => void setTimeout(() => history.back()));
      // While it is on its way there is no page to ask.
      const isBack = () => location.pathname === '/p.html' && document.readyState === 'complete';
      await until(() => driver.evaluate(isBack).catch(() => false), 'the page');
      const shown = await driver.evaluate(() => (window as unknown as { shown: boolean[] }).shown);
      if (driver.engine === 'chromium') expect(shown, 'out of the cache').to.deep.equal([false, true]);
      await inPage('ready');
      answers = [{ text: 'Alive.' }];
      await driver.waitFor(INPUT);
      await say(driver, 'again');
      await untilIdle(driver);
      expect(await textOfChat(driver)).to.contain('Alive.');
    });
});
