// CI only: two drawings of each state, in every room, theme and language
// engines: layout, css
/**
 * Each state of the gallery: accessible; text of 4.5:1 and signs of 3:1 in both themes, and everything told where colors are forced; whole in little
 * room (320 CSS px, which is a window of 1280 at 400 %), with text of twice its size, under a finger, and in seven languages; data in English
 * reads from the left among Arabic words.
 */
import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { loadTexts } from '../../src/i18n/localize.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { everything, find, frame, part, pretend } from '../elements/helpers.js';
import type { FakeSurface } from '../elements/fake-surface.js';
import { allParts, clear, cutOff, draw, languages, resize, restful, rooms, smallerThan, states, type State } from './gallery-stage.js';
import { faint, force, untold } from './judged-colours.js';

const stateOf = (id: string) => states.find((state) => state.id === id) as State;

async function settled(panel: ToolChatPanel) {
  await panel.updateComplete;
  await frame();
  await allParts(panel);
  // A transition without time still takes a frame.
  await frame();
  await frame();
  await restful(panel);
}

async function give(panel: ToolChatPanel, width: number, height = 640) {
  const box = (panel.getRootNode() as ShadowRoot).host.parentElement as HTMLElement;
  Object.assign(box.style, { width: `${String(width)}px`, height: `${String(height)}px` });
  if (find(panel, 'dialog[open]')) await resize(width, height);
  await settled(panel);
}

/** The same state in the words of another language. */
async function translate(panel: ToolChatPanel, state: State, lang: string) {
  document.documentElement.dir = lang === 'ar' ? 'rtl' : 'ltr';
  const texts = await loadTexts(lang);
  Object.assign(panel, { texts, lang });
  (panel.surface as FakeSurface).set(state.view({ lang, texts }));
  await settled(panel);
}

/** What keeps a text apart from what stands around it: a box of its own lines, or a stretch that is ordered by itself. */
function apart(node: Node): Element {
  for (
    let at = node.parentElement ?? (node.getRootNode() as ShadowRoot).host;
    ;
    at = at.parentElement ?? (at.getRootNode() as ShadowRoot).host
  ) {
    const { display, unicodeBidi } = getComputedStyle(at);
    if (!/^(?:inline$|contents|ruby)/.test(display) || /isolate|plaintext/.test(unicodeBidi)) return at;
  }
}

/** English texts that read from right to left, or share a stretch with Arabic. */
function englishIn(panel: ToolChatPanel): string[] {
  const stretches = new Map<Element, string>();
  for (const one of everything(panel.shadowRoot as ShadowRoot)) {
    if (one.matches('style, option, textarea, title, .said *, math *, pre *') || !one.checkVisibility()) continue;
    for (const node of one.childNodes)
      if (node instanceof Text && node.data.trim()) {
        const stretch = apart(node);
        stretches.set(stretch, `${stretches.get(stretch) ?? ''}${node.data}`);
      }
  }
  return [...stretches].flatMap(([stretch, whole]) => {
    // Addresses are of Latin letters everywhere.
    const text = whole.replace(/[\w-]+\.example/g, '').replace(/\u2068.*?\u2069/gu, '');
    if (!/[a-z]/i.test(text)) return [];
    const { direction: is, unicodeBidi } = getComputedStyle(stretch);
    if (!/[\u0600-\u06ff]/.test(text) && (is === 'ltr' || unicodeBidi === 'plaintext')) return [];
    return [`${is} ${unicodeBidi} ${stretch.localName}.${stretch.className}: ${text.replace(/\s+/g, ' ').trim()}`];
  });
}

function moving(panel: ToolChatPanel): string[] {
  return [...everything(panel.shadowRoot as ShadowRoot)].flatMap((one) =>
    one
      .getAnimations({ subtree: true })
      .filter(({ playState, effect }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 1)
      .map(() => one.outerHTML.slice(0, 100)),
  );
}

describe('the gallery', function () {
  this.timeout(60_000); // of which WebKitGTK takes most

  // Only Chromium can be told; in the others the rules are made to count. Attributes and the length of words are the same in all, so the
  // others are not asked for them again.
  const canBeTold = navigator.userAgent.includes('Chrome');
  before(() => (canBeTold ? emulateMedia({ reducedMotion: 'reduce' }) : undefined));
  after(() => (canBeTold ? emulateMedia({ reducedMotion: 'no-preference' }) : undefined));
  afterEach(clear);

  for (const state of states) {
    it(`${state.title}: accessible, legible in both themes, and nothing moves for those who want no motion`, async () => {
      const panel = await draw(state, {});
      if (canBeTold) await expect(panel).to.be.accessible();
      expect(cutOff(panel)).to.deep.equal([]);
      expect(smallerThan(panel, 24), 'smaller than 24 px').to.deep.equal([]);
      const undoMotion = canBeTold ? () => undefined : pretend(panel, 'prefers-reduced-motion');
      expect(moving(panel)).to.deep.equal([]);
      undoMotion();
      // A busy machine that draws late makes a question arm its buttons once more, which changes their colours.
      await settled(panel);
      expect(faint(panel), 'light').to.deep.equal([]);
      panel.theme = 'dark';
      await settled(panel);
      expect(faint(panel), 'dark').to.deep.equal([]);
      const undo = await force(panel);
      try {
        await settled(panel);
        expect(untold(panel), 'forced').to.deep.equal([]);
      } finally {
        await undo();
      }
    });

    it(`${state.title}: reflows, has targets of 44 px under a finger, and is whole in seven languages`, async () => {
      const panel = await draw(state, { width: 320 });
      for (const { name, width, height, size } of rooms) {
        panel.style.setProperty('--tool-chat-font-size', size);
        await give(panel, width, height);
        expect(cutOff(panel), name).to.deep.equal([]);
      }
      panel.style.removeProperty('--tool-chat-font-size');

      await give(panel, 390);
      // No engine can be given a finger: its rules are made to count.
      const undo = pretend(panel, 'pointer: coarse');
      await settled(panel);
      expect(smallerThan(panel, 44), 'smaller than 44 px').to.deep.equal([]);
      expect(cutOff(panel), 'under a finger').to.deep.equal([]);
      undo();

      await give(panel, 320);
      for (const lang of canBeTold ? languages : ['de']) {
        await translate(panel, state, lang);
        expect(cutOff(panel), lang).to.deep.equal([]);
      }

      const inArabic = await draw(state, { lang: 'ar', dir: 'rtl' });
      expect(englishIn(inArabic), 'English that reads as Arabic').to.deep.equal([]);
    });
  }

  it('is noticed where something is cut, stands beside the panel, is too faint, or loses its direction', async () => {
    const state = stateOf('decide-delete');
    const panel = await draw(state, { width: 320 });
    const [deny, allow] = ['deny-button', 'approve-button'].map((name) => find(panel, part(name))) as [HTMLElement, HTMLElement];
    Object.assign(deny.style, { minWidth: '0', width: '20px', whiteSpace: 'nowrap', overflow: 'hidden', flex: 'none' });
    Object.assign(allow.style, { position: 'relative', left: '200px' });
    expect(cutOff(panel).map((complaint) => complaint.split(':')[0])).to.include.members(['cut', 'beside the panel']);
    panel.style.setProperty('--tool-chat-color', '#aaa');
    await translate(panel, state, 'ar');
    expect(faint(panel)).not.to.deep.equal([]);
    find(panel, '.sentence')!.style.unicodeBidi = 'normal';
    expect(englishIn(panel)).to.have.length(1);
  });
});
