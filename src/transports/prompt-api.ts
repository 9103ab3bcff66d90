/**
 * The browser's own model on this device (`LanguageModel`, Chrome 148 and later): `endpoint="prompt-api:"`. There is no request and no
 * network; both are simulated, so that limits, timeouts, aborting and `beforeSend` work as for any other wire.
 *
 * Each request opens a session with the history in it and destroys it afterwards. A session would store the history itself, but it silently
 * drops the oldest part when its context window is full; initial prompts are never dropped.
 */
import { readLocalModelStream } from './local-model-fetch.js';
import { fetchFromDevice } from './device-model.js';
import { readMessages } from './wire-messages.js';
import type { Wire } from './wire.js';

export const promptApi: Wire = {
  id: 'prompt-api',
  tools: false,
  images: false,
  temperature: false,
  fetch: fetchFromDevice,

  /** Builds the request. The browser's model has no name, no length limit to request, and does not read tools. */
  request: (turn, endpoint) => ({
    url: new URL(endpoint),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: {
      system: turn.system,
      messages: readMessages(turn, () => false, false).map(({ role, text: content }) => ({ role, content })),
    },
  }),

  createReader: readLocalModelStream,
};
