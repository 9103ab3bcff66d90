/** A call that a model only drafts does not run where the template has swallowed the beginning of its thoughts. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { play } from './play.js';
import { call, talk, until, useFaultServer } from './talk.js';

const draft = `They ask how.\n\n${call('act', { title: 'draft' })}\nbut no, I explain.\n</think>\n\n`;

describe('a call drafted in thoughts without a beginning', () => {
  useFaultServer({ settles: true });

  it('does not run, has no card, and is shown as reasoning', async () => {
    const one = await play([`${draft}Open the menu.`], 'act');
    expect([one.success, one.text.trim(), one.runs, one.cards(), one.requests().length]).to.deep.equal([true, 'Open the menu.', [], [], 1]);
    const [message] = one.chat.messages.filter(({ role }) => role === 'assistant');
    expect(message?.text.trim()).to.equal('Open the menu.');
    expect(message?.reasoning).to.match(/^They ask how\.[^]*draft[^]*I explain\./);
  });

  it('does not hold back the call that is meant', async () => {
    const one = await play([`${draft}${call('act', { title: 'real' })}`, 'Done.'], 'act');
    expect([one.runs.map(({ args }) => args['title']), one.cards().length]).to.deep.equal([['real'], 1]);
    // The model reads its answer again, not its draft.
    expect(JSON.stringify(one.bodies()[1])).to.include('real').and.not.include('draft');
  });

  it('is taken from the screen of one who follows the reply, and the broken one from the round', async () => {
    const shown: string[] = [];
    const one = talk([`So\n<tool_use>\n<invoke name="act">\n<parameter>x</parameter>\n</invoke>\n</tool_use>\n${draft}Open the menu.`], {
      onEach(event, self) {
        if (event.type === 'stream-start')
          queueMicrotask(() => {
            const id = self.view().views.at(-1)?.message.id ?? '';
            internalsOf(self.chat).surface.follow(id, {
              text: (text) => void shown.push(text),
              reasoning: (text) => void shown.push(`(${text})`),
              call: () => void shown.push('call'),
              restart: () => void shown.splice(0),
              end: () => undefined,
            });
          });
      },
    });
    one.tool('act');
    const { results } = await one.send();
    expect([results, one.runs]).to.deep.equal([[], []]);
    expect(shown).to.not.include('call');
  });

  it('asks under on-block, once the model is known to think so, and is withdrawn at the end of the thoughts', async () => {
    const one = talk([`${draft}Open.`, { text: `${draft}${'Open the menu. '.repeat(20)}`, q: 'delay=1' }], {
      dispatch: 'on-block',
      person: true,
    });
    one.tool('act');
    await one.send();
    const before = one.runs.length;
    await one.send('again');
    expect(one.runs).to.have.length(before);
    await until(() => one.chat.state === 'idle', 'the end');
    expect(one.cards().filter(({ status }) => status === 'awaiting_approval')).to.deep.equal([]);
  });

  it('runs where thoughts have a beginning and an end before it', async () => {
    const turns = [`<think>Should I?\n</think>\n\n${call('act', { title: 'real' })}`, 'Done.'];
    expect((await play(turns, 'act', { dispatch: 'on-block' })).runs).to.have.length(1);
  });
});
