/** A message that is for one tool: `sendMessage(text, { tool })` (S4-47, S4-48, S4-50). */
import { expect } from 'chai';
import { call, settlesWell, talk, useFaultServer } from './talk.js';

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

  it('has to be one that is registered', async () => {
    const one = talk([]);
    const refused: unknown = await one.chat.sendMessage('go', { tool: 'nonsense' }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TypeError);
    expect(one.requests()).to.have.length(0);
  });
});
