/** How a reply of the model ends, in the relay's words. */
import type { Finish, WireEvent } from '../transports/wire.js';
import { faults } from './faults.js';
import type { RelayFault } from './faults.js';
import { tooLong } from './upstream-error.js';

/** What the relay knows of a reply that has ended. */
export interface ReplyEnd {
  finish_reason: string;
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  model?: string;
  /** `false` where the upstream said `[DONE]` but never why it stopped. */
  proved?: false;
}

const finishReasons: Readonly<Partial<Record<Finish, string>>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  unknown: 'unknown',
};

/** Follows a reply's events: gives its end when it is there. @throws RelayFault for what is an error among them */
export function createReplyEndReader(model: string | undefined) {
  const end: Partial<ReplyEnd> = model === undefined ? {} : { model };

  return (event: WireEvent): ReplyEnd | undefined => {
    if (event.type === 'usage') {
      end.usage = { prompt_tokens: event.input, completion_tokens: event.output, total_tokens: event.input + event.output };
      if (event.model !== undefined) end.model = event.model.slice(0, 200);
    }
    if (event.type === 'error') throw faultOfEvent(event);
    if (event.type !== 'finish') return undefined;
    const finish_reason = finishReasons[event.finish];
    if (finish_reason === undefined) throw faults.reported({ finish: event.finish }, true);
    return { finish_reason, ...end, ...(!event.proved && { proved: false as const }) };
  };
}

function faultOfEvent({ code = '', message, retryable }: WireEvent & { type: 'error' }): RelayFault {
  if (code === 'TOO_LARGE') return faults.replyTooLong();
  if (code === 'BAD_RESPONSE') return faults.notAModel('unreadable body');
  const detail = { code: code.slice(0, 80) };
  const long = tooLong(code, message);
  if (long) return faults.contextTooLong(long.contextSize, detail);
  // Routers put an HTTP status here; what the caller did wrong does not get better by repeating it.
  return faults.reported(detail, retryable ?? !/^4(?!08|09|29)\d\d$/.test(code));
}
