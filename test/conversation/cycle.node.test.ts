/** What a host is told of each reply (S2-28), and the prompt it can ask for (S2-42). */
import { expect } from 'chai';
import { call, talk, useFaultServer } from './talk.js';

const look = { name: 'look', description: 'Looks around.', risk: 'query' as const, execute: () => 'seen' };

describe('the cycle of a reply', () => {
  useFaultServer();

  it('is told of a reply without calls, too, and then is empty', async () => {
    const one = talk(['Only text.']);
    one.chat.registerTool(look);
    await one.chat.sendMessage('Hello');
    const cycles = one.events.flatMap((event) => (event.type === 'cycle' ? [event.cycle] : []));
    expect(cycles).to.deep.equal([{ parsedRequests: [], executionResults: [], hasToolRequests: false }]);
    expect(one.events.at(-1)?.type).to.equal('stream-end');
  });

  it('is told once for a reply with calls and once for the answer after it', async () => {
    const one = talk([`I look. ${call('look')}`, 'Seen.']);
    one.chat.registerTool(look);
    await one.chat.sendMessage('Look');
    const cycles = one.events.flatMap((event) => (event.type === 'cycle' ? [event.cycle.hasToolRequests] : []));
    expect(cycles).to.deep.equal([true, false]);
  });
});

describe('generatePrompt', () => {
  useFaultServer();

  it('lists no tool where the configuration it is given switches them off', async () => {
    const one = talk([]);
    one.chat.registerTool(look);
    expect(await one.chat.generatePrompt()).to.contain('look');
    expect(await one.chat.generatePrompt({ config: { enabled: false } })).to.not.contain('look');
  });
});
