/** Guess first, then at most two questions (S4-43, S4-44, S4-46). */
import { expect } from 'chai';
import type { Clarify } from '../../src/model/plan.js';
import { play, system, type PlayOptions } from './play.js';
import { talk, useFaultServer, type Talk } from './talk.js';

const clarify: Clarify = {
  default: 'A report on AI for teachers, in Markdown',
  questions: [
    { text: 'For whom?', options: ['Teachers', 'Parents'] },
    { text: 'How long?', options: ['One page', 'Ten pages'] },
  ],
};
const block = (value: unknown) => `\`\`\`json\n${JSON.stringify({ clarify: value })}\n\`\`\``;

const partsOf = ({ view }: Talk) => view().views.at(-1)?.parts ?? [];
const asked = (self: Talk) => partsOf(self).flatMap((part) => (part.type === 'clarify' ? [part.clarify] : []));

describe('clarifying questions', () => {
  useFaultServer({ settles: true });

  it('are taught with planning="threshold", and where the host wants them', async () => {
    const told = async (options: PlayOptions) => system(await play(['ok'], {}, { canaries: false, ...options }));
    expect(await told({ planning: 'threshold' })).to.include('Guess first, then ask');
    expect(await told({ planning: 'threshold', lang: 'zh-CN' })).to.include('先猜测，再提问');
    expect(await told({ promptOptions: { clarify: true } })).to.include('Never reply with a bare request for more details');
    expect(await told({ planning: 'threshold', promptOptions: { clarify: false } })).to.not.include('clarify');
    expect(await told({})).to.equal('');
  });

  it('come with what the host knows of the user (S4-46)', async () => {
    const profile = { language: '中文', format: 'Markdown tables' };
    const self = await play(['ok'], {}, { planning: 'threshold', context: { profile } });
    expect(system(self)).to.match(/user’s profile and the context[^]*- language: 中文\n- format: Markdown tables/);
  });

  it('stand in their place among the parts, nothing of the block in the text, and are told to the model as it wrote them', async () => {
    const self = talk([`Gladly.\n\n${block(clarify)}`, 'ok'], { planning: 'threshold' });
    const result = await self.send('帮我做个研究');
    expect([asked(self), result.text.trim(), self.requests().length]).to.deep.equal([[clarify], 'Gladly.', 1]);
    await self.send('Teachers');
    expect(self.bodies()[1]?.messages[1]).to.deep.equal({ role: 'assistant', text: `Gladly.\n\n${block(clarify)}` });
  });

  it('are text where they cannot be read, or where nobody taught them, and nothing is asked again', async () => {
    for (const [text, options] of [
      [block({ questions: [] }), { planning: 'threshold' }],
      [block(clarify), {}],
    ] as const) {
      const self = await play([text], {}, options);
      expect(asked(self)).to.have.length(0);
      expect(self.chat.messages.at(-1)?.text).to.equal(text);
      expect(self.requests()).to.have.length(1);
    }
  });
});
