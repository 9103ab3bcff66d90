/**
 * Each state of the gallery with data of another direction than its words: what a host, a person or a model wrote reads in its own direction, and
 * turns nothing of ours around. The data of an English panel are put into Arabic letters; those of an Arabic one are English as they are.
 */
import { expect } from '@open-wc/testing';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { everything, find } from '../elements/helpers.js';
import { clear, draw, states, type State } from './gallery-stage.js';

const ARABIC = 'ابتثجحخدذرزسشصضطظعغفقكلمنه';
const inArabic = (text: string) => text.replace(/[a-z]/gi, (letter) => ARABIC.charAt(letter.toLowerCase().charCodeAt(0) - 97));

/** What is written for people, by where it stands in a view. */
const FOR_PEOPLE = new Set(
  ['text', 'label', 'sentence', 'message', 'allow', 'deny', 'before', 'after', 'title', 'memo', 'says', 'tasks', 'offers', 'lines'].concat([
    'quickCommands',
    'suggestions',
    'description',
    'goal',
    'default',
    'options',
    'action',
    'queue',
    'reasoning',
    'heading',
    'x-label',
    'guests',
    'offer',
  ]),
);
/** Markup would be none in other letters. */
const isMarkup = (text: string) => /```|\]\(|\]:|\$/.test(text);

function translated(value: unknown, forPeople = false): unknown {
  if (typeof value === 'string') return forPeople && !isMarkup(value) ? inArabic(value) : value;
  if (Array.isArray(value)) return value.map((one) => translated(one, forPeople));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.values(value).some((inner) => typeof inner === 'function')) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, translated(inner, FOR_PEOPLE.has(key))]));
}

const inOtherLetters = ({ view, panel, surface, ...state }: State): State => ({
  ...state,
  view: (look) => translated(view(look)) as ViewSnapshot,
  ...(panel && { panel: (look) => translated(panel(look)) as object }),
  ...(surface && {
    surface(look) {
      const beside = surface(look) as { tools?: () => Promise<unknown> };
      return { ...beside, ...(beside.tools && { tools: async () => translated(await beside.tools?.()) }) };
    },
  }),
});

/** What keeps a text apart from what stands around it: a box of its own lines, or a stretch that is ordered by itself. */
function apart(node: Node): Element {
  let at = node.parentElement ?? (node.getRootNode() as ShadowRoot).host;
  for (;;) {
    const { display, unicodeBidi } = getComputedStyle(at);
    if (!/^(?:inline|contents|ruby)/.test(display) || /isolate|plaintext/.test(unicodeBidi) || display === 'inline-flex') return at;
    if (display === 'inline-block' || display === 'inline-grid') return at;
    at = at.parentElement ?? (at.getRootNode() as ShadowRoot).host;
  }
}

/** Texts of `theirs` letters that read in the direction of ours, or share a stretch with them. */
function mixed(panel: ToolChatPanel, theirs: RegExp, ours: RegExp, direction: 'ltr' | 'rtl'): string[] {
  const stretches = new Map<Element, string>();
  for (const one of everything(panel.shadowRoot as ShadowRoot)) {
    if (one.matches('style, option, textarea, title, .said *, math *, pre *') || !one.checkVisibility()) continue;
    for (const node of one.childNodes)
      if (node instanceof Text && node.data.trim()) {
        const stretch = apart(node);
        stretches.set(stretch, `${stretches.get(stretch) ?? ''}${node.data}`);
      }
  }
  return [...stretches].flatMap(([stretch, text]) => {
    // Addresses are of Latin letters everywhere.
    text = text.replace(/[\w-]+\.example/g, '').replace(/\u2068.*?\u2069/gu, '');
    if (!theirs.test(text)) return [];
    const { direction: is, unicodeBidi } = getComputedStyle(stretch);
    if (!ours.test(text) && (is === direction || unicodeBidi === 'plaintext')) return [];
    return [`${is} ${unicodeBidi} ${stretch.localName}.${stretch.className}: ${text.replace(/\s+/g, ' ').trim()}`];
  });
}

describe('the gallery with data of another direction', function () {
  this.timeout(20_000); // of which WebKitGTK takes most

  afterEach(clear);

  for (const state of states) {
    it(`${state.title}: right-to-left data keep their direction within English words`, async () => {
      const panel = await draw(inOtherLetters(state), {});
      expect(mixed(panel, /[\u0600-\u06ff]/, /[a-z]/i, 'rtl')).to.deep.equal([]);
    });

    it(`${state.title}: English data keep their direction within Arabic words`, async () => {
      const panel = await draw(state, { lang: 'ar', dir: 'rtl' });
      expect(mixed(panel, /[a-z]/i, /[\u0600-\u06ff]/, 'ltr')).to.deep.equal([]);
    });
  }

  it('is noticed where it is lost', async () => {
    const state = states.find(({ id }) => id === 'decide-delete') as State;
    const panel = await draw(state, { lang: 'ar', dir: 'rtl' });
    find(panel, '.sentence')!.style.unicodeBidi = 'normal';
    expect(mixed(panel, /[a-z]/i, /[\u0600-\u06ff]/, 'ltr')).to.have.length(1);
  });
});
