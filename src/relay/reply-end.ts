/** Translates the end of a model's reply into the relay's format. */
import type { Finish, WireEvent } from '../transports/wire.js';
import { relayErrors } from './errors.js';
import type { RelayError } from './errors.js';
import { contextLengthOf } from './upstream-error.js';

/** The result data of a reply that has ended. */
export interface ReplyEnd {
  finish_reason: string;
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  model?: string;
  /** `false` if the upstream sent `[DONE]` without a finish reason. */
  proved?: false;
}

const finishReasons: Readonly<Partial<Record<Finish, string>>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  unknown: 'unknown',
};

/** Creates a function that follows a reply's events and returns its end when it arrives. @throws RelayError for an error event */
export function createReplyEndReader(model: string | undefined) {
  const end: Partial<ReplyEnd> = model === undefined ? {} : { model };

  return (event: WireEvent): ReplyEnd | undefined => {
    if (event.type === 'usage') {
      end.usage = { prompt_tokens: event.input, completion_tokens: event.output, total_tokens: event.input + event.output };
      if (event.model !== undefined) end.model = event.model.slice(0, 200);
    }
    if (event.type === 'error') throw errorOfEvent(event);
    if (event.type !== 'finish') return undefined;
    const finish_reason = finishReasons[event.finish];
    if (finish_reason === undefined) throw relayErrors.reported({ finish: event.finish }, true);
    return { finish_reason, ...end, ...(!event.proved && { proved: false as const }) };
  };
}

function errorOfEvent({ code = '', message, retryable }: WireEvent & { type: 'error' }): RelayError {
  if (code === 'TOO_LARGE') return relayErrors.replyTooLong();
  if (code === 'BAD_RESPONSE') return relayErrors.notAModel('unreadable body');
  const detail = { code: code.slice(0, 80) };
  const long = contextLengthOf(code, message);
  if (long) return relayErrors.contextTooLong(long.contextSize, detail);
  // Routers put an HTTP status here. A 4xx other than 408, 409 and 429 fails again if it is repeated.
  return relayErrors.reported(detail, retryable ?? !/^4(?!08|09|29)\d\d$/.test(code));
}
