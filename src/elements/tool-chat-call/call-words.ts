/** The words of a call's card: how far it is, what came of it, who decided, and when. */
import type { CardStatus, CardView } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import type { PanelServices } from '../context.js';
import { spokenName } from '../../base/spoken-name.js';
import { objectsIn } from '../../model/sentence-objects.js';
import { headlineOf } from '../sentences.js';

/** The seeds' signs. */
export const signs: Partial<Record<CardStatus, string>> = { executing: '🔧', success: '✅', error: '❌' };

/** It worked, and there was nothing: no triumph, and no error. */
export const isEmpty = ({ status, result }: CardView): boolean => status === 'success' && result?.errorType === 'empty_result';

/** The service's own doing, or what it asked a person about. */
const isServed = ({ service, call }: CardView): boolean => service === true || call?.flags?.includes('service') === true;

/** The user declined it; the page gives a reason. */
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
      return isServed(card) ? texts.serviceRuns : texts.runningTool(card.toolName);
    case 'success':
      if (isEmpty(card)) return texts.noResults;
      return (isServed(card) && card.result?.message) || texts.toolFinished; // allowed, or done, by the service
    case 'error':
      return card.raw === undefined ? texts.toolFailed : texts.notExecuted;
    case 'denied':
      return isDeclined(card, texts) ? texts.youDeclined : (card.result?.message ?? '');
    default:
      return texts[card.status];
  }
}

/** It worked, and its tool says no more than that. */
export function saysNothing({ status, result, label, toolName }: CardView, texts: Texts): boolean {
  const { message = '' } = result ?? {};
  if (status !== 'success') return false;
  return message === '' || message === texts.toolFinished || message === texts.toolDone(spokenName(label || toolName));
}

/** What stands on the line: the message or the sentence of the call; where neither says what came of it, that it is done. */
export function lineOf(card: CardView, texts: Texts): string {
  const { call, result, status } = card;
  if (tells(card)) return result?.message ?? '';
  const isDone = status === 'success' && call?.sentence === undefined && outcomeOf(card, texts) === '';
  return isDone ? texts.toolDone(spokenName(card.label || card.toolName)) : headlineOf(card, texts);
}

/** The message says it all, in the words of the tool: it names what the sentence names. */
export function tells({ call, result, status }: CardView): boolean {
  const object = call?.sentence === undefined ? undefined : objectsIn(call.sentence)[0];
  return (
    status === 'success' &&
    object !== undefined &&
    result?.success === true &&
    result.message.includes(object) &&
    result.message.length < 200
  );
}

/** What came of it, as far as the sentence does not say so by its sign. */
export function outcomeOf(card: CardView, texts: Texts): string {
  const { result, status } = card;
  if (status === 'executing') return isServed(card) ? texts.serviceRuns : texts.running;
  if (status === 'success' && !isEmpty(card) && !isServed(card)) return saysNothing(card, texts) ? '' : shortOf(result?.message);
  if (status === 'error' && card.raw === undefined) return shortOf(result?.message) || texts.toolFailed;
  return statusText(card, texts);
}

/** On one line; a longer message stands below. */
const shortOf = (message = ''): string => (message.length <= 60 && !message.includes('\n') ? message : '');

export function whoDecided({ call, status }: CardView, texts: Texts): string {
  if (status === 'denied' || status === 'pending') return '';
  return { person: texts.youAllowed, grant: texts.youAllowedBefore }[call?.decidedBy as string] ?? '';
}

export function duration(ms: number, { texts, lang }: PanelServices): string {
  const format = (value: number, digits: number) =>
    new Intl.NumberFormat(lang || undefined, { maximumFractionDigits: digits }).format(value);
  return ms < 1000 ? texts.tookMs(format(ms, 0)) : texts.tookSeconds(format(ms / 1000, 1));
}
