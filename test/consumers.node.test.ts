/** The types of the packed package in other hands: the strictest settings of the compiler, and each framework's own check of templates. */
import { expect } from 'chai';
import { consumers, type Consumers } from './helpers/consumers.js';

const checks: Record<string, [command: string, ...args: string[]]> = {
  'under the strictest settings, libraries included': ['tsc', '-p', 'strict'],
  'in JSX of React 19': ['tsc', '-p', 'react'],
  'in a template of Vue 3': ['vue-tsc', '-p', 'vue'],
  'in markup of Svelte 5': ['svelte-check', '--workspace', 'svelte', '--tsconfig', './tsconfig.json', '--threshold', 'error'],
  'in a strict template of Angular': ['ngc', '-p', 'angular/tsconfig.json', '--noEmit'],
};

describe('the types of the package', function () {
  this.timeout(120_000);
  let others: Consumers;
  before(async () => {
    others = await consumers('consumers-types');
  });

  for (const [where, [command, ...args]] of Object.entries(checks))
    it(`compile ${where}`, async () => {
      expect(await others.complaintsOf(command, ...args)).to.equal('');
    });

  it('refuse what is no tool', async () => {
    expect(await others.complaintsOf('tsc', '-p', 'wrong')).to.match(/Property 'description' is missing[^]*"sideways"/);
  });
});
