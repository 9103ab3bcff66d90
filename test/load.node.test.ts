/** The one door for what is loaded when it is needed. */
import { expect } from 'chai';
import { load, preload } from '../src/base/load.js';

describe('what is loaded when it is needed', () => {
  /** Fails so many times, then comes. */
  const part = (failures: number) => {
    let asked = 0;
    const ask = () => ((asked += 1) <= failures ? Promise.reject(new Error(`failure ${String(asked)}`)) : Promise.resolve('here'));
    return { ask, times: () => asked };
  };

  it('is not asked for a third time: whoever wanted it hears of the second failure', async () => {
    const { ask, times } = part(5);
    const failure: unknown = await load(ask).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'failure 2');
    expect(times()).to.equal(2);
  });

  describe('ahead', () => {
    const { navigator } = globalThis;
    const pretend = (connection: object) => {
      Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { connection } });
    };
    afterEach(() => Object.defineProperty(globalThis, 'navigator', { configurable: true, value: navigator }));

    it('comes in order, and what does not come keeps nothing else back', async () => {
      const came: string[] = [];
      const failing = part(9);
      await preload([async () => void came.push('first'), failing.ask, async () => void came.push('last')]);
      expect(came).to.deep.equal(['first', 'last']);
      expect(failing.times()).to.equal(1);
    });

    it('does not come where a person wants to save data', async () => {
      const { ask, times } = part(0);
      pretend({ saveData: true });
      await preload([ask]);
      expect(times()).to.equal(0);
      pretend({ saveData: false });
      await preload([ask]);
      expect(times()).to.equal(1);
    });
  });
});
