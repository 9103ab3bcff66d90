/** Fails when `custom-elements.json` is not what the source says now: it is committed, so that a reader of the repository has it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = path.join('node_modules', '.cache', 'custom-elements-manifest');
mkdirSync(path.join(root, scratch), { recursive: true });
const cem = path.join(root, 'node_modules/.bin/cem');
const args = ['analyze', '--quiet', '--config', '.config/custom-elements-manifest.config.mjs', '--outdir', scratch];
const { status } = spawnSync(cem, args, { cwd: root, stdio: 'inherit' });

const read = (...parts) => {
  try {
    return readFileSync(path.join(root, ...parts), 'utf8');
  } catch {
    return undefined;
  }
};
const fresh = read(scratch, 'custom-elements.json');
const committed = read('custom-elements.json');
rmSync(path.join(root, scratch), { recursive: true });
if (status !== 0 || fresh === undefined) throw new Error('The analyzer has written nothing.');
if (fresh !== committed) {
  console.error('custom-elements.json is not what the source says: `npm run manifest` updates it.');
  process.exit(1);
}
