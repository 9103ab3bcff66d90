/** Limits connections to the standalone relay before their requests are read. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf } from './client.js';
import { createShares } from './fair-shares.js';

/** Maximum number of requests of one connection that wait for their answers. Browsers and proxies send one after the other. */
const PIPELINED = 4;

/** Maximum bytes of one connection, and pieces of them, that are read before other connections get their turn. */
const TURN = 16_384;
const PIECES = 4;

/**
 * Bytes after which the end of a line ends a piece. Lines are the expensive part, since each head and each chunk of a body needs some, and
 * the parser creates a request for every head in a piece, even after `destroy()`.
 */
const PIECE = 256;

/** Milliseconds of one turn of the event loop. After that, one more piece of each client is read, and the rest waits for the next turn. */
const LOOP_MS = 8;

/** Number of connections of one client that continue in the same turn. */
const AT_A_TURN = 8;

/**
 * Milliseconds for which new connections take precedence over unread data of others. The system accepts one per turn, so a connection of
 * another client would otherwise wait for as many turns as there are connections in front of it.
 */
const ARRIVAL_MS = 50;

const NEWLINE = 10;

export interface ConnectionLimits {
  /** Milliseconds in which the first byte of a connection must arrive. Default 10,000. */
  silentMs?: number;
  /** Maximum number of connections of all clients. One client may use at most as many as remain free. Default 10,000. */
  most?: number;
  /** True if all connections come from proxies, so that their addresses do not identify clients. */
  isBehindProxy?: boolean;
  /** Called for each connection that is refused because of `most`. */
  onRefused?: () => void;
}

/** Closes connections that send many requests without waiting for the answers, that send nothing, or that exceed their client's share. */
export function limitConnections(
  server: Server,
  { silentMs = 10_000, most = 10_000, isBehindProxy = false, onRefused }: ConnectionLimits = {},
): void {
  const shares = createShares(most);
  const waiting = new WeakMap<Socket, number>();
  const turns = createReadTurns();
  // A connection is neither read nor given a parser before its turn, so that thousands of one client delay those of others as little as
  // possible: the system accepts one in each turn of the event loop, and cannot be told whose.
  (server as { pauseOnConnect?: boolean }).pauseOnConnect = true;
  const attach = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    turns.arrive();
    const client = isBehindProxy ? '' : clientOf(socket.remoteAddress ?? '');
    if (shares.lacks(client, 1)) {
      socket.destroy();
      return onRefused?.();
    }
    shares.take(client, 1);
    const timer = setTimeout(() => socket.destroy(), silentMs).unref();
    const heard = () => clearTimeout(timer);
    socket.once('close', () => {
      heard();
      shares.giveBack(client, 1);
    });
    const key = isBehindProxy ? socket : client;
    const begin = () => {
      if (socket.destroyed) return;
      for (const listener of attach) listener.call(server, socket);
      socket.once('data', heard);
      readInTurns(socket, turns, key);
      socket.resume();
    };
    if (turns.isFree(key)) begin();
    else turns.wait(key, begin);
  });

  /** Counts a request of a connection. Returns `false` if the connection had too many and was closed. */
  function admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > PIPELINED) socket.destroy();
    else response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1));
    return count <= PIPELINED;
  }

  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (admit(request, response)) for (const listener of listeners) listener.call(server, request, response);
  });
  // Without this listener, Node itself answers every unknown `Expect` header, without a limit.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (admit(request, response)) response.writeHead(417, { connection: 'close' }).end();
  });
}

interface ReadTurns {
  /** Records that a connection was accepted in this turn. */
  arrive(): void;
  /** Returns true if a piece of this client could be read in this turn. */
  isFree(client: unknown): boolean;
  /** Returns true if a piece of this client may be read in this turn, and counts it. */
  may(client: unknown): boolean;
  /** Calls `next` in a later turn. */
  wait(client: unknown, next: () => void): void;
}

/**
 * Shares the turns of the event loop among clients: data that one client sends at once over many connections is read over several turns.
 */
function createReadTurns(): ReadTurns {
  const served = new Set<unknown>();
  const waiting = new Map<unknown, (() => void)[]>();
  let began: number | undefined;
  let hasArrival = false;
  let isArriving = false;
  let cleared = 0;
  let isAwaited = false;

  function begin(): number {
    if (began === undefined) setImmediate(end);
    return (began ??= performance.now());
  }

  function end() {
    const now = performance.now();
    if (!hasArrival || now - cleared >= ARRIVAL_MS) {
      isArriving = false;
      served.clear();
      cleared = now;
    }
    hasArrival = false;
    began = undefined;
  }

  function goOn() {
    isAwaited = false;
    for (const [client, all] of waiting) {
      // While connections arrive, at most one of a client is read, and resuming the others would only delay those that arrive.
      for (const next of all.splice(0, isArriving ? Number(isFree(client)) : AT_A_TURN)) next();
      if (all.length === 0) waiting.delete(client);
    }
    // The resumed connections may have nothing left to read, so waiting ones need a turn of their own.
    if (waiting.size > 0) waitForTurn();
  }

  function waitForTurn() {
    if (!isAwaited) setImmediate(goOn);
    isAwaited = true;
  }

  function isFree(client: unknown): boolean {
    const isInTime = performance.now() - begin() < LOOP_MS;
    return !served.has(client) || (isInTime && !isArriving);
  }

  return {
    isFree,
    arrive() {
      begin();
      hasArrival = isArriving = true;
    },
    may(client) {
      const isNow = isFree(client);
      served.add(client);
      return isNow;
    },
    wait(client, next) {
      const all = waiting.get(client);
      if (all) all.push(next);
      else waiting.set(client, [next]);
      waitForTurn();
    },
  };
}

/** Passes data to the parser in small pieces, so that a closed connection is not read further and a busy one does not block the others. */
function readInTurns(socket: Socket, turns: ReadTurns, client: unknown): void {
  const parse = socket.listeners('data')[0];
  if (!parse) return;
  let isResting = false;
  socket.removeListener('data', parse as (bytes: Buffer) => void);
  socket.on('data', (bytes: Buffer) => {
    const turn = isResting ? 0 : Math.min(TURN, bytes.length);
    let at = 0;
    // Node pauses a connection whose answers are not read. Its parser must get no more data then.
    for (let piece = 0; piece < PIECES && at < turn && socket.writable && !socket.isPaused() && turns.may(client); piece++) {
      const line = bytes.indexOf(NEWLINE, at + PIECE);
      const end = line < 0 ? turn : Math.min(turn, line + 1);
      parse.call(socket, bytes.subarray(at, end));
      at = end;
    }
    if (at === bytes.length || !socket.writable) return;
    const isPaused = socket.isPaused();
    socket.pause();
    socket.unshift(bytes.subarray(at));
    if (isPaused || isResting) return;
    isResting = true;
    turns.wait(client, () => {
      isResting = false;
      socket.resume();
    });
  });
}
