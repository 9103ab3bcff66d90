/**
 * Below the buttons of a question: for how long the answer holds. What is chosen lies in a closure, is set by real clicks and keys only, and
 * travels with the decision of a real click on "allow": no value or state that a page script can write leads there.
 */
import { html, nothing, type TemplateResult } from 'lit';
import type { Texts } from '../../i18n/en.js';
import { icons } from '../icons.js';
import { composedPath, isRepeat, isTrusted, keyOf, listen, eventTypeOf } from '../platform-functions.js';
import { renderVisible } from '../value-view.js';

export interface RememberView {
  texts: Texts;
  /** The grants on offer, in words. */
  offers: readonly string[];
  /** Place in `offers`; undefined = just this once. */
  chosen: number | undefined;
}

/** Draws the choice; nothing without offers. The template holds no function: whoever reads it finds nothing to call. */
export function renderRememberChoice({ texts, offers, chosen }: RememberView): TemplateResult | typeof nothing {
  if (offers.length === 0) return nothing;
  const choices = [texts.grantOnce, ...offers];
  const now = chosen === undefined ? 0 : chosen + 1;
  return html`<details part="remember-choice" class="remember">
    <summary>
      <span
        ><span id="remember-what" class="unseen">${texts.grantWhat}</span
        ><bdi class="chosen" translate="no" data-fact>${renderVisible(choices[now] ?? texts.grantOnce)}</bdi></span
      >${icons.chevron}
    </summary>
    <div class="choices" role="radiogroup" aria-labelledby="remember-what">
      ${choices.map(
        (choice, at) =>
          html`<button type="button" class="choice" role="radio" aria-checked=${String(at === now)} tabindex=${at === now ? 0 : -1}>
            <span dir="auto" translate="no">${renderVisible(choice)}</span>
          </button>`,
      )}
    </div>
  </details>`;
}

export interface RememberChoice {
  /** What is asked now. Another question, or other offers, put the choice back to "just this once". Call it before each drawing. */
  ask(question: string, offers: readonly string[]): void;
  /** What to draw; see `renderRememberChoice`. */
  render(texts: Texts): TemplateResult | typeof nothing;
  /** Lets real clicks and keys in this root choose. Once for a root. */
  guard(root: ShadowRoot): void;
  /** The place of the chosen offer, for the decision on this very question; undefined = just this once. */
  chosen(question: string): number | undefined;
}

/**
 * Keep it in a `#private` field. `changed` is called after each choice: what "allow" means is another thing now, so the question has to be
 * drawn and to stand still anew.
 */
export function createRememberChoice(changed: () => void): RememberChoice {
  let question = '';
  let offers: readonly string[] = [];
  let chosen: number | undefined;
  let pressed: Element | undefined;

  function choose(at: number): void {
    const next = at === 0 ? undefined : at - 1;
    if (next === chosen || at > offers.length) return;
    chosen = next;
    changed();
  }

  // No methods of arrays and elements: a page script may have replaced them, and what is chosen is a person's.
  function handle(event: Event, root: ShadowRoot): void {
    if (!isTrusted(event)) return;
    const type = eventTypeOf(event);
    if (type === 'keydown' && isRepeat(event)) return;
    const buttons = choicesIn(root);
    const at = placeOf(buttons, composedPath(event), root);
    const button = buttons[at];
    if (type === 'click') {
      // A label elsewhere on the page sends its clicks on: they count only where the press began.
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
    ask(next, now) {
      if (next !== question || now.length !== offers.length || now.some((offer, at) => offer !== offers[at])) chosen = pressed = undefined;
      question = next;
      offers = [...now];
    },
    render: (texts) => renderRememberChoice({ texts, offers, chosen }),
    guard(root) {
      const onEvent = (event: Event) => {
        handle(event, root);
      };
      for (const type of ['pointerdown', 'mousedown', 'keydown', 'click']) listen(root, type, onEvent, true);
    },
    chosen: (about) => (about === question ? chosen : undefined),
  };
}

const { apply, get } = Reflect;
const querySelectorAll = get(DocumentFragment.prototype, 'querySelectorAll') as () => unknown;

function choicesIn(root: ShadowRoot): NodeListOf<HTMLElement> {
  return apply(querySelectorAll, root, ['.remember .choice']) as NodeListOf<HTMLElement>;
}

/** Which of the buttons the path leads through; -1 for none. */
function placeOf(buttons: NodeListOf<HTMLElement>, path: readonly EventTarget[], root: ShadowRoot): number {
  for (let step = 0; step < path.length && path[step] !== root; step += 1)
    for (let at = 0; buttons[at]; at += 1) if (buttons[at] === path[step]) return at;
  return -1;
}

const STEPS: Readonly<Record<string, number>> = {
  __proto__: null as never, // a key may be named anything
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
};
