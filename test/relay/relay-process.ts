/** A relay in a process of its own, to be killed. Told everything by the environment; writes its port when it listens. */
import { serve } from '@hono/node-server';
import type { Server } from 'node:http';
import { createRelay, relayOptionsFromEnv } from '../../src/relay/index.js';

const relay = createRelay({ ...relayOptionsFromEnv(process.env), logger: false });
const server = serve({ fetch: relay, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port));
process.once('SIGTERM', () => {
  // No new connections; answers end, or their readers are told, before anybody is hung up on.
  server.close(() => process.exit(0));
  void relay.close({ graceMs: Number(process.env['GRACE_MS'] ?? 0) }).then(() => (server as Server).closeIdleConnections());
});
