/** The wire of our relay: `message`, `done` and `error` events. */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, finishEvent, readError, readFinish, readUsage, stringOf } from './read-fields.js';
import { cutieBody } from './request-body.js';
import { readWholeReply } from './whole-reply.js';
import type { Wire, WireEvent } from './wire.js';

export const cutie: Wire = {
  id: 'cutie',
  tools: false,
  images: false,

  /** Builds the request. With `stream: false` it goes to the non-streaming route: `/api/ai/chat` instead of `/api/ai/chat/stream`. */
  request(turn, endpoint) {
    const url = new URL(endpoint);
    if (!turn.stream) url.pathname = url.pathname.replace(/\/stream\/?$/, '');
    return {
      url,
      headers: { 'content-type': 'application/json', accept: turn.stream ? 'text/event-stream' : 'application/json' },
      body: cutieBody(turn),
    };
  },

  /** Returns the address of the rest of a reply. The relay's ids are `<stream>.<n>`, so the last one names the stream. */
  resume(endpoint, lastEventId) {
    const [, stream] = /^([\w-]+)\.\d{1,9}$/.exec(lastEventId) ?? [];
    if (stream === undefined) return undefined;
    const url = new URL(endpoint);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${stream}`;
    return { url, headers: { accept: 'text/event-stream', 'last-event-id': lastEventId } };
  },

  /** Creates a reader. Only `done` ends the reply; even a clean close does not. */
  createReader: (emit, response: ResponseInfo) =>
    createBodyReader(emit, response, {
      json: (body) => readWholeReply(body),
      frame: jsonFrames((data, name) =>
        meaning(data, stringOf(field(data, 'type')) ?? (name === undefined || name === 'message' ? 'text' : name)),
      ),
    }),
};

/** Converts an event. `kind` is `data.type` or, if that is missing, the event's name. */
function meaning(data: unknown, kind: string): WireEvent[] {
  if (kind === 'text' || kind === 'reasoning') {
    const content = stringOf(field(data, 'content'));
    return content === undefined ? [] : [{ type: kind, text: content }];
  }
  if (kind === 'error') return [readError(data)];
  if (kind !== 'done' || typeof data !== 'object') return [];
  const usage = readUsage(field(data, 'usage'), field(data, 'model'));
  const end = finishEvent(readFinish(field(data, 'finish_reason')) ?? 'stop');
  // Our relay reports if its upstream ended without a reason.
  const finish = field(data, 'proved') === false ? { ...end, proved: false } : end;
  return usage ? [usage, finish] : [finish];
}
