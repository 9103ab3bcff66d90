/**
 * Folds consecutive calls that only read data and needed no approval into one line, such as "3 lookups done". The cards themselves stay
 * in their place.
 */
import { ContextConsumer } from '@lit/context';
import { html, nothing, css } from 'lit';
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { PanelElement, viewContext } from '../context.js';
import { icons } from '../icons.js';
import { shared } from '../shared.styles.js';
import { fullEnglish } from '../../i18n/en.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: block;
    color: var(--_muted);
    font: var(--_size) / 1.45 var(--_font);
  }

  button {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 28px;
    padding: 0 4px 0 0;
    border: 0;
    border-radius: var(--_radius-small);
    background: none;
    color: inherit;
    font: inherit;
    font-size: var(--_small);
    text-align: start;
    cursor: pointer;
  }

  button:hover {
    color: var(--_text);
  }

  .sign {
    display: grid;
    place-items: center;
    width: 18px;
  }

  button > svg {
    width: 13px;
    height: 13px;
    rotate: 90deg;
  }

  button[aria-expanded='true'] > svg {
    rotate: -90deg;
  }
`;

/**
 * @summary Folds the calls after it that needed no approval.
 * @tagname tool-chat-call-list
 * @csspart call-list - The line that several calls are folded into.
 */
export class ToolChatCallList extends PanelElement {
  static override styles = [shared, styles];
  static override properties = { count: { state: true }, open: { state: true } };

  declare protected count: number;
  declare protected open: boolean;

  #cards: ViewSnapshot['cards'] = {};

  constructor() {
    super();
    this.count = 0;
    this.open = false;
    new ContextConsumer(this, { context: viewContext, subscribe: true, callback: ({ cards }) => this.#update(cards) });
  }

  #update(cards: ViewSnapshot['cards']) {
    this.#cards = cards;
    this.#fold();
  }

  override render() {
    const texts = this.services?.texts;
    if (!texts || this.count < 2) return nothing;
    return html`<button type="button" part="call-list" aria-expanded=${String(this.open)} @click=${this.#toggle}>
      <span class="sign">${icons.check}</span><span>${texts.lookedAt(this.count)}</span>${icons.chevron}
    </button>`;
  }

  /** @param pressed true if the user pressed the line: cards in use are folded too */
  #fold(pressed = false) {
    const holders: HTMLElement[] = [];
    for (let next = this.nextElementSibling; next?.matches('[part~=message-tool]'); next = next.nextElementSibling)
      holders.push(next as HTMLElement);
    if (holders.length === 0) {
      this.remove(); // the message was replaced and has no calls here
      return;
    }
    const quiet = holders.filter((holder) => isQuiet(cardOf(holder, this.#cards)));
    // Never hide a card that the user is reading.
    if (!pressed && quiet.some((place) => !place.hidden && isInUse(place))) this.open = true;
    this.count = quiet.length;
    this.hidden = this.count < 2;
    for (const place of holders) place.hidden = !this.open && this.count > 1 && quiet.includes(place);
  }

  readonly #toggle = () => {
    this.open = !this.open;
    this.#fold(true);
  };
}

function cardOf(holder: HTMLElement, cards: ViewSnapshot['cards']): CardView | undefined {
  const id = holder.querySelector('tool-chat-call')?.requestId ?? '';
  return Object.hasOwn(cards, id) ? cards[id] : undefined;
}

/**
 * Returns true for a call that only read data, succeeded and needed no approval. Calls that failed, changed something or needed a decision
 * stay visible.
 */
const isQuiet = (card: CardView | undefined): boolean =>
  card?.status === 'success' && card.call?.risk === 'query' && card.call.decidedBy !== 'person' && !card.undo && !card.advice;

const isInUse = (holder: HTMLElement): boolean => {
  const root = holder.querySelector('tool-chat-call')?.shadowRoot;
  return Boolean(root?.activeElement ?? root?.querySelector('details[open]'));
};

/** Inserts a list before the run of calls that contains `holder`, unless the run already has one. */
export function foldAdjacentCalls(holder: Element): void {
  let first = holder;
  let before = holder.previousElementSibling;
  for (; before && isCallHolder(before); before = before.previousElementSibling) first = before;
  if (before?.localName === 'tool-chat-call-list') return;
  const list = document.createElement('tool-chat-call-list');
  list.setAttribute('exportparts', 'call-list');
  first.before(list);
}

const isCallHolder = (element: Element): boolean => element.matches('[part~=message-tool]');

fullEnglish();
defineOnce('tool-chat-call-list', ToolChatCallList);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-call-list': ToolChatCallList;
  }
}
