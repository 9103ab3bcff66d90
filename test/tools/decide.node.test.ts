import { expect } from 'chai';
import { decideByHost, type Decide } from '../../src/tools/decide.js';
import { checkedCall, setUp, tool } from './helpers.js';

const pay = tool({
  name: 'pay',
  risk: 'danger',
  parameters: { type: 'object', properties: { amount: { type: 'integer', maximum: 100 } }, required: ['amount'] },
  describeCall: ({ amount }) => `Pays ${String(amount)}`,
});

async function decided(decide: Decide) {
  const setup = setUp([pay]);
  const prepared = await checkedCall(setup, { amount: '50' }, 'pay');
  const said = await decideByHost(prepared, decide, setup);
  return { prepared, said, codes: setup.entries.map(({ code }) => code) };
}

describe('the host’s decision', () => {
  it('asks when it throws or is no decision', async () => {
    const answers: unknown[] = [undefined, null, true, 'yes', {}, { verdict: 'ALLOW' }];
    for (const decide of [...answers.map((answer) => () => answer), () => Promise.reject(new Error('no'))]) {
      const { said, codes, prepared } = await decided(decide as Decide);
      expect(said).to.deep.equal({ verdict: 'ask', prepared, remember: false });
      expect(codes).to.include('decide.failed');
    }
  });

  it('sees a call it cannot change', async () => {
    const { said } = await decided((call) => {
      expect(call.sentence).to.equal('Pays 50');
      (call.args as Record<string, unknown>)['amount'] = 99;
      return 'allow';
    });
    expect(said.verdict).to.equal('ask'); // the assignment threw
    expect(said.prepared.call.args).to.deep.equal({ amount: 50 });
  });

  it('does not let a successor of the tool run under the old decision', async () => {
    const setup = setUp();
    const unregister = setup.registry.register(pay);
    const prepared = await checkedCall(setup, { amount: 50 }, 'pay');
    const swap: Decide = () => {
      unregister();
      setup.registry.register(pay);
      return { verdict: 'allow', args: { amount: 20 } };
    };
    expect((await decideByHost(prepared, swap, setup)).prepared.isCurrent()).to.equal(false);
  });
});
