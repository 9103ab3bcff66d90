/** A panel that can be written in before its conversation has been loaded: nothing of it is lost. */
import { expect } from 'chai';
import { createWaitingSurface } from '../../src/elements/waiting-surface.js';
import type { ConversationSurface } from '../../src/model/snapshot.js';

describe('a conversation that is still being loaded', () => {
  const stage = () => {
    const asked: string[] = [];
    const waiting = createWaitingSurface(() => asked.push('retry'));
    const send = (text: string, options?: { tool?: string }) => asked.push(`send ${text} ${options?.tool ?? ''}`.trim());
    const surface = { send, draft: (text: string) => asked.push(`draft ${text}`) } as unknown as ConversationSurface;
    return { asked, waiting, surface };
  };

  it('shows what was sent as waiting, and sends it in order, once, when it is there; not what was taken back', () => {
    const { asked, waiting, surface } = stage();
    waiting.send('first');
    waiting.send('second', { tool: 'find' });
    waiting.send('never');
    waiting.unqueue(2, 'never');
    for (const text of ['thi', 'third']) waiting.draft?.(text);
    expect(waiting.view.queue).to.deep.equal(['first', 'second']);
    for (let times = 0; times < 2; times += 1) waiting.handOver(surface);
    expect(asked).to.deep.equal(['send first', 'send second find', 'draft third']);
  });

  it('says that it could not be loaded, keeps what waits, and asks for it again', () => {
    const { asked, waiting } = stage();
    waiting.send('hello');
    const error = { code: 'CONNECT_FAILED', layer: 'network', message: 'It did not come', retryable: true } as const;
    const failure = { error, lines: ['It did not come'], canRetry: true };
    waiting.fail(failure);
    expect(waiting.view).to.deep.include({ queue: ['hello'], failure });
    waiting.retry();
    waiting.fail(null);
    expect(asked).to.deep.equal(['retry']);
    expect(waiting.view).to.deep.include({ queue: ['hello'], failure: null });
  });
});
