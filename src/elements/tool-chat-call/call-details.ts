/** The texts and the details of a call's card: its progress, its result, who decided, and when. */
import { html, nothing, type TemplateResult } from 'lit';
import { own } from '../../base/objects.js';
import type { CardStatus, CardView } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import type { PanelServices } from '../context.js';
import { readableName } from '../../base/readable-name.js';
import { objectsIn } from '../../model/sentence-objects.js';
import { headlineOf } from '../sentences.js';
import { argumentRows, renderArgument, renderVisible } from '../value-view.js';

/** The emoji in the status line of a card. */
const statusSigns: Partial<Record<CardStatus, string>> = { executing: '🔧', success: '✅', error: '❌' };

/** Returns true if the call succeeded without results. It is displayed neither as a success nor as an error. */
export const isEmpty = ({ status, result }: CardView): boolean => status === 'success' && result?.errorType === 'empty_result';

/** Returns true if the service ran the call itself, or requested approval for it. */
const isByService = ({ service, call }: CardView): boolean => service === true || call?.flags?.includes('service') === true;

/** Returns true if the user declined the call. If the page denied it, the result has a reason. */
export const isDeclined = ({ status, result }: CardView, { declined }: Texts): boolean =>
  status === 'denied' && (result?.message || declined) === declined;

export function statusText(card: CardView, texts: Texts): string {
  switch (card.status) {
    case 'pending':
      return texts.readingCall;
    case 'queued':
      return card.queuePosition ? texts.queuedAt(card.queuePosition) : texts.queued;
    case 'awaiting_approval':
      return texts.waitingForConfirmation;
    case 'executing':
      return isByService(card) ? texts.serviceRuns : texts.runningTool(card.toolName);
    case 'success':
      if (isEmpty(card)) return texts.noResults;
      return (isByService(card) && card.result?.message) || texts.toolFinished; // allowed or executed by the service
    case 'error':
      return card.raw === undefined ? texts.toolFailed : texts.notExecuted;
    case 'denied':
      return isDeclined(card, texts) ? texts.youDeclined : (card.result?.message ?? '');
    default:
      return texts[card.status];
  }
}

/** Returns true if the call succeeded and its tool returned no specific message. */
export function isMessageRedundant({ status, result, label, toolName }: CardView, texts: Texts): boolean {
  const { message = '' } = result ?? {};
  if (status !== 'success') return false;
  return message === '' || message === texts.toolFinished || message === texts.toolDone(readableName(label || toolName));
}

/** Returns the text of the line: the message or the sentence of the call. If neither states the result, it says that the call is done. */
export function lineOf(card: CardView, texts: Texts): string {
  const { call, result, status } = card;
  if (messageReplacesSentence(card)) return result?.message ?? '';
  const isDone = status === 'success' && call?.sentence === undefined && outcomeOf(card, texts) === '';
  return isDone ? texts.toolDone(readableName(card.label || card.toolName)) : headlineOf(card, texts);
}

/** Returns true if the tool's message can replace the sentence, because it names the same object. */
export function messageReplacesSentence({ call, result, status }: CardView): boolean {
  const object = call?.sentence === undefined ? undefined : objectsIn(call.sentence)[0];
  return (
    status === 'success' &&
    object !== undefined &&
    result?.success === true &&
    result.message.includes(object) &&
    result.message.length < 200
  );
}

/** Returns the result of the call in words, unless the icon of its status is enough. */
export function outcomeOf(card: CardView, texts: Texts): string {
  const { result, status } = card;
  if (status === 'executing') return isByService(card) ? texts.serviceRuns : texts.running;
  if (status === 'success' && !isEmpty(card) && !isByService(card)) return isMessageRedundant(card, texts) ? '' : shorten(result?.message);
  if (status === 'error' && card.raw === undefined) return shorten(result?.message) || texts.toolFailed;
  return statusText(card, texts);
}

/** Returns the message if it fits on one line. A longer message is displayed below. */
const shorten = (message = ''): string => (message.length <= 60 && !message.includes('\n') ? message : '');

export function decidedByText({ call, status }: CardView, texts: Texts): string {
  if (status === 'denied' || status === 'pending') return '';
  return { person: texts.youAllowed, grant: texts.youAllowedBefore }[call?.decidedBy as string] ?? '';
}

function duration(ms: number, { texts, lang }: PanelServices): string {
  const format = (value: number, digits: number) =>
    new Intl.NumberFormat(lang || undefined, { maximumFractionDigits: digits }).format(value);
  return ms < 1000 ? texts.tookMs(format(ms, 0)) : texts.tookSeconds(format(ms / 1000, 1));
}

/** Renders a text, which unfolds if it is long. `name` identifies it. */
type RenderText = (name: string, text: string) => unknown;

/** Renders the details: status, duration and arguments. If the result has data, they need one more press. */
export function renderDetails(
  card: CardView,
  services: PanelServices,
  { outcome, open, text }: { outcome: string; open: boolean; text: RenderText },
): TemplateResult {
  const { texts } = services;
  const { result, raw } = card;
  const state = statusText(card, texts);
  const sign = isEmpty(card) ? undefined : statusSigns[card.status];
  return html`<p class="state">
      ${[
        outcome !== state && [sign && `${sign} `, html`<bdi>${renderVisible(state)}</bdi>`],
        result && card.toolName !== card.label && html` <code>${renderVisible(card.toolName)}</code>`,
        card.call?.toolHost && html` <bdi translate="no">${renderVisible(card.call.toolHost)}</bdi>`,
        result && result.durationMs > 0 && html` <span class="time">${duration(result.durationMs, services)}</span>`,
      ].filter(Boolean)}
    </p>
    ${renderArguments(card, texts, text)}
    ${
      raw
        ? html`<p class="heading">${texts.showRaw}</p>
            ${open ? html`<div class="source">${text('raw', raw)}</div>` : nothing}`
        : nothing
    }`;
}

function renderArguments(card: CardView, texts: Texts, renderText: RenderText) {
  const entries = argumentRows(card.call?.args ?? card.params, texts);
  if (entries.length === 0) return nothing;
  const rows = entries.map(([name, text]) => renderArgument(name, renderText(name, text), texts));
  // A single argument is next to its heading: `参数: title = …`.
  return html`<div part="tool-card-arguments" class=${entries.length === 1 ? 'arguments rows single' : 'arguments rows'}>
    ${[html`<span class="heading">${texts.argumentsLabel} </span>`, ...rows]}
    ${card.edited?.length ? html`<p class="heading">${texts.changedByYou} <bdi>${renderVisible(card.edited.map(({ label }) => label).join(', '))}</bdi></p>` : nothing}
  </div>`;
}

/** Renders the progress of a running call. */
export function renderProgress(card: CardView, texts: Texts): unknown {
  if ((card.status !== 'executing' && card.status !== 'queued') || !card.progress) return nothing;
  const { fraction, message } = card.progress;
  return html`<div class="progress">
    ${fraction === undefined ? nothing : html`<progress max="1" .value=${fraction} aria-label=${texts.running}></progress>`}
    ${message ? html`<bdi>${renderVisible(message)}</bdi>` : nothing}
  </div>`;
}

/** Returns true for a list of several objects. A single object is described by the sentence. */
export function isTable(data: unknown): boolean {
  const rows = own(data, 'truncated') === true ? own(data, 'items') : data;
  return Array.isArray(rows) && rows.length > 1 && rows.every((one) => typeof one === 'object' && one !== null);
}
