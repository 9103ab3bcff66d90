/** Tools that block, and wrong calls without end. */
import { expect } from 'chai';
import { builtIn } from '../../src/protocols/built-in-protocols.js';
import { call, settlesWell, statuses, talk, useFaultServer } from '../conversation/talk.js';
import { CLEAN, isWell } from './probe.js';

describe('faults of tools', () => {
  useFaultServer();

  for (const [id, load] of Object.entries(builtIn)) {
    it(`arguments that never fit (${id}): none runs, each is told what is wrong, and the turn stops`, async () => {
      const wrong = (await load()).writeCall!('add', { count: 'many' });
      const one = talk([wrong], { protocol: id });
      one.tool('add', { parameters: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } });
      const { reason, results } = await one.send();
      expect(reason).to.equal('limit');
      expect(one.runs).to.deep.equal([]);
      expect(one.requests()).to.have.length(3);
      expect(new Set(results.map(({ code }) => code))).to.deep.equal(new Set(['INVALID_PARAMETER']));
      expect(one.bodies().at(-1)?.messages.at(-1)?.text).to.include('count');
      await settlesWell(one);
    });
  }

  it('a tool that keeps the page busy: one result, no retry, no time-out of anything', async () => {
    const limits = { toolTimeout: 400, heartbeat: 200, requestTimeout: 400, blockTimeout: 200 };
    const one = talk([call('busy') + call('after'), 'Done.', CLEAN], limits);
    one.tool('busy', {
      execute() {
        for (const end = performance.now() + 800; performance.now() < end;);
        return 'done';
      },
    });
    one.tool('after');
    const { results } = await one.send();
    expect(statuses(results)).to.deep.equal(['success', 'success']);
    expect(one.requests()).to.have.length(2);
    expect(one.events.filter(({ type }) => type === 'error')).to.deep.equal([]);
    await isWell(one);
  });
});
