// CI only: each page in every room, theme and language
// engines: layout, css
/** Each page of the inspector in little room, in two themes, with forced colours and in seven languages: as whole and as legible as the panel. */
import { expect, fixtureCleanup } from '@open-wc/testing';
import { resetMouse } from '@web/test-runner-commands';
import '../../src/inspector/index.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { ToolChatInspector } from '../../src/inspector/tool-chat-inspector.js';
import { appears, atRest, find, findAll, frame, pretend, until } from '../elements/helpers.js';
import { chatOnPage } from '../elements/tool-chat-stage.js';
import { cutOff, languages, rooms, smallerThan } from './gallery-stage.js';
import { faint, force, untold } from './judged-colours.js';
// @ts-expect-error A page of the demo: plain JavaScript.
import { inspectorPages } from '../../demo/gallery-inspector.js';
// @ts-expect-error Likewise.
import { testerTexts, testerTools } from '../../demo/tester-tools.js';

type Tab = ToolChatInspector['tab'];
const tabs = (inspectorPages as { tab: Tab }[]).map(({ tab }) => tab);
const REPLY = 'I add it.\n<tool_use>\n<invoke name="add_note">\n<parameter name="note">Milk</parameter>\n</invoke>\n</tool_use>';

describe('the pages of the inspector', function () {
  this.timeout(60_000); // of which WebKitGTK takes most

  let chat: ToolChat;
  let inspector: ToolChatInspector;

  /** A chat with four tools, a call that has run and one that waits, and a page about it. */
  async function open(tab: Tab) {
    chat = await chatOnPage({});
    const { tools, calendar } = testerTools(testerTexts('en')) as { tools: Parameters<ToolChat['registerTool']>[0][]; calendar: object };
    for (const one of tools) chat.registerTool(one);
    chat.registerTools(calendar);
    inspector = document.createElement('tool-chat-inspector');
    Object.assign(inspector, { chat, tab });
    document.body.append(inspector);
    await appears(inspector, `tool-chat-inspector-${tab}`);
    await chat.executeToolManually({ type: 'tool_use', name: 'list_notes', params: {}, partial: false });
    void chat.executeToolManually({ type: 'tool_use', name: 'remove_note', params: { note: 'Buy rice' }, partial: false });
    const bench = find<HTMLElement & { reply: string }>(inspector, 'tool-chat-inspector-bench');
    if (bench) bench.reply = REPLY;
    if (tab === 'prompt') await until(() => findAll(inspector, 'input[type=radio]').length > 1, 'there is no prompt');
    // Nothing of it is cut in what is unfolded, either.
    for (const fold of findAll<HTMLDetailsElement>(inspector, 'details')) fold.open = true;
    await give(480, 640);
  }

  async function settled() {
    await inspector.updateComplete;
    await frame();
    await frame();
    await atRest(inspector);
  }

  async function give(width: number, height: number) {
    Object.assign(inspector.style, {
      position: 'fixed',
      inset: '0 auto auto 0',
      width: `${String(width)}px`,
      height: `${String(height)}px`,
    });
    await settled();
  }

  afterEach(async () => {
    inspector.remove();
    document.documentElement.dir = '';
    fixtureCleanup();
    await resetMouse();
  });

  for (const tab of tabs) {
    it(`${tab}: reflows, has targets of 44 px under a finger, is whole in seven languages, accessible, and legible in both themes`, async () => {
      await open(tab);
      for (const { name, width, height, size } of rooms) {
        inspector.style.setProperty('--tool-chat-font-size', size);
        await give(width, height);
        expect(cutOff(inspector), name).to.deep.equal([]);
      }
      inspector.style.removeProperty('--tool-chat-font-size');
      await give(390, 640);
      const withoutFinger = pretend(inspector, 'pointer: coarse');
      await settled();
      const small = smallerThan(inspector, 44, ['height']);
      withoutFinger();
      expect(small, 'smaller than 44 px').to.deep.equal([]);
      await give(320, 640);
      for (const lang of languages) {
        document.documentElement.dir = lang === 'ar' ? 'rtl' : 'ltr';
        chat.lang = lang;
        inspector.requestUpdate();
        await settled();
        expect(cutOff(inspector), lang).to.deep.equal([]);
      }
      document.documentElement.dir = '';
      chat.lang = 'en';
      await give(480, 640);

      for (const theme of ['light', 'dark'] as const) {
        chat.theme = theme;
        inspector.requestUpdate();
        await settled();
        expect(faint(inspector), theme).to.deep.equal([]);
        await expect(inspector, theme).to.be.accessible();
      }
      const undo = await force(inspector);
      try {
        await settled();
        expect(untold(inspector), 'forced').to.deep.equal([]);
      } finally {
        await undo();
      }
    });
  }
});
