/** Tools that block, wrong calls without end, a person who goes on writing. */
import { expect } from 'chai';
import { builtIn } from '../../src/protocols/built-in-protocols.js';
import { call, deferred, settlesWell, statuses, talk, until, useFaultServer } from '../conversation/talk.js';
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

    it(`a tool that there is not (${id}): nothing runs, whatever its name, and the turn stops`, async () => {
      const { writeCall } = await load();
      for (const name of ['__proto__', 'constructor', 'ERASE']) {
        const one = talk([writeCall!(name, { title: 'x' }), 'Sorry.', CLEAN], { protocol: id });
        one.tool('erase', { risk: 'query' });
        const { results } = await one.send();
        expect(results.every(({ success }) => !success)).to.equal(true);
        expect(one.runs, name).to.deep.equal([]);
        if (one.requests().length === 2) await isWell(one);
      }
    });
  }

  it('a tool that keeps the page busy: one result, no retry, no time-out of anything', async () => {
    const one = talk([call('busy') + call('after'), 'Done.', CLEAN], {
      toolTimeout: 400,
      heartbeat: 200,
      requestTimeout: 400,
      blockTimeout: 200,
    });
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

  it('a message while a tool runs: it waits, in sight, and its request follows the result', async () => {
    const finish = deferred();
    const one = talk([call('slow', { title: 'x' }), 'Done.', 'Second.', CLEAN]);
    one.tool('slow', { execute: () => finish.promise });
    const first = one.send('first');
    await until(() => one.runs.length === 1, 'the tool');
    const second = one.send('second');
    expect(one.view().queue).to.deep.equal(['second']);
    expect(one.requests()).to.have.length(1);
    finish.resolve();
    expect(await first).to.include({ text: 'Done.' });
    expect(await second).to.include({ text: 'Second.' });
    const [, told, next] = one.bodies();
    expect(told?.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user']);
    expect(JSON.stringify(told)).to.not.include('second');
    expect(
      next?.messages.map(({ role, text }) => `${role} ${text.includes('<tool_result') ? 'result' : text.trim().slice(0, 6)}`),
    ).to.deep.equal(['user first', 'assistant <tool_', 'user result', 'assistant Done.', 'user second']);
    expect(one.runs).to.have.length(1);
    await isWell(one);
  });
});
