/** A relay in a process of its own: to be killed, measured, or asked to go. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface SpawnedRelay {
  url: string;
  child: ChildProcess;
  /** Bytes of memory in use; Linux only. */
  memory(): Promise<number>;
}

export async function spawnRelay(env: Record<string, string>): Promise<SpawnedRelay> {
  const child = spawn(process.execPath, ['--import=tsx', fileURLToPath(new URL('relay-process.ts', import.meta.url))], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    async memory() {
      const status = await readFile(`/proc/${String(child.pid)}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
  };
}
