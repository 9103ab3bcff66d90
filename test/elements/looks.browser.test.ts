/** What a panel looks and sounds like: lists, tables, colours, sizes, and how much is spoken. */
import { expect } from '@open-wc/testing';
import { emulateMedia, resetMouse } from '@web/test-runner-commands';
import { markdownStyles } from '../../src/markdown/styles.js';
import { renderMarkdown } from '../../src/markdown/markdown.js';
import type { Clarify } from '../../src/model/plan.js';
import { en } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { appears, armed, atRest, click, find, findAll, frame, part, pretend, stage, until, waiting } from './helpers.js';

const chromium = navigator.userAgent.includes('Chrome');
const fields = (panel: Element) => findAll(panel, 'textarea').map((field) => field.closest<HTMLElement>('.box') ?? field);

/** Relative luminance and contrast as WCAG has them, of what a canvas makes of a colour. */
function contrast(one: string, other: string): number {
  const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
  const luminance = (colour: string) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = [...context.getImageData(0, 0, 1, 1).data].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const grants = [{ id: 'g1', toolName: 'act', scope: 'session' as const, sentence: 'act with anything', risk: 'write' as const }];

describe('what is drawn', () => {
  afterEach(async () => {
    document.documentElement.style.colorScheme = '';
    await resetMouse();
  });

  it('has bullets and numbers before the items of lists', async () => {
    const { panel } = await stage(new FakeSurface({ views: [assistant('a1', ['- one\n  - two\n\n1. three'])] }));
    await appears(panel, 'ol li');
    const kinds = ['ul', 'ul ul', 'ol'].map((list) => getComputedStyle(find(panel, `${list} > li`) as Element).listStyleType);
    expect(kinds).to.deep.equal(['disc', 'circle', 'decimal']);
  });

  it('has tables in the colour of the text, also in a page without a doctype', () => {
    const page = document.createElement('iframe');
    document.body.append(page);
    const inner = page.contentDocument as Document;
    expect(inner.compatMode).to.equal('BackCompat');
    const style = inner.createElement('style');
    style.textContent = markdownStyles.cssText;
    const target = inner.createElement('div');
    target.style.cssText = 'color: rgb(1, 2, 3); font: 19px/2 monospace';
    inner.body.append(style, target);
    renderMarkdown(target, '|a|\n|-|\n|b|');
    const { color, fontFamily } = page.contentWindow!.getComputedStyle(target.querySelector('td') as Element);
    expect([color, fontFamily]).to.deep.equal(['rgb(1, 2, 3)', 'monospace']);
    page.remove();
  });

  it('is light or dark with the page, and with the system where the page states nothing', async () => {
    const { panel } = await stage(new FakeSurface());
    const background = () => getComputedStyle(find(panel, part('panel')) as Element).backgroundColor;
    panel.theme = 'dark';
    await panel.updateComplete;
    const dark = background();
    panel.theme = 'auto';
    await panel.updateComplete;
    document.documentElement.style.colorScheme = 'dark';
    await until(() => background() === dark, 'it does not follow the page');
    document.documentElement.style.colorScheme = 'light';
    await until(() => background() !== dark, 'it does not follow the page back');
    if (!chromium) return; // only there can the system's choice be set
    const light = background();
    await emulateMedia({ colorScheme: 'dark' });
    expect(background()).to.equal(light);
    document.documentElement.style.colorScheme = '';
    await until(() => background() === dark, 'it does not follow the system');
    await emulateMedia({ colorScheme: 'light' });
    expect(background()).to.equal(light);
  });

  it('keeps the text field whole where there is little height', async () => {
    const failure = { lines: Array.from({ length: 6 }, () => 'Something went wrong, at some length'), canRetry: true };
    const { panel } = await stage(new FakeSurface({ failure, grants, canSendResults: true } as never), { height: 260, width: 360 });
    await appears(panel, part('error-bar'));
    await atRest(panel);
    const { bottom } = panel.getBoundingClientRect();
    const [box] = fields(panel);
    expect(box?.getBoundingClientRect().bottom).to.be.at.most(bottom);
    expect(find(panel, part('messages'))?.clientHeight).to.be.at.least(50);
    expect(find(panel, '.bars')?.scrollHeight).to.be.above(find(panel, '.bars')?.clientHeight ?? 0);
  });

  it('covers nothing of the conversation by the way back to its end', async () => {
    const long = assistant('a1', ['line\n\n'.repeat(60)]);
    const { panel } = await stage(new FakeSurface({ views: [user('u1', 'Go'), long] }));
    const scroller = find(panel, part('messages')) as HTMLElement;
    await until(() => scroller.scrollTop > 100, 'it is not long');
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -50 }));
    scroller.scrollTop = 0;
    const jump = find(panel, '.latest') as HTMLElement;
    await until(() => !jump.hidden, 'there is no way back');
    expect(jump.getBoundingClientRect().top).to.be.at.least(scroller.getBoundingClientRect().bottom);
  });

  it('shows what comes of answers that were given in a card', async () => {
    const clarify: Clarify = { default: 'Tomorrow', questions: [{ text: 'When?', options: ['Now', 'Later'] }] };
    const part1 = { type: 'clarify', clarify } as never;
    const view = assistant('a1', ['line\n\n'.repeat(40)]);
    const surface = new FakeSurface({ views: [user('u1', 'Go'), { ...view, parts: [...view.parts, part1] }] });
    const { panel } = await stage(surface);
    const scroller = find(panel, part('messages')) as HTMLElement;
    const answer = await appears(panel, part('answer-button'));
    await atRest(panel);
    await click(answer);
    expect(surface.asked.join()).to.include('Now');
    surface.set({ views: [...surface.view.views, user('u2', 'Now'), assistant('a2', ['line\n\n'.repeat(40)])] });
    await until(() => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 8, 'it stays behind');
    for (let frames = 0; frames < 30; frames += 1) await frame();
    expect(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight).to.be.below(8);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`has edges of 3:1 around what is filled in or chosen: ${theme}`, async () => {
      const surface = waiting();
      surface.set({ cards: { c1: card('c1', 'awaiting_approval', { call: call('c1'), offers: ['always'] }) } });
      const { panel } = await stage(surface);
      panel.theme = theme;
      await appears(panel, '.choice');
      const behind = () => getComputedStyle(find(panel, part('panel')) as Element).backgroundColor;
      const edges = () => [
        ...fields(panel).map((field) => getComputedStyle(field).borderTopColor),
        getComputedStyle(findAll(panel, '.choice')[1] as Element, '::before').borderTopColor,
      ];
      await until(() => edges().every((edge) => contrast(edge, behind()) >= 3), `too weak: ${edges().join()} on ${behind()}`);
    });

  it('has targets of 44 pixels on a touch screen, whatever the kind of button', async () => {
    const surface = waiting();
    surface.set({
      queue: ['next'],
      grants: grants as never,
      notices: [{ id: 'n1', text: 'Note', action: 'Do' }],
      cards: { c1: card('c1', 'awaiting_approval', { call: call('c1'), offers: ['always'], edit: { schema: {} } as never }) },
    });
    const { panel } = await stage(surface, { height: 800 });
    await armed(panel, part('deny-button'));
    const undo = pretend(panel, 'pointer: coarse');
    try {
      await atRest(panel);
      const buttons = findAll(panel, 'button, summary').filter((button) => button.getBoundingClientRect().width > 1);
      expect(buttons.length).to.be.above(6);
      for (const button of buttons) {
        const { width, height } = button.getBoundingClientRect();
        expect(Math.min(width, height), button.outerHTML.slice(0, 120)).to.be.at.least(43.9);
      }
    } finally {
      undo();
    }
  });

  it('tells "allow" from "deny" where all colours are forced', async () => {
    const { panel } = await stage(waiting());
    const allow = await armed(panel, part('approve-button'));
    const undo = pretend(panel, 'forced-colors');
    try {
      await atRest(panel);
      const [one, other] = [allow, find(panel, part('deny-button')) as Element].map((button) => getComputedStyle(button));
      expect(one?.getPropertyValue('forced-color-adjust') || 'none').to.equal('none');
      expect(one?.backgroundColor).not.to.equal(other?.backgroundColor);
    } finally {
      undo();
    }
  });
});

describe('what is spoken', () => {
  const said = (panel: Element) => [...(find(panel, '.said')?.children ?? [])].map(({ textContent }) => textContent);

  it('is the words of an answer, not its marks and addresses', async () => {
    const asked = user('u1', 'Go');
    const text = 'See [the docs](https://a.test/x?y=1) and **https://long.example/path/to?z=2#k** now.\n\n```js\ncode()\n```\n\n- Done';
    const surface = new FakeSurface({ isLoading: true, activities: ['streaming'], views: [asked, assistant('a1', [], 'running')] });
    const { panel } = await stage(surface);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { text, end: true });
    surface.set({ isLoading: false, activities: [], views: [asked, assistant('a1', [text])] });
    await until(() => said(panel).includes('Done'), 'it is not said');
    expect(said(panel)).to.deep.equal([en.saidAnswer('See the docs and long.example now.'), 'code()', 'Done']);
  });

  it('of one deletion: the question, its end, the sentences of the answer, and nothing else', async () => {
    const asked = user('u1', 'Delete it');
    const surface = new FakeSurface({ isLoading: true, activities: ['streaming'], views: [asked, assistant('a1', [], 'running')] });
    const { panel } = await stage(surface);
    (document.activeElement as HTMLElement | null)?.blur();
    let changes = 0;
    const loud = (node: Node | null): boolean => {
      const element = node instanceof Element ? node : node?.parentElement;
      const region = element?.closest('[aria-live], [role=status], [role=alert]');
      return Boolean(region && region.getAttribute('aria-live') !== 'off' && !element?.closest('[aria-live=off], .said'));
    };
    const observer = new MutationObserver((records) => (changes += records.filter(({ target }) => loud(target)).length));
    observer.observe(panel.shadowRoot as ShadowRoot, { subtree: true, childList: true, characterData: true });
    const calls = assistant('a1', [{ call: 'c1' }], 'running');
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { call: 'c1' });
    for (const step of [
      { activities: ['streaming'], streamingText: 'x' },
      { activities: ['parsing'], views: [asked, calls], cards: { c1: card('c1', 'pending') } },
      { activities: ['awaitingApproval'], cards: { c1: card('c1', 'awaiting_approval') } },
      { activities: ['executing'], isToolExecuting: true, cards: { c1: card('c1', 'executing') } },
      { activities: [], isToolExecuting: false, state: 'tool_result' },
      { state: 'decide', cards: { c1: card('c1', 'success', { call: call('c1'), result: { success: true, message: 'Gone' } as never }) } },
      {
        activities: ['streaming'],
        views: [asked, { ...calls, message: { ...calls.message, status: { type: 'complete' } } }, assistant('a2', [], 'running')],
      },
    ]) {
      surface.set(step as never);
      await appears(panel, part('message-assistant'));
      await panel.updateComplete;
      const now = surface.view.cards['c1']?.status;
      if (now) await appears(panel, `[data-status=${now}]`);
      if (now === 'awaiting_approval') await armed(panel, part('deny-button'));
    }
    await until(() => surface.following('a2') > 0, 'nobody follows');
    surface.stream('a2', { text: 'It is deleted. Anything else?', end: true });
    surface.set({
      isLoading: false,
      activities: [],
      state: 'idle',
      views: [...surface.view.views.slice(0, 2), assistant('a2', ['It is deleted. Anything else?'])],
    } as never);
    await until(() => said(panel).includes('Anything else?'), 'the answer is not said');
    expect(said(panel)).to.have.length(4);
    expect(said(panel)[0]).to.include('task_id').and.to.include(en.riskDanger);
    expect(said(panel)[1]).to.include('finished').and.to.include('Gone');
    expect(changes, 'changes of other regions that are spoken').to.equal(0);
    observer.disconnect();
  });
});
