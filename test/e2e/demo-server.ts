/** The demo as it is published, the built bundle, the relay and a database of its own, on a free port. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDemo, type DemoOptions, type RunningDemo } from '../../demo/server/demo.js';

const built = fileURLToPath(new URL('../../dist/tool-chat.js', import.meta.url));

/** Each call has a fresh database with the sample tasks; `close` removes it. Throws when nothing has been built. */
export async function serveDemo(options: Partial<DemoOptions> = {}): Promise<RunningDemo> {
  if (!existsSync(built)) throw new Error('Nothing is built yet: `npm run build` comes first.');
  const folder = await mkdtemp(path.join(tmpdir(), 'tool-chat-'));
  const demo = await startDemo({ port: 0, ...options, env: { ...options.env, DATABASE_URL: `file:${path.join(folder, 'demo.db')}` } });
  return {
    ...demo,
    async close() {
      await demo.close();
      await rm(folder, { recursive: true });
    },
  };
}
