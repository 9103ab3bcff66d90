#!/usr/bin/env node
/**
 * The standalone relay: see `tool-chat-relay --help`. Exits with 0 on success, 1 if the model or the store failed, 2 for invalid settings.
 */
/* eslint-disable no-console -- a program speaks on its terminal */
import { serve } from '@hono/node-server';
import type { Server } from 'node:http';
import { throttleLog } from './usage-report.js';
import { helpText, readCommandLine } from './flags.js';
import { createRelay, relayOptionsFromEnv } from './index.js';
import type { HealthReport } from './health.js';
import type { RelayOptions } from './index.js';
import { limitConnections } from './limit-connections.js';

const SAY_AGAIN_MS = 10_000;

const reportRefused = throttleLog(SAY_AGAIN_MS, (count) =>
  console.error(
    `tool-chat-relay: connections refused: ${count}, because too many are open. TRUST_PROXY tells clients behind a proxy apart.`,
  ),
);

/** Milliseconds that active answers have to finish after SIGTERM. */
const GRACE_MS = 30_000;

try {
  const { help, check, env } = readCommandLine(process.argv.slice(2), process.env);
  if (help) console.log(helpText());
  else {
    const options = relayOptionsFromEnv(env);
    if (!options.baseUrl) throw new TypeError('Where is the model? Say --base-url https://host/v1, or set MODEL_BASE_URL.');
    if (check) process.exitCode = await checkOnce(options);
    else listen(options, whole('PORT', env['PORT'] ?? '8787'), env['HOST'] ?? '127.0.0.1');
  }
} catch (error) {
  fail(2, error instanceof Error ? error.message : String(error), 'tool-chat-relay --help says what it can be told.');
}

function listen(options: RelayOptions, port: number, hostname: string): void {
  const relay = createRelay(options);
  const server = serve({ fetch: relay, port, hostname }, (address) => {
    const host = address.address.includes(':') ? `[${address.address}]` : address.address;
    console.error(`tool-chat-relay: http://${host}:${address.port}/api/ai/chat/stream (model: ${options.model ?? 'named by the page'})`);
  }) as Server;
  limitConnections(server, { isBehindProxy: (options.trustProxy ?? 0) > 0, onRefused: reportRefused });
  server.on('error', (error: NodeJS.ErrnoException) => {
    fail(2, error.code === 'EADDRINUSE' ? `Port ${port} is in use. Choose another: --port ${port + 1}` : error.message);
    process.exit();
  });
  // Ctrl+C stops at once, because the user is waiting. A service manager's SIGTERM lets active answers finish. A second signal exits
  // immediately.
  let told = false;
  const go = (graceMs: number) => () => {
    if (told) process.exit();
    told = true;
    server.close(() => process.exit());
    void relay.close({ graceMs }).then(() => server.closeIdleConnections());
  };
  process.on('SIGTERM', go(GRACE_MS));
  process.on('SIGINT', go(0));
}

/** Sends one short request through the relay, like any other. */
async function checkOnce(options: RelayOptions): Promise<number> {
  const { rateLimit: _limit, orchestration: _gate, ...rest } = options;
  const relay = createRelay({ ...rest, requireOrigin: false, logger: false });
  try {
    const health = (await (await relay(new Request('http://localhost/healthz'))).json()) as HealthReport;
    if (health.status === 'error') return fail(1, 'The store cannot be opened.', 'Is its package there? npm install redis');
    if (health.degraded?.includes('store')) return fail(1, 'The store cannot be reached.', 'Is the address right, and is Redis running?');
    const started = Date.now();
    const question = { messages: [{ role: 'user', text: 'Say OK.' }], max_tokens: 16 };
    const headers = { 'content-type': 'application/json' };
    const response = await relay(new Request('http://localhost/api/ai/chat', { method: 'POST', headers, body: JSON.stringify(question) }));
    const said = (await response.json()) as { message?: string; code?: string; model?: string | null };
    if (!response.ok)
      return fail(
        1,
        `${said.message ?? response.statusText} (${said.code ?? response.status})`,
        'docs/relay.md, “Codes”, says what helps.',
      );
    console.log(`The settings are right. ${said.model ?? 'The model'} answered in ${Date.now() - started} ms.`);
    return 0;
  } finally {
    await relay.close({ graceMs: 0 });
  }
}

function whole(name: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && number < 65_536) return number;
  throw new TypeError(`${name} must be a port, 0 to 65535.`);
}

function fail(code: number, ...sentences: string[]): number {
  for (const sentence of sentences) console.error(sentence);
  return (process.exitCode = code);
}
