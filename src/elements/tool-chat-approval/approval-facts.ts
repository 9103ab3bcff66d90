/** Renders the facts of an approval below its sentence: arguments and changes. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Call, Change } from '../../model/calls.js';
import { own } from '../../base/objects.js';
import type { Texts } from '../../i18n/en.js';
import { verifiedRender } from '../verified-render.js';
import { buttonLabel, riskIcon, riskText } from '../decision-strings.js';
import { icons } from '../icons.js';
import { renderSentence, type ArgumentRow } from '../sentences.js';
import { valueText } from '../../base/value-text.js';
import { readMark, renderArgument, renderVisible } from '../value-view.js';

export interface FactOptions {
  texts: Texts;
  /** True if the facts must be seen before "allow" is enabled. */
  marked: boolean;
  /** Renders a value. `name` identifies it for unfolding. */
  value(name: string, text: string, marked: boolean): unknown;
}

/** Renders arguments: the visible ones with their labels, those under the details with their own names. */
export function renderArguments(
  rows: readonly ArgumentRow[],
  { texts, marked, value }: FactOptions,
  labels: Call['labels'] = {},
): TemplateResult {
  const nameOf = (name: string) => (own(labels, name) as string | undefined) ?? name;
  return html`<div part="tool-card-arguments" class="arguments rows">
    <span class=${marked ? 'visually-hidden' : 'heading'}>${texts.parameters} </span>
    ${rows.map(([name, text]) => renderArgument(nameOf(name), value(`argument ${name}`, text, marked), texts))}
  </div>`;
}

/** Renders changes. `prefix` distinguishes the values of one list from those of another. */
export function renderChanges(
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

export interface ConsequenceOptions {
  texts: Texts;
  /** The reason for the approval; empty if it need not be visible. */
  reason: unknown;
}

/** Renders the line below the sentence: the risk, the host of the tool, and the reason for the approval. */
export function renderConsequence(call: Call, { texts, reason }: ConsequenceOptions): TemplateResult {
  const { toolHost } = call;
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
export function renderHeadline({ icon, label, sentence }: Call, { value }: FactOptions): unknown {
  if (sentence === undefined)
    return html`<bdi
      class="object"
      translate="no"
      ${verifiedRender(`${icon ?? ''} ${label}`, () => [icon ? html`<span class="visually-hidden">${icon} </span>` : nothing, renderVisible(label), readMark])}
    ></bdi>`;
  if (sentence.length > LONG_SENTENCE || sentence.includes('\n')) return value('sentence', sentence, true);
  return html`<span translate="no" ${verifiedRender(sentence, () => [readMark, renderSentence(sentence), readMark])}></span>`;
}

export interface FoldedFacts {
  rows: readonly ArgumentRow[];
  changes: readonly Change[];
  /** The reason for the approval; empty if it is already visible. */
  why: string;
}

/** Renders the details that need not be seen, because they only repeat the sentence more exactly. */
export function renderDetails(call: Call, { rows, changes, why }: FoldedFacts, options: FactOptions): unknown {
  const { texts } = options;
  const { icon, label } = call;
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
