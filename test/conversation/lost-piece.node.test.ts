/** A reply with a piece that could not be read: what was open then, and what follows, is nothing to act on unasked (S0-40). */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { call, statuses, talk, useFaultServer } from './talk.js';

describe('a piece of the stream that could not be read', () => {
  useFaultServer({ settles: true });

  for (const noise of ['badjson', 'html'])
    it(`makes the call it stands in ask, and the message say that something is missing (${noise})`, async () => {
      const one = talk([{ text: call('act', { title: 'a long title that is cut in two' }), q: `noise=${noise}` }, 'Done.'], {
        person: true,
      });
      one.tool('act', { risk: 'query' });
      const turn = one.send();
      const [card] = await one.asked();
      expect(one.runs).to.have.length(0);
      expect(card?.call?.reason).to.equal(en.reasonLost);
      one.decide('allow', card!);
      expect(statuses((await turn).results)).to.deep.equal(['success']);
      expect(one.chat.messages[1]?.metadata).to.include({ incomplete: true });
      expect(one.view().views.find(({ message }) => message.role === 'assistant')?.note).to.equal(en.answerIncomplete);
      expect(one.entries.filter(({ code }) => code === 'stream.warning')).to.have.length(1);
    });

  it('makes a call behind it ask, for it may have opened a code block, and none that was complete before', async () => {
    const one = talk([{ text: `${call('look')}${'and then '.repeat(30)}\n\n${call('act')}`, q: 'noise=badjson' }, 'Done.'], {
      person: true,
    });
    one.with({ look: 'write', act: 'write' });
    const turn = one.send();
    const [card] = await one.asked();
    expect(card?.toolName).to.equal('act');
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
    one.decide('deny', card!);
    await turn;
  });

  it('changes nothing where a frame means nothing', async () => {
    for (const noise of ['emptydata', 'named', 'fields']) {
      const one = talk([{ text: call('act', { title: 'a long title that is cut in two' }), q: `noise=${noise}` }, 'Done.']);
      one.tool('act');
      await one.send();
      expect(one.runs, noise).to.have.length(1);
      expect(one.chat.messages[1]?.metadata).to.not.have.property('incomplete');
    }
  });
});
