/** Two elements on a page, and what both work on (Y-24, S4-40). */
import { expect } from '@open-wc/testing';
import { deepText, find, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

function deferred() {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

async function chatWith(name: string, resource: string, order: string[]) {
  const chat = await chatOnPage();
  const gate = deferred();
  const model = answerByHand(chat);
  const execute = async () => {
    order.push(`${name} begins`);
    await gate.promise;
    order.push(`${name} ends`);
  };
  chat.registerTool(tool(name, { risk: 'query', resource, execute }));
  async function run() {
    const turn = chat.sendMessage('Go');
    for (const text of [call(name), 'Done.']) {
      const request = await model.next();
      request.send(text);
      request.done();
    }
    return turn;
  }
  return { chat, gate, run };
}

const text = (chat: Element) => deepText(find(chat, 'tool-chat-panel')!);

describe('what two elements of a page work on', () => {
  it('is worked on by one of them at a time: the other says what it waits for, and what is not shared goes on (Y-24)', async () => {
    const order: string[] = [];
    const [one, two, three] = await Promise.all([
      chatWith('one', 'tasks', order),
      chatWith('two', 'tasks', order),
      chatWith('three', 'web', order),
    ]);
    const first = one.run();
    await until(() => order.includes('one begins'), 'the first');
    const others = [two.run(), three.run()];
    three.gate.resolve();
    await until(() => text(two.chat).includes('Waits until another chat or tab has finished with “tasks”'), 'the sentence');
    await until(() => order.includes('three ends'), 'the third');
    expect(order).to.not.include('two begins');
    one.gate.resolve();
    await first;
    await until(() => order.includes('two begins'), 'the second');
    expect(text(two.chat)).to.not.include('another chat or tab');
    two.gate.resolve();
    await Promise.all(others);
    expect(order.indexOf('two begins')).to.be.above(order.indexOf('one ends'));
  });

  it('is free again when the element that waits is stopped, and when the one at work leaves the page and its tool ends', async () => {
    const order: string[] = [];
    const [one, two, three] = await Promise.all(['one', 'two', 'three'].map((name) => chatWith(name, 'lists', order)));
    void one!.run();
    await until(() => order.includes('one begins'), 'the first');
    void two!.run();
    await until(() => text(two!.chat).includes('another chat or tab'), 'the sentence');
    two!.chat.cancelStream();
    one!.chat.remove();
    const last = three!.run();
    one!.gate.resolve();
    three!.gate.resolve();
    await last;
    expect(order).to.deep.equal(['one begins', 'one ends', 'three begins', 'three ends']);
  });
});
