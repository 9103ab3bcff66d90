/** The scripted model names each of several things to a tool it was never told about, also where each has to be confirmed. */
import { expect } from 'chai';
import { createConversation, type ConversationOptions } from '../../src/core.js';
import { scriptedEndpoint } from '../../src/scripted-model/index.js';

function open(options: Partial<ConversationOptions> = {}) {
  const endpoint = scriptedEndpoint('cutie', { delayMs: 0 });
  const ran: unknown[] = [];
  const chat = createConversation({
    ...{ endpoint: 'https://example.org/api/ai/chat/stream', wire: 'cutie', lang: 'en', logLevel: 'off', approval: 'auto' },
    decide: () => Promise.resolve('allow'),
    fetch: (url, init) => endpoint(new Request(url as string, init)),
    ...options,
  });
  const name = { type: 'string' };
  chat.registerTool({
    ...{ name: 'add_item', description: 'Adds an item to the shopping list 向购物清单添加一件物品', risk: 'write' },
    parameters: { type: 'object', properties: { name, quantity: { type: 'integer' } }, required: ['name'] },
    execute: (args: object) => ran.push({ ...args }) && { success: true, message: 'Added' },
  });
  chat.registerTool({
    ...{ name: 'add_tag', description: '添加一个标签', risk: 'write' },
    parameters: { type: 'object', properties: { tag: name }, required: ['tag'] },
    execute: (args: object) => ran.push({ ...args }) && { success: true, message: 'Tagged' },
  });
  return { chat, ran };
}

describe('the scripted model, told of several things', () => {
  for (const callsPerTurn of ['many', 'one', 'confirm-chain'] as const)
    it(`calls the tool for each of them under calls-per-turn="${callsPerTurn}"`, async () => {
      const { chat, ran } = open({ callsPerTurn });
      await chat.sendMessage('Add milk and 2 eggs to the list');
      expect(ran).to.deep.equal([{ name: 'milk' }, { name: 'eggs', quantity: 2 }]);
      chat.dispose();
    });

  it('finds them in Chinese, in quotation marks, and takes what is quoted whole', async () => {
    const { chat, ran } = open();
    await chat.sendMessage('把「牛奶」和「鸡蛋」加到清单里');
    await chat.sendMessage('把盐、糖加到清单里');
    await chat.sendMessage('Add "salt and pepper" to the list');
    expect(ran).to.deep.equal([{ name: '牛奶' }, { name: '鸡蛋' }, { name: '盐' }, { name: '糖' }, { name: 'salt and pepper' }]);
    chat.dispose();
  });

  it('takes what follows a kind of thing for its name', async () => {
    const { chat, ran } = open({ lang: 'zh-CN' });
    await chat.sendMessage('添加一个标签 test');
    expect(ran).to.deep.equal([{ tag: 'test' }]);
    chat.dispose();
  });

  for (const [told, asked, answer] of [
    ['我叫小明', '我叫什么名字？', '你叫小明。'],
    ['My name is Ada', 'What is my name?', 'Your name is Ada.'],
  ] as const)
    it(`knows a name right after it was told: ${told}`, async () => {
      const { chat } = open({ tools: 'off' });
      expect((await chat.sendMessage(asked)).text).to.not.include(answer);
      expect((await chat.sendMessage(told)).text).to.include(/Ada|小明/.exec(answer)![0]);
      expect((await chat.sendMessage(asked)).text).to.equal(answer);
      chat.dispose();
    });
});
