/**
 * `/gallery`: every state of every part, drawn by the real elements with data that never changes. What can be asked for in the address:
 * `only` (one state, which then fills the window, or several), `theme` (`light`, `dark`), `width` (`364`, `panel`, `wide`), `dir` (`rtl`), `lang` (`zh-CN`, `ar`, …), `skin` (one of `themes/`).
 */
import { drawInspectors, inspectorPages } from './gallery-inspector.js';
import { states } from './gallery-states.js';
import { press } from './gallery-steps.js';
import { fullEnglish } from './dist/modules/i18n/en.js';
import { loadTexts } from './dist/modules/i18n/localize.js';

const asked = new URLSearchParams(location.search);
const look = {
  theme: asked.get('theme') ?? 'light',
  width: asked.get('width') ?? 'panel',
  dir: asked.get('dir') ?? (asked.get('lang')?.startsWith('ar') ? 'rtl' : 'ltr'),
  lang: asked.get('lang') ?? 'en',
  skin: asked.get('skin') ?? 'none',
};
const WIDTHS = { 364: 364, panel: 400, wide: 760 };
const CHOICES = {
  theme: ['light', 'dark'],
  width: Object.keys(WIDTHS),
  dir: ['ltr', 'rtl'],
  lang: ['en', 'zh-CN', 'ar', 'de', 'es', 'fr', 'ja'],
  skin: ['none', 'neutral', 'warm', 'dark-first', 'high-contrast'],
};
fullEnglish();
const texts = await loadTexts(look.lang);

const { dataset } = document.documentElement;
Object.assign(document.documentElement, { dir: look.dir, lang: look.lang });
dataset.theme = look.theme;

/** The part of a conversation that a panel needs, frozen. */
function still(view, beside) {
  const nothing = () => undefined;
  const surface = {
    view,
    ...{ subscribe: () => nothing, follow: () => nothing, tools: () => Promise.resolve([]) },
    memory: { edit: nothing, forget: () => nothing, forgetAll: () => Promise.resolve() },
    checkConfiguration: () => Promise.resolve({ finding: 'ok', endpoint: '' }),
  };
  for (const request of ['send', 'unqueue', 'sendResults', 'stop', 'retry', 'continue', 'undo', 'revoke', 'dismissError', 'answerNotice'])
    surface[request] = nothing;
  surface.messageActions = { switchTo: nothing, rate: nothing };
  surface.takeOffer = surface.giveFeedback = surface.draft = nothing;
  return Object.assign(surface, beside);
}

/** The parts come with the first panel that is shown. */
async function parts() {
  const first = document.createElement('tool-chat');
  first.className = 'first';
  first.setAttribute('endpoint', '/api/ai/chat/stream');
  first.setAttribute('models', 'one two');
  document.body.append(first);
  await customElements.whenDefined('tool-chat-panel');
  // Bars come with what a message is drawn by.
  await customElements.whenDefined('tool-chat-message');
  first.remove();
}

/** A ready theme is for `<tool-chat>`; here stand panels without one. */
async function skin() {
  if (!CHOICES.skin.includes(look.skin) || look.skin === 'none') return;
  const css = await (await fetch(`/themes/${look.skin}.css`)).text();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css.replace('tool-chat {', '.frame {'));
  document.adoptedStyleSheets.push(sheet);
}

function addressOf(change) {
  return `/gallery?${new URLSearchParams({ ...look, ...change })}`;
}

function links() {
  const groups = Object.entries(CHOICES).map(([name, choices]) => {
    const group = document.createElement('span');
    group.append(
      ...choices.map((choice) => {
        const link = Object.assign(document.createElement('a'), { href: addressOf({ [name]: choice }), textContent: choice });
        if (look[name] === choice) link.setAttribute('aria-current', 'true');
        return link;
      }),
    );
    return group;
  });
  document.querySelector('#looks').append(...groups);
}

function draw(state) {
  const figure = document.createElement('figure');
  figure.dataset.state = state.id;
  const caption = document.createElement('figcaption');
  caption.append(Object.assign(document.createElement('a'), { href: addressOf({ only: state.id }), textContent: state.title }));
  const frame = document.createElement('div');
  frame.className = 'frame';
  if (!dataset.only) frame.style.inlineSize = `${WIDTHS[look.width] ?? 400}px`;
  const panel = document.createElement('tool-chat-panel');
  const view = state.view({ lang: look.lang, texts });
  Object.assign(panel, {
    surface: still(view, state.surface?.(look)),
    texts,
    lang: look.lang,
    theme: look.theme,
    layout: 'floating',
    ...state.panel?.(look),
  });
  frame.append(panel);
  if (state.unfold) void unfold(panel);
  if (state.press) void press(panel, state.press);
  figure.append(caption, frame);
  return figure;
}

/** Unfolds at once what a user would unfold: a card exists as soon as its message does. */
async function unfold(panel) {
  for (let tries = 0; tries < 200; tries += 1) {
    const card = panel.shadowRoot
      ?.querySelector('tool-chat-message:last-of-type')
      ?.shadowRoot?.querySelector('tool-chat-call')
      ?.shadowRoot?.querySelector('details');
    if (card) {
      card.open = true;
      return;
    }
    await new Promise(requestAnimationFrame);
  }
}

const only = asked.get('only')?.split(',');
if (only?.length === 1) [dataset.only] = only;
links();
await skin();
await parts();
const wanted = ({ id }) => !only || only.includes(id);
document.querySelector('#states').append(...states.filter(wanted).map(draw), ...drawInspectors(inspectorPages.filter(wanted), look));
dataset.ready = '';
