/** Examples of the host's tools, sent as turns before the conversation: the model learns from them, and nobody else takes them for real. */
import { expect } from 'chai';
import { play } from './play.js';
import { call, useFaultServer } from './talk.js';

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

  it('are not sent where the host wants none, and with tools off', async () => {
    for (const options of [{ promptOptions: { exampleTurns: false } }, { tools: 'off' as const }]) {
      const one = await play(['Hello.'], { look }, options);
      expect(JSON.stringify(one.bodies()[0])).not.to.contain('Look at the milk');
    }
  });
});
