/** Projects that take the packed package, as others install it: in a folder of their own, with the frameworks of this one. */
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Consumers {
  /** Their folder. */
  readonly home: string;
  /** What a compiler has to say about one of them; empty = nothing. */
  complaintsOf(command: string, ...args: string[]): Promise<string>;
  /** The page of `next/` as its server writes it; the script for its browser lies in `next/out/browser.js` then. */
  renderedPage(): Promise<string>;
}

let tarball: Promise<string> | undefined;

/** The tarball, packed once for all projects of a process. */
export const packed = (into: string): Promise<string> => (tarball ??= pack(into));

async function pack(into: string): Promise<string> {
  await mkdir(into, { recursive: true });
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', into], { cwd: root });
  const [name] = await readdir(into);
  return path.join(into, String(name));
}

/** Packs what is built and unpacks it beside copies of the projects. */
export async function consumers(name: string): Promise<Consumers> {
  const home = path.join(root, 'node_modules/.cache', name);
  const installed = path.join(home, 'node_modules/tool-chat');
  await rm(home, { recursive: true, force: true });
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', await packed(path.join(home, 'packed')), '-C', installed, '--strip-components=1']);
  await cp(path.join(root, 'test/consumers'), home, { recursive: true });
  await writeFile(path.join(home, 'package.json'), '{"type":"module"}');
  return {
    home,
    async complaintsOf(command, ...args) {
      try {
        await run(path.join(root, 'node_modules/.bin', command), args, { cwd: home });
        return '';
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        return `${stdout}${stderr}`;
      }
    },
    async renderedPage() {
      const [input, outdir] = [path.join(home, 'next'), path.join(home, 'next/out')];
      const shared = { bundle: true, format: 'esm', jsx: 'automatic', target: 'es2022', outdir, logLevel: 'error' } as const;
      await build({ ...shared, entryPoints: [path.join(input, 'server.tsx')], platform: 'node', packages: 'external' });
      // React's own checks are in the build for development only.
      const define = { 'process.env.NODE_ENV': '"development"' };
      await build({ ...shared, entryPoints: [path.join(input, 'browser.tsx')], define, splitting: true });
      const { stdout, stderr } = await run(process.execPath, [path.join(outdir, 'server.js')], { cwd: home });
      if (stderr !== '') throw new Error(stderr);
      return stdout;
    },
  };
}
