/** The playground: one widget, switched through every notation over every wire while it runs, by the page's own controls. */
import { after, before } from 'mocha';
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, card, DENY, say, textOfChat, untilIdle, untilReady, type Chat } from './widget.js';

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
        if (field instanceof HTMLInputElement) field.checked = value === 'on';
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
    expect(await driver.evaluate(() => location.search))
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

  it('fits a phone, and every control is reached by the keyboard', async () => {
    await driver.setViewport(Math.max(390, driver.narrowest), 800);
    await open();
    const overflow = await driver.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow).to.be.at.most(0);
    const reached: string[] = [];
    for (let step = 0; step < 30 && !reached.includes('name'); step += 1) {
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
    await follow('#playground');
    await untilReady(driver);
    expect(await driver.text('h1')).to.equal('试验场');
    await follow('#home');
    await driver.waitFor('.task-title');
    expect(await driver.evaluate(() => document.documentElement.lang)).to.equal('zh-CN');
  });
});
