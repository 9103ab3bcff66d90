import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

const relay = createRelay(relayOptionsFromEnv(process.env));
const app = new Hono();
app.all('/api/ai/*', (context) => relay(context.req.raw, context.env));
serve({ fetch: app.fetch, port: 0 }, ({ port }) => console.log(`Listening on ${port}`));
