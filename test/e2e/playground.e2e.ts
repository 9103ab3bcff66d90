/** The playground: one widget, switched through every notation over every wire while it runs, by the page's own controls. */
import { after, before } from 'mocha';
import { expect } from 'chai';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningDemo } from '../../demo/server/demo.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, card, DENY, INPUT, say, textOfChat, untilIdle, untilReady, type Chat } from './widget.js';

const PROTOCOLS = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code'];
const WIRES = ['cutie', 'openai', 'openai-responses', 'anthropic', 'ollama', 'gemini', 'ui-message-stream', 'ag-ui', 'text'];
const WITH_TOOLS = ['openai', 'openai-responses', 'anthropic', 'ollama', 'gemini', 'ui-message-stream', 'ag-ui'];

/** The marks of all notations and of their results: for no person's eyes. */
const MARKUP =
  /<\/?tool_|<invoke|<parameter|"action"|tool_call|"arguments"|<<<|TOOL_REQUEST|「始|「末|<tool_code|```json|function_call|tool_use/;

type Talk = Chat & { sendMessage(text: string): Promise<unknown>; clear(): Promise<void> };

describe('playground', () => {
  let demo: RunningDemo;
  let driver: Driver;

  before(async function () {
    this.timeout(60_000);
    demo = await serveDemo({ delayMs: 0 });
    driver = await launch();
  });
  after(async () => {
    await driver?.close();
    await demo?.close();
  });

  async function open(search = '') {
    await driver.open(`${demo.url}/playground?lang=en${search}`);
    await untilReady(driver);
  }

  /** As a person does with the page's selects. */
  const choose = (choice: Record<string, string>) =>
    driver.evaluate((wanted: Record<string, string>) => {
      for (const [name, value] of Object.entries(wanted)) {
        const field = document.querySelector<HTMLSelectElement | HTMLInputElement>(`#controls [name=${name}]`)!;
        if (field.type === 'checkbox') (field as HTMLInputElement).checked = value === 'on';
        else field.value = value;
        if (field.value !== value && field instanceof HTMLSelectElement) throw new Error(`There is no ${name} ${value}`);
        field.dispatchEvent(new Event('change', { bubbles: true }));
      }
    }, choice);

  /** Says something; `ended` waits for the end of that turn. */
  const send = (text: string) =>
    driver.evaluate((words: string) => {
      const page = window as Window & { turnEnded?: boolean };
      page.turnEnded = false;
      void document
        .querySelector<Talk>('tool-chat')!
        .sendMessage(words)
        .then(() => (page.turnEnded = true));
    }, text);
  const ended = () => driver.waitFor(() => (window as Window & { turnEnded?: boolean }).turnEnded, 15_000);

  const items = () =>
    driver.evaluate(() =>
      [...document.querySelectorAll('#items li')].map((item) =>
        [...item.querySelectorAll('span')]
          .map((part) => part.textContent)
          .join(' ')
          .trim(),
      ),
    );
  const textIn = (id: string) => driver.evaluate((name: string) => document.getElementById(name)?.textContent ?? '', id);

  /** Adds, lists and removes by words; what asks is allowed by a click. Gives the bodies of the requests. */
  async function playThrough(wire = ''): Promise<Record<string, unknown>[]> {
    await driver.evaluate(() => document.querySelector<Talk>('tool-chat')!.clear());
    const before = await items();
    const bodies: Record<string, unknown>[] = [];
    const settle = async () => {
      await ended();
      bodies.push(JSON.parse((await textIn('request')).replace(/^POST .*\n\n/, '')) as Record<string, unknown>);
    };
    await send('Add 2 "oat milk" to the list');
    // Nothing proves that plain text is whole, so there even this asks.
    if (wire === 'text') await driver.click(ALLOW);
    await settle();
    expect(await items()).to.deep.equal([...before, 'oat milk × 2']);
    await send('What is on the list?');
    await settle();
    await send('Remove "oat milk" from the list');
    await driver.click(ALLOW);
    await settle();
    expect(await items()).to.deep.equal(before);

    const { calls, said } = await driver.evaluate(() => {
      const { toolHistory, messages } = document.querySelector<Talk>('tool-chat')!;
      return {
        calls: toolHistory.map(({ toolName, status }) => `${toolName} ${status}`),
        said: messages.filter(({ role }) => role === 'assistant').map(({ text }) => text),
      };
    });
    expect(calls).to.deep.equal(['add_item success', 'list_items success', 'remove_item success']);
    expect(said.join('\n')).to.include('oat milk × 2').and.to.include('Removed oat milk').and.to.not.match(MARKUP);
    expect(await textOfChat(driver)).to.not.match(MARKUP);
    return bodies;
  }

  for (const protocol of PROTOCOLS) {
    it(`works with ${protocol} over every wire`, async () => {
      await open();
      for (const wire of WIRES) {
        await choose({ protocol, wire });
        for (const { tools = [] } of await playThrough(wire)) expect(tools, wire).to.deep.equal([]);
        expect(await textIn('request'), wire).to.include(`POST /api/scripted/${wire}/`);
        expect(await textIn('response'), wire).to.match(/^HTTP 200 \S.*\n\n[^]{20}/);
      }
      expect(driver.complaints).to.deep.equal([]);
    });
  }

  it('works with the tool calls of the services themselves', async () => {
    await open('&protocol=native');
    for (const wire of WITH_TOOLS) {
      await choose({ wire });
      for (const body of await playThrough()) expect(body, wire).to.have.property('tools').that.is.not.empty;
    }
    expect(driver.complaints).to.deep.equal([]);
  });

  it('finds notation and wire by itself, and takes whole answers', async () => {
    await open('&protocol=auto&wire=auto&service=gemini&model=scripted-vcp&stream=off');
    const [body] = await playThrough();
    expect(JSON.stringify(body)).to.include('TOOL_REQUEST');
    expect(await textIn('request')).to.match(/^POST \S+:generateContent\n/);
    expect(await textIn('response')).to.match(/^HTTP 200 application\/json/);
    await choose({ service: 'ollama', model: 'scripted-code', stream: 'on' });
    const [next] = await playThrough();
    expect(JSON.stringify(next)).to.include('<tool_code>').and.to.not.include('TOOL_REQUEST');
    expect(await textIn('response')).to.match(/^HTTP 200 application\/x-ndjson/);
    expect(await driver.evaluate(() => location.hash))
      .to.include('service=ollama')
      .and.to.include('model=scripted-code');
  });

  it('speaks Chinese, and leaves what is not allowed as it is', async () => {
    await driver.open(`${demo.url}/playground?lang=zh-CN&protocol=vcp&wire=anthropic`);
    await untilReady(driver);
    await say(driver, '把「面包」从清单里删除');
    await driver.click(DENY);
    await driver.waitFor(card('denied', 'remove_item'));
    await untilIdle(driver);
    expect(await items()).to.deep.equal(['面包', '西红柿']);
    expect(await textOfChat(driver))
      .to.include('好的，我不会执行这个操作。')
      .and.to.not.match(MARKUP);
  });

  it('shows the prompt that is sent, and changes it with the choice', async () => {
    await open('&wire=cutie');
    await driver.click('#prompt-box summary');
    await driver.waitFor(() => document.querySelector('#prompt')?.textContent?.includes('<invoke name="add_item">'));
    await choose({ protocol: 'json-tool-calls' });
    await driver.waitFor(() => document.querySelector('#prompt')?.textContent?.includes('{"tool_calls": ['));
    const prompt = await textIn('prompt');
    await send('What is on the list?');
    await ended();
    const { system } = JSON.parse((await textIn('request')).replace(/^POST .*\n\n/, '')) as { system: string };
    expect(system).to.equal(prompt);
    expect(await driver.count('#exchange option')).to.equal(2);
  });

  it('plays every preset (Y-18)', async () => {
    await open('&wire=cutie');
    for (const preset of ['cutie-xml', 'json-block', 'aio-vcp', 'semi-auto', 'orchestrated']) {
      await choose({ preset });
      await driver.evaluate(() => document.querySelector<Talk>('tool-chat')!.clear());
      await send('What is on the list?');
      if (preset === 'semi-auto') await driver.click(ALLOW);
      await driver.waitFor(card('success', 'list_items'), 15_000);
      await driver.evaluate(() => (document.querySelector('tool-chat') as unknown as { cancelStream(): void }).cancelStream());
      await ended();
    }
    expect(await driver.evaluate(() => location.hash)).to.include('preset=orchestrated');
  });

  it('lets a policy that is chosen go before its preset', async () => {
    await open('&preset=json-block&calls-per-turn=many&coercion=pattern&parse-mode=complete&dispatch=on-block&result-role=tool');
    const { preset, callsPerTurn, coercion, memory, parseMode, dispatch, resultRole } = await driver.evaluate(async () => {
      const chat = document.querySelector('tool-chat') as unknown as { config: Record<string, unknown>; revoke(id: string): unknown };
      await chat.revoke('none'); // the conversation is there then, and with it what a preset says
      return chat.config;
    });
    expect({ preset, callsPerTurn, coercion, memory, parseMode, dispatch, resultRole }).to.deep.equal({
      ...{ preset: 'json-block', callsPerTurn: 'many', coercion: 'pattern', memory: 'full' },
      ...{ parseMode: 'complete', dispatch: 'on-block', resultRole: 'tool' },
    });
  });

  const tryOut = (label: string) =>
    driver.evaluate((words: string) => {
      const button = [...document.querySelectorAll<HTMLButtonElement>('#tries button')].find(({ textContent }) => textContent === words);
      if (!button) throw new Error(`There is nothing to try named ${words}`);
      button.click();
    }, label);

  it('shows a chain to its end, a queue, a fallback and the trace of it all (Y-18)', async () => {
    await open('&wire=cutie');
    await driver.click('#trace-box summary');
    await tryOut('A chain');
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'add_item'));
    await driver.click(ALLOW);
    await untilIdle(driver);
    expect(await items()).to.include.members(['milk', 'eggs × 2']);
    await driver.waitFor(() => document.querySelector('#trace')?.textContent?.includes('add_item'));

    await tryOut('A queue');
    await driver.waitFor(() => document.querySelector('#items')?.textContent?.includes('tea'), 15_000);
    await untilIdle(driver);
    await tryOut('A fallback');
    await driver.waitFor(card('success', 'usual_price'), 15_000);
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.include('bread usually costs 2.50');
  });

  it('runs a call by hand, and sends its result when the person says so (Y-18)', async () => {
    await open('&wire=cutie');
    await tryOut('Run by hand, send results');
    const allow = 'tool-chat >>> tool-chat-batch >>> .allow:not([aria-disabled=true])';
    await driver.waitFor(allow);
    // The first of the two is left waiting.
    await driver.click('tool-chat >>> [role=checkbox][aria-checked=true]');
    await driver.waitFor('tool-chat >>> [role=checkbox][aria-checked=false]');
    await driver.click(allow, 20_000);
    await driver.waitFor(card('success', 'add_item'));
    await driver.click('tool-chat >>> .send-results');
    await untilIdle(driver);
    expect(await textIn('request')).to.include('eggs');
    expect(await items()).to.deep.equal(['bread', 'tomatoes', 'eggs × 2']);
  });

  it('writes a template, whose places are filled before it is sent (Y-18)', async () => {
    await open('&wire=cutie');
    await driver.type(INPUT, '/');
    await driver.waitFor('tool-chat >>> [role=listbox]');
    for (let step = 0; step < 4; step += 1) await driver.press('ArrowDown');
    await driver.press('Enter');
    await driver.waitFor(focusedFieldHas, 10_000, 'Remove "{what}" from the list');
    for (const letter of 'bread') await driver.press(letter);
    await driver.waitFor(focusedFieldHas, 10_000, 'Remove "bread" from the list');
    await driver.press('Enter');
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'remove_item'));
    expect(await items()).to.deep.equal(['tomatoes']);
  });

  it('has a control for each attribute, found by its name or by what its line says', async () => {
    await open();
    const { names, controls } = await driver.evaluate(async () => {
      const manifest = (await (await fetch('/custom-elements.json')).json()) as {
        modules: { declarations: { tagName?: string; attributes: { name: string }[] }[] }[];
      };
      const chat = manifest.modules.flatMap(({ declarations }) => declarations).find(({ tagName }) => tagName === 'tool-chat')!;
      return {
        names: chat.attributes.map(({ name }) => name),
        controls: [...document.querySelectorAll<HTMLInputElement>('#controls [name], #own [name]')].map(({ name }) => name),
      };
    });
    expect(names).to.include('orchestration');
    expect(controls).to.include.members(names);
    await driver.type('#find', 'chain');
    expect(await driver.evaluate(seenOptions))
      .to.include.members(['calls-per-turn', 'confirm-via'])
      .and.to.not.include('theme');
  });

  it('shows the lines to copy, which change with the controls, and passes a choice on by its link', async () => {
    await open();
    await choose({ approval: 'always', 'max-iterations': '7' });
    expect(await textIn('snippet'))
      .to.include('approval="always"')
      .and.to.include('max-iterations="7"')
      .and.to.not.include('planning=');
    expect(await textIn('snippet')).to.include('chat.registerTool({');
    await driver.evaluate(() => {
      const page = window as Window & { copied?: string };
      Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text: string) => void (page.copied = text) } });
      document.querySelector<HTMLElement>('#share')!.click();
    });
    const link = await driver.evaluate(() => (window as Window & { copied?: string }).copied!);
    await driver.open(`${demo.url}/two`);
    await driver.open(link);
    await untilReady(driver);
    expect(await driver.evaluate(setOnChat, ['approval', 'max-iterations'])).to.deep.equal(['always', '7']);
    await driver.click('#reset');
    expect(await driver.evaluate(setOnChat, ['approval', 'max-iterations'])).to.deep.equal([null, null]);
    expect(await driver.evaluate(() => location.hash)).to.equal('');
  });

  it('takes no address out of a link that the person has not agreed to, and says what it left out', async () => {
    await driver.open(
      `${demo.url}/playground?lang=en#endpoint=https%3A%2F%2Fevil.example%2Fv1&approval=sometimes&key=sk-1&__proto__=x&heading=%3Cimg%20src%3Dx%3E`,
    );
    await untilReady(driver);
    expect(await textIn('told')).to.include('approval, key, __proto__');
    expect(await textIn('asks-words'))
      .to.include('evil.example')
      .and.to.include('everything you write');
    const [endpoint, approval, heading] = await driver.evaluate(setOnChat, ['endpoint', 'approval', 'heading']);
    expect(endpoint).to.match(/^\/api\/scripted\//);
    expect([approval, heading]).to.deep.equal([null, '<img src=x>']);
    await driver.click('#leave-out');
    await choose({ theme: 'dark' });
    expect(await driver.evaluate(setOnChat, ['endpoint'])).to.deep.equal([endpoint]);
    await driver.open(`${demo.url}/two`);
    await driver.open(`${demo.url}/playground?lang=en#endpoint=https%3A%2F%2Fknown.example%2Fv1`);
    await untilReady(driver);
    await driver.click('#take');
    expect(await driver.evaluate(setOnChat, ['endpoint'])).to.deep.equal(['https://known.example/v1']);
    await choose({ theme: 'dark' });
    expect(await driver.evaluate(() => location.href))
      .to.include('theme=dark')
      .and.to.not.include('known');
  });

  it('sends to a service that a person names, with the key, and stores nothing of it (Y-20)', async () => {
    const heard: { path: string; key: string; body: string }[] = [];
    const server = createServer((request, response) => {
      response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
      if (request.method === 'OPTIONS') return void response.end();
      let body = '';
      request.on('data', (piece) => (body += String(piece)));
      request.on('end', () => {
        heard.push({ path: request.url ?? '', key: request.headers.authorization ?? '', body });
        response.setHeader('content-type', 'text/event-stream');
        const choice = (delta: object, reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason: reason }] });
        for (const frame of [choice({ content: 'Hello from far away.' }, null), choice({}, 'stop')])
          response.write(`data: ${JSON.stringify(frame)}\n\n`);
        response.end('data: [DONE]\n\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      await open('&wire=openai&storage=indexeddb');
      await driver.click('#own summary');
      await driver.type('#own [name=endpoint]', `http://127.0.0.1:${String(port)}/v1/chat/completions`);
      await driver.type('#own [name=key]', 'sk-0123456789abcdef');
      await driver.type('#own [name=model]', 'my-model');
      await send('Hello');
      await ended();
      expect(await textOfChat(driver)).to.include('Hello from far away.');
      expect(heard.map(({ path, key }) => `${path} ${key}`)).to.deep.equal(['/v1/chat/completions Bearer sk-0123456789abcdef']);
      expect(JSON.parse(heard[0]!.body)).to.have.property('model', 'my-model');
      const left = await driver.evaluate(everythingKept);
      expect(left)
        .to.include('Hello from far away.')
        .and.to.not.include('sk-0123')
        .and.to.not.include(`:${String(port)}`);
      await driver.reload();
      await untilReady(driver);
      expect(
        await driver.evaluate(() => [...document.querySelectorAll<HTMLInputElement>('#own input')].map(({ value }) => value)),
      ).to.deep.equal(['', '', '']);
      await driver.evaluate(() => document.querySelector<Talk>('tool-chat')!.clear());
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('fits a phone, and every control is reached by the keyboard', async () => {
    await driver.setViewport(Math.max(390, driver.narrowest), 800);
    await open();
    const overflow = await driver.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow).to.be.at.most(0);
    await driver.click('#settings > summary');
    await driver.evaluate(() => document.querySelector<HTMLElement>('.skip')!.focus());
    const reached: string[] = [];
    for (let step = 0; step < 60 && !reached.includes('name'); step += 1) {
      await driver.press('Tab');
      reached.push(
        await driver.evaluate(() => (document.activeElement as HTMLInputElement | null)?.name || document.activeElement?.id || ''),
      );
    }
    expect(reached).to.include.members(['protocol', 'wire', 'model', 'stream', 'name']);
    await driver.setViewport(1280, 800);
  });

  it('is linked from the tasks, and leads back in the same language', async () => {
    const follow = async (link: string) =>
      driver.open(await driver.evaluate((id: string) => document.querySelector<HTMLAnchorElement>(id)!.href, link));
    await driver.open(`${demo.url}/?lang=zh-CN`);
    await driver.waitFor('.task-title');
    await follow('.pages a[href^="/playground"]');
    await untilReady(driver);
    expect(await driver.text('h1')).to.equal('试验场');
    await follow('#home');
    await driver.waitFor('.task-title');
    expect(await driver.evaluate(() => document.documentElement.lang)).to.equal('zh-CN');
  });
});

/** Runs in the page. */
function focusedFieldHas(text: string): boolean {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return (focused as HTMLTextAreaElement | null)?.value === text;
}

/** Runs in the page. */
const setOnChat = (names: string[]) => names.map((name) => document.querySelector('tool-chat')!.getAttribute(name));

/** The names of the options in sight. Runs in the page. */
const seenOptions = () =>
  [...document.querySelectorAll<HTMLElement>('#more-options .option')]
    .filter((one) => one.checkVisibility())
    .map((one) => one.dataset['option']);

/** The address, what is stored, and what the inspector shows. Runs in the page. */
async function everythingKept(): Promise<string> {
  const found = [
    location.href,
    JSON.stringify(localStorage),
    JSON.stringify(sessionStorage),
    document.querySelector('.inspect')?.textContent,
  ];
  for (const { name } of await indexedDB.databases()) {
    const db = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open(name!);
      request.onsuccess = () => resolve(request.result);
    });
    for (const table of db.objectStoreNames) {
      const rows = await new Promise<unknown[]>((resolve) => {
        const all = db.transaction(table).objectStore(table).getAll();
        all.onsuccess = () => resolve(all.result as unknown[]);
      });
      found.push(JSON.stringify(rows));
    }
    db.close();
  }
  return found.join('\n');
}
