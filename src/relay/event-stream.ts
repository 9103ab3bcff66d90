/** The relay's answer as server-sent events: the seed's `message`, `done` and `error` (contract §5, wire-formats §1). */
import type { Finish, WireEvent } from '../transports/wire.js';
import { faultBody, faults, RelayFault } from './faults.js';
import type { UpstreamReply } from './upstream.js';

export interface EventStreamOptions {
  /** The part of each event's id before the dot. */
  id: string;
  reply: UpstreamReply;
  /** Aborted when the client has left. */
  client: AbortSignal;
  /** The model that was asked; the upstream's own word for it wins. */
  model: string | undefined;
  pingInterval: number;
  /** Milliseconds a client may leave an event unread before it is given up. */
  timeout: number;
  /** Called once: how it ended. `fault` is absent for a proper end and for a client that left. */
  onEnd(outcome: 'done' | 'fault' | 'client-left', fault?: RelayFault): void;
}

/** What the relay knows of a reply that has ended. */
export interface ReplyEnd {
  finish_reason: string;
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  model?: string;
  /** `false` where the upstream said `[DONE]` but never why it stopped (contract §7 A). */
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
export function createReplyReader(model: string | undefined) {
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

function faultOfEvent({ code = '', retryable }: WireEvent & { type: 'error' }): RelayFault {
  if (code === 'TOO_LARGE') return faults.replyTooLarge();
  if (code === 'BAD_RESPONSE') return faults.notAModel('unreadable body');
  // Routers put an HTTP status here; what the caller did wrong does not get better by repeating it.
  return faults.reported({ code: code.slice(0, 80) }, retryable ?? !/^4(?!08|09|29)\d\d$/.test(code));
}

/**
 * Reads the upstream only when the client reads, so a slow client costs no memory. Every end but a proper one is an `error` event:
 * a stream that closes without `done` or `error` means that this process died.
 */
export function createEventStream({
  id,
  reply,
  client,
  model,
  pingInterval,
  timeout,
  onEnd,
}: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const readEnd = createReplyReader(model);
  let count = 0;
  let over = false;
  let pings: ReturnType<typeof setInterval> | undefined;
  let stalled: ReturnType<typeof setTimeout> | undefined;

  const frame = (event: string, data: object) => `id: ${id}.${++count}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

  /** The frames of some events; `ended` when the last of them is the stream's last. */
  function write(events: readonly WireEvent[]): { frames: string; ended?: 'done' | RelayFault } {
    let frames = '';
    for (const event of events) {
      try {
        const end = readEnd(event);
        if (end) return { frames: frames + frame('done', { type: 'done', ...end }), ended: 'done' };
      } catch (fault) {
        return { frames: frames + frame('error', faultBody(fault as RelayFault)), ended: fault as RelayFault };
      }
      if (event.type === 'text' || event.type === 'reasoning') frames += frame('message', { type: event.type, content: event.text });
    }
    return { frames };
  }

  function finish(outcome: 'done' | 'fault' | 'client-left', fault?: RelayFault) {
    over = true;
    clearInterval(pings);
    clearTimeout(stalled);
    if (outcome !== 'done') reply.abort();
    onEnd(outcome, fault);
  }

  /** Whatever is not a fault by name is a mistake of ours, and still told as an `error` event (S0-118). */
  async function read(): Promise<{ frames: string; ended?: 'done' | RelayFault }> {
    try {
      for (;;) {
        const events = await reply.next();
        if (!events) throw faults.cut();
        const step = write(events);
        if (step.frames || step.ended) return step;
      }
    } catch (error) {
      const fault = error instanceof RelayFault ? error : faults.internal(error);
      return { frames: frame('error', faultBody(fault)), ended: fault };
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        pings = setInterval(() => controller.enqueue(encoder.encode(': ping\n\n')), pingInterval);
        const { frames, ended } = await read();
        clearInterval(pings);
        if (over) return; // cancelled meanwhile
        if (client.aborted) {
          finish('client-left');
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(frames));
        if (!ended) {
          stalled = setTimeout(() => {
            finish('client-left');
            controller.error(new Error('The client stopped reading.'));
          }, timeout);
          return;
        }
        finish(ended === 'done' ? 'done' : 'fault', ended === 'done' ? undefined : ended);
        controller.close();
      },
      cancel: () => finish('client-left'),
    },
    { highWaterMark: 0 },
  );
}
