// engines: css, layout
/** What a panel looks like: lists, tables, colors, sizes, themes, the line of a call, and pages whose own styles reach for everything. */
import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { markdownStyles } from '../../src/markdown/styles.js';
import { renderMarkdown } from '../../src/markdown/markdown.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import type { CardView } from '../../src/model/calls.js';
import { en, fullEnglish } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { behind, contrastOn } from '../demo/colours.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { armed, pretend, styled } from './doing.js';
import { stage, waiting } from './helpers.js';
import { appears, atRest, find, findAll, isChromium, isWithin, part, until, words } from './looking.js';

const backgroundOf = (panel: Element) => getComputedStyle(find(panel, part('panel')) as Element).backgroundColor;
async function inTheme(panel: ToolChatPanel, theme: 'light' | 'dark' | 'auto'): Promise<string> {
  panel.theme = theme;
  await panel.updateComplete;
  return backgroundOf(panel);
}

describe('what is drawn', () => {
  before(() => fullEnglish());
  afterEach(() => {
    document.documentElement.style.cssText = '';
  });

  it('has bullets and numbers before the items of lists', async () => {
    const { panel } = await stage(new FakeSurface({ views: [assistant('a1', ['- one\n  - two\n\n1. three'])] }));
    await appears(panel, 'ol li');
    const kinds = ['ul', 'ul ul', 'ol'].map((list) => getComputedStyle(find(panel, `${list} > li`) as Element).listStyleType);
    expect(kinds).to.deep.equal(['disc', 'circle', 'decimal']);
  });

  it('has tables in the color of the text, also in a page without a doctype', () => {
    const page = document.createElement('iframe');
    document.body.append(page);
    const inner = page.contentDocument as Document;
    expect(inner.compatMode).to.equal('BackCompat');
    const style = Object.assign(inner.createElement('style'), { textContent: markdownStyles.cssText });
    const target = Object.assign(inner.createElement('div'), { style: 'color: rgb(1, 2, 3); font: 19px/2 monospace' });
    inner.body.append(style, target);
    renderMarkdown(target, '|a|\n|-|\n|b|');
    const { color, fontFamily } = page.contentWindow!.getComputedStyle(target.querySelector('td') as Element);
    expect([color, fontFamily]).to.deep.equal(['rgb(1, 2, 3)', 'monospace']);
    page.remove();
  });

  it('is light or dark with the page, and with the system where the page states nothing', async () => {
    const { panel } = await stage(new FakeSurface());
    const light = await inTheme(panel, 'light');
    const dark = await inTheme(panel, 'dark');
    expect(dark).not.to.equal(light);
    await inTheme(panel, 'auto');
    const becomes = (background: string) => until(() => backgroundOf(panel) === background, `it is not ${background}`);
    const page = document.documentElement.style;
    for (const [scheme, background] of [
      ['dark', dark],
      ['light', light],
    ] as const) {
      page.colorScheme = scheme;
      await becomes(background);
    }
    if (!isChromium) return; // only there can the system's choice be set
    await emulateMedia({ colorScheme: 'dark' });
    await becomes(light);
    page.colorScheme = '';
    await becomes(dark);
    await emulateMedia({ colorScheme: 'light' });
    await becomes(light);
  });
});

describe('the line of a call', () => {
  const named = { toolName: 'create_task', label: 'Create task' };
  const rows = [{ title: 'Milk' }, { title: 'Rice' }];
  const result = (success: boolean) => ({
    ...{ requestId: 'c1', toolName: 'create_task', success, status: success ? 'success' : 'error', result: '', durationMs: 123 },
    ...{ message: success ? 'Created' : 'The title is missing', ...(success && { data: rows }) },
  });
  async function lineOf(status: CardView['status'], change: object = {}, options = {}) {
    const view = card('c1', status, { ...named, call: call('c1', named), ...change } as never);
    const views = [user('u1', 'Go'), assistant('a1', ['Here it is.', { call: 'c1' }])];
    const { panel } = await stage(new FakeSurface({ views, cards: { c1: view } }), options);
    return { panel, line: await appears(panel, `[data-status=${status}]`) };
  }

  for (const theme of ['light', 'dark'] as const)
    it(`has a sign, and a result of a tint of its own that can be read (S2-73): ${theme}`, async () => {
      const { panel, line } = await lineOf('success', { result: result(true) });
      await inTheme(panel, theme);
      expect(line.querySelector('.badge svg')?.checkVisibility()).to.equal(true);
      expect(line.querySelector('.badge img, .avatar')).to.equal(null);
      (await appears(panel, `${part('tool-card-result')} summary`)).click();
      const data = await appears(panel, part('call-details'));
      await appears(panel, 'td');
      await atRest(panel);
      expect(behind(data)).not.to.deep.equal(behind(await appears(panel, '.text')));
      for (const cell of [...findAll(panel, 'th, .row-of-data td'), line.querySelector('.label'), line.querySelector('.meta')])
        expect(contrastOn(cell as Element, getComputedStyle(cell as Element).color)).to.be.at.least(4.5);
    });

  for (const success of [true, false])
    it(`says under its details what the tool is called, that it ${success ? 'worked' : 'failed'}, and how many milliseconds it took (S2-74)`, async () => {
      const { panel } = await lineOf(success ? 'success' : 'error', { result: result(success) });
      const facts = words(await appears(panel, '.state'));
      for (const said of ['create_task', '123 ms', success ? en.toolFinished : en.toolFailed]) expect(facts).to.include(said);
    });

  it('turns in the message while the call still arrives (S2-77)', async () => {
    const { line } = await lineOf('pending', { params: { title: 'Mi' } });
    const spinner = line.querySelector('.spinner') as Element;
    expect(spinner.checkVisibility()).to.equal(true);
    expect([getComputedStyle(spinner).animationName, spinner.getAnimations()[0]?.playState]).to.deep.equal(['turn', 'running']);
    expect(words(line)).to.include(en.readingCall);
    expect((line.getRootNode() as ShadowRoot).host.parentElement?.closest('[part~=message-tool]')).not.to.equal(null);
  });

  it('asks in the message, below what it is about: the buttons stand under the block (S2-78)', async () => {
    const { panel } = await stage(waiting({ sentence: 'Delete the task “Milk”', stated: { args: ['task_id'], changes: [] } }));
    const heading = await appears(panel, '#heading');
    for (const name of ['approve-button', 'deny-button']) {
      const button = await armed(panel, part(name));
      expect(button.getBoundingClientRect().top).to.be.at.least(heading.getBoundingClientRect().bottom);
      expect(isWithin(button, find(panel, part('message-assistant')) as Element)).to.equal(true);
    }
  });

  it('says that it runs, and a light goes over it, but for whoever wants no motion (S2-79)', async () => {
    const { panel, line } = await lineOf('executing', {}, { texts: zhCN, lang: 'zh-CN' });
    await until(() => words(line).includes('执行中...'), 'it does not say that it runs');
    const light = () => getComputedStyle(line, '::after');
    expect([light().animationName, light().animationIterationCount]).to.deep.equal(['sweep', 'infinite']);
    expect(parseFloat(light().animationDuration)).to.be.above(1);
    pretend(panel, 'prefers-reduced-motion');
    expect([parseFloat(light().animationDuration) < 0.001, light().animationIterationCount]).to.deep.equal([true, '1']);
  });
});

describe('themes', () => {
  const TEXT = ['text', 'muted', 'accent', 'ok', 'bad', 'warn'];
  const GROUNDS = ['bg', 'raised', 'subtle'];

  /** What the short names stand for in this panel, and how far apart two of them are. */
  function paletteOf(panel: ToolChatPanel) {
    const probe = document.createElement('span');
    panel.shadowRoot!.append(probe);
    const color = (name: string) => {
      probe.style.color = `var(--_${name})`;
      return getComputedStyle(probe).color;
    };
    const contrast = (one: string, ground: string) => {
      const front = color(one);
      probe.style.backgroundColor = color(ground);
      return contrastOn(probe, front);
    };
    return { color, contrast };
  }

  /** Everything that is written and every edge, against what it stands on. */
  function tooFaint(panel: ToolChatPanel, text = 4.5, edge = 3): string[] {
    const { contrast } = paletteOf(panel);
    const pairs: (readonly [string, string, number])[] = [
      ...TEXT.flatMap((one) => GROUNDS.map((ground) => [one, ground, text] as const)),
      ...GROUNDS.map((ground) => ['edge', ground, edge] as const),
      ...['ok', 'bad', 'warn', 'accent'].map((one) => [one, `${one}-soft`, text] as const),
      ...[['text', 'bubble', text] as const, ['text', 'hover', text] as const],
      ...[['on-accent', 'accent', text] as const, ['on-bad', 'bad', text] as const],
    ];
    return pairs.filter(([one, ground, least]) => contrast(one, ground) < least).map(([one, ground]) => `${one} on ${ground}`);
  }

  async function themed(css: string, theme: 'light' | 'dark'): Promise<ToolChatPanel> {
    const { panel } = await stage(new FakeSurface());
    styled(css.replaceAll(/\btool-chat\b(?= \{)/g, ':root'));
    await inTheme(panel, theme);
    return panel;
  }

  for (const name of ['none', 'neutral', 'warm', 'dark-first', 'high-contrast'])
    it(`can be read everywhere, light and dark: ${name}`, async () => {
      const css = name === 'none' ? '' : await (await fetch(`/themes/${name}.css`)).text();
      for (const theme of ['light', 'dark'] as const) {
        const panel = await themed(css, theme);
        expect(tooFaint(panel), theme).to.deep.equal([]);
        if (name === 'high-contrast') expect(tooFaint(panel, 7, 4.5), theme).to.deep.equal([]);
      }
    });

  it('of three properties are whole: what is not set follows; and what is too faint would be seen', async () => {
    const three = 'tool-chat { --tool-chat-accent: #0b5d3b; --tool-chat-background: #f4efe4; --tool-chat-color: #2b2a22; }';
    const panel = await themed(three, 'light');
    expect(tooFaint(panel)).to.deep.equal([]);
    expect(tooFaint(panel, 22)).to.include('text on bg');
    const { color } = paletteOf(panel);
    expect(new Set(['bg', 'subtle', 'hover', 'line', 'line-strong', 'muted', 'accent-soft'].map(color)).size).to.equal(7);
  });

  it('have black or white on any accent, whichever can be read, and room by one number', async () => {
    const panel = await themed('', 'light');
    const { contrast } = paletteOf(panel);
    for (let hue = 0; hue < 360; hue += 40)
      for (const lightness of [20, 35, 50, 65, 80]) {
        panel.style.setProperty('--tool-chat-accent', `hsl(${hue} 80% ${lightness}%)`);
        expect(contrast('on-accent', 'accent'), `hsl(${hue} 80% ${lightness}%)`).to.be.at.least(4.4);
      }
    const padding = () => Number.parseFloat(getComputedStyle(find(panel, part('header'))!).paddingInlineStart);
    const before = padding();
    panel.style.setProperty('--tool-chat-density', '0.5');
    expect(padding()).to.be.below(before);
  });
});

describe('a page with styles for everything', () => {
  const HOSTILE = `
    html { font-size: 62.5%; line-height: 3; letter-spacing: 4px; text-transform: uppercase; text-indent: 3em; word-spacing: 1em; cursor: crosshair; }
    body { font: italic 900 40px fantasy; color: red; text-align: right; visibility: visible; white-space: pre; direction: ltr; font-variant: small-caps; }
    * { box-sizing: content-box !important; margin: 13px !important; padding: 13px !important; border: 3px solid lime !important; color: red !important; float: left; font-family: fantasy !important; }
    *, *::before, *::after { all: unset; }
    button, input, textarea, a, p, h2, svg { display: none !important; transform: rotate(9deg) !important; opacity: 0.1 !important; }
    :focus { outline: none !important; }
  `;
  const LOOKED = 'color font letterSpacing textTransform textIndent whiteSpace display margin padding opacity transform boxSizing';

  it('changes nothing inside, and is changed by nothing of it', async () => {
    const { panel } = await stage(new FakeSurface({ views: [user('u1', 'hello')] }));
    const outside = document.body.appendChild(document.createElement('button'));
    const inside = [...panel.shadowRoot!.querySelectorAll('*')];
    const look = (one: Element) => LOOKED.split(' ').map((name) => (getComputedStyle(one) as unknown as Record<string, string>)[name]);
    const [before, beforeOutside] = [inside.map(look), look(outside)];
    expect(inside.length).to.be.above(5);
    expect(document.adoptedStyleSheets.length, 'left in the page').to.equal(0);
    styled(HOSTILE);
    expect(look(outside)).not.to.deep.equal(beforeOutside);
    inside.forEach((one, at) => expect(look(one), one.outerHTML.slice(0, 80)).to.deep.equal(before[at]));
    outside.remove();
  });
});
