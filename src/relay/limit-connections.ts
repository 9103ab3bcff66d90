/** Limits connections to the ready relay before their requests are read. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that wait for their answers. Browsers and proxies send one after the other. */
const PIPELINED = 4;

/** Milliseconds for the first byte of a connection. */
const SILENT_MS = 60_000;

const CONNECTIONS = 10_000;

/** Ends connections that send many requests without waiting for the answers, or nothing at all. */
export function limitConnections(server: Server, silentMs = SILENT_MS): void {
  const waiting = new WeakMap<Socket, number>();
  server.maxConnections = CONNECTIONS;
  server.on('connection', (socket) => {
    const timer = setTimeout(() => socket.destroy(), silentMs).unref();
    const heard = () => clearTimeout(timer);
    socket.once('data', heard).once('close', heard);
  });
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > PIPELINED) return void socket.destroy();
    response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1));
    for (const listener of listeners) listener.call(server, request, response);
  });
}
