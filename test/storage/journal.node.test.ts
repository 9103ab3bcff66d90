import { expect } from 'chai';
import { createMemoryJournal } from '../../src/storage/journal.js';
import { resultOf } from './helpers.js';

const intent = { requestId: 'c1', toolName: 'pay', digest: 'd' };

describe('the journal in memory', () => {
  it('starts a call once, however often and however soon it is asked, and keeps its first end (X-17)', async () => {
    const journal = createMemoryJournal(() => 5);
    await journal.settle('c1', resultOf('c1', 'of a call that was never meant'));
    expect([await journal.find('c1'), await journal.find('__proto__')]).to.deep.equal([undefined, undefined]);
    const answers = await Promise.all([journal.intent(intent), journal.intent(intent), journal.intent({ ...intent, digest: 'other' })]);
    expect(answers).to.deep.equal(['start', 'known', 'known']);
    expect(await journal.find('c1')).to.deep.equal({ ...intent, startedAt: 5 });
    for (const end of ['first', 'second']) await journal.settle('c1', resultOf('c1', end));
    expect((await journal.find('c1'))?.result?.message).to.equal('first');
    expect([await journal.intent(intent), await journal.intent({ ...intent, requestId: 'c2' })]).to.deep.equal(['known', 'start']);
  });
});
