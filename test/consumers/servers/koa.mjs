import { getRequestListener } from '@hono/node-server';
import Koa from 'koa';
import { createRelay, relayOptionsFromEnv } from 'tool-chat/relay';

const answer = getRequestListener(createRelay(relayOptionsFromEnv(process.env)));
const app = new Koa();
app.use((context, next) => {
  if (!context.path.startsWith('/api/ai/')) return next();
  context.respond = false;
  return answer(context.req, context.res);
});
const server = app.listen(0, () => console.log(`Listening on ${server.address().port}`));
