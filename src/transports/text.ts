/** The bytes of the body are the answer: no usage, no reasoning, and only tool calls in the text. */
import { createBodyReader } from './body.js';
import type { ResponseInfo } from './body.js';
import { cutieBody } from './request-body.js';
import { readWholeReply } from './whole-reply.js';
import type { Wire } from './wire.js';

export const plainText: Wire = {
  id: 'text',
  tools: false,
  images: false,

  /** Builds the same request body as `cutie`. */
  request: (turn, endpoint) => ({
    url: new URL(endpoint),
    headers: { 'content-type': 'application/json', accept: 'text/plain' },
    body: cutieBody(turn),
  }),

  /** Creates a reader. A clean close ends the reply without proof. An incomplete character at the end proves that it was cut. */
  createReader(emit, response: ResponseInfo) {
    const decoder = new TextDecoder();
    return createBodyReader(emit, response, {
      plain: { types: ['text/plain', 'text/markdown'], decode: (bytes) => decoder.decode(bytes, { stream: true }) },
      frame: (text) => [{ type: 'text', text }],
      json: (body) => readWholeReply(body),
      closed: () => (decoder.decode() === '' ? [{ type: 'finish', finish: 'stop', proved: false }] : []),
    });
  },
};
