/** Limits connections to the ready relay before their requests are read. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf } from './client.js';
import { createShares } from './shares.js';

/** Requests of one connection that wait for their answers. Browsers and proxies send one after the other. */
const PIPELINED = 4;

/** Bytes of one connection that are read before other connections get their turn, and pieces of them. */
const TURN = 16_384;
const PIECES = 4;

/**
 * Bytes after which the end of a line ends a piece: lines are what costs, since each head and each chunk of a body needs some. The parser makes
 * a request of every head in a piece, even after `destroy()`.
 */
const PIECE = 256;

/** Milliseconds of one turn of the event loop. After that, each client has one more piece read, and the rest waits for the next turn. */
const LOOP_MS = 8;

/** Connections of one client that go on in the same turn. */
const AT_A_TURN = 8;

/**
 * Milliseconds for which connections that arrive go before what is left of others: the system gives one in each turn, so that one of another
 * client would wait for as many turns as there are connections in front of it.
 */
const ARRIVAL_MS = 50;

const NEWLINE = 10;

export interface ConnectionLimits {
  /** Milliseconds for the first byte of a connection. */
  silentMs?: number;
  /** Connections of all clients. One client has at most as many as it leaves free. */
  most?: number;
  /** All connections come from proxies, so their addresses tell nothing about clients. */
  isBehindProxy?: boolean;
  /** Hears of each connection that is refused because of `most`. */
  onRefused?: () => void;
}

/** Ends connections that send many requests without waiting for the answers, that send nothing at all, or that are too many of one client. */
export function limitConnections(
  server: Server,
  { silentMs = 10_000, most = 10_000, isBehindProxy = false, onRefused }: ConnectionLimits = {},
): void {
  const shares = createShares(most);
  const waiting = new WeakMap<Socket, number>();
  const turns = createLoopTurns();
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
    socket.once('data', heard).once('close', () => {
      heard();
      shares.giveBack(client, 1);
    });
    readInTurns(socket, turns, isBehindProxy ? socket : client);
  });

  /** `false`: the connection has too many requests, and has been ended. */
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
  // Without a listener, Node answers an `Expect` that it does not know by itself, as often as it is sent.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (admit(request, response)) response.writeHead(417, { connection: 'close' }).end();
  });
}

interface LoopTurns {
  /** A connection has come in this turn. */
  arrive(): void;
  /** True if a piece of this client may be read in this turn. */
  may(client: unknown): boolean;
  /** Calls back in a later turn. */
  wait(client: unknown, next: () => void): void;
}

/** Shares the turns of the event loop among clients: what all connections of one send at once is read in as many turns as it takes. */
function createLoopTurns(): LoopTurns {
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
      for (const next of all.splice(0, AT_A_TURN)) next();
      if (all.length === 0) waiting.delete(client);
    }
    // Those that go on may have nothing left to read.
    if (waiting.size > 0) waitForTurn();
  }

  function waitForTurn() {
    if (!isAwaited) setImmediate(goOn);
    isAwaited = true;
  }

  return {
    arrive() {
      begin();
      hasArrival = isArriving = true;
    },
    may(client) {
      const isInTime = performance.now() - begin() < LOOP_MS && !isArriving;
      const isFirst = !served.has(client);
      served.add(client);
      return isFirst || isInTime;
    },
    wait(client, next) {
      const all = waiting.get(client);
      if (all) all.push(next);
      else waiting.set(client, [next]);
      waitForTurn();
    },
  };
}

/** Gives the parser what arrives in small pieces, so that an ended connection is not read on and a full one does not hold up the others. */
function readInTurns(socket: Socket, turns: LoopTurns, client: unknown): void {
  const parse = socket.listeners('data')[0];
  if (!parse) return;
  let isResting = false;
  socket.removeListener('data', parse as (bytes: Buffer) => void);
  socket.on('data', (bytes: Buffer) => {
    const turn = isResting ? 0 : Math.min(TURN, bytes.length);
    let at = 0;
    // Node pauses a connection whose answers are not read: its parser may get nothing more then.
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
