/** The texts of a call's card: its progress, its result, who decided, and when. */
import type { CardStatus, CardView } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import type { PanelServices } from '../context.js';
import { readableName } from '../../base/readable-name.js';
import { objectsIn } from '../../model/sentence-objects.js';
import { headlineOf } from '../sentences.js';

/** The emoji in the status line of a card. */
export const statusSigns: Partial<Record<CardStatus, string>> = { executing: '🔧', success: '✅', error: '❌' };

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

export function duration(ms: number, { texts, lang }: PanelServices): string {
  const format = (value: number, digits: number) =>
    new Intl.NumberFormat(lang || undefined, { maximumFractionDigits: digits }).format(value);
  return ms < 1000 ? texts.tookMs(format(ms, 0)) : texts.tookSeconds(format(ms / 1000, 1));
}
