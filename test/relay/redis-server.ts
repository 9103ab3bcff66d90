/** A Redis of the test's own, on a free port and in a folder that goes with it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../helpers/browsers/webkit.mjs';

export interface RedisServer {
  url: string;
  /** Freezes it, as a machine does that is out of memory: connections stay, nothing is answered. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
  /** Starts it anew on the same port, empty. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** `undefined` where there is no Redis on this machine; where `CI` is set that is an error. */
export async function startRedis(): Promise<RedisServer | undefined> {
  const port = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'tool-chat-redis-'));
  let child: ChildProcess | undefined;

  async function start() {
    const options = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
    const started = (child = spawn('redis-server', options.map(String), { stdio: ['ignore', 'pipe', 'ignore'] }));
    await once(started, 'spawn');
    for await (const line of createInterface({ input: started.stdout })) if (line.includes('Ready to accept connections')) break;
    started.stdout.resume();
  }

  async function stop() {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  try {
    await start();
  } catch (error) {
    await rm(folder, { recursive: true });
    if (process.env['CI'] || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    start,
    stop,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
