/** The scripts of a page hold less of XState than the package does (`.config/trimmed-xstate.mjs`). */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { trimmedXstate } from '../../.config/trimmed-xstate.mjs';

const charts = ['conversation-machine', 'tool-call-machine', 'session', 'turn', 'undo', 'edit', 'offline'].map(
  (name) => `test/conversation/${name}.node.test.ts`,
);

describe('XState without the parts that no chart of ours uses', () => {
  it('carries the charts through their own tests', function () {
    this.timeout(300_000);
    const args = ['--import=./test/helpers/trimmed-xstate.mjs', '--import=tsx/esm', 'node_modules/mocha/bin/mocha.js', '--exit'];
    const { stdout } = spawnSync(process.execPath, [...args, '--timeout', '60000', ...charts], { encoding: 'utf8' });
    expect(stdout)
      .to.match(/\d+ passing/)
      .and.not.match(/\d+ failing/);
  });

  it('is not built where a part has another name by now', () => {
    const file = 'node_modules/xstate/dist/xstate-actors.esm.js';
    const known = ',\n    getPersistedSnapshot: snapshot => snapshot,\n    restoreSnapshot: snapshot => snapshot\n';
    expect(() => trimmedXstate(file, 'function other() {}')).to.throw(/XState has no .*getPersistedSnapshot.* any more/);
    expect(() => trimmedXstate(file, `function other() { return { a: 1${known} } }`)).to.throw('XState has no fromTransition any more');
  });

  it('leaves other files as they are', () => {
    expect(trimmedXstate('node_modules/xstate/dist/xstate-guards.esm.js', 'export {};')).to.equal(undefined);
  });
});
