/** The scripts of a page hold less of XState than the package does (`.config/trimmed-xstate.mjs`); that they do all the same: the flows of `test/e2e`. */
import { expect } from 'chai';
import { trimmedXstate } from '../../.config/trimmed-xstate.mjs';

it('XState without the parts that no chart of ours uses is not built where a part has another name by now; other files are left as they are', () => {
  const renamed = () => trimmedXstate('node_modules/xstate/dist/log-12345678.esm.js', 'function other() {}');
  expect(renamed).to.throw('XState has no log any more');
  expect(trimmedXstate('node_modules/xstate/dist/xstate-guards.esm.js', 'export {};')).to.equal(undefined);
});
