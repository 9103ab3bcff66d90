/** Describes failures in the user's language. Never shows a response body, a stack or raw JSON. */
import type { ChatError } from '../../base/errors.js';
import type { Texts } from '../../i18n/en.js';
import type { TurnLimit } from '../../model/messages.js';
import { own } from '../../base/objects.js';
import type { TurnFailure } from '../chart/chart-context.js';

/** Returns the lines of a failure: first what happened, then what to do about it. */
export function failureLines(failure: TurnFailure, texts: Texts): string[] {
  const wait = failure.retryAfterMs === undefined ? [] : [texts.tryAgainIn(Math.ceil(failure.retryAfterMs / 1000))];
  switch (failure.kind) {
    case 'connect':
      return [texts.cannotReach, connectAdvice(failure, texts)];
    case 'timeout':
      return [texts.timedOut, failure.afterHeaders ? texts.timeoutAdvice : texts.checkNetwork];
    case 'cut':
    case 'stall':
      // If the relay reported the failure, the user's own network works.
      return [texts.connectionLost, failure.said === undefined ? texts.checkNetwork : texts.goOnAdvice];
    case 'unauthorised':
      return [texts.unauthorised];
    case 'forbidden':
      return [texts.forbidden];
    case 'not-found':
      return [texts.endpointNotFound, texts.checkEndpoint];
    case 'too-long':
      return failure.window === undefined ? [texts.tooLong] : [texts.tooLongForModel, texts.windowAdvice(failure.window)];
    case 'rate-limit':
      return [texts.tooManyRequests, ...wait];
    case 'server':
      return [texts.serverError, ...wait];
    case 'bad-request':
      return [texts.badRequest];
    case 'gated':
      return [gateText(failure.gate, texts), texts.gateAdvice];
    case 'setup':
      return [texts.notSetUp, texts.tellOwner];
    case 'model-away':
      return [texts.modelAway, texts.tryLater, ...wait];
    case 'model-silent':
      return [texts.modelSilent, texts.tryLater];
    case 'redirect':
      return [texts.redirected, texts.checkEndpoint];
    case 'bad-response':
      return [texts.badResponse, texts.checkEndpoint];
    case 'body-taken':
      return [texts.bodyTaken, texts.bodyTakenAdvice];
    case 'too-large':
      return [texts.tooLarge];
    case 'endpoint':
      return [texts.endpointError, ...(failure.detail && !isTechnical(failure.detail) ? [failure.detail] : [])];
    case 'content-filter':
      return [texts.contentFilter];
    case 'config':
      return [failure.detail ?? texts.error];
    case 'refused':
      return [texts.reasonVeto];
    case 'no-model':
      return [texts.noLocalModel];
    case 'needs-gesture':
      return [texts.needsGesture];
    case 'needs-download':
      return [texts.needsDownload(failure.detail ?? '')];
    case 'no-room':
      return [texts.noRoom(failure.detail ?? '')];
    case 'overflow':
      return [texts.tooLongForModel];
    case 'limit':
    case 'repeat':
    case 'fruitless':
    case 'unreadable':
      return [limitLine({ kind: failure.kind, rounds: failure.rounds ?? 0 }, texts, failure.isCutOff)];
    case 'budget':
      return [texts.budgetReached(failure.budget ?? 0), texts.budgetAdvice];
    case 'locked':
      return [texts.lockedNotUsed(failure.tool ?? ''), texts.lockedAdvice];
    case 'hidden':
      return [texts.cannotAskHidden];
    case 'framed':
      return [texts.cannotAskFramed];
    case 'reload':
      return [texts.answerLeft];
    case 'load':
      return [texts.loadFailed, texts.checkNetwork];
    case 'code':
      return [texts.codeFailed, texts.codeAdvice];
  }
}

/** Detects statuses and markup, which mean nothing to users; the log has them. */
export const isTechnical = (said: string): boolean => /HTTP|CDATA|\b[1-5]\d\d\b|[{<]/.test(said);

export function limitLine({ kind, rounds }: TurnLimit, texts: Texts, isCutOff = false): string {
  if (isCutOff) return texts.callTooLong;
  if (kind === 'limit') return texts.limitReached(rounds);
  return { repeat: texts.repeatReached, fruitless: texts.fruitlessReached, unreadable: texts.unreadableReached }[kind];
}

const gateTexts = {
  unanswered: 'gateUnanswered',
  unknown_result: 'gateUnknownResult',
  forged_call: 'gateForgedCall',
  unconfirmed: 'gateUnconfirmed',
  replayed: 'gateReplayed',
  rounds: 'gateRounds',
  unknown_session: 'gateUnknownSession',
} as const;

function gateText(reason: string | undefined, texts: Texts): string {
  const key = own(gateTexts, reason ?? '') as (typeof gateTexts)[keyof typeof gateTexts] | undefined;
  return texts[key ?? 'gateRefused'];
}

function connectAdvice({ offline, localNetwork, crossOrigin }: TurnFailure, texts: Texts): string {
  // Even an offline computer can reach itself.
  if (localNetwork) return texts.allowLocalNetwork;
  return crossOrigin && !offline ? texts.checkEndpoint : texts.checkNetwork;
}

export function chatErrorOf(failure: TurnFailure, lines: readonly string[]): ChatError {
  return {
    code: failure.code,
    layer: failure.layer,
    ...(failure.errorType && { errorType: failure.errorType }),
    message: lines[0] ?? '',
    ...(failure.status !== undefined && { status: failure.status }),
    retryable: failure.retryable,
  };
}
