import { expect } from 'chai';
import { decideByHost, type Decide } from '../../src/tools/decide.js';
import { digestCall } from '../../src/tools/digest.js';
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
  it('may be a word or a record', async () => {
    for (const verdict of ['allow', 'ask', 'deny'] as const) {
      expect((await decided(() => verdict)).said).to.include({ verdict, remember: false });
      const { said } = await decided(async () => ({ verdict, remember: true, reason: 'so' }));
      expect(said).to.include({ verdict, remember: true, reason: 'so' });
    }
  });

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

  it('gets changed arguments checked, described and digested again, and the model told', async () => {
    const args = { amount: 20 };
    const { said, prepared } = await decided(() => ({ verdict: 'allow', args }));
    expect(said.verdict).to.equal('allow');
    expect(said.prepared.call).to.deep.include({ args, sentence: 'Pays 20', digest: await digestCall('pay', args) });
    expect(said.prepared.argsForTool()).to.deep.equal(args);
    expect(said.prepared.note).to.equal('This page changed the arguments to: {"amount":20}');
    expect(prepared.call.args).to.deep.equal({ amount: 50 });
    const same = await decided(() => ({ verdict: 'allow', args: { amount: 50 } }));
    expect(same.said.prepared).to.equal(same.prepared);
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
