/** The ready relay in a process of its own: to be killed, or asked to go. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../src/relay/program.ts', import.meta.url));

export function spawnRelay(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import=tsx', program, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    child,
    async ended(): Promise<{ code: number | null; said: string }> {
      const [code] = await closed;
      return { code, said };
    },
    async listening(): Promise<string> {
      for (;;) {
        const found = /(http:\/\/[\d.:]+)\/api/.exec(said)?.[1];
        if (found) return found;
        if (child.exitCode !== null) throw new Error(said);
        await once(child.stderr, 'data');
      }
    },
  };
}
