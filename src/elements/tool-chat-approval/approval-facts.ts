/** Renders the parts of an approval: its sentence, facts, details and buttons. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Call, CardView, Change } from '../../model/calls.js';
import { own } from '../../base/objects.js';
import type { Texts } from '../../i18n/en.js';
import { verifiedRender } from '../verified-render.js';
import { cardIcons } from '../card-icons.js';
import { isSelected } from '../batch-selection.js';
import { buttonLabel, isPlainReason, riskIcon, riskText, unknownEffect, verbsOf } from '../decision-strings.js';
import { icons } from '../icons.js';
import { headlineOf, headlineWithHost, renderSentence, splitArguments, splitChanges, type ArgumentRow } from '../sentences.js';
import { valueText } from '../../base/value-text.js';
import { readMark, renderArgument, renderVisible, renderWarnings } from '../value-view.js';
import { visibleText } from '../visible-text.js';

export interface FactOptions {
  texts: Texts;
  /** True if the facts must be seen before "allow" is enabled. */
  marked: boolean;
  /** Renders a value. `name` identifies it for unfolding. */
  value(name: string, text: string, marked: boolean): unknown;
}

/** The approval as one of several. */
interface ListOptions {
  listed: boolean;
  unfolded: boolean;
  unfold: () => void;
}

/** Renders the sentence with its icon, checkbox, consequences and reason. */
export function renderWhat(card: CardView, call: Call, { listed, unfolded, unfold }: ListOptions, options: FactOptions): TemplateResult {
  const { texts } = options;
  return html`<div class="what">
    <button
      type="button"
      class="checkbox quiet square"
      role="checkbox"
      aria-checked=${String(isSelected(call.requestId))}
      aria-labelledby="heading host"
      ?hidden=${!listed}
    >
      ${cardIcons.check}
    </button>
    ${call.icon && !listed ? html`<span class="icon" aria-hidden="true">${call.icon}</span>` : nothing}
    <div>
      <h3 id="heading" tabindex="-1">
        ${isQuoted(call) ? html`<span class="lead">${texts.reasonQuoted}</span>` : html`<span class="visually-hidden">${texts.wantsTo} </span>`}<span
          class="sentence"
          >${renderHeadline(call, options)}</span
        >
      </h3>
      ${renderWarnings(headlineOf(card, texts), texts)} ${renderConsequence(call, options)}
    </div>
    ${
      listed
        ? html`<button
            type="button"
            class="unfold quiet square"
            aria-expanded=${String(unfolded)}
            aria-label=${buttonLabel(texts.decideAlone, [card], texts)}
            title=${texts.decideAlone}
            @click=${unfold}
          >
            ${icons.chevron}
          </button>`
        : nothing
    }
  </div>`;
}

/** Renders the buttons. `arming`: their delay runs. */
export function renderButtons(
  card: CardView,
  call: Call,
  texts: Texts,
  { ready, read, arming }: { ready: boolean; read: boolean; arming: boolean },
): TemplateResult {
  const verbs = verbsOf(card, texts);
  return html`<span class="visually-hidden"
      >${card.again === undefined ? (isQuoted(call) ? texts.runThis : texts.allowThis) : texts.runAgain}</span
    >
    <div class="buttons" ?data-arming=${arming}>
      <button
        type="button"
        part="deny-button"
        class="deny"
        aria-label=${buttonLabel(verbs.deny, [card], texts)}
        aria-disabled=${String(!ready)}
      >
        <bdi ${verifiedRender(verbs.deny, () => renderVisible(verbs.deny))}></bdi>
      </button>
      <button
        type="button"
        part=${card.edited?.length ? 'approve-button run-edited-button' : 'approve-button'}
        class="allow primary"
        aria-label=${buttonLabel(verbs.allow, [card], texts)}
        aria-disabled=${String(!ready || !read)}
        aria-describedby="risk"
        ?hidden=${card.confirm === 'keyword'}
      >
        <bdi ${verifiedRender(verbs.allow, () => renderVisible(verbs.allow))}></bdi>
      </button>
    </div>`;
}

/** Renders arguments: the visible ones with their labels, those under the details with their own names. */
function renderArguments(rows: readonly ArgumentRow[], { texts, marked, value }: FactOptions, labels: Call['labels'] = {}): TemplateResult {
  const nameOf = (name: string) => (own(labels, name) as string | undefined) ?? name;
  return html`<div part="tool-card-arguments" class="arguments rows">
    <span class=${marked ? 'visually-hidden' : 'heading'}>${texts.parameters} </span>
    ${rows.map(([name, text]) => renderArgument(nameOf(name), value(`argument ${name}`, text, marked), texts))}
  </div>`;
}

/** Renders changes. `prefix` distinguishes the values of one list from those of another. */
function renderChanges(
  prefix: string,
  changes: readonly Change[],
  { texts, marked, value }: FactOptions,
  heading?: string,
): TemplateResult {
  const side = (name: string, kind: string, word: string, data: unknown) =>
    html`<div class=${kind}><span class="visually-hidden">${word}: </span>${value(name, valueText(data), marked)}</div>`;
  return html`<div class="preview" ?data-fact=${marked}>
    ${heading === undefined ? nothing : html`<span class="heading">${heading}</span>`}
    ${changes.map((change, at) => {
      const isNew = change.before === undefined;
      const isGone = change.after === undefined;
      const name = change.path ? `${change.label} (${change.path})` : change.label;
      return html`<div class="change">
        <span class="key" translate="no" ${verifiedRender(name, () => renderVisible(name))}></span>
        ${isNew ? nothing : side(`${prefix}before ${String(at)}`, 'before', isGone ? texts.removed : texts.before, change.before)}
        ${isGone ? nothing : side(`${prefix}after ${String(at)}`, 'after', isNew ? texts.added : texts.after, change.after)}
      </div>`;
    })}
  </div>`;
}

/** Renders the line below the sentence: the risk, the host of the tool, and the reason for the approval. */
function renderConsequence(call: Call, options: FactOptions): TemplateResult {
  const { toolHost } = call;
  const { texts } = options;
  const reason = renderReason(call, options);
  return html`<p class="consequence">
    <span class="risk" id="risk" data-fact>${riskIcon(call.risk)}<span .textContent=${riskText(call, texts)}></span>${readMark}</span>
    ${
      toolHost
        ? html`<span class="host" id="host" data-fact
            >${texts.toolFrom} <bdi translate="no" ${verifiedRender(toolHost, () => renderVisible(toolHost))}></bdi>${readMark}</span
          >`
        : nothing
    }
    <span class="reason" ?data-fact=${reason !== nothing}>${reason}</span>
  </p>`;
}

/** Longest sentence shown as a heading, in UTF-16 units. A longer one is rendered like a value. */
const LONG_SENTENCE = 300;

/** Renders the sentence, else the label. A long sentence unfolds like any other value. */
function renderHeadline({ icon, label, sentence }: Call, { value }: FactOptions): unknown {
  if (sentence === undefined)
    return html`<bdi
      class="object"
      translate="no"
      ${verifiedRender(`${icon ?? ''} ${label}`, () => [icon ? html`<span class="visually-hidden">${icon} </span>` : nothing, renderVisible(label), readMark])}
    ></bdi>`;
  if (sentence.length > LONG_SENTENCE || sentence.includes('\n')) return value('sentence', sentence, true);
  return html`<span translate="no" ${verifiedRender(sentence, () => [readMark, renderSentence(sentence), readMark])}></span>`;
}

/** Renders what the user must see below the sentence. */
export function renderFacts(card: CardView, call: Call, options: FactOptions): unknown {
  const { texts } = options;
  const changes = splitChanges(call).shown;
  const rows = splitArguments(call, texts).shown;
  const unknown = unknownEffect(call, texts);
  return html`${changes.length > 0 ? renderChanges('', changes, options) : nothing}
  ${call.moreChanges ? html`<p class="more-changes" data-fact>${texts.moreChanges(call.moreChanges)}</p>` : nothing}
  ${unknown ? html`<p class="note" data-fact>${unknown}${readMark}</p>` : nothing}
  ${card.edited?.length ? renderChanges('edited ', card.edited, options, card.repeats === undefined ? texts.changedByYou : texts.runAgainOf) : nothing}
  ${rows.length > 0 ? html`<div data-fact>${renderArguments(rows, options, call.labels)}</div>` : nothing}`;
}

/** Renders the details that need not be seen, because they only repeat the sentence more exactly. */
export function renderDetails(call: Call, options: FactOptions): unknown {
  const { texts } = options;
  const { icon, label } = call;
  const reason = reasonOf(call, texts);
  const why = isPlainReason(reason, texts) ? reason : '';
  const rows = splitArguments(call, texts).folded;
  const changes = splitChanges(call).folded;
  if (rows.length + changes.length === 0 && why === '') return nothing;
  return html`<details class="details">
    <summary aria-label=${buttonLabel(texts.showDetails, [{ call, label }], texts)}>
      <span>${texts.showDetails}</span>${icons.chevron}
    </summary>
    <div class="folded">
      <p>${icon ? `${icon} ` : nothing}<bdi>${renderVisible(label)}</bdi></p>
      ${changes.length > 0 ? renderChanges('folded ', changes, options) : nothing}
      ${rows.length > 0 ? renderArguments(rows, options) : nothing} ${why ? html`<p>${texts.why} ${renderVisible(why)}</p>` : nothing}
    </div>
  </details>`;
}

/**
 * Renders the reason; nothing if it is one of the usual reasons, which the details give. Our own texts are rendered as they are. A text of a
 * service could pass for ours and be of any length, so it is labeled.
 */
function renderReason(call: Call, { texts, value }: FactOptions): unknown {
  const reason = reasonOf(call, texts);
  if (reason === '' || isPlainReason(reason, texts)) return nothing;
  if (!call.flags?.includes('service') || reason === texts.reasonService)
    return [html`<bdi ${verifiedRender(reason, () => renderVisible(reason))}></bdi>`, readMark];
  return [html`<span>${texts.serviceSays} </span>`, value('reason', reason, true)];
}

/** Returns the reason of the approval; empty if the heading gives it. */
const reasonOf = (call: Call, texts: Texts): string => (isQuoted(call) && call.reason === texts.reasonQuoted ? '' : call.reason);

/** Returns true if the assistant showed the call instead of requesting it: the user decides whether to run it. */
const isQuoted = ({ flags }: Call): boolean => flags?.includes('quoted') === true;

/** Longest announced part of a value, in UTF-16 units. */
const MAX_SPOKEN = 80;

/** Returns the announcement of an approval. */
export function spokenSummary(card: CardView, call: Call, texts: Texts): string {
  const facts = splitArguments(call, texts).shown.map(([name, text]) => `${spoken(name)} = ${spoken(text)}`);
  return [headlineWithHost(card, texts), riskText(call, texts), facts.join(', ')].filter(Boolean).join('. ');
}

/** Returns a text for the announcement. Hidden characters are named, and a cut is marked: the rest is on the card. */
function spoken(text: string): string {
  const { pieces } = visibleText(text.slice(0, MAX_SPOKEN));
  const line = pieces.map((piece) => (typeof piece === 'string' ? piece : ` ${piece.mark} `)).join('');
  return text.length > MAX_SPOKEN ? `${line}…` : line;
}
