import { getRequestListener } from '@hono/node-server';
import express from 'express';
import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

const answer = getRequestListener(createRelay(relayOptionsFromEnv(process.env)));
const app = express();
app.use('/api/ai', answer);
const server = app.listen(0, () => console.log(`Listening on ${server.address().port}`));
