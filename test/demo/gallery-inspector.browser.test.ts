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
import { cutOff, languages, smallerThan } from './gallery-stage.js';
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
  afterEach(async () => {
    document.querySelector('tool-chat-inspector')?.remove();
    document.documentElement.dir = '';
    fixtureCleanup();
    await resetMouse();
  });

  /** A chat with four tools, a call that has run and one that waits, and a page about it. */
  async function open(tab: Tab) {
    const chat = await chatOnPage({});
    const { tools, calendar } = testerTools(testerTexts('en')) as { tools: Parameters<ToolChat['registerTool']>[0][]; calendar: object };
    for (const one of tools) chat.registerTool(one);
    chat.registerTools(calendar);
    const inspector = Object.assign(document.createElement('tool-chat-inspector'), { chat, tab });
    inspector.style.cssText = 'position: fixed; inset: 0 auto auto 0; inline-size: 320px; block-size: 640px';
    document.body.append(inspector);
    await appears(inspector, `tool-chat-inspector-${tab}`);
    await chat.executeToolManually({ type: 'tool_use', name: 'list_notes', params: {}, partial: false });
    void chat.executeToolManually({ type: 'tool_use', name: 'remove_note', params: { note: 'Buy rice' }, partial: false });
    const bench = find<HTMLElement & { reply: string }>(inspector, 'tool-chat-inspector-bench');
    if (bench) bench.reply = REPLY;
    if (tab === 'prompt') await until(() => findAll(inspector, 'input[type=radio]').length > 1, 'there is no prompt');
    // Nothing of it is cut in what is unfolded, either.
    for (const fold of findAll<HTMLDetailsElement>(inspector, 'details')) fold.open = true;
    const settled = async () => {
      inspector.requestUpdate();
      await inspector.updateComplete;
      await frame();
      await frame();
      await atRest(inspector);
    };
    await settled();
    return { chat, inspector, settled };
  }

  for (const tab of tabs)
    it(`${tab}: reflows, has targets of 44 px under a finger, is whole in seven languages, accessible, and legible in both themes`, async () => {
      const { chat, inspector, settled } = await open(tab);
      const withoutFinger = pretend(inspector, 'pointer: coarse');
      await settled();
      expect(smallerThan(inspector, 44, ['height']), 'smaller than 44 px').to.deep.equal([]);
      withoutFinger();
      for (const lang of languages) {
        document.documentElement.dir = lang === 'ar' ? 'rtl' : 'ltr';
        chat.lang = lang;
        await settled();
        expect(cutOff(inspector), lang).to.deep.equal([]);
      }
      document.documentElement.dir = '';
      for (const theme of ['light', 'dark'] as const) {
        Object.assign(chat, { lang: 'en', theme });
        await settled();
        expect(faint(inspector), theme).to.deep.equal([]);
        await expect(inspector, theme).to.be.accessible();
      }
      const undo = await force(inspector);
      await settled();
      const wrong = untold(inspector);
      await undo();
      expect(wrong, 'forced').to.deep.equal([]);
    });
});
