/** Writes `dist/integrity.json`: the SRI hash of every script in the package. Part of `npm run build`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const dist = new URL('../dist/', import.meta.url);
const scripts = ['', 'chunks/', 'lib/'].flatMap((folder) =>
  readdirSync(fileURLToPath(new URL(folder, dist)), { recursive: folder === 'lib/' })
    .filter((name) => name.endsWith('.js'))
    .sort()
    .map((name) => folder + name.replaceAll('\\', '/')),
);
const hashes = scripts.map((name) => {
  const hash = createHash('sha384').update(readFileSync(new URL(name, dist)));
  return [name, `sha384-${hash.digest('base64')}`];
});
writeFileSync(new URL('integrity.json', dist), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
