/** Mocha's usual report, and a line for each test that is tried once more: `second try: TITLE: what went wrong`. */
import mocha from 'mocha';

const { reporters, Runner } = mocha;

export default class SecondTry extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.on(Runner.constants.EVENT_TEST_RETRY, (test, error) => {
      console.log(`second try: ${test.fullTitle()}: ${String(error?.message ?? error).split('\n', 1)[0]}`);
    });
  }
}
