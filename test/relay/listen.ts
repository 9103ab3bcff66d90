/** A relay behind a real socket. */
import { serve } from '@hono/node-server';
import type { Server } from 'node:http';
import { originOf } from '../helpers/http-server.js';

export interface Listening {
  url: string;
  /** Breaks every connection, as a network does. */
  cut(): void;
  close(): void;
}

export async function listen(fetch: (request: Request) => Promise<Response>): Promise<Listening> {
  const server = await new Promise<Server>((resolve) => {
    const started = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started as Server));
  });
  return {
    url: originOf(server),
    cut: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const sleep = globalThis.setTimeout; // the real one, whatever a test puts in its place

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => sleep(resolve, 5));
}
