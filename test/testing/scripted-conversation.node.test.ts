/** The scripted model through whole conversations: several things at once, plans and questions, and notes that it keeps (S4-32, S4-33). */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { createConversation, type ConversationOptions } from '../../src/core.js';
import { inMemoryStore } from '../../src/memory/stores.js';
import { protocols } from '../../src/protocols/index.js';
import { scriptedEndpoint } from '../../src/scripted-model/index.js';

function open(options: Partial<ConversationOptions>, chunkSize = 40) {
  const endpoint = scriptedEndpoint('cutie', { delayMs: 0, chunkSize });
  return createConversation({
    ...{ endpoint: 'https://example.org/api/ai/chat/stream', wire: 'cutie', lang: 'en', logLevel: 'off', approval: 'auto' },
    decide: () => Promise.resolve('allow'),
    fetch: (url, init) => endpoint(new Request(url as string, init)),
    ...options,
  });
}

const text = { type: 'string' };
const NAMES = [
  ['zh-CN', '我叫小明', '我叫什么名字？', '你叫小明。'],
  ['en', 'My name is Ada', 'What is my name?', 'Your name is Ada.'],
] as const;

describe('the scripted model, told of several things', () => {
  function withList(options: Partial<ConversationOptions> = {}) {
    const ran: unknown[] = [];
    const chat = open(options);
    const execute = (args: object) => ran.push({ ...args }) && { success: true, message: 'Done' };
    chat.registerTool({
      ...{ name: 'add_item', description: 'Adds an item to the shopping list 向购物清单添加一件物品', risk: 'write', execute },
      parameters: { type: 'object', properties: { name: text, quantity: { type: 'integer' } }, required: ['name'] },
    });
    chat.registerTool({
      ...{ name: 'add_tag', description: '添加一个标签', risk: 'write', execute },
      parameters: { type: 'object', properties: { tag: text }, required: ['tag'] },
    });
    return { chat, ran };
  }

  for (const callsPerTurn of ['many', 'one', 'confirm-chain'] as const)
    it(`calls the tool for each of them under calls-per-turn="${callsPerTurn}"`, async () => {
      const { chat, ran } = withList({ callsPerTurn });
      await chat.sendMessage('Add milk and 2 eggs to the list');
      expect(ran).to.deep.equal([{ name: 'milk' }, { name: 'eggs', quantity: 2 }]);
      chat.dispose();
    });
});

describe('what the scripted model plans and asks', () => {
  function withTasks(options: Partial<ConversationOptions>) {
    const ran: string[] = [];
    const chat = open({ planning: 'threshold', ...options }, 7);
    for (const name of ['read_tasks', 'create_task'])
      chat.registerTool({
        ...{ name, description: name, risk: name === 'read_tasks' ? 'query' : 'write' },
        parameters: { type: 'object', properties: { title: text, view_context: text } },
        execute(args: { title?: string }) {
          ran.push(`${name} ${args.title ?? ''}`.trim());
          const data = ['a', 'b'].map((title) => ({ id: title, title, completed: title === 'a' }));
          return { success: true, message: 'ok', data };
        },
      });
    return { chat, ran, parts: () => internalsOf(chat).surface.view.views.flatMap(({ parts }) => parts) };
  }

  for (const protocol of Object.keys(protocols))
    it(`is carried out by its plan under ${protocol}`, async () => {
      const { chat, ran } = withTasks({ protocol });
      const result = await chat.sendMessage("Write a report about today's tasks and save it");
      expect(ran).to.deep.equal(['read_tasks', "create_task Today's report: 1 open, 1 done"]);
      expect(chat.session.plan?.steps.map(({ status }) => status)).to.deep.equal(['done', 'done', 'done']);
      expect(result.text).to.match(/^The plan is finished/);
      expect(chat.messages.some((message) => message.text.includes('task_plan'))).to.equal(false);
      chat.dispose();
    });
});

describe('the scripted model as a keeper of notes', () => {
  for (const [lang, told, asked, answer] of NAMES) {
    it(`remembers it over conversations: ${told}`, async () => {
      const memoryStore = inMemoryStore();
      const options = { memory: 'layered', memoryStore, lang, memoryOptions: { summaryEvery: 2 } } as const;
      // A store tells nobody of what is put into it.
      const kept = async (wanted: string) => {
        while ((await memoryStore.list()).every(({ kind }) => kind !== wanted)) await new Promise((resolve) => setTimeout(resolve, 1));
      };
      const first = open(options);
      expect((await first.sendMessage(asked)).text).to.not.include(answer);
      // Of what is said while the notes of something else are written, the next ones tell.
      await kept('summary');
      await first.sendMessage(told);
      await kept('entity');
      first.dispose();

      const second = open(options);
      expect((await second.sendMessage(asked)).text).to.equal(answer);
      expect(internalsOf(second).surface.view.remembered?.some(({ kind }) => kind === 'entity')).to.equal(true);
      second.dispose();
    });
  }
});
