/** The ready themes, a page's few properties, and pages whose own styles reach for everything. */
import { expect } from 'chai';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { FakeSurface } from './fake-surface.js';
import { find, stage, until } from './helpers.js';
import { chatOnPage } from './tool-chat-stage.js';

/** Luminance of a colour, as it is painted. */
function luminance(colour: string): number {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high! + 0.05) / (low! + 0.05);
}

/** What the short names stand for in this panel. */
function paletteOf(panel: ToolChatPanel): (name: string) => string {
  const probe = document.createElement('span');
  panel.shadowRoot!.append(probe);
  return (name) => {
    probe.style.color = `var(--_${name})`;
    return getComputedStyle(probe).color;
  };
}

const TEXT = ['text', 'muted', 'accent', 'ok', 'bad', 'warn'];
const GROUNDS = ['bg', 'raised', 'subtle'];

/** Everything that is written and every edge, against what it stands on. */
function tooFaint(panel: ToolChatPanel, text = 4.5, edge = 3): string[] {
  const colour = paletteOf(panel);
  const pairs: [string, string, number][] = [
    ...TEXT.flatMap((one) => GROUNDS.map((ground) => [one, ground, text] as [string, string, number])),
    ...GROUNDS.map((ground) => ['edge', ground, edge] as [string, string, number]),
    ...(['ok', 'bad', 'warn', 'accent'] as const).map((one) => [one, `${one}-soft`, text] as [string, string, number]),
    ['text', 'bubble', text],
    ['text', 'hover', text],
    ['on-accent', 'accent', text],
    ['on-bad', 'bad', text],
  ];
  return pairs
    .map(([one, ground, least]) => ({ pair: `${one} on ${ground}`, found: contrast(colour(one), colour(ground)), least }))
    .filter(({ found, least }) => found < least)
    .map(({ pair, found }) => `${pair}: ${found.toFixed(2)}`);
}

async function themed(css: string, theme: string): Promise<ToolChatPanel> {
  const { panel } = await stage(new FakeSurface());
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css.replaceAll(/\btool-chat\b(?= \{)/g, ':root'));
  document.adoptedStyleSheets = [sheet];
  panel.setAttribute('theme', theme);
  await panel.updateComplete;
  return panel;
}

const file = async (name: string) => {
  const response = await fetch(`/themes/${name}.css`);
  expect(response.ok, name).to.equal(true);
  return response.text();
};

describe('themes', () => {
  afterEach(() => {
    document.adoptedStyleSheets = [];
    document.documentElement.style.cssText = '';
  });

  for (const name of ['none', 'neutral', 'warm', 'dark-first', 'high-contrast'])
    for (const theme of ['light', 'dark'])
      it(`can be read everywhere: ${name}, ${theme}`, async () => {
        const panel = await themed(name === 'none' ? '' : await file(name), theme);
        expect(tooFaint(panel)).to.deep.equal([]);
        if (name === 'high-contrast') expect(tooFaint(panel, 7, 4.5)).to.deep.equal([]);
      });

  it('of three properties are whole: what is not set follows', async () => {
    const panel = await themed(
      'tool-chat { --tool-chat-accent: #0b5d3b; --tool-chat-background: #f4efe4; --tool-chat-color: #2b2a22; }',
      'light',
    );
    expect(tooFaint(panel)).to.deep.equal([]);
    const colour = paletteOf(panel);
    expect(new Set(['bg', 'subtle', 'hover', 'line', 'line-strong', 'muted', 'accent-soft'].map(colour)).size).to.equal(7);
  });

  it('have black or white on any accent, whichever can be read', async () => {
    const panel = await themed('', 'light');
    const colour = paletteOf(panel);
    for (let hue = 0; hue < 360; hue += 20)
      for (const lightness of [20, 35, 50, 65, 80]) {
        panel.style.setProperty('--tool-chat-accent', `hsl(${hue} 80% ${lightness}%)`);
        expect(contrast(colour('on-accent'), colour('accent')), `hsl(${hue} 80% ${lightness}%)`).to.be.at.least(4.4);
      }
  });

  it('have room by one number', async () => {
    const panel = await themed('', 'light');
    const padding = () => Number.parseFloat(getComputedStyle(find(panel, '[part~=header]')!).paddingInlineStart);
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
  const LOOKED = [
    'color',
    'font',
    'letterSpacing',
    'textTransform',
    'textIndent',
    'whiteSpace',
    'display',
    'margin',
    'padding',
    'opacity',
    'transform',
    'boxSizing',
  ] as const;

  afterEach(() => {
    document.adoptedStyleSheets = [];
  });

  it('changes nothing inside, and is changed by nothing of it', async () => {
    const { panel } = await stage(new FakeSurface());
    await panel.updateComplete;
    const outside = document.body.appendChild(document.createElement('button'));
    const inside = [...panel.shadowRoot!.querySelectorAll('*')];
    const look = (one: Element) => LOOKED.map((name) => getComputedStyle(one)[name]).join('|');
    const [before, beforeOutside] = [inside.map(look), look(outside)];
    expect(inside.length).to.be.above(5);
    // Taking the panel away shows whether it left anything in the page.
    expect(document.adoptedStyleSheets.length).to.equal(0);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(HOSTILE);
    document.adoptedStyleSheets = [sheet];
    expect(look(outside)).not.to.equal(beforeOutside);
    inside.forEach((one, i) => expect(look(one), one.outerHTML.slice(0, 80)).to.equal(before[i]));
    outside.remove();
  });

  it('of another size of letters leaves a floating one its size, beside its button from the first time on', async () => {
    document.documentElement.style.fontSize = '10px';
    const chat = await chatOnPage({ layout: 'floating' });
    const root = chat.shadowRoot!;
    await until(() => root.querySelector('[part=launcher]') !== null, 'there is no button');
    chat.show();
    await until(() => (root.querySelector('tool-chat-panel')?.getBoundingClientRect().width ?? 0) > 0, 'it does not open');
    const panel = root.querySelector('tool-chat-panel')!.getBoundingClientRect();
    const button = root.querySelector('[part=launcher]')!.getBoundingClientRect();
    expect([panel.width, Math.round(panel.right - button.right), button.width >= 44]).to.deep.equal([400, 0, true]);
    chat.remove();
    document.documentElement.style.fontSize = '';
  });
});
