/** A report of what left and was private. Whether a test is content is not asked: with canaries in it, it hears of other texts than it expects. */
import mocha from 'mocha';
import { watchOf } from './canaries.ts';

const { EVENT_RUN_END, EVENT_TEST_END } = mocha.Runner.constants;

/** Of the requests that were looked at, so many have tokens in place of canaries; the rest asks only what an endpoint can. */
const MOST = 0.9;

export default class Verdict {
  constructor(runner) {
    let passed = 0;
    const failed = [];
    runner.on(EVENT_TEST_END, (test) => {
      const leaks = watchOf().leaks.splice(0);
      if (leaks.length > 0) failed.push([test.fullTitle(), ...leaks.slice(0, 2)].join('\n     '));
      else passed += 1;
    });
    runner.on(EVENT_RUN_END, () => {
      const { looked, hidden } = watchOf();
      const told = `${looked} requests were looked at, and ${hidden} of them had tokens in place of canaries`;
      if (looked === 0 || hidden < looked * MOST) failed.push(`Canaries are no longer told to conversations: ${told}`);
      console.log(`\n  ${told}\n\n  ${passed} passing`);
      if (failed.length > 0) console.log(`  ${failed.length} failing\n`);
      for (const [at, one] of failed.entries()) console.log(`  ${at + 1}) ${one}\n`);
    });
  }
}
