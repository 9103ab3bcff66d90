/** Packages that only the longest tests need: npm installs them into a folder of their own, which is removed at the end. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { after, before } from 'mocha';

const run = promisify(execFile);

/**
 * @param packages versions by name
 * @returns a function that gives the path of a file of a package. `TEST_PACKAGES` names a folder in which they already are.
 */
export function useNpmPackages(packages: Readonly<Record<string, string>>): (file: string) => string {
  let folder = process.env['TEST_PACKAGES'] ?? '';
  before(async function () {
    this.timeout(600_000);
    if (folder) return;
    folder = mkdtempSync(path.join(tmpdir(), 'tool-chat-packages-'));
    const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel', 'error'];
    await run('npm', ['install', ...quiet, '--prefix', folder, ...wanted], { cwd: folder, maxBuffer: 1e8 });
  });
  after(() => {
    if (folder && !process.env['TEST_PACKAGES']) rmSync(folder, { recursive: true, force: true });
  });
  return (file) => path.join(folder, 'node_modules', file);
}
