/** One message of the conversation. */
import { loadForUser, loadFor } from '../../base/load.js';
import { html, nothing, type PropertyValues } from 'lit';
import type { Attachment } from '../../model/messages.js';
import type { ConversationSurface, MessageView } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { copyText } from '../../base/copy-text.js';
import { timeOfDay } from '../../base/time-of-day.js';
import { PanelElement, type PanelServices } from '../context.js';
import { defineOnce } from '../define-once.js';
import { icon, icons } from '../icons.js';
import { exportCall, exportPlan } from '../parts.js';
import { shared } from '../shared.styles.js';
import type { RewriteCloseEvent } from '../tool-chat-rewrite/tool-chat-rewrite.js';
import { MessageBody, isSameBlock, type BlockPart, ReasoningText } from './message-body.js';
import { MissingCard } from './missing-card.js';
import { actionsRenderer } from './lazy-actions.js';
import { styles } from './tool-chat-message.styles.js';

/**
 * @summary One message: the user's text as plain text, or an answer with formatted text and its tool cards in order.
 * @tagname tool-chat-message
 * @csspart message - A message of the user or the assistant.
 * @csspart message-user - A message of the user.
 * @csspart message-assistant - A message of the assistant.
 * @csspart message-tool - The place of one tool card.
 * @csspart reasoning - The folded reasoning before an answer.
 * @csspart copy-button - Copies the text.
 * @csspart regenerate-button - Asks for another version of the last answer.
 * @csspart edit-message-button - Edits a message of the user.
 * @csspart branch-picker - Which version is shown, with buttons to the others.
 * @csspart feedback-button - Rates an answer as good or bad.
 * @csspart attachment - A picture that the user sent.
 * @csspart continue-button - Continues an answer that reached its length limit.
 */
export class ToolChatMessage extends PanelElement {
  static override styles = [shared, styles];
  static override properties = {
    view: { attribute: false, hasChanged: differs },
    copied: { state: true },
    rewriting: { state: true },
    unfolded: { state: true },
  };

  /** The message and its parts. */
  declare view: MessageView | undefined;
  declare protected copied: '' | 'yes' | 'no';
  /** True while the user edits the message. */
  declare protected rewriting: boolean;
  /** True if the user has unfolded a long message. */
  declare protected unfolded: boolean;

  #body: MessageBody | undefined;
  #reasoning: ReasoningText | undefined;
  #shownId = '';
  #unfollow: (() => void) | undefined;

  constructor() {
    super();
    this.copied = '';
    this.rewriting = this.unfolded = false;
  }

  /** Returns the text of an answer as users read it, for announcements. Resolves after it is rendered. */
  async spokenText(): Promise<string> {
    await this.updateComplete;
    await this.#body?.settled();
    return this.#body?.plainText ?? '';
  }

  override connectedCallback() {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopFollowing();
  }

  override render() {
    const texts = this.services?.texts;
    if (!texts || !this.view) return nothing;
    const { message, note, canContinue, canRegenerate, canEdit } = this.view;
    const { lang = '' } = this.services ?? {};
    const time = message.createdAt
      ? html`<time datetime=${new Date(message.createdAt).toISOString()}>${timeOfDay(message.createdAt, lang)}</time>`
      : nothing;
    const more = actionsRenderer(this, this.view)?.(this, this.view, this.services as PanelServices) ?? nothing;
    if (message.role !== 'assistant')
      return html`<article part="message message-user" class="user" aria-label=${texts.you}>
        ${message.attachments ? renderImages(message.attachments) : nothing}${
          this.rewriting && canEdit
            ? html`<tool-chat-rewrite
                .text=${message.text}
                .messageId=${message.id}
                @tool-chat-rewrite-close=${this.#onRewriteClose}
              ></tool-chat-rewrite>`
            : html`${message.text ? this.#renderUserText(message.text, texts) : nothing}
                <div class="actions">
                  ${time}${canEdit ? this.#action('edit-message-button', texts.editMessage, pencil, () => this.#rewrite()) : nothing}${more}
                </div>`
        }
      </article>`;

    const running = message.status.type === 'running';
    const copyLabel = this.copied === 'yes' ? texts.copied : texts.copy;
    return html`
      <article
        part="message message-assistant"
        class="assistant"
        aria-label=${texts.assistant}
        data-status=${message.status.type}
        ?data-last=${canRegenerate}
      >
        <details part="reasoning" hidden>
          <summary>${icons.chevron}<span>${texts.reasoning}</span></summary>
          <div class="reasoning"></div>
        </details>
        <div class="body"></div>
        ${note ? html`<p class="note">${icons.warning}<span>${note}</span></p>` : nothing}
        <div class="actions">
          ${
            running
              ? html`<div class="dots" aria-hidden="true"><i></i><i></i><i></i></div>`
              : html`${
                  canContinue
                    ? html`<button type="button" part="continue-button" @click=${this.#continue}>${texts.continueAnswer}</button>`
                    : nothing
                }
                ${
                  message.text && this.view.parts.at(-1)?.type !== 'call'
                    ? html`<button
                          type="button"
                          part="copy-button"
                          class="quiet square act"
                          aria-label=${copyLabel}
                          title=${copyLabel}
                          @click=${this.#copy}
                        >
                          ${this.copied === 'yes' ? icons.check : icons.copy}</button
                        >${this.copied === 'no' ? html`<span class="hint">${texts.copyFailed}</span>` : nothing}`
                    : nothing
                }${canRegenerate ? this.#action('regenerate-button', texts.regenerate, again, () => this.#begin((surface) => surface.retry())) : nothing}${more}${time}`
          }
        </div>
      </article>
    `;
  }

  protected override updated(changed: PropertyValues<this>) {
    const services = this.services;
    const { view } = this;
    // Nothing can be rendered in another document. The element either comes back or shows a message.
    if (this.ownerDocument !== document) return this.#stopFollowing();
    if (!services || view?.message.role !== 'assistant') {
      this.#stopFollowing();
      this.#shownId = '';
      return;
    }
    const { message } = view;
    const begins = message.id !== this.#shownId;
    if (begins) this.#startMessage(message.id);
    if (message.status.type === 'running') {
      this.#unfollow ??= services.surface?.follow(message.id, {
        text: (text) => this.#body?.text(text),
        reasoning: (text) => this.#reasoning?.push(text),
        call: (requestId) => this.#body?.call(requestId),
        block: (part) => this.#body?.block(part),
        restart: () => {
          this.#body?.clear();
          this.#reasoning?.clear();
        },
        end: () => this.#body?.end(),
      });
    } else if (begins || changed.has('view')) {
      this.#stopFollowing();
      this.#body?.sync(view.parts);
      if (message.reasoning !== undefined && message.reasoning !== this.#reasoning?.text) {
        this.#reasoning?.clear();
        this.#reasoning?.push(message.reasoning);
      }
    }
  }

  #startMessage(id: string) {
    this.#stopFollowing();
    this.#shownId = id;
    this.#body?.clear();
    this.#reasoning?.clear();
    const target = this.renderRoot.querySelector<HTMLElement>('.body');
    const fold = this.renderRoot.querySelector<HTMLElement>('details');
    const reasoning = this.renderRoot.querySelector<HTMLElement>('.reasoning');
    if (!target || !fold || !reasoning) return;
    this.#reasoning = new ReasoningText(fold, reasoning);
    this.#body = new MessageBody(target, {
      createCall: (requestId) => this.#createCall(requestId),
      createBlock: (part) => this.#createBlock(part),
      texts: () => this.services?.texts,
      root: this.renderRoot as ShadowRoot,
    });
  }

  #createCall(requestId: string): HTMLElement {
    const holder = document.createElement('div');
    holder.setAttribute('part', 'message-tool');
    const call = document.createElement('tool-chat-call');
    call.requestId = requestId;
    call.setAttribute('exportparts', exportCall);
    holder.append(call);
    loadFor(
      () => import('../tool-chat-call/tool-chat-call.js'),
      undefined,
      () => showMissingCard(call, requestId),
    );
    return holder;
  }

  #createBlock(part: BlockPart): HTMLElement {
    const card =
      part.type === 'plan'
        ? Object.assign(document.createElement('tool-chat-plan'), { planId: part.id })
        : Object.assign(document.createElement('tool-chat-clarify'), { clarify: part.clarify, messageId: this.#shownId });
    card.setAttribute('exportparts', exportPlan);
    const showMissing = () => showMissingCard(card);
    if (part.type === 'plan') loadFor(() => import('../tool-chat-plan/tool-chat-plan.js'), undefined, showMissing);
    else loadFor(() => import('../tool-chat-clarify/tool-chat-clarify.js'), undefined, showMissing);
    return card;
  }

  /** Renders the text of the user. A long message is folded, because it would push the answer out of view. */
  #renderUserText(text: string, texts: Texts) {
    const isLong = text.length > LONG || text.split('\n', LONG_LINES + 1).length > LONG_LINES;
    return html`<p dir="auto" ?data-folded=${isLong && !this.unfolded}>${text}</p>
      ${
        isLong
          ? html`<button type="button" class="quiet" aria-expanded=${String(this.unfolded)} @click=${this.#fold}>
              ${this.unfolded ? texts.showLess : texts.showAll}
            </button>`
          : nothing
      }`;
  }

  readonly #fold = () => {
    this.unfolded = !this.unfolded;
    if (!this.unfolded) void this.updateComplete.then(() => this.scrollIntoView({ block: 'nearest' }));
  };

  #stopFollowing() {
    this.#unfollow?.();
    this.#unfollow = undefined;
    if (!this.isConnected) this.#shownId = '';
  }

  #continue() {
    this.#begin((surface) => surface.continue());
  }

  /** Begins a new answer. The button disappears, so the focus moves to the text field. */
  #begin(act: (surface: ConversationSurface) => void) {
    const { services } = this;
    services?.returnFocus(this);
    if (services?.surface) act(services.surface);
  }

  #action(part: string, label: string, icon: unknown, act: () => unknown) {
    return html`<button type="button" part=${part} class="quiet square act" aria-label=${label} title=${label} @click=${act}>
      ${icon}
    </button>`;
  }

  #rewrite() {
    this.rewriting = true;
    loadForUser(() => import('../tool-chat-rewrite/tool-chat-rewrite.js')).catch(() => (this.rewriting = false));
  }

  /** Ends the editing, with or without a change. */
  readonly #onRewriteClose = ({ text }: RewriteCloseEvent) => {
    const { id } = this.view?.message ?? {};
    this.rewriting = false;
    if (text !== undefined && id !== undefined) this.#begin((surface) => surface.edit(id, text));
    else void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[part=edit-message-button]')?.focus());
  };

  async #copy() {
    if (!this.view) return;
    const { text } = this.view.message;
    const copied = await loadForUser(() => import('../visible-text.js')).then(
      ({ copyableText }) => copyText(copyableText(text)),
      () => false,
    );
    const { services } = this;
    if (!copied && services) services.announce(services.texts.copyFailed);
    this.copied = copied ? 'yes' : 'no';
    setTimeout(() => (this.copied = ''), 2600);
  }
}

/** Size above which a message of the user is folded, in UTF-16 units and in lines. */
const LONG = 2_000;
const LONG_LINES = 24;

const pencil = icon('M10.6 3.2a1.5 1.5 0 0 1 2.2 2.2L6 12.2l-2.9.7.7-2.9z');
const again = icon('M13 8a5 5 0 1 1-1.5-3.6L13 5.9M13 2.8v3.1H9.9');

function showMissingCard(card: HTMLElement, requestId?: string): void {
  defineOnce('tool-chat-missing-card', MissingCard);
  card.replaceChildren(Object.assign(document.createElement('tool-chat-missing-card'), { requestId }));
}

/** Renders only images that are stored in the message itself, so that no request is made. */
function renderImages(attachments: readonly Attachment[]) {
  return attachments.map(({ name, url }) =>
    url.startsWith('data:image/')
      ? html`<img part="attachment" src=${url} alt=${name} loading="lazy" />`
      : html`<p class="file" dir="auto">${name}</p>`,
  );
}

/** Returns true if the display of a message has changed. Every snapshot copies the views, so they cannot be compared by identity. */
function differs(one: MessageView | undefined, other: MessageView | undefined): boolean {
  if (!one || !other) return one !== other;
  const [a, b] = [one.message, other.message];
  if (a.id !== b.id || a.status.type !== b.status.type || a.text !== b.text || a.reasoning !== b.reasoning) return true;
  if (one.canRegenerate !== other.canRegenerate || one.canEdit !== other.canEdit) return true;
  if (mayHaveActions(one) !== mayHaveActions(other)) return true;
  if (one.note !== other.note || one.canContinue !== other.canContinue || one.parts.length !== other.parts.length) return true;
  return one.parts.some((part, at) => {
    const same = other.parts[at];
    if (part.type === 'text') return same?.type !== 'text' || same.text !== part.text;
    if (part.type === 'call') return same?.type !== 'call' || same.requestId !== part.requestId;
    return !same || same.type === 'text' || same.type === 'call' || !isSameBlock(part, same);
  });
}

const mayHaveActions = ({ branch, message }: MessageView) => JSON.stringify([branch, message.metadata.feedback]);

defineOnce('tool-chat-message', ToolChatMessage);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-message': ToolChatMessage;
  }
}
