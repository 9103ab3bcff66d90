/**
 * Each state of the gallery, drawn once and then put into little room: 320 CSS px, which is a window of 1280 at 400 %; half of a window of 1280 by
 * 720; text of twice its size; under a finger; in seven languages. Nothing scrolls sideways, and nothing is cut.
 */
import { expect } from '@open-wc/testing';
import { loadTexts } from '../../src/i18n/localize.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { atRest, find, findAll, frame, part, pretend, until } from '../elements/helpers.js';
import type { FakeSurface } from '../elements/fake-surface.js';
import { allParts, clear, cutOff, draw, resize, states, targets, type State } from './gallery-stage.js';

const rooms = [
  { name: '320 px', width: 320, height: 640, size: '' },
  { name: '320 px, text of 200 %', width: 320, height: 640, size: '30px' },
  { name: 'half of 1280 by 720', width: 640, height: 360, size: '' },
  { name: 'half of 1280 by 720, text of 200 %', width: 640, height: 360, size: '30px' },
];
const languages = ['en', 'zh-CN', 'ar', 'ja', 'es', 'fr', 'de'];

async function settled(panel: ToolChatPanel) {
  await panel.updateComplete;
  await frame();
  await allParts(panel);
  await atRest(panel);
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

describe('the gallery in little room', function () {
  this.timeout(30_000); // of which WebKitGTK takes most

  afterEach(clear);

  for (const state of states)
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
      const small = targets(panel).flatMap((one) => {
        const { width, height } = one.getBoundingClientRect();
        return Math.min(width, height) < 43.9 ? [`${String(width)} × ${String(height)}: ${one.outerHTML.slice(0, 160)}`] : [];
      });
      expect(small, 'smaller than 44 px').to.deep.equal([]);
      expect(cutOff(panel), 'under a finger').to.deep.equal([]);
      undo();

      await give(panel, 320);
      const heights = new Map<string, number>();
      for (const lang of languages) {
        await translate(panel, state, lang);
        expect(cutOff(panel), lang).to.deep.equal([]);
        heights.set(lang, find(panel, `${part('tool-card')}[data-waits]`)?.getBoundingClientRect().height ?? 0);
      }
      const inEnglish = Number(heights.get('en'));
      const longer = [...heights].filter(([, height]) => height > inEnglish * 1.5);
      expect(longer, 'half as high again as in English').to.deep.equal([]);
    });

  it('has what several calls wait for in one line above the buttons, or in two, in seven languages', async () => {
    const state = states.find(({ id }) => id === 'list') as State;
    for (const [width, height] of [
      [364, 320],
      [320, 256],
    ] as const) {
      const panel = await draw(state, { width, height });
      await give(panel, width, height);
      const undo = pretend(panel, 'max-height: 420px');
      for (const lang of languages) {
        await translate(panel, state, lang);
        const words = find(panel, '.batch .what') as HTMLElement;
        const lines = words.getBoundingClientRect().height / (parseFloat(getComputedStyle(words).fontSize) * 1.45);
        expect(lines, `${lang}, ${String(width)} px`).to.be.below(2.5);
      }
      undo();
      await clear();
    }
  });

  it('begins what stands below the buttons of a question where they begin', async () => {
    const panel = await draw(states.find(({ id }) => id === 'decide-offers') as State, { width: 364 });
    const [chosen, deny] = ['.more .chosen', part('deny-button')].map((name) => (find(panel, name) as Element).getBoundingClientRect()) as [
      DOMRect,
      DOMRect,
    ];
    expect(chosen.left).to.be.closeTo(deny.left, 1);
  });

  it('shows all columns of a short table, and of a wide one that there is more, which keys can reach', async () => {
    const unfolded = async (id: string) => {
      const panel = await draw(states.find((state) => state.id === id) as State, { width: 364 });
      (find(panel, '[part=tool-card-result] > details') as HTMLDetailsElement).open = true;
      await until(() => find(panel, 'tool-chat-result .frame, .frame') !== undefined, 'there is no table');
      await settled(panel);
      return { panel, frame: find(panel, '.frame') as HTMLElement };
    };
    const short = await unfolded('result-table');
    expect(short.frame.scrollWidth).to.be.at.most(short.frame.clientWidth);
    const cut = findAll(short.panel, 'th, .row-of-data td').filter((cell) => cell.scrollWidth > cell.clientWidth);
    expect(cut.map((cell) => cell.textContent)).to.deep.equal([]);
    await clear();

    const { frame: wide } = await unfolded('result-wide');
    expect(wide.scrollWidth).to.be.above(wide.clientWidth);
    expect([wide.tabIndex, wide.role, Boolean(wide.ariaLabel)]).to.deep.equal([0, 'group', true]);
    expect(getComputedStyle(wide).backgroundAttachment).to.equal('local, local, scroll, scroll');
  });

  it('notices what is cut, and what stands beside the panel', async () => {
    const panel = await draw(states.find(({ id }) => id === 'decide-delete') as State, { width: 320 });
    expect(cutOff(panel)).to.deep.equal([]);
    const [deny, allow] = ['deny-button', 'approve-button'].map((name) => find(panel, part(name))) as [HTMLElement, HTMLElement];
    Object.assign(deny.style, { minWidth: '0', width: '20px', whiteSpace: 'nowrap', overflow: 'hidden', flex: 'none' });
    Object.assign(allow.style, { position: 'relative', left: '200px' });
    expect(cutOff(panel).map((complaint) => complaint.split(':')[0])).to.include.members(['cut', 'beside the panel']);
  });
});
