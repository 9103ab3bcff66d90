/** Servers that do not let this site read. */
import { expect } from '@open-wc/testing';
import { createConversation } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';

describe('faults of the connection, in a browser', () => {
  let other = '';
  before(async () => {
    const { port } = (await (await fetch('/__fault-port')).json()) as { port: number };
    other = `http://127.0.0.1:${String(port)}`;
  });

  for (const cors of ['off', 'wrong', 'preflight'])
    it(`CORS ${cors}: says that the endpoint may not allow this site, tries a few times, and another endpoint is answered`, async () => {
      const id = `cors-${cors}-${Math.random().toString(36).slice(2)}`;
      let endpoint = `${other}/${id}?wire=cutie&cors=${cors}`;
      const chat = createConversation({
        get endpoint() {
          return endpoint;
        },
        wire: 'cutie',
        logLevel: 'off',
        degrade: 'off',
        clock: {
          setTimeout: (run: () => void, ms: number) => setTimeout(run, ms > 5000 ? ms : 1),
          clearTimeout: (timer: unknown) => clearTimeout(timer as number),
        } as never,
      });
      const { error, reason } = await chat.sendMessage('hello');
      expect(reason).to.equal('error');
      const lines = internalsOf(chat).surface.view.failure?.lines.join(' ') ?? '';
      expect(lines).to.match(/may not allow this site/);
      expect(error?.message.length).to.be.below(500);
      const log = (await (await fetch('/__fault/__log')).json()) as { url: string }[];
      expect(log.filter(({ url }) => url.includes(id)).length).to.be.within(1, 8); // up to four attempts, each with a preflight
      endpoint = `${other}/${id}-well?wire=cutie&text=I+am+well.`;
      expect(await chat.retryLastMessage()).to.include({ success: true, text: 'I am well.' });
      chat.dispose();
    });
});
