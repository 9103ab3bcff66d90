/** The scripted model keeps notes and uses them, so that memory in layers works offline: S4-32, S4-33. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { createConversation } from '../../src/core.js';
import { inMemoryStore } from '../../src/memory/stores.js';
import { scriptedEndpoint } from '../../src/scripted-model/index.js';

for (const [lang, told, asked, answer] of [
  ['zh-CN', '我叫小明', '我叫什么名字？', '你叫小明。'],
  ['en', 'My name is Ada', 'What is my name?', 'Your name is Ada.'],
] as const)
  describe(`the scripted model as a keeper of notes (${lang})`, () => {
    it('remembers a name over conversations', async () => {
      const memoryStore = inMemoryStore();
      const endpoint = scriptedEndpoint('cutie', { delayMs: 0 });
      const open = () =>
        createConversation({
          ...{ endpoint: 'https://example.org/api/ai/chat/stream', wire: 'cutie', memory: 'layered', memoryStore, lang, logLevel: 'off' },
          memoryOptions: { summaryEvery: 2 },
          fetch: (url, init) => endpoint(new Request(url as string, init)),
        });
      const kept = async (wanted: string) => {
        for (
          const end = Date.now() + 5000;
          (await memoryStore.list()).every(({ kind }) => kind !== wanted);
          await new Promise((resolve) => setTimeout(resolve, 1)) // a store tells nobody of what is put into it
        )
          if (Date.now() > end) throw new Error('Nothing was remembered');
      };
      const first = open();
      expect((await first.sendMessage(asked)).text).to.not.include(answer);
      // Of what is said while the notes of something else are written, the next ones tell.
      await kept('summary');
      await first.sendMessage(told);
      await kept('entity');
      first.dispose();

      const second = open();
      expect((await second.sendMessage(asked)).text).to.equal(answer);
      expect(internalsOf(second).surface.view.remembered?.some(({ kind }) => kind === 'entity')).to.equal(true);
      second.dispose();
    });
  });
