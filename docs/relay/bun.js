import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay'; // bun add tool-chat

const relay = createRelay(relayOptionsFromEnv(process.env));
// Bun closes connections that are silent for 10 s; the relay says something every 8.
const server = Bun.serve({ fetch: relay, port: process.env.PORT ?? 8787, idleTimeout: 60 });

process.once('SIGTERM', async () => {
  await relay.close({ graceMs: 30_000 });
  await server.stop();
  process.exit(0);
});
console.log(`Listening on ${server.port}`);
