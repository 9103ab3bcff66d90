/** The fault server inside web-test-runner: a plugin that starts it, and a middleware that puts it on the page's own origin. */
import http from 'node:http';
import { createFaultServer } from './fault-server.mjs';

const PREFIX = '/__fault/';

/** `const faults = faultServer()`, then `plugins: [faults.plugin], middleware: [faults.middleware]`. */
export function faultServer() {
  const faults = createFaultServer();
  let ports;

  const plugin = {
    name: 'fault-server',
    async serverStart() {
      ports = await faults.listen();
    },
    serverStop: () => faults.close(),
  };

  function middleware(ctx, next) {
    // For what has to be another origin: tests fetch the port directly.
    if (ctx.path === '/__fault-port') ctx.body = ports;
    else if (ctx.path.startsWith(PREFIX)) forward(ctx);
    else return next();
  }

  function forward(ctx) {
    const upstream = http.request({
      host: '127.0.0.1',
      port: ports.port,
      method: ctx.method,
      path: ctx.req.url.slice(PREFIX.length - 1),
      headers: ctx.req.headers,
      agent: false,
    });
    ctx.status = 200; // before `respond`, else the runner reports every streamed path as a 404
    ctx.respond = false;
    // A cut is passed on as a cut: an orderly end here would hide the fault.
    const cut = (error) => (error?.code === 'ECONNRESET' ? ctx.res.socket?.resetAndDestroy() : ctx.res.destroy());
    upstream.on('error', cut);
    upstream.on('response', (answer) => {
      answer.on('error', cut);
      ctx.res.writeHead(answer.statusCode, answer.headers);
      ctx.res.flushHeaders();
      answer.pipe(ctx.res);
    });
    ctx.res.on('close', () => upstream.destroy());
    ctx.req.pipe(upstream);
  }

  return { plugin, middleware };
}
