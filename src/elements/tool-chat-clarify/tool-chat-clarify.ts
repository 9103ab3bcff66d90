/** The assistant's guess, and at most two questions in case it is wrong. */
import { ContextConsumer } from '@lit/context';
import { html, nothing, type TemplateResult, css } from 'lit';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import type { Clarify } from '../../model/plan.js';
import { cardIcons } from '../card-icons.js';
import { PanelElement, viewContext } from '../context.js';
import { shared } from '../shared.styles.js';
import { renderVisible, valueStyles } from '../value-view.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .clarify {
    display: grid;
    gap: 12px;
    padding: 12px 14px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_raised);
    overflow-wrap: anywhere;
  }

  h3 {
    display: flex;
    align-items: center;
    gap: 8px;
    font-weight: 620;
  }

  .sign {
    color: var(--_accent);
  }

  .guess {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 8px 12px;
    padding: 10px 12px;
    border-radius: var(--_radius-small);
    background: var(--_subtle);
  }

  .guess p {
    flex: 1 1 200px;
    min-width: 0;
  }

  .kicker {
    display: block;
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  .question {
    display: grid;
    gap: 8px;
  }

  ul {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
  }

  li button {
    height: auto;
    padding-block: 6px;
    text-align: start;
    white-space: normal;
    overflow-wrap: anywhere;
  }

  [aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    box-shadow: inset 0 0 0 1px var(--_accent);
  }

  .past {
    display: inline-block;
    padding: 3px 10px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    color: var(--_muted);
    font-size: var(--_small);
  }

  .send {
    justify-self: start;
  }

  .send[aria-disabled='true'] {
    color: var(--_muted);
  }

  @media (forced-colors: active) {
    [aria-pressed='true'] {
      outline: 2px solid Highlight;
    }
  }
`;

/**
 * @summary A guess that one click accepts, and questions that clicks answer. The answers are sent as one message of the user.
 * @tagname tool-chat-clarify
 * @csspart clarify - The card with questions of the assistant.
 * @csspart default-button - Confirms the suggested answer.
 * @csspart answer-button - One answer to a question.
 * @csspart send-answers-button - Sends the chosen answers, if there are several questions.
 */
export class ToolChatClarify extends PanelElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = {
    clarify: { attribute: false },
    messageId: { attribute: false },
    isOpen: { state: true },
    chosen: { state: true },
  };

  declare clarify: Clarify | undefined;
  /** Id of the message that contains the card. The questions are closed when another message follows. */
  declare messageId: string;
  declare protected isOpen: boolean;
  /** Index of the chosen answer by the index of its question. */
  declare protected chosen: ReadonlyMap<number, number>;

  readonly #view: ContextConsumer<typeof viewContext, this>;
  #wasRunning = false;
  #isAnnounced = false;

  constructor() {
    super();
    this.messageId = '';
    this.isOpen = false;
    this.chosen = new Map();
    this.#view = new ContextConsumer(this, { context: viewContext, subscribe: true, callback: () => this.#updateState() });
  }

  protected override willUpdate() {
    this.#updateState();
  }

  #updateState() {
    const view: ViewSnapshot | undefined = this.#view.value;
    const last = view?.views.at(-1)?.message;
    this.#wasRunning ||= last?.id === this.messageId && view?.isLoading === true;
    this.isOpen = view !== undefined && last?.id === this.messageId && !view.isLoading && view.queue.length === 0;
  }

  override render() {
    const texts = this.services?.texts;
    const { clarify } = this;
    if (!texts || !clarify) return nothing;
    const { questions } = clarify;
    const several = questions.length > 1;
    return html`<section part="clarify" class="clarify" aria-labelledby="heading">
      <h3 id="heading"><span class="sign" aria-hidden="true">${cardIcons.question}</span>${texts.clarifyHeading}</h3>
      <div class="guess">
        <p><span class="kicker">${texts.clarifyDefault}</span> <span dir="auto">${renderVisible(clarify.default)}</span></p>
        ${
          this.isOpen
            ? html`<button type="button" part="default-button" class=${this.chosen.size === 0 ? 'primary' : ''} @click=${this.#useDefault}>
                ${texts.clarifyUseDefault}
              </button>`
            : nothing
        }
      </div>
      ${questions.map((question, at) => this.#question(question, at, several))}
      ${
        several && this.isOpen
          ? html`<button
              type="button"
              part="send-answers-button"
              class=${this.chosen.size > 0 ? 'send primary' : 'send'}
              aria-disabled=${String(this.chosen.size === 0)}
              @click=${this.#sendChosen}
            >
              ${texts.clarifySend}
            </button>`
          : nothing
      }
    </section>`;
  }

  #question({ text, options }: Clarify['questions'][number], at: number, several: boolean): TemplateResult {
    const id = `question-${String(at)}`;
    return html`<div class="question" role="group" aria-labelledby=${id}>
      <p id=${id}><span dir="auto">${renderVisible(text)}</span></p>
      ${
        options.length === 0
          ? nothing
          : html`<ul>
              ${options.map(
                (option, place) =>
                  html`<li>
                    ${
                      this.isOpen
                        ? html`<button
                            type="button"
                            part="answer-button"
                            dir="auto"
                            aria-pressed=${several ? String(this.chosen.get(at) === place) : nothing}
                            @click=${() => this.#choose(at, place, several)}
                          >
                            ${renderVisible(option)}
                          </button>`
                        : html`<span class="past" dir="auto">${renderVisible(option)}</span>`
                    }
                  </li>`,
              )}
            </ul>`
      }
    </div>`;
  }

  protected override updated() {
    const services = this.services;
    const { clarify } = this;
    // Announced when the answer is complete, and only if it was not restored.
    if (!services || !clarify || !this.isOpen || !this.#wasRunning || this.#isAnnounced) return;
    this.#isAnnounced = true;
    services.announce(services.texts.saidClarify(clarify.questions.map(({ text }) => text).join(' '), clarify.default));
  }

  #choose(question: number, option: number, several: boolean) {
    const chosen = new Map(this.chosen);
    if (several && chosen.get(question) === option) chosen.delete(question);
    else chosen.set(question, option);
    this.chosen = chosen;
    if (!several) this.#sendChosen();
  }

  #sendChosen() {
    const { clarify } = this;
    const texts = this.services?.texts;
    if (!texts || !clarify || this.chosen.size === 0) return;
    this.#send(messageOf(clarify, this.chosen, texts));
  }

  #useDefault() {
    const texts = this.services?.texts;
    if (texts && this.clarify) this.#send(texts.clarifySaysDefault(this.clarify.default));
  }

  /** Sends the answer once. The second click of a double click is ignored. */
  #send(text: string) {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.services?.send(text);
  }
}

/** Returns one line per answered question. It includes the question, because an answer alone would not say what it refers to. */
function messageOf({ questions, default: guess }: Clarify, chosen: ReadonlyMap<number, number>, texts: Texts): string {
  const lines = questions.flatMap(({ text, options }, at) => {
    const answer = options[chosen.get(at) ?? -1];
    return answer === undefined ? [] : [texts.clarifyAnswer(text, answer)];
  });
  return [...lines, ...(lines.length < questions.length ? [texts.clarifySaysRest(guess)] : [])].join('\n');
}

fullEnglish();
defineOnce('tool-chat-clarify', ToolChatClarify);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-clarify': ToolChatClarify;
  }
}
