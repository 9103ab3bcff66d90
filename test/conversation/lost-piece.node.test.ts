/** A reply with a piece that could not be read: what was open then, and what follows, is nothing to act on unasked (S0-40). */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { asking, play, ran } from './play.js';
import { call, statuses, useFaultServer } from './talk.js';

const text = call('act', { title: 'a long title that is cut in two' });

describe('a piece of the stream that could not be read', () => {
  useFaultServer({ settles: true });

  for (const noise of ['badjson', 'html'])
    it(`makes the call it stands in ask, and the message say that something is missing (${noise})`, async () => {
      const { one, turn, card } = await asking([{ text, q: `noise=${noise}` }, 'Done.'], { act: 'query' });
      expect(one.runs).to.have.length(0);
      expect(card.call?.reason).to.equal(en.reasonLost);
      one.decide('allow', card);
      expect(statuses((await turn).results)).to.deep.equal(['success']);
      expect(one.chat.messages[1]?.metadata).to.include({ incomplete: true });
      expect(one.view().views[1]?.note).to.equal(en.answerIncomplete);
      expect(one.entries.filter(({ code }) => code === 'stream.warning')).to.have.length(1);
    });

  it('makes a call behind it ask, for it may have opened a code block, and none that was complete before', async () => {
    const behind = `${call('look')}${'and then '.repeat(30)}\n\n${call('act')}`;
    const { one, turn, card } = await asking([{ text: behind, q: 'noise=badjson' }, 'Done.'], 'look act');
    expect([card.toolName, ...ran(one)]).to.deep.equal(['act', 'look']);
    one.decide('deny', card);
    await turn;
  });

  it('changes nothing where a frame means nothing', async () => {
    for (const noise of ['emptydata', 'named', 'fields']) {
      const one = await play([{ text, q: `noise=${noise}` }, 'Done.'], 'act');
      expect(one.runs, noise).to.have.length(1);
      expect(one.chat.messages[1]?.metadata).to.not.have.property('incomplete');
    }
  });
});
