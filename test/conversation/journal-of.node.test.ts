import { expect } from 'chai';
import { createJournalDesk } from '../../src/conversation/keeping/journal-of.js';
import type { Journal } from '../../src/storage/journal.js';
import { createLog } from '../../src/base/logging.js';

describe('the journal of a kept conversation', () => {
  it('has what else is to be written make room until a call, and its end, is written down', async () => {
    const waits: (() => void)[] = [];
    const slow = <T>(answer: T) => new Promise<T>((resolve) => waits.push(() => resolve(answer)));
    const given: Journal = { intent: () => slow('start' as const), settle: () => slow(undefined), find: () => slow(undefined) };
    const passing = new Set<Promise<unknown>>();
    const desk = createJournalDesk('s', 'session', () => undefined, createLog());
    const journal = desk.guarded(given, {
      ...{ holds: true, generation: 0, verify: () => Promise.resolve(true), clean: (value) => value },
      letPass(work) {
        passing.add(work);
        void work.finally(() => passing.delete(work));
      },
    });
    for (const write of [
      () => journal.intent({ requestId: 'c', toolName: 'pay', digest: 'd' }),
      () =>
        journal.settle('c', { requestId: 'c', toolName: 'pay', success: true, status: 'success', result: '', message: '', durationMs: 1 }),
    ]) {
      const writing = write();
      expect(passing.size).to.equal(1);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve));
      expect(passing.size).to.equal(1);
      waits.shift()?.();
      await writing;
      await new Promise((resolve) => setTimeout(resolve));
      expect(passing.size).to.equal(0);
    }
  });
});
