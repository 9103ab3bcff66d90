/**
 * The browser's own model on this device (`LanguageModel`, Chrome 148 and later): `endpoint="prompt-api:"`. There is no request and no
 * network; both are acted here, so that limits, clocks, stopping and the host's last look hold for it like for any other.
 *
 * Each request opens a session with the history in it and destroys it afterwards. A session would keep the history itself, but drops
 * the oldest of it without a word when its window is full; what is given at the start is never dropped.
 */
import { readActed } from './acted-answer.js';
import { answerFromDevice } from './device-model.js';
import { readMessages } from './wire-messages.js';
import type { Wire } from './wire.js';

export const promptApi: Wire = {
  id: 'prompt-api',
  tools: false,
  images: false,
  temperature: false,
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

  createReader: readActed,
};
