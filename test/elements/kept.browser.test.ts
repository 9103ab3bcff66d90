/** What outlives a page or is shared by two elements: a reload while a card waits, private values, what both work on. */
import { expect } from '@open-wc/testing';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, fieldOf, part, until, words } from './looking.js';
import { answerByHand, call, chatWith, tool, untilTalking } from './tool-chat-stage.js';

describe('a kept <tool-chat>', () => {
  const frames: HTMLIFrameElement[] = [];
  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  /** A page of its own with this element, which is set up each time it is loaded. */
  async function open(setUp: (chat: ToolChat) => void, isKept = true) {
    let model!: ReturnType<typeof answerByHand>;
    const attributes = { storage: 'indexeddb', 'session-id': `kept-${crypto.randomUUID()}`, wire: 'cutie', lang: 'en' };
    Object.assign(window, {
      setUp(chat: ToolChat) {
        for (const [name, value] of Object.entries(attributes))
          if (isKept || name === 'wire' || name === 'lang') chat.setAttribute(name, value);
        isKept = true;
        model = answerByHand(chat);
        setUp(chat);
      },
    });
    const frame = document.createElement('iframe');
    frame.style.cssText = 'inline-size: 500px; block-size: 700px';
    frame.src = new URL('./kept-page.html', import.meta.url).href;
    frames.push(frame);
    document.body.append(frame);
    const current = () => (frame.contentWindow as unknown as { chat?: ToolChat } | null)?.chat;
    const talking = async (not?: ToolChat): Promise<ToolChat> => {
      await until(() => current() !== undefined && current() !== not, 'no chat on the page');
      await untilTalking(current()!);
      return current()!;
    };
    const reload = (): Promise<ToolChat> => {
      const before = current();
      frame.contentWindow?.location.reload();
      return talking(before);
    };
    return { chat: await talking(), model: () => model, reload, attributes };
  }

  it('keeps what was said and is being written once the page sets `storage`, and a card asks again after a reload', async () => {
    const pay = tool('pay', { risk: 'danger' });
    const { chat, model, reload, attributes } = await open((one) => one.registerTool(pay), false);
    await model().turn('Hello', 'One.');
    for (const name of ['storage', 'session-id'] as const) chat.setAttribute(name, attributes[name]);
    void chat.sendMessage('Pay');
    await model().reply(call('pay', { title: '5' }));
    await appears(chat, part('approve-button'));
    const field = fieldOf(chat);
    field.value = 'and tell me';
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    const after = await reload();
    await appears(after, `${part('tool-card')}[data-status=awaiting_approval]`);
    expect([after.messages[1]?.text, fieldOf(after).value, pay.ran]).to.deep.equal(['One.', 'and tell me', []]);
  });

  it('has the same tokens for private values after a reload; a person and a tool get the values, and no file holds them', async () => {
    const [mail, name, order, secret] = ['a.canary@example.org', 'Zoe Canary', 'A-20310203', 'hunter2canary'] as const;
    const parameters = { type: 'object', properties: { word: { type: 'string' } } };
    const execute = ({ word }: { word: string }) => ({ success: word === secret, message: `In with ${word}` });
    const login = tool('log_in', { risk: 'query', sensitive: ['word'], parameters, execute });
    const page = await open((chat) => {
      const customer = Object.assign(chat.ownerDocument.createElement('input'), { id: 'customer', value: name });
      chat.ownerDocument.body.append(customer);
      chat.privateValues = ['email', { name: 'customer', selector: '#customer' }, { name: 'order', pattern: 'A-\\d{8}' }];
      chat.registerTool(login);
    });
    const reads = (chat: ToolChat, text: string) => until(() => words(chat).includes(text), `the screen does not say ${text}`);
    const leak = (text: string) => text.toLowerCase().includes('canary') || text.includes(order);
    const [first, second] = ['Mailed [EMAIL_1] for [CUST', 'OMER_1].'];
    const turn = page.chat.sendMessage(`Mail ${mail} for ${name} on ${order}`);
    const request = await page.model().next();
    request.send(first);
    request.send(second);
    request.done();
    await turn;
    await reads(page.chat, `Mailed ${mail} for ${name}.`);
    const { results } = await page.model().turn('Log in', call('log_in', { word: secret }), 'I used [WORD_1]');
    expect(results[0]).to.include({ success: true });
    await reads(page.chat, `I used ${secret}`);
    const bodies = JSON.stringify(page.model().requests.map(({ body }) => body));
    expect(bodies).to.contain('[EMAIL_1] for [CUSTOMER_1] on [ORDER_1]').and.contain('In with [WORD_1]');
    const file = JSON.stringify(await page.chat.exportSession());
    expect([leak(bodies), leak(file), file.includes('[EMAIL_1]')]).to.deep.equal([false, false, true]);
    expect(leak(words(page.chat)), 'the look finds them').to.equal(true);

    const chat = await page.reload();
    await reads(chat, `Mailed ${mail} for ${name}.`);
    const { text } = await page.model().turn('Not b.canary@example.org', '[EMAIL_1], [EMAIL_2], [CUSTOMER_1], [ORDER_1]');
    expect(text).to.equal(`${mail}, b.canary@example.org, ${name}, ${order}`);
    expect(leak(JSON.stringify(page.model().requests.map(({ body }) => body)))).to.equal(false);
    await chat.forget();
  });
});

describe('what two elements of a page work on', () => {
  const order: string[] = [];
  async function worker(name: string, resource: string) {
    let finish!: () => void;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const execute = async () => {
      order.push(`${name} begins`);
      await gate;
      order.push(`${name} ends`);
    };
    const { chat, model } = await chatWith([tool(name, { risk: 'query', resource, execute })]);
    return { chat, finish, run: () => model.turn('Go', call(name), 'Done.') };
  }
  const happens = (what: string) => until(() => order.includes(what), what);
  beforeEach(() => void order.splice(0));

  it('is worked on by one of them at a time: the other says what it waits for, and what is not shared goes on (Y-24, S4-40)', async () => {
    const [one, two, three] = [await worker('one', 'tasks'), await worker('two', 'tasks'), await worker('three', 'web')];
    const all = [one.run()];
    await happens('one begins');
    all.push(two.run(), three.run());
    three.finish();
    await until(() => words(two.chat).includes('Waiting for another chat or tab to finish with “tasks”'), 'the sentence');
    await happens('three ends');
    expect(order).to.not.include('two begins');
    one.finish();
    await happens('two begins');
    expect(words(two.chat)).to.not.include('another chat or tab');
    two.finish();
    await Promise.all(all);
    expect(order.indexOf('two begins')).to.be.above(order.indexOf('one ends'));
  });
});
