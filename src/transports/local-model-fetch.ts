/**
 * Implements `fetch` for models that run in the browser: it returns an event stream of our own, which can be aborted and sends keep-alive
 * comments.
 */
import { addEndpointTexts } from '../i18n/en-endpoint.js';
import { createBodyReader, jsonFrames, type ResponseInfo } from './body.js';
import { field, finishEvent, parseJson, readError, readFinish, readUsage, stringOf } from './read-fields.js';
import type { WireEvent, WireReader } from './wire.js';

addEndpointTexts();

/** An event of such an answer. For a known `code`, the `message` of an error has only figures, such as a size, and no text for the user. */
export type LocalModelEvent =
  | { type: 'text'; content: string }
  | { type: 'progress'; fraction: number }
  | { type: 'error'; code?: string; message?: string }
  | { type: 'done'; finish?: string; usage?: { input: number; output: number } };

/**
 * Produces an answer until it is aborted. A rejection becomes an error of the reply.
 *
 * @param body The request body, after the host's `beforeSend`.
 */
export type LocalModel = (body: unknown, signal: AbortSignal, say: (event: LocalModelEvent) => void) => Promise<void>;

/** Interval of keep-alive comments, in milliseconds: a model that loads may be silent for longer than a connection may be. */
const SIGN_OF_LIFE = 5_000;

export function createLocalFetch(
  answer: LocalModel,
  complain: (error: unknown) => { code?: string; message?: string },
): typeof globalThis.fetch {
  return (_address, init) => {
    const signal = init?.signal ?? new AbortController().signal;
    const body = parseJson(typeof init?.body === 'string' ? init.body : '');
    const stopped = () => new DOMException('The answer was stopped', 'AbortError');
    if (signal.aborted) return Promise.reject(stopped());

    const abort = new AbortController();
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      async start(controller) {
        const stop = () => {
          abort.abort();
          controller.error(stopped());
        };
        signal.addEventListener('abort', stop, { once: true });
        const send = (line: string) => {
          if (!abort.signal.aborted) controller.enqueue(encoder.encode(`${line}\n\n`));
        };
        const say = (event: LocalModelEvent) => send(`data: ${JSON.stringify(event)}`);
        const life = setInterval(() => send(':'), SIGN_OF_LIFE);
        try {
          await answer(body, abort.signal, say);
        } catch (error) {
          say({ type: 'error', ...complain(error) });
        } finally {
          clearInterval(life);
          signal.removeEventListener('abort', stop);
          if (!abort.signal.aborted) controller.close();
        }
      },
      cancel: () => abort.abort(),
    });
    return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
  };
}

/** Creates a reader for these events. The reply has ended when the model's own stream closes without an error, which `done` reports. */
export const readLocalModelStream = (emit: (event: WireEvent) => void, response: ResponseInfo): WireReader =>
  createBodyReader(emit, response, {
    json: () => [],
    frame: jsonFrames((data) => {
      const content = stringOf(field(data, 'content'));
      const fraction = field(data, 'fraction');
      switch (field(data, 'type')) {
        case 'text':
          return content === undefined ? [] : [{ type: 'text', text: content }];
        case 'progress':
          return typeof fraction === 'number' ? [{ type: 'progress', fraction }] : [];
        case 'error':
          return [readError(data)];
        case 'done': {
          const usage = readUsage(field(data, 'usage'), undefined);
          return [...(usage ? [usage] : []), finishEvent(readFinish(field(data, 'finish')) ?? 'stop')];
        }
        default:
          return [];
      }
    }),
  });
