/**
 * The browser's own model on this device (`LanguageModel`, Chrome 148 and later): `endpoint="prompt-api:"`. There is no request and no
 * network; both are acted here, so that limits, clocks, stopping and the host's last look hold for it like for any other.
 *
 * Each request opens a session with the history in it and destroys it afterwards. A session would keep the history itself, but drops
 * the oldest of it without a word when its window is full; what is given at the start is never dropped.
 */
import { createBodyReader, jsonFrames } from './body.js';
import { answerFromDevice } from './device-model.js';
import { field, readError, readUsage, text } from './read-fields.js';
import { readMessages } from './wire-messages.js';
import type { Wire } from './wire.js';

export const promptApi: Wire = {
  id: 'prompt-api',
  tools: false,
  images: false,
  fetch: answerFromDevice,

  /** The model of the browser has no name, and no length that could be asked for; tools are not read by it. */
  request: (turn, endpoint) => ({
    url: new URL(endpoint),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: {
      system: turn.system,
      messages: readMessages(turn, () => false, false).map(({ role, text: content }) => ({ role, content })),
    },
  }),

  /** Ended when the model's stream closes without an error, which `done` tells. */
  createReader: (emit, response) =>
    createBodyReader(emit, response, {
      json: () => [],
      frame: jsonFrames(response, (data) => {
        const content = text(field(data, 'content'));
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
            return [...(usage ? [usage] : []), { type: 'finish', finish: 'stop', proved: true }];
          }
          default:
            return [];
        }
      }),
    }),
};
