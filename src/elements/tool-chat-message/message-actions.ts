/**
 * The rarely used actions of a message: switch versions, rate an answer. Loaded by `lazy-actions.ts`. The state of an action in progress is
 * stored here, by its element.
 */
import { html, nothing, type LitElement, type TemplateResult, css } from 'lit';
import { addSheet } from '../../base/style-sheets.js';
import { fullEnglish } from '../../i18n/en.js';
import { errorTexts } from '../../i18n/error-texts.js';
import type { Feedback } from '../../model/messages.js';
import type { MessageActions, MessageBranch, MessageView } from '../../model/snapshot.js';
import type { PanelServices } from '../context.js';
import { icon, icons } from '../icons.js';
import { belongsToInputMethod } from '../keys.js';

const styles = css`
  .actions {
    flex-wrap: wrap;
  }

  .thumb.down svg {
    transform: rotate(180deg);
  }

  .thumb[aria-pressed='true'] {
    color: var(--_accent);
    opacity: 1;
  }

  .thumb[aria-pressed='true'] svg {
    fill: color-mix(in oklab, currentColor, transparent 75%);
  }

  .picker {
    display: inline-flex;
    align-items: center;
    color: var(--_muted);
    font-size: var(--_small);
    font-variant-numeric: tabular-nums;
  }

  .picker button {
    width: 26px;
  }

  .picker button[aria-disabled='true'] {
    opacity: 0.35;
  }

  .picker .previous:dir(ltr) svg,
  .picker .next:dir(rtl) svg {
    transform: rotate(180deg);
  }

  .stay {
    display: flex;
    /* Below the buttons, whatever follows there. */
    flex: 1 0 100%;
    order: 1;
    align-items: center;
    gap: 6px;
    padding-inline: 8px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .user .actions,
  .user .stay {
    justify-content: flex-end;
  }

  .reason {
    display: grid;
    flex: 1 0 100%;
    order: 2;
    gap: 8px;
    margin-block-start: 4px;
    padding-inline-start: 8px;
  }

  .reason textarea {
    width: 100%;
    max-height: 40vh;
    margin: 0;
    padding: 8px 12px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    background: var(--_raised);
    color: var(--_text);
    font: var(--_size) / 1.45 var(--_font);
    field-sizing: content;
    resize: none;
    unicode-bidi: plaintext;
  }

  .ends {
    display: flex;
    justify-content: flex-end;
    gap: 8px;
  }

  @media (pointer: coarse) {
    .reason textarea {
      /* Smaller text makes a phone zoom in. */
      font-size: max(16px, var(--_size));
    }
  }

  @media (forced-colors: active) {
    .thumb[aria-pressed='true'] {
      border-color: Highlight;
    }
  }
`;

fullEnglish();

const thumb = icon(
  'M5.2 7.2 7.6 2.6a1.5 1.5 0 0 1 1.5 1.5v2.3h3a1.3 1.3 0 0 1 1.3 1.5l-.7 4.3a1.4 1.4 0 0 1-1.4 1.2H5.2M5.2 7.2v6.2H2.8V7.2z',
);

/** The action in progress on a message. */
interface ActionState {
  id: string;
  /** True while the user writes why an answer was bad. */
  reason?: boolean;
}

const actionStates = new WeakMap<LitElement, ActionState>();

export function renderMessageActions(message: LitElement, view: MessageView, services: PanelServices): TemplateResult | typeof nothing {
  const root = message.renderRoot as ShadowRoot;
  const sheet = styles.styleSheet;
  if (sheet) addSheet(root, sheet);
  let state = actionStates.get(message);
  if (state?.id !== view.message.id) actionStates.set(message, (state = { id: view.message.id }));
  return new ActionsView(message, view, services, state).render();
}

class ActionsView {
  readonly #element: LitElement;
  readonly #view: MessageView;
  readonly #services: PanelServices;
  readonly #state: ActionState;

  constructor(element: LitElement, view: MessageView, services: PanelServices, state: ActionState) {
    [this.#element, this.#view, this.#services, this.#state] = [element, view, services, state];
  }

  render(): TemplateResult {
    const { message, branch, parts } = this.#view;
    const isAnswer = message.role === 'assistant' && message.text.trim() !== '' && parts.at(-1)?.type !== 'call';
    return html`${isAnswer ? html`${this.#renderThumb('up')}${this.#renderThumb('down')}` : nothing}${branch ? this.#renderPicker(branch) : nothing}${this.#state.reason ? this.#renderReason() : nothing}`;
  }

  #renderThumb(value: Feedback['value']): TemplateResult {
    const { texts } = this.#services;
    const label = value === 'up' ? texts.goodAnswer : texts.badAnswer;
    const isSet = this.#view.message.metadata.feedback?.value === value;
    return html`<button
      type="button"
      part="feedback-button"
      class="quiet square act thumb ${value}"
      aria-label=${label}
      title=${label}
      aria-pressed=${String(isSet)}
      @click=${() => this.#rate(isSet ? null : { value })}
    >
      ${thumb}
    </button>`;
  }

  #rate(feedback: Feedback | null): void {
    const { texts, announce } = this.#services;
    this.#state.reason = feedback?.value === 'down' && feedback.reason === undefined;
    this.#runAction((actions) => actions.rate(this.#view.message.id, feedback));
    announce(feedback ? texts.feedbackNoted : texts.feedbackTakenBack);
    if (this.#state.reason) this.#focusAfter('.reason textarea');
    else this.#focusAfter(feedback?.value === 'up' ? '.thumb.up' : '.thumb.down');
  }

  #renderReason(): TemplateResult {
    const { texts, feedbackUrl = '' } = this.#services;
    const url = feedbackUrl && URL.canParse(feedbackUrl, document.baseURI) ? new URL(feedbackUrl, document.baseURI) : undefined;
    const close = () => {
      this.#state.reason = false;
      this.#focusAfter('.thumb.down');
    };
    return html`<form
      class="reason"
      @submit=${(event: SubmitEvent) => {
        event.preventDefault();
        const reason = ((event.currentTarget as HTMLFormElement).elements.namedItem('reason') as HTMLTextAreaElement).value.trim();
        if (reason) this.#rate({ value: 'down', reason });
        else close();
      }}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== 'Escape' || belongsToInputMethod(event)) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <textarea name="reason" rows="2" maxlength="2000" aria-label=${texts.feedbackReason} placeholder=${texts.feedbackReason}></textarea>
      <div class="ends">
        ${
          url && /^https?:$/.test(url.protocol)
            ? html`<a part="feedback-button" href=${url.href} target="_blank" rel="noopener noreferrer">${errorTexts(texts).feedback}</a>`
            : nothing
        }
        <button type="button" @click=${close}>${texts.cancel}</button>
        <button type="submit" class="primary">${texts.send}</button>
      </div>
    </form>`;
  }

  #renderPicker(branch: MessageBranch): TemplateResult {
    const { texts } = this.#services;
    const { at, of, previous, next, stay, unsure } = branch;
    const step = (label: string, place: number | undefined, to: number, name: string) =>
      html`<button
        type="button"
        class="quiet square ${name}"
        aria-label=${label}
        title=${label}
        aria-disabled=${String(place === undefined)}
        @click=${() => {
          if (place === undefined) return;
          this.#runAction((actions) => actions.switchTo(branch.from, place));
          this.#services.announce(texts.versionOf(to, of));
        }}
      >
        ${icons.chevron}
      </button>`;
    return html`<span part="branch-picker" class="picker" role="group" aria-label=${texts.versionOf(at, of)}
        >${step(texts.previousVersion, previous, at - 1, 'previous')}<span aria-hidden="true" dir="ltr">${at}/${of}</span
        >${step(texts.nextVersion, next, at + 1, 'next')}</span
      >${stay ? html`<span class="stay">${icons.warning}<span>${(unsure ? texts.actionsMayStay : texts.actionsStay)(stay)}</span></span>` : nothing}`;
  }

  #runAction(act: (actions: MessageActions) => void): void {
    const actions = this.#services.surface?.messageActions;
    if (actions) act(actions);
  }

  #focusAfter(selector: string): void {
    this.#element.requestUpdate();
    void this.#element.updateComplete.then(() => {
      const found = this.#element.renderRoot.querySelector<HTMLElement>(selector);
      found?.focus();
      if (found instanceof HTMLTextAreaElement) found.setSelectionRange(found.value.length, found.value.length);
    });
  }
}
