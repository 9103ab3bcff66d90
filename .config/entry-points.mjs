/** The entry points and programs of the package, as package.json names them, and the modules that they are built from. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const about = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
export const { exports: entryPoints, bin = {} } = about;
export const modules = path.join(root, 'dist/modules');

/** `protocols/index` of `./dist/lib/protocols/index.js`. */
export function namesOf(files) {
  const names = files.flatMap((file) => /^(?:\.\/)?dist\/lib\/(.+?)(?:\.d\.ts|\.js)$/.exec(file ?? '')?.[1] ?? []);
  return [...new Set(names)];
}

export const inputs = (names, ending) => Object.fromEntries(names.map((name) => [name, path.join(modules, `${name}.${ending}`)]));

const installed = Object.keys({ ...about.dependencies, ...about.peerDependencies });
export const isExternal = (id) => id.startsWith('node:') || installed.some((name) => id === name || id.startsWith(`${name}/`));
