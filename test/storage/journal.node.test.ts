import { expect } from 'chai';
import type { PublishedResult } from '../../src/model/calls.js';
import { createMemoryJournal } from '../../src/storage/journal.js';

const intent = { requestId: 'call-1', toolName: 'pay', digest: 'd' };

function result(message: string): PublishedResult {
  return { requestId: 'call-1', toolName: 'pay', status: 'success', success: true, message, result: message, durationMs: 1 };
}

describe('the journal in memory', () => {
  it('starts a call once, however often and however soon it is asked again (X-17)', async () => {
    const journal = createMemoryJournal();
    const answers = await Promise.all([journal.intent(intent), journal.intent(intent), journal.intent({ ...intent, digest: 'other' })]);
    expect(answers).to.deep.equal(['start', 'known', 'known']);
    await journal.settle('call-1', result('done'));
    expect(await journal.intent(intent)).to.equal('known');
    expect(await journal.intent({ ...intent, requestId: 'call-2' })).to.equal('start');
  });

  it('keeps the first end of a call', async () => {
    const journal = createMemoryJournal(() => 5);
    await journal.intent(intent);
    expect(await journal.find('call-1')).to.deep.equal({ ...intent, startedAt: 5 });
    await journal.settle('call-1', result('first'));
    await journal.settle('call-1', result('second'));
    expect((await journal.find('call-1'))?.result?.message).to.equal('first');
  });

  it('knows nothing of a call that was never meant', async () => {
    const journal = createMemoryJournal();
    await journal.settle('call-1', result('late'));
    expect([await journal.find('call-1'), await journal.find('__proto__')]).to.deep.equal([undefined, undefined]);
    expect(await journal.intent(intent)).to.equal('start');
  });
});
