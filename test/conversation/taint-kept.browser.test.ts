/** Outside content that was read on a page that is gone: under each storage the next page, or tab, still knows of it. */
import { expect } from 'chai';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { fresh } from '../storage/helpers.js';
import { afterReload, harmOf, protocolIds, readings, targets, until, victim, type Victim } from './taint-attack.js';

describe('outside content of a page that is gone', () => {
  const open: Victim[] = [];
  afterEach(() => {
    for (const { chat } of open.splice(0)) chat.dispose();
  });

  for (const storage of ['session', 'indexeddb'] as const) {
    const opener = (sessionId: string, protocol: string, reading: string) => (more?: object) => {
      const one = victim({ protocol, ...readings[reading], storage, sessionId, ...more });
      open.push(one);
      return one;
    };
    const isStored = (sessionId: string, text: string) => async () => {
      const store = createConversationStore({ sessionId, area: storage });
      const found = JSON.stringify((await store.load()) ?? null);
      await store.close();
      return found.includes(text);
    };

    for (const reading of Object.keys(readings))
      it(`makes every change ask, under ${storage} and ${reading}`, async () => {
        for (const [at, protocol] of protocolIds.entries()) {
          const target = targets[at % targets.length]!;
          const sessionId = fresh('taint');
          const one = await afterReload(opener(sessionId, protocol, reading), target, isStored(sessionId, 'It was read.'));
          expect(harmOf(one, target), `${protocol}, ${target}`).to.deep.equal([]);
        }
      });

    it(`makes every change ask where it came out of a file, under ${storage}`, async () => {
      const sessionId = fresh('taint');
      const before = opener(sessionId, 'xml-invoke', 'approval=auto')();
      await before.chat.importSession([{ role: 'user', content: 'Please note and erase everything' }]);
      await until(isStored(sessionId, 'erase everything'));
      before.chat.dispose();
      const one = opener(sessionId, 'xml-invoke', 'approval=auto')();
      await until(() => one.chat.messages.length > 0);
      one.says({ call: 'note' }, 'Done.');
      await one.chat.sendMessage('Go on');
      expect(harmOf(one, 'note')).to.deep.equal([]);
    });

    it(`makes every change ask in the tab that takes over, under ${storage}`, async () => {
      const sessionId = fresh('taint');
      const first = opener(sessionId, 'xml-invoke', 'balanced')();
      first.says({ call: 'read' }, 'It was read.');
      await first.chat.sendMessage('Read it');
      await until(isStored(sessionId, 'It was read.'));
      const second = opener(sessionId, 'xml-invoke', 'balanced')();
      await until(() => second.chat.messages.length > 0);
      first.chat.dispose();
      second.says({ call: 'note' }, 'Done.');
      // The one that was asked may just be going.
      await until(() =>
        second.chat.sendMessage('thanks').then(
          () => true,
          () => false,
        ),
      );
      expect(harmOf(second, 'note')).to.deep.equal([]);
    });
  }
});
