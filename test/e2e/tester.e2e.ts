/** The tester as a person uses it: paste a reply and read it in pieces, run a tool by hand, look at why (S2-88 … S2-92, S2-97). */
import { after, before } from 'mocha';
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, untilReady } from './widget.js';

const REPLY =
  'One moment.\n<tool_use>\n<invoke name="add_note">\n<parameter name="note">Rice & beans</parameter>\n</invoke>\n</tool_use>\n';

describe('the tester', () => {
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

  async function open(search = '?lang=en') {
    await driver.open(`${demo.url}/tool-calling-tester${search}`);
    await untilReady(driver);
    await tab('tools');
  }

  /** Opens a page of the inspector by its tab. */
  async function tab(name: string) {
    await driver.click(`tool-chat-inspector >>> [data-tab=${name}]`);
    await driver.waitFor(
      (part: string) => document.querySelector('tool-chat-inspector')?.shadowRoot?.querySelector(part)?.shadowRoot?.childElementCount,
      8000,
      `tool-chat-inspector-${name}`,
    );
  }

  const textOf = (part: string) =>
    driver.evaluate(
      (name: string) => document.querySelector('tool-chat-inspector')?.shadowRoot?.querySelector(name)?.shadowRoot?.textContent ?? '',
      part,
    );

  /** Puts a text into a field of a page, as pasting does. */
  const paste = (part: string, field: string, text: string) =>
    driver.evaluate(
      (name: string, selector: string, value: string) => {
        const page = document.querySelector('tool-chat-inspector')!.shadowRoot!.querySelector(name)!;
        const control = page.shadowRoot!.querySelector<HTMLInputElement>(selector)!;
        control.value = value;
        control.dispatchEvent(new Event('input', { bubbles: true }));
      },
      part,
      field,
      text,
    );

  const reads = (part: string, words: string) =>
    driver.waitFor(
      (name: string, wanted: string) =>
        document.querySelector('tool-chat-inspector')?.shadowRoot?.querySelector(name)?.shadowRoot?.textContent?.includes(wanted),
      8000,
      part,
      words,
    );

  it('stands in the page beside the chat, and lists what it can call (S2-88, S2-89)', async () => {
    await open();
    await reads('tool-chat-inspector-tools', 'calendar_free_days');
    expect(await textOf('tool-chat-inspector-tools'))
      .to.include('remove_note')
      .and.include('4 of 4');
    expect(await driver.evaluate(() => document.querySelectorAll('tool-chat-inspector').length)).to.equal(1);
    await tab('prompt');
    await reads('tool-chat-inspector-prompt', 'tokens');
  });

  it('reads a pasted reply at every size of pieces, and every case that is known (S2-91, S2-97)', async () => {
    await open();
    await tab('bench');
    await paste('tool-chat-inspector-bench', 'textarea', REPLY);
    await reads('tool-chat-inspector-bench', 'the same at 1');
    for (const size of ['1', '3', '65']) {
      await paste('tool-chat-inspector-bench', '[type=range]', size);
      const pieces = size === '65' ? 1 : Math.ceil(REPLY.length / Number(size));
      await reads('tool-chat-inspector-bench', `Pieces: ${String(pieces)}`);
      expect(await textOf('tool-chat-inspector-bench')).to.include('"note": "Rice & beans"');
    }
    await driver.click('tool-chat-inspector-matrix >>> .run-matrix');
    await driver.waitFor(() => {
      const rows = document.querySelector('tool-chat-inspector')?.shadowRoot?.querySelector('tool-chat-inspector-matrix')?.shadowRoot;
      return rows?.querySelectorAll('[data-tone=ok]').length === 5 && !rows.querySelector('button')?.disabled;
    }, 20_000);
    expect(await textOf('tool-chat-inspector-matrix')).to.match(/(\d+) of \1 pass/);
  });

  it('runs a tool by hand through the gate of the chat, and says why it asked (S2-92)', async () => {
    await open();
    await tab('run');
    await driver.evaluate(() => {
      const page = document.querySelector('tool-chat-inspector')!.shadowRoot!.querySelector('tool-chat-inspector-run')!;
      const choice = page.shadowRoot!.querySelector<HTMLSelectElement>('.tool')!;
      choice.value = 'remove_note';
      choice.dispatchEvent(new Event('change'));
    });
    await driver.waitFor(() =>
      document
        .querySelector('tool-chat-inspector')
        ?.shadowRoot?.querySelector('tool-chat-inspector-run')
        ?.shadowRoot?.textContent?.includes('for good'),
    );
    await paste('tool-chat-inspector-run', '[data-field=note] input', 'Buy rice');
    await driver.click('tool-chat-inspector-run >>> .run');
    await reads('tool-chat-inspector-run', 'Waits for your decision');
    await driver.click(ALLOW);
    await reads('tool-chat-inspector-run', 'removed');
    expect(await textOf('tool-chat-inspector-run')).to.match(/success\s*\d+ ms/);
    await tab('decisions');
    await reads('tool-chat-inspector-decisions', 'remove_note');
    expect(await textOf('tool-chat-inspector-decisions')).to.match(/Decided by\s*person/);
    await tab('trace');
    await reads('tool-chat-inspector-trace', 'tool-chat-tool-complete');
    expect(driver.complaints).to.deep.equal([]);
  });

  it('speaks Chinese', async () => {
    await open('?lang=zh-CN');
    await reads('tool-chat-inspector-tools', '删除笔记');
    expect(
      await driver.evaluate(() => document.querySelector('tool-chat-inspector')?.shadowRoot?.querySelector('h2')?.textContent),
    ).to.equal('检查器');
  });
});
