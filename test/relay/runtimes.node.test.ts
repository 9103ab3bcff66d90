// CI only: builds the package and installs three other runtimes
/** The relay of the built package, in each runtime that the guide names, started by the guide's own files. */
import { expect } from 'chai';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type BuildOptions } from 'esbuild';
import { consumers } from '../helpers/consumers.js';
import { ask, follow, hello, readEvents } from './ask.js';
import { startUpstream } from './fake-upstream.js';
import { twoWords } from './use-relays.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const KEY = 'sk-runtime-test-0123456789';

/** Programs of 350 MB that only this file needs: installed when it runs, beside what is kept between runs. Linux on x64, as CI has it. */
const programs = {
  bun: { name: '@oven/bun-linux-x64', version: '1.4.5', file: 'bin/bun' },
  deno: { name: '@deno/linux-x64-glibc', version: '2.9.6', file: 'deno' },
  workerd: { name: '@cloudflare/workerd-linux-64', version: '1.20261117.1', file: 'bin/workerd' },
} as const;
const cache = path.join(root, 'node_modules/.cache/runtimes');
const isHere = process.platform === 'linux' && process.arch === 'x64';

function programOf(which: keyof typeof programs): string {
  const { name, file } = programs[which];
  return path.join(cache, 'node_modules', name, file);
}

async function installPrograms(): Promise<void> {
  if (Object.keys(programs).every((which) => existsSync(programOf(which as keyof typeof programs)))) return;
  await mkdir(cache, { recursive: true });
  await writeFile(path.join(cache, 'package.json'), '{"private":true}');
  const wanted = Object.values(programs).map(({ name, version }) => `${name}@${version}`);
  await promisify(execFile)('npm', ['install', '--no-save', '--no-audit', '--ignore-scripts', ...wanted], { cwd: cache });
}

interface Runtime {
  name: string;
  /** @returns what to start, in `home` */
  command(home: string, env: Record<string, string>): Promise<readonly string[]> | readonly string[];
}

const runtimes: readonly Runtime[] = [
  { name: 'Node', command: () => [process.execPath, 'node.js'] },
  { name: 'Bun', command: () => [programOf('bun'), 'run', 'bun.js'] },
  { name: 'Deno', command: () => [programOf('deno'), 'run', '--no-config', '--node-modules-dir=manual', '--allow-all', 'deno.js'] },
  {
    name: 'workerd',
    async command(home, env) {
      // Wrangler bundles by esbuild, too.
      const shape: BuildOptions = { bundle: true, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'], logLevel: 'error' };
      await build({ entryPoints: [path.join(home, 'worker.js')], outfile: path.join(home, 'bundled.js'), external: ['node:*'], ...shape });
      const bindings = Object.entries(env).map(([name, text]) => `(name = "${name}", text = "${text}")`);
      const config = await readFile(new URL('../fixtures/relay/workerd.capnp', import.meta.url), 'utf8');
      await writeFile(path.join(home, 'config.capnp'), config.replace('BINDINGS', bindings.join(', ')));
      return [programOf('workerd'), 'serve', '--control-fd=1', 'config.capnp'];
    },
  },
];

describe('the relay of the package', function () {
  this.timeout(60_000);
  let home: string;
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let child: ChildProcess | undefined;

  before(async function () {
    if (!isHere) this.skip(); // the programs are those of Linux on x64
    this.timeout(180_000);
    await installPrograms();
    ({ home } = await consumers('consumers-relay'));
    await cp(path.join(root, 'docs/relay'), home, { recursive: true });
    upstream = await startUpstream(twoWords);
  });
  after(() => isHere && upstream.close());
  afterEach(() => child?.kill('SIGKILL'));

  async function start({ command }: Runtime): Promise<string> {
    const env = { MODEL_BASE_URL: upstream.baseUrl, MODEL_API_KEY: KEY, MODEL_NAME: 'fake-1', PORT: '0', RATE_LIMIT: '1000/1000' };
    const [program = '', ...args] = await command(home, env);
    const started = spawn(program, args, {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    let said = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    for await (const line of createInterface({ input: started.stdout })) {
      const port = /Listening on (\d+)|"port":\s*(\d+)/.exec(line);
      if (port) {
        started.stdout.resume();
        return `http://127.0.0.1:${port[1] ?? port[2]}`;
      }
    }
    throw new Error(`It ended before it listened: ${said}`);
  }
  const post = (url: string, headers: Record<string, string> = {}) => {
    const request = ask(hello(), { headers });
    return fetch(`${url}/api/ai/chat/stream`, { method: 'POST', headers: request.headers, body: JSON.stringify(hello()) });
  };

  for (const runtime of runtimes)
    it(`answers in ${runtime.name} piece by piece, keeps the key, refuses other pages, and hangs up on the model`, async () => {
      upstream.play(twoWords);
      const url = await start(runtime);
      const health = await fetch(`${url}/healthz`);
      expect(await health.json()).to.deep.equal({ status: 'ok' });

      const events = readEvents(await (await post(url)).text());
      expect(events.map(({ data }) => data['type'])).to.deep.equal(['text', 'text', 'done']);
      expect(upstream.requests.at(-1)?.headers.authorization).to.equal(`Bearer ${KEY}`);
      expect((await post(url, { origin: 'https://elsewhere.example' })).status).to.equal(403);

      // The first piece comes before the second is there; who stops is stopped for.
      let closed: Promise<void> | undefined;
      upstream.play((answer) => {
        closed = answer.closed;
        answer.open();
        answer.chunk('first');
      });
      const response = await post(url);
      const read = follow(response);
      const id = /id: (\w+)\./.exec(await read.until('first'))?.[1];
      if (runtime.name === 'workerd') await read.cancel();
      else expect((await fetch(`${url}/api/ai/chat/stream/${id}`, { method: 'DELETE' })).status).to.equal(204);
      await closed;
    });
});
