/** The research page: a plan, a chain that is confirmed, faults in their classes, a chosen tool, the queue, notes and memory that last. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'mocha';
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, card, part, say, textOfChat, untilIdle, untilReady, type Chat } from './widget.js';

type Talk = Chat & {
  sendMessage(text: string, options?: object): Promise<unknown>;
  clear(): Promise<void>;
  newConversation(): Promise<unknown>;
};
type History = { toolName: string; status: string; errorType?: string }[];

describe('the research page', function () {
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

  async function open(lang = 'en') {
    await driver.open(`${demo.url}/research?lang=${lang}`);
    await untilReady(driver);
    await driver.evaluate(() => document.querySelector<Talk>('tool-chat')!.clear());
  }
  const send = (text: string, options: object = {}) =>
    driver.evaluate(
      (words: string, more: object) => void document.querySelector<Talk>('tool-chat')!.sendMessage(words, more),
      text,
      options,
    );
  const history = () =>
    driver.evaluate(() =>
      (document.querySelector<Chat>('tool-chat')!.toolHistory as unknown as History).map(({ toolName, status, errorType }) =>
        [toolName, status, errorType].filter(Boolean).join(' '),
      ),
    );
  const breakWeb = (fault: string) =>
    driver.evaluate((name: string) => document.querySelector<HTMLInputElement>(`#faults [value=${name}]`)!.click(), fault);
  const ended = (tool: string) =>
    driver.waitFor(
      (name: string) => {
        const chat = document.querySelector<Chat>('tool-chat')!;
        return !chat.isLoading && chat.toolHistory.some(({ toolName }) => toolName === name);
      },
      30_000,
      tool,
    );

  it('plans “比较…总结…保存”, confirms the chain by a press and by a keyword, and keeps the note in its own store', async () => {
    await open('zh');
    await send('比较绿茶和红茶，总结成笔记并保存');
    await driver.waitFor(part('plan'));
    await driver.waitFor(card('success', 'webSearch'));
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'extractWebUrl'));
    await driver.waitFor(ALLOW);
    // A word is as good as the button.
    await say(driver, '继续');
    await driver.waitFor(() => document.querySelector<Chat>('tool-chat')!.toolHistory.length === 3, 15_000);
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver)).to.contain('写笔记「关于绿茶和红茶」');
    await driver.click(ALLOW);
    await ended('write_note');
    expect(await history()).to.deep.equal(['webSearch success', 'extractWebUrl success', 'extractWebUrl success', 'write_note success']);
    await driver.reload();
    await driver.waitFor('#notes .name');
    expect(await driver.text('#notes'))
      .to.contain('关于绿茶和红茶')
      .and.to.contain('毫克');
  });

  it('calls a slow web a timeout and an empty one empty, and says what to do next (S4-23)', async () => {
    await open();
    await breakWeb('empty');
    await send('Search the web for "caffeine"');
    await ended('webSearch');
    expect((await history()).at(-1)).to.equal('webSearch success empty_result');
    expect(await textOfChat(driver)).to.contain('try another word');

    await open();
    await breakWeb('slow');
    await send('Search the web for "caffeine"');
    await driver.waitFor(() => /timeout/.test(document.querySelector('#log')?.textContent ?? ''));
    // Another tool stands in: a further step, so it asks.
    await driver.waitFor(ALLOW, 20_000);
    await driver.click(ALLOW);
    await ended('searchArchive');
    expect(await history()).to.deep.equal(['webSearch error timeout', 'searchArchive success']);
    expect(await textOfChat(driver)).to.contain('Black tea');
  });

  it('runs the tool that was chosen for a message, and none instead of it', async () => {
    await open();
    await send('caffeine at night', { tool: 'searchArchive' });
    await ended('searchArchive');
    expect(await history()).to.deep.equal(['searchArchive success']);
  });

  it('takes a second message into the queue, and answers both', async () => {
    await open();
    await send('Search the web for "coffee"');
    await send('Search the web for "harvest"');
    await driver.waitFor(() => document.querySelector<Chat>('tool-chat')!.toolHistory.length === 2, 20_000);
    await untilIdle(driver);
    expect(await textOfChat(driver))
      .to.contain('Filter coffee')
      .and.to.contain('When tea is picked');
  });

  it('remembers a name over a reload and a new conversation, found by its words (S4-33)', async () => {
    await open();
    await send('My name is Ada');
    await untilIdle(driver);
    for (const words of ['Thanks', 'Hello', 'Thanks again', 'Hello again', 'Many thanks']) {
      await driver.evaluate(
        (text: string) =>
          document
            .querySelector<Talk>('tool-chat')!
            .sendMessage(text)
            .then(() => undefined),
        words,
      );
    }
    await driver.evaluate(() =>
      document
        .querySelector<Talk>('tool-chat')!
        .newConversation()
        .then(() => undefined),
    );
    await driver.reload();
    await untilReady(driver);
    await send('What is my name?');
    await driver.waitFor(
      () => document.querySelector<Chat>('tool-chat')!.messages.some(({ text }) => text.includes('Your name is Ada')),
      15_000,
    );
  });

  it('finds memories by their meaning where the relay has a model for that, and says so (S4-33)', async () => {
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
    } finally {
      await other.close();
      vectors.close();
    }
  });
});
