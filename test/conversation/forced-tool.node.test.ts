/** A message that is for one tool: `sendMessage(text, { tool })` (S4-47, S4-48, S4-50). */
import { expect } from 'chai';
import { call, talk, tick, useFaultServer } from './talk.js';

describe('a chosen tool', () => {
  useFaultServer({ settles: true });

  it('is called first, once; after that the turn goes on by the usual rules', async () => {
    const one = talk([call('search'), call('search', { title: 'more' }) + call('write'), 'Done.', 'Hi.']);
    one.with({ search: 'write', write: 'write' });
    expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['search', 'search', 'write']);
    await one.chat.sendMessage('hello');
    const named = one.bodies().map(({ system }) => system.includes('The user has chosen the tool search'));
    expect(named).to.deep.equal([true, false, false, false]);
  });

  it('goes before another that the model calls: that one is refused, and the model is told why', async () => {
    const one = talk([call('write'), call('search'), 'Done.']).with({ search: 'write', write: 'write' });
    const { results } = await one.chat.sendMessage('go', { tool: 'search' });
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['search']);
    expect(results[0]).to.include({ toolName: 'write', status: 'denied' });
    expect(one.bodies()[1]?.messages.at(-1)?.text).to.include('search');
  });

  it('is asked for once more when the reply calls nothing, without a word on the screen', async () => {
    const one = talk(['Let me think.', call('search'), 'Done.']).with({ search: 'write' });
    expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
    expect(one.runs).to.have.length(1);
    expect(one.bodies()[1]?.messages.at(-1)).to.deep.equal({ role: 'user', text: 'Call the tool search now, as the user has chosen.' });
    expect(one.chat.messages.filter(({ role }) => role === 'user')).to.have.length(1);
  });

  it('fails visibly when it is not called then either', async () => {
    const one = talk(['No.', 'Still no.', 'Hi.']);
    one.tool('search', { label: 'Web search' });
    const { reason, error } = await one.chat.sendMessage('go', { tool: 'search' });
    expect([reason, error?.message]).to.deep.equal(['error', 'The assistant did not use Web search']);
    expect(one.chat.error).to.equal('The assistant did not use Web search');
    expect(one.bodies()[1]?.messages.at(-1)?.text, 'the model knows it by its name').to.include('tool search');
    expect(one.requests()).to.have.length(2);
    expect(await one.chat.sendMessage('hello')).to.include({ text: 'Hi.' });
  });

  for (const approval of ['always', 'user-run'] as const)
    it(`is no longer chosen when the person declines it under ${approval}: nothing asks for it again, and nobody is blamed (Y-16)`, async () => {
      const one = talk([call('search'), 'All right.'], { approval, person: true }).with({ search: 'write' });
      const turn = one.chat.sendMessage('go', { tool: 'search' });
      const [card] = await one.asked();
      one.decide('deny', card!);
      expect(await turn)
        .to.include({ reason: 'stop', text: 'All right.' })
        .and.not.have.property('error');
      expect(one.requests()).to.have.length(2);
      const second = one.bodies()[1]!;
      expect(second.system).not.to.include('has chosen the tool');
      expect(JSON.stringify(second.messages)).not.to.include('Call the tool search now');
    });

  it('stays chosen behind a call that never started', async () => {
    const one = talk([call('search', { nonsense: '1' }), 'No.', call('search'), 'Done.']).with({ search: 'write' });
    expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
    expect(one.chat.toolHistory.map(({ status }) => status)).to.deep.equal(['error', 'success']);
    expect(one.bodies()[1]?.system, 'still chosen').to.include('has chosen the tool search');
    expect(one.bodies()[2]?.messages.at(-1)?.text, 'and asked for').to.include('Call the tool search now');
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    it(`lets another of the same reply, ${execution}, be judged when it was called`, async () => {
      const one = talk([call('search') + call('write') + call('search', { title: 'b' }), 'Done.'], { execution });
      one.tool('search', { execute: () => tick().then(() => 'found') });
      one.tool('write');
      expect(await one.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'stop', text: 'Done.' });
      expect(one.runs.map(({ name }) => name)).to.have.members(['search', 'write', 'search']);
      expect(one.runs[0]?.name).to.equal('search');
    });

  it('lets another of the same reply be judged when it was declined; one before it is refused', async () => {
    const one = talk([call('write') + call('search') + call('write', { title: 'b' }), 'Done.'], { person: true });
    one.with({ search: 'danger', write: 'write' });
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
  });

  it('is asked for once where the model prefers another tool, then the truth is told', async () => {
    const one = talk([call('write'), call('write'), 'Hi.']);
    one.tool('search', { label: 'Web search' });
    one.tool('write');
    const { reason, error } = await one.chat.sendMessage('go', { tool: 'search' });
    expect([reason, error?.message]).to.deep.equal(['error', 'The assistant did not use Web search']);
    expect(one.requests()).to.have.length(2);
    expect(one.bodies()[1]?.messages.at(-1)?.text).to.include('Call the tool search now');
    expect(one.runs).to.deep.equal([]);
  });

  it('is not asked for where the host wants single answers, nor silently forgotten where a refusal stops', async () => {
    const single = talk([call('write')], { resultLoop: 'single' }).with({ search: 'write', write: 'write' });
    expect(await single.chat.sendMessage('go', { tool: 'search' })).to.include({ reason: 'error' });
    expect(single.requests()).to.have.length(1);
    const stopping = talk([call('write'), call('search'), 'Done.'], { onDeny: 'stop' }).with({ search: 'write', write: 'write' });
    expect(await stopping.chat.sendMessage('go', { tool: 'search' })).to.include({ text: 'Done.' });
  });

  it('has to be one that is registered', async () => {
    const one = talk([]);
    const refused: unknown = await one.chat.sendMessage('go', { tool: 'nonsense' }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TypeError);
    expect(one.requests()).to.have.length(0);
  });
});
