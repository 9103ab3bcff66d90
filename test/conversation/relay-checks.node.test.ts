/** Options that only our relay gives a meaning to, where something else is asked. */
import { expect } from 'chai';
import type { ConversationOptions } from '../../src/conversation/conversation.js';
import { talk, useFaultServer, type Talk } from './talk.js';

const warnings = (one: Talk) => one.entries.filter(({ code }) => code === 'config.relay');

/** Two messages to a service that speaks OpenAI's format. */
async function ask(options: Partial<ConversationOptions>, tools = true): Promise<Talk> {
  const answer = () =>
    new Response('{"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}', {
      headers: { 'content-type': 'application/json' },
    });
  const one = talk([], {
    ...{ endpoint: 'https://api.example/v1/chat/completions', wire: 'auto', stream: 'off', fetch: () => Promise.resolve(answer()) },
    ...options,
  });
  if (tools) one.tool('look');
  await one.send();
  await one.send();
  return one;
}

describe('an option that only our relay knows', () => {
  useFaultServer();

  for (const options of [{ preset: 'semi-auto' }, { promptInjection: 'relay' }] as Partial<ConversationOptions>[])
    it(`is warned of once, with what to set: ${JSON.stringify(options)} and an OpenAI address`, async () => {
      const [said, ...more] = warnings(await ask(options));
      expect(more).to.deep.equal([]);
      expect(said?.message).to.include('taught no tool').and.include('prompt-injection="client"');
      expect(said?.context).to.include({ option: 'prompt-injection', wire: 'openai' });
    });

  it('is warned of once: the gate and an OpenAI address', async () => {
    const [said, ...more] = warnings(await ask({ orchestration: 'relay-gated' }));
    expect(more).to.deep.equal([]);
    expect(said?.message).to.include('orchestration="client"');
  });

  it('is not spoken of where nothing is missing', async () => {
    expect(warnings(await ask({ preset: 'semi-auto', promptInjection: 'client' }))).to.deep.equal([]);
    expect(warnings(await ask({ preset: 'semi-auto' }, false)), 'there is nothing to teach').to.deep.equal([]);
    expect(warnings(await ask({}))).to.deep.equal([]);
    const relayed = talk(['Hi.'], { preset: 'semi-auto' });
    relayed.tool('look');
    await relayed.send();
    expect(warnings(relayed)).to.deep.equal([]);
  });
});
