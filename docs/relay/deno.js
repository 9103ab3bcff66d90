import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay'; // deno add npm:tool-chat

const relay = createRelay(relayOptionsFromEnv(Deno.env.toObject()));
const port = Number(Deno.env.get('PORT') ?? 8787);
const server = Deno.serve({ port, onListen: () => {} }, relay);

Deno.addSignalListener('SIGTERM', async () => {
  await relay.close({ graceMs: 30_000 });
  await server.shutdown();
  Deno.exit(0);
});
console.log(`Listening on ${server.addr.port}`);
