/** A message that is for one tool: `sendMessage(text, { tool })` (S4-47, S4-48, S4-50). */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { call, settlesWell, talk, tick, useFaultServer } from './talk.js';

describe('a chosen tool', () => {
  useFaultServer();

  it('is called first, once; after that the turn goes on by the usual rules', async () => {
    const one = talk([call('search'), call('search', { title: 'more' }) + call('write'), 'Done.', 'Hi.']);
    one.tool('search');
    one.tool('write');
    expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['search', 'search', 'write']);
    await one.chat.sendMessage('hello');
    const named = one.bodies().map(({ system }) => system.includes('The user has chosen the tool search'));
    expect(named).to.deep.equal([true, false, false, false]);
    await settlesWell(one);
  });

  it('goes before another that the model calls: that one is refused, and the model is told why', async () => {
    const one = talk([call('write'), call('search'), 'Done.']);
    one.tool('search');
    one.tool('write');
    const { results } = await one.chat.sendMessage('go', { tool: 'search' });
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['search']);
    expect(results[0]).to.include({ toolName: 'write', status: 'denied' });
    expect(one.bodies()[1]?.messages.at(-1)?.text).to.include('search');
    await settlesWell(one);
  });

  it('is asked for once more when the reply calls nothing, without a word on the screen', async () => {
    const one = talk(['Let me think.', call('search'), 'Done.']);
    one.tool('search');
    expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
    expect(one.runs).to.have.length(1);
    expect(one.bodies()[1]?.messages.at(-1)).to.deep.equal({ role: 'user', text: 'Call the tool search now, as the user has chosen.' });
    expect(one.chat.messages.filter(({ role }) => role === 'user')).to.have.length(1);
    await settlesWell(one);
  });

  it('fails visibly when it is not called then either', async () => {
    const one = talk(['No.', 'Still no.', 'Hi.']);
    one.tool('search');
    const { reason, error } = await one.chat.sendMessage('go', { tool: 'search' });
    expect([reason, error?.message]).to.deep.equal(['error', 'The assistant did not use search']);
    expect(one.chat.error).to.equal('The assistant did not use search');
    expect(one.requests()).to.have.length(2);
    expect(await one.chat.sendMessage('hello')).to.include({ text: 'Hi.' });
  });

  it('is named as people know it where it was not used', async () => {
    const one = talk(['No.', 'Still no.']);
    one.tool('search', { label: 'Web search' });
    expect((await one.chat.sendMessage('go', { tool: 'search' })).error?.message).to.equal('The assistant did not use Web search');
    expect(one.bodies()[1]?.messages.at(-1)?.text, 'the model knows it by its name').to.include('tool search');
  });

  for (const approval of ['always', 'user-run'] as const)
    it(`is no longer chosen when the person declines it under ${approval}: nothing asks for it again, and nobody is blamed (Y-16)`, async () => {
      const one = talk([call('search'), 'All right.'], { approval, person: true });
      one.tool('search');
      const turn = one.chat.sendMessage('go', { tool: 'search' });
      const [card] = await one.asked();
      one.decide('deny', card!);
      const { reason, text, error } = await turn;
      expect({ reason, text, error }).to.deep.equal({ reason: 'stop', text: 'All right.', error: undefined });
      expect(one.chat.error).to.equal(null);
      expect(one.requests()).to.have.length(2);
      const second = one.bodies()[1]!;
      expect(second.system).not.to.include('has chosen the tool');
      expect(JSON.stringify(second.messages)).not.to.include('Call the tool search now');
      await settlesWell(one);
    });

  it('is no longer chosen when what was done is sent on without it', async () => {
    const one = talk([call('search') + call('write'), 'All right.'], { approval: 'user-run', person: true });
    one.tool('search');
    one.tool('write');
    const turn = one.chat.sendMessage('go', { tool: 'search' });
    const [card] = await one.asked();
    expect(card?.toolName).to.equal('search');
    internalsOf(one.chat).surface.sendResults();
    const [next] = await one.asked();
    expect(next?.toolName, 'the rules of now: it asks like any other').to.equal('write');
    one.decide('deny', next!);
    expect(await turn).to.include({ reason: 'stop', text: 'All right.' });
    await settlesWell(one);
  });

  it('stays chosen behind a call that never started', async () => {
    const one = talk([call('search', { nonsense: '1' }), 'No.', call('search'), 'Done.']);
    one.tool('search');
    expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
    expect(one.chat.toolHistory.map(({ status }) => status)).to.deep.equal(['error', 'success']);
    expect(one.bodies()[1]?.system, 'still chosen').to.include('has chosen the tool search');
    expect(one.bodies()[2]?.messages.at(-1)?.text, 'and asked for').to.include('Call the tool search now');
    await settlesWell(one);
  });

  it('is no longer chosen where the page refuses it: the assistant did use it', async () => {
    const one = talk([call('search'), 'No.', 'Still no.'], { decide: ({ toolName }) => (toolName === 'search' ? 'deny' : 'allow') });
    one.tool('search', { label: 'Web search' });
    expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'No.' });
    expect(one.bodies()).to.have.length(2);
    await settlesWell(one);
  });

  it('is known by an alias, too', async () => {
    const one = talk([call('suche') + call('write'), 'Done.']);
    one.tool('search', { aliases: { 'xml-invoke': 'suche' } });
    one.tool('write');
    await one.chat.sendMessage('go', { tool: 'search' });
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['search', 'write']);
    expect(one.bodies()[1]?.system).not.to.include('has chosen the tool');
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    it(`lets another of the same reply, ${execution}, be judged when it was called`, async () => {
      const one = talk([call('search') + call('write') + call('search', { title: 'b' }), 'Done.'], { execution });
      one.tool('search', { execute: () => tick().then(() => 'found') });
      one.tool('write');
      expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
      expect(one.runs.map(({ name }) => name)).to.have.members(['search', 'write', 'search']);
      expect(one.runs[0]?.name).to.equal('search');
      await settlesWell(one);
    });

  it('lets another of the same reply be judged when it was declined; one before it is refused', async () => {
    const one = talk([call('write') + call('search') + call('write', { title: 'b' }), 'Done.'], { person: true });
    one.tool('search', { risk: 'danger' });
    one.tool('write');
    const turn = one.chat.sendMessage('go', { tool: 'search' });
    const [card] = await one.asked();
    expect(one.runs).to.deep.equal([]);
    one.decide('deny', card!);
    const { results } = await turn;
    expect(results.map(({ toolName, status }) => `${toolName} ${status}`).sort()).to.deep.equal([
      'search denied',
      'write denied',
      'write success',
    ]);
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['b']);
    await settlesWell(one);
  });

  it('does not hold back for ever what waits behind it: a stop ends both', async () => {
    const one = talk([call('search') + call('write')], { person: true });
    one.tool('search', { risk: 'danger' });
    one.tool('write');
    const turn = one.chat.sendMessage('go', { tool: 'search' });
    await one.asked();
    one.chat.cancelStream();
    expect(await turn).to.include({ reason: 'cancelled' });
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  for (const [what, second] of [
    ['the same call of another tool', call('write')],
    ['another call of another tool', call('write', { title: 'b' })],
    ['words', 'I would rather not.'],
  ] as const)
    it(`is asked for once where the model prefers another tool, then the truth is told: ${what}`, async () => {
      const one = talk([call('write'), second, 'Hi.']);
      one.tool('search', { label: 'Web search' });
      one.tool('write');
      const { reason, error, success } = await one.chat.sendMessage('go', { tool: 'search' });
      expect({ reason, success, message: error?.message }).to.deep.equal({
        ...{ reason: 'error', success: false },
        message: 'The assistant did not use Web search',
      });
      expect(one.requests()).to.have.length(2);
      expect(one.bodies()[1]?.messages.at(-1)?.text).to.include('Call the tool search now');
      expect(one.runs).to.deep.equal([]);
      await settlesWell(one);
    });

  it('is not asked for where the host wants single answers, nor silently forgotten where a refusal stops', async () => {
    const single = talk([call('write')], { resultLoop: 'single' });
    single.tool('search');
    single.tool('write');
    expect(await single.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'error' });
    expect(single.requests()).to.have.length(1);
    const stopping = talk([call('write'), call('search'), 'Done.'], { onDeny: 'stop' });
    stopping.tool('search');
    stopping.tool('write');
    expect(await stopping.chat.sendMessage('go', { tool: 'search' })).to.include({ text: 'Done.' });
  });

  it('has to be one that is registered', async () => {
    const one = talk([]);
    const refused: unknown = await one.chat.sendMessage('go', { tool: 'nonsense' }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TypeError);
    expect(one.requests()).to.have.length(0);
  });
});
