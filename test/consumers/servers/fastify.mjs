import { getRequestListener } from '@hono/node-server';
import fastify from 'fastify';
import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

const answer = getRequestListener(createRelay(relayOptionsFromEnv(process.env)));
const app = fastify();
await app.register(async (own) => {
  own.removeAllContentTypeParsers();
  own.addContentTypeParser('*', (request, payload, done) => done());
  own.all('/api/ai/*', (request, reply) => (reply.hijack(), answer(request.raw, reply.raw)));
});
await app.listen({ port: 0 });
console.log(`Listening on ${app.server.address().port}`);
