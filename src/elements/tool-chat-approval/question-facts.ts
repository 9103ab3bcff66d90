/** What a question shows beside its sentence: arguments, and what would change. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Call, Change } from '../../model/calls.js';
import { own } from '../../base/objects.js';
import type { Texts } from '../../i18n/en.js';
import { drawn } from '../drawn.js';
import { nameOf, riskIcon, riskText } from '../decision-words.js';
import { icons } from '../icons.js';
import { renderSentence, type ArgumentRow } from '../sentences.js';
import { valueText } from '../../base/value-text.js';
import { readMark, renderArgument, renderVisible } from '../value-view.js';

export interface FactOptions {
  texts: Texts;
  /** They have to be seen before "allow" opens. */
  marked: boolean;
  /** Draws a value, which unfolds under this name. */
  value(name: string, text: string, marked: boolean): unknown;
}

/** In view an argument has the name that people give it, under the details its own. */
export function renderArguments(
  rows: readonly ArgumentRow[],
  { texts, marked, value }: FactOptions,
  labels: Call['labels'] = {},
): TemplateResult {
  const nameOf = (name: string) => (own(labels, name) as string | undefined) ?? name;
  return html`<div part="tool-card-arguments" class="arguments rows">
    <span class=${marked ? 'unseen' : 'heading'}>${texts.parameters} </span>
    ${rows.map(([name, text]) => renderArgument(nameOf(name), value(`argument ${name}`, text, marked), texts))}
  </div>`;
}

/** `prefix` tells the values of one list from those of another. */
export function renderChanges(
  prefix: string,
  changes: readonly Change[],
  { texts, marked, value }: FactOptions,
  heading?: string,
): TemplateResult {
  const side = (name: string, kind: string, word: string, data: unknown) =>
    html`<div class=${kind}><span class="unseen">${word}: </span>${value(name, valueText(data), marked)}</div>`;
  return html`<div class="preview" ?data-fact=${marked}>
    ${heading === undefined ? nothing : html`<span class="heading">${heading}</span>`}
    ${changes.map((change, at) => {
      const isNew = change.before === undefined;
      const isGone = change.after === undefined;
      const name = change.path ? `${change.label} (${change.path})` : change.label;
      return html`<div class="change">
        <span class="key" translate="no" ${drawn(name, () => renderVisible(name))}></span>
        ${isNew ? nothing : side(`${prefix}before ${String(at)}`, 'before', isGone ? texts.removed : texts.before, change.before)}
        ${isGone ? nothing : side(`${prefix}after ${String(at)}`, 'after', isNew ? texts.added : texts.after, change.after)}
      </div>`;
    })}
  </div>`;
}

export interface ConsequenceOptions {
  texts: Texts;
  /** Why it asks; empty where that need not be in view. */
  reason: unknown;
}

/** Below the sentence: what it could do, whose tool it is, and why it asks. */
export function renderConsequence(call: Call, { texts, reason }: ConsequenceOptions): TemplateResult {
  const { toolHost } = call;
  return html`<p class="consequence">
    <span class="risk" id="risk" data-fact>${riskIcon(call.risk)}<span .textContent=${riskText(call, texts)}></span>${readMark}</span>
    ${
      toolHost
        ? html`<span class="host" id="host" data-fact
            >${texts.toolFrom} <bdi translate="no" ${drawn(toolHost, () => renderVisible(toolHost))}></bdi>${readMark}</span
          >`
        : nothing
    }
    <span class="reason" ?data-fact=${reason !== nothing}>${reason}</span>
  </p>`;
}

/** A longer sentence is a text. */
const LONG_SENTENCE = 300;

/** The sentence, else the label. A long one unfolds like any other value. */
export function renderHeadline({ icon, label, sentence }: Call, { value }: FactOptions): unknown {
  if (sentence === undefined)
    return html`<bdi
      class="object"
      translate="no"
      ${drawn(`${icon ?? ''} ${label}`, () => [icon ? html`<span class="unseen">${icon} </span>` : nothing, renderVisible(label), readMark])}
    ></bdi>`;
  if (sentence.length > LONG_SENTENCE || sentence.includes('\n')) return value('sentence', sentence, true);
  return html`<span translate="no" ${drawn(sentence, () => [readMark, renderSentence(sentence), readMark])}></span>`;
}

export interface FoldedFacts {
  rows: readonly ArgumentRow[];
  changes: readonly Change[];
  /** Why it asks; empty where that stands in view. */
  why: string;
}

/** What need not be seen: it says more exactly what the sentence says. */
export function renderDetails(call: Call, { rows, changes, why }: FoldedFacts, options: FactOptions): unknown {
  const { texts } = options;
  const { icon, label } = call;
  if (rows.length + changes.length === 0 && why === '') return nothing;
  return html`<details class="details">
    <summary aria-label=${nameOf(texts.showDetails, [{ call, label }], texts)}><span>${texts.showDetails}</span>${icons.chevron}</summary>
    <div class="folded">
      <p>${icon ? `${icon} ` : nothing}<bdi>${renderVisible(label)}</bdi></p>
      ${changes.length > 0 ? renderChanges('folded ', changes, options) : nothing}
      ${rows.length > 0 ? renderArguments(rows, options) : nothing} ${why ? html`<p>${texts.why} ${renderVisible(why)}</p>` : nothing}
    </div>
  </details>`;
}
