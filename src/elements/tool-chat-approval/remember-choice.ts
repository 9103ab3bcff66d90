/**
 * Renders the choice of how long an approval is valid, below its buttons. The choice is stored in a closure, changes only by real clicks
 * and keys, and is sent with the decision of a real click on "allow". A page script cannot write any value or state that affects it.
 */
import { html, nothing, type TemplateResult, css } from 'lit';
import type { Texts } from '../../i18n/en.js';
import { icons } from '../icons.js';
import { composedPath, isRepeat, isTrusted, keyOf, listen, eventTypeOf } from '../platform-functions.js';
import { renderVisible } from '../value-view.js';

/** Styles for the root that renders the choice, in addition to the shared styles. */
export const rememberStyles = css`
  .remember {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .remember summary {
    width: fit-content;
    max-width: 100%;
  }

  .remember .chosen {
    color: var(--_text);
  }

  .remember .choices {
    display: grid;
    gap: 2px;
    margin-block-start: 4px;
  }

  .remember .choice {
    justify-content: flex-start;
    align-items: flex-start;
    gap: 9px;
    padding: 7px 9px;
    border-color: transparent;
    background: none;
    font-weight: 400;
    line-height: 1.45;
    text-align: start;
    overflow-wrap: anywhere;
  }

  .remember .choice:hover {
    background: var(--_hover);
  }

  .remember .choice::before {
    content: '';
    flex: none;
    width: 14px;
    height: 14px;
    margin-block-start: 2px;
    border: 1.5px solid var(--_edge);
    border-radius: 50%;
  }

  .remember .choice[aria-checked='true'] {
    background: var(--_accent-soft);
  }

  .remember .choice[aria-checked='true']::before {
    border: 4.5px solid var(--_accent);
  }

  @media (forced-colors: active) {
    .remember .choice[aria-checked='true']::before {
      border-color: Highlight;
    }
  }
`;

export interface RememberView {
  texts: Texts;
  /** The texts of the offered permissions. */
  offers: readonly string[];
  /** Index in `offers`; undefined for just this once. */
  chosen: number | undefined;
}

/** Renders the choice; nothing without offers. The template contains no functions that a script could read and call. */
export function renderRememberChoice({ texts, offers, chosen }: RememberView): TemplateResult | typeof nothing {
  if (offers.length === 0) return nothing;
  const choices = [texts.grantOnce, ...offers];
  const selected = chosen === undefined ? 0 : chosen + 1;
  return html`<details part="remember-choice" class="remember">
    <summary>
      <span
        ><span id="remember-what" class="visually-hidden">${texts.grantWhat}</span
        ><bdi class="chosen" translate="no" data-fact>${renderVisible(choices[selected] ?? texts.grantOnce)}</bdi></span
      >${icons.chevron}
    </summary>
    <div class="choices" role="radiogroup" aria-labelledby="remember-what">
      ${choices.map(
        (choice, at) =>
          html`<button
            type="button"
            class="choice"
            role="radio"
            aria-checked=${String(at === selected)}
            tabindex=${at === selected ? 0 : -1}
          >
            <span dir="auto" translate="no">${renderVisible(choice)}</span>
          </button>`,
      )}
    </div>
  </details>`;
}

export interface RememberChoice {
  /**
   * Sets the key of the current approval. A different approval, or other offers, reset the choice to "just this once". Call it before each rendering.
   */
  update(key: string, offers: readonly string[]): void;
  /** Renders the choice; see `renderRememberChoice`. */
  render(texts: Texts): TemplateResult | typeof nothing;
  /** Lets real clicks and keys in this root change the choice. Call it once per root. */
  guard(root: ShadowRoot): void;
  /** Returns the index of the chosen offer for the decision on this approval; undefined for just this once. */
  chosen(key: string): number | undefined;
}

/**
 * Creates the choice. Store it in a `#private` field. `changed` is called after each choice: "allow" now has another meaning, so the
 * approval must be rendered again and its delay restarted.
 */
export function createRememberChoice(changed: () => void): RememberChoice {
  let currentKey = '';
  let offers: readonly string[] = [];
  let chosen: number | undefined;
  let pressed: Element | undefined;

  function choose(at: number): void {
    const next = at === 0 ? undefined : at - 1;
    if (next === chosen || at > offers.length) return;
    chosen = next;
    changed();
  }

  // No methods of arrays and elements: a page script may have replaced them, and only the user may choose.
  function handle(event: Event, root: ShadowRoot): void {
    if (!isTrusted(event)) return;
    const type = eventTypeOf(event);
    if (type === 'keydown' && isRepeat(event)) return;
    const buttons = optionsIn(root);
    const at = indexIn(buttons, composedPath(event), root);
    const button = buttons[at];
    if (type === 'click') {
      // A label elsewhere on the page forwards its clicks. They count only if the press began on the same button.
      if (button && button === pressed) choose(at);
      pressed = undefined;
      return;
    }
    pressed = button;
    const step = type === 'keydown' ? STEPS[keyOf(event)] : undefined;
    if (!button || step === undefined) return;
    event.preventDefault();
    const to = (at + step + offers.length + 1) % (offers.length + 1);
    buttons[to]?.focus();
    choose(to);
  }

  return {
    update(key, newOffers) {
      if (key !== currentKey || newOffers.length !== offers.length || newOffers.some((offer, at) => offer !== offers[at]))
        chosen = pressed = undefined;
      currentKey = key;
      offers = [...newOffers];
    },
    render: (texts) => renderRememberChoice({ texts, offers, chosen }),
    guard(root) {
      const onEvent = (event: Event) => {
        handle(event, root);
      };
      for (const type of ['pointerdown', 'mousedown', 'keydown', 'click']) listen(root, type, onEvent, true);
    },
    chosen: (key) => (key === currentKey ? chosen : undefined),
  };
}

const { apply, get } = Reflect;
const querySelectorAll = get(DocumentFragment.prototype, 'querySelectorAll') as () => unknown;

function optionsIn(root: ShadowRoot): NodeListOf<HTMLElement> {
  return apply(querySelectorAll, root, ['.remember .choice']) as NodeListOf<HTMLElement>;
}

/** Returns the index of the button in the path; -1 if there is none. */
function indexIn(buttons: NodeListOf<HTMLElement>, path: readonly EventTarget[], root: ShadowRoot): number {
  for (let step = 0; step < path.length && path[step] !== root; step += 1)
    for (let at = 0; buttons[at]; at += 1) if (buttons[at] === path[step]) return at;
  return -1;
}

const STEPS: Readonly<Record<string, number>> = {
  __proto__: null as never, // prevents inherited names, because a key may have any name
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
};
