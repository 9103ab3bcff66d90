/** On the documentation site no server answers: the relay and the scripted services of the playground run inside the page. */
import './without-eval.js';
import { createRelay } from '../../src/relay/index.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { createScriptedServices } from '../server/scripted.js';

const relay = createRelay({ upstream: scriptedUpstream(), logger: false });
const scripted = createScriptedServices({ delayMs: 15 });

/** A `fetch` that answers the addresses of the demo's services, and asks the network for every other. */
export const request: typeof fetch = (input, init) => {
  const asked = new Request(input, init);
  const { pathname, origin } = new URL(asked.url);
  if (origin === location.origin && pathname.startsWith('/api/ai/')) return relay(asked);
  if (origin === location.origin && pathname.startsWith('/api/scripted/')) return scripted(asked);
  return fetch(asked);
};
