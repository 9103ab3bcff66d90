/** A panel that can be written in before its conversation has been loaded: nothing of it is lost. */
import { expect } from 'chai';
import { createWaitingSurface } from '../../src/elements/waiting-surface.js';
import type { ConversationSurface, ViewSnapshot } from '../../src/model/snapshot.js';

describe('a conversation that is still being loaded', () => {
  const stage = () => {
    const asked: string[] = [];
    const views: ViewSnapshot[] = [];
    const waiting = createWaitingSurface(() => asked.push('retry'));
    waiting.subscribe((view) => views.push(view));
    const surface = {
      send: (text: string, options?: { tool?: string }) => asked.push(`send ${text} ${options?.tool ?? ''}`.trim()),
      draft: (text: string) => asked.push(`draft ${text}`),
    } as unknown as ConversationSurface;
    return { asked, views, waiting, surface };
  };

  it('shows what was sent as waiting, and sends it in order, once, when it is there', () => {
    const { asked, waiting, surface } = stage();
    waiting.send('first');
    waiting.send('second', { tool: 'find' });
    waiting.draft?.('thi');
    waiting.draft?.('third');
    expect(waiting.view.queue).to.deep.equal(['first', 'second']);
    waiting.handOver(surface);
    expect(asked).to.deep.equal(['send first', 'send second find', 'draft third']);
    waiting.handOver(surface);
    expect(asked).to.have.length(3);
  });

  it('does not send what was taken back', () => {
    const { asked, waiting, surface } = stage();
    for (const text of ['one', 'two', 'three']) waiting.send(text);
    waiting.unqueue(1, 'two');
    waiting.handOver(surface);
    expect(asked).to.deep.equal(['send one', 'send three']);
  });

  it('says that it could not be loaded, keeps what waits, and asks for it again', () => {
    const { asked, views, waiting } = stage();
    waiting.send('hello');
    const error = { code: 'CONNECT_FAILED', layer: 'network', message: 'It did not come', retryable: true } as const;
    waiting.fail({ error, lines: ['It did not come'], canRetry: true });
    expect(views.at(-1)).to.deep.include({ queue: ['hello'], failure: { error, lines: ['It did not come'], canRetry: true } });
    waiting.retry();
    waiting.fail(null);
    expect(asked).to.deep.equal(['retry']);
    expect(waiting.view).to.deep.include({ queue: ['hello'], failure: null });
  });
});
