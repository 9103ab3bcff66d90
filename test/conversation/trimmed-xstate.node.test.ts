// CI only: it runs other test files once more, against the patched XState of the build
/** The scripts of a page hold less of XState than the package does (`.config/trimmed-xstate.mjs`). */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { trimmedXstate } from '../../.config/trimmed-xstate.mjs';

const charts = ['turn', 'walks'].map((name) => `test/conversation/${name}.node.test.ts`);

describe('XState without the parts that no chart of ours uses', () => {
  it('carries the charts through their own tests', function () {
    this.timeout(300_000);
    const args = ['--import=./test/helpers/trimmed-xstate.mjs', '--import=tsx/esm', 'node_modules/mocha/bin/mocha.js', '--exit'];
    const { stdout } = spawnSync(process.execPath, [...args, '--timeout', '60000', ...charts], { encoding: 'utf8' });
    expect(stdout)
      .to.match(/\d+ passing/)
      .and.not.match(/\d+ failing/);
  });

  it('is not built where a part has another name by now, and leaves other files as they are', () => {
    const renamed = () => trimmedXstate('node_modules/xstate/dist/log-12345678.esm.js', 'function other() {}');
    expect(renamed).to.throw('XState has no log any more');
    expect(trimmedXstate('node_modules/xstate/dist/xstate-guards.esm.js', 'export {};')).to.equal(undefined);
  });
});
