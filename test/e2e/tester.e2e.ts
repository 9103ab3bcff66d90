// CI only: each page of the inspector has tests of its own
/** The tester as a developer uses it: paste a reply and read it in pieces, run a tool by hand, look at why (S2-88 … S2-92, S2-97). */
import { expect } from 'chai';
import type { RunningDemo } from '../../demo/server/demo.js';
import { serveDemo } from './demo-server.js';
import { launch, type Driver } from './driver.js';
import { ALLOW, readAll, untilReady } from './widget.js';

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

  async function open(search: string) {
    await driver.open(`${demo.url}/tool-calling-tester${search}`);
    await untilReady(driver);
  }

  const inspector = (page: string) => `tool-chat-inspector >>> tool-chat-inspector-${page}`;
  const tab = (name: string) => driver.click(`tool-chat-inspector >>> [data-tab=${name}]`);
  const read = () => driver.evaluate(readAll, 'tool-chat-inspector');

  async function reads(...words: (string | RegExp)[]) {
    for (const wanted of words)
      for (const end = Date.now() + 8000; ;) {
        const text = await read();
        if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) break;
        if (Date.now() > end) throw new Error(`${String(wanted)} is not to be read in ${text}`);
      }
  }

  /** Puts a value into a field of a page of the inspector, as pasting does. */
  const paste = (page: string, field: string, text: string, event = 'input') =>
    driver.evaluate(
      (name: string, selector: string, value: string, type: string) => {
        const part = document.querySelector('tool-chat-inspector')!.shadowRoot!.querySelector(name)!;
        const control = part.shadowRoot!.querySelector<HTMLInputElement>(selector)!;
        control.value = value;
        control.dispatchEvent(new Event(type, { bubbles: true }));
      },
      `tool-chat-inspector-${page}`,
      field,
      text,
      event,
    );

  it('lists what can be called, reads a pasted reply in pieces of any size, and every known case (S2-88, S2-89, S2-91, S2-97)', async () => {
    await open('?lang=en');
    await tab('tools');
    await reads('calendar_free_days', 'remove_note', '4 of 4');
    await tab('prompt');
    await reads('tokens');
    await tab('bench');
    await driver.waitFor(inspector('bench'));
    await paste('bench', 'textarea', REPLY);
    await reads('the same at 1');
    for (const size of ['1', '3', '65']) {
      await paste('bench', '[type=range]', size);
      await reads(`Pieces: ${String(size === '65' ? 1 : Math.ceil(REPLY.length / Number(size)))}`, '"note": "Rice & beans"');
    }
    await driver.click('tool-chat-inspector-matrix >>> .run-matrix');
    await driver.waitFor(() => {
      const rows = document.querySelector('tool-chat-inspector')?.shadowRoot?.querySelector('tool-chat-inspector-matrix')?.shadowRoot;
      return rows?.querySelectorAll('[data-tone=ok]').length === 5 && !rows.querySelector('button')?.disabled;
    }, 20_000);
    await reads(/(\d+) of \1 pass/);
  });

  it('runs a tool by hand through the approval of the chat, and says why it asked (S2-92)', async () => {
    await open('?lang=en');
    await tab('run');
    await driver.waitFor(inspector('run'));
    await paste('run', '.tool', 'remove_note', 'change');
    await reads('for good');
    await paste('run', '[data-field=note] input', 'Buy rice');
    await driver.click(`${inspector('run')} >>> .run`);
    await reads('Waits for your decision');
    await driver.click(ALLOW);
    await reads('removed', /success\s*\d+ ms/);
    await tab('decisions');
    await reads('remove_note', /Decided by\s*person/);
    await tab('trace');
    await reads('tool-chat-tool-complete');
    expect(driver.complaints).to.deep.equal([]);
  });

  it('speaks Chinese', async () => {
    await open('?lang=zh-CN');
    await tab('tools');
    await reads('检查器', '删除笔记');
  });
});
