/** What a request holds beside the conversation, and what a service cannot take: example turns, attachments, options of our relay. */
import { expect } from 'chai';
import { loadLog } from '../../src/base/logging.js';
import { play, stage } from './play.js';
import { call, talk, type Talk, useFaultServer } from './talk.js';
import type { ConversationOptions } from '../../src/conversation/conversation.js';

const look = { examples: [{ say: 'Look at the milk', args: { title: 'milk' } }] };

const roles = (messages: readonly { role: string }[]) => messages.map(({ role }) => role).join(' ');

describe('example turns in a conversation', () => {
  useFaultServer({ settles: true });

  it('stand before what was said, in every request, and run nothing', async () => {
    const one = await play([call('look', { title: 'eggs' }), 'Done.'], { look }, { message: 'Are there eggs?' });
    const [first, second] = one.bodies();
    const texts = first!.messages.map(({ text }) => text);
    expect(texts.slice(0, 2)).to.deep.equal(['Look at the milk', call('look', { title: 'milk' }).trim()]);
    expect(texts[2]).to.match(/^<tool_result name="look" id="call_1" status="success">ok<\/tool_result>/);
    expect(texts.at(-1)).to.equal('Are there eggs?');
    expect(roles(second!.messages)).to.equal('user assistant user assistant user assistant user assistant user assistant user');
    expect(one.runs.map(({ args }) => args)).to.deep.equal([{ title: 'eggs' }]);
  });

  it('are neither shown nor exported, and are no words of the person', async () => {
    const one = await play(['Hello.'], { look }, { message: 'Hi' });
    expect(one.view().messages.map(({ text }) => text)).to.deep.equal(['Hi', 'Hello.']);
    expect(JSON.stringify(await one.chat.exportSession())).not.to.contain('milk');
    expect(Object.keys(one.bodies()[0]!.messages[0]!)).to.deep.equal(['role', 'text']);
  });
});

const picture = { type: 'image/png', name: 'a.png', url: 'data:image/png;base64,iVBORw0KGgo=' };
const paper = { type: 'application/pdf', name: 'b.pdf', url: 'data:application/pdf;base64,JVBERg==' };

const notice = (one: Talk) => one.view().notices?.find(({ id }) => id === 'unseen')?.text;
const warnings = (one: Talk) => one.entries.filter(({ code }) => code === 'message.unseen');

describe('attachments that a wire does not carry (S0-189)', () => {
  useFaultServer({ settles: true });
  before(() => loadLog()); // else the first entries wait for it

  it('are told to the user before the message is sent, and to the log', async () => {
    let before: string | undefined;
    const one: Talk = talk(['I see no picture.'], { beforeSend: (request) => ((before = notice(one)), request) });
    await one.chat.sendMessage('What is this?', { attachments: [picture, paper] });
    const expected = 'The assistant cannot see “a.png”, “b.pdf”: this service accepts text only. Describe what matters';
    expect([before, notice(one)]).to.deep.equal([expected, expected]);
    expect(warnings(one)).to.have.lengthOf(1);
    expect(warnings(one)[0]?.context).to.include({ wire: 'cutie', count: 2 });
  });

  it('are not told where the wire carries them', async () => {
    let sent = '';
    const one = talk([], { wire: 'openai', beforeSend: ({ body }) => ((sent = JSON.stringify(body)), null) });
    await one.chat.sendMessage('What is this?', { attachments: [picture] });
    expect([notice(one), warnings(one)]).to.deep.equal([undefined, []]);
    expect(sent).to.include(picture.url);
  });
});

const openai: Partial<ConversationOptions> = {
  ...{ endpoint: 'https://api.example/v1/chat/completions', wire: 'auto', stream: 'off' },
  fetch: () => Promise.resolve(Response.json({ choices: [{ message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }] })),
};

/** The warnings after two messages. */
async function warned(options: Partial<ConversationOptions>, tools = 'look') {
  const one = stage(['Hi.', 'Hi.'], tools ? tools : {}, options);
  await one.send();
  await one.send();
  return one.entries.filter(({ code }) => code === 'config.relay');
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
