import { serve } from '@hono/node-server'; // npm install tool-chat @hono/node-server
import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

const relay = createRelay(relayOptionsFromEnv(process.env));
const server = serve({ fetch: relay, port: Number(process.env.PORT ?? 8787) }, ({ port }) => console.log(`Listening on ${port}`));

process.once('SIGTERM', () => {
  server.close(() => process.exit(0)); // no new connections; exits when the last one is closed
  relay.close({ graceMs: 30_000 }).then(() => server.closeIdleConnections());
});
