/** A relay in a process of its own, to be killed. Told everything by the environment; writes its port when it listens. */
import { serve } from '@hono/node-server';
import { createRelay, relayOptionsFromEnv } from '../../src/relay/index.js';

const relay = createRelay({ ...relayOptionsFromEnv(process.env), logger: false });
const server = serve({ fetch: relay, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port));
process.once('SIGTERM', () => {
  // Readers are told before they are hung up on.
  server.close(() => process.exit(0));
  void relay.close();
});
