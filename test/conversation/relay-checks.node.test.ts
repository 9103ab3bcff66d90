/** Options that only our relay understands, with another service. */
import { expect } from 'chai';
import type { ConversationOptions } from '../../src/conversation/conversation.js';
import { stage } from './play.js';
import { useFaultServer, type Talk } from './talk.js';

const warnings = (one: Talk) => one.entries.filter(({ code }) => code === 'config.relay');
const openai: Partial<ConversationOptions> = {
  ...{ endpoint: 'https://api.example/v1/chat/completions', wire: 'auto', stream: 'off' },
  fetch: () => Promise.resolve(Response.json({ choices: [{ message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }] })),
};

/** The warnings after two messages. */
async function warned(options: Partial<ConversationOptions>, tools = 'look') {
  const one = stage(['Hi.', 'Hi.'], tools ? tools : {}, options);
  await one.send();
  await one.send();
  return warnings(one);
}

describe('an option that only our relay knows', () => {
  useFaultServer({ settles: true });

  for (const [options, instead] of [
    [{ preset: 'semi-auto' }, 'prompt-injection="client"'],
    [{ promptInjection: 'relay' }, 'prompt-injection="client"'],
    [{ orchestration: 'relay-gated' }, 'orchestration="client"'],
  ] as const)
    it(`is warned of once with an OpenAI address, with the setting to use: ${JSON.stringify(options)}`, async () => {
      const [said, ...more] = await warned({ ...openai, ...options });
      expect(more).to.deep.equal([]);
      expect(said?.message).to.include(instead);
      if (instead.startsWith('prompt')) expect(said?.message).to.include('taught no tool');
      if (instead.startsWith('prompt')) expect(said?.context).to.include({ option: 'prompt-injection', wire: 'openai' });
    });

  it('is not warned of where nothing is missing', async () => {
    expect(await warned({ ...openai, preset: 'semi-auto', promptInjection: 'client' })).to.deep.equal([]);
    expect(await warned({ ...openai, preset: 'semi-auto' }, ''), 'there is nothing to teach').to.deep.equal([]);
    expect([await warned(openai), await warned({ preset: 'semi-auto' })]).to.deep.equal([[], []]);
  });
});
