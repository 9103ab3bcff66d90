/** `privateValues` in a page: the model gets tokens, the person reads values, over cuts of the stream, a reload and an export. */
import { expect } from '@open-wc/testing';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { deepText, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool, untilTalking, type Request } from './tool-chat-stage.js';

const MAIL = 'a.canary@example.org';
const NAME = 'Zoe Canary';
const ORDER = 'A-20310203';
const SECRET = 'hunter2canary';

const rules = (): ToolChat['privateValues'] => [
  'email',
  { name: 'customer', selector: '#customer' },
  { name: 'order', pattern: 'A-\\d{8}' },
];

const hasTokensOnly = ({ body }: Request) => {
  const text = JSON.stringify(body);
  expect(text.toLowerCase()).not.to.contain('canary');
  expect(text).not.to.contain(ORDER);
  return text;
};

describe('private values in a page', () => {
  let field: HTMLInputElement;

  beforeEach(() => {
    field = document.createElement('input');
    Object.assign(field, { id: 'customer', value: NAME });
    document.body.append(field);
  });
  afterEach(() => {
    field.remove();
  });

  async function privately() {
    const chat = await chatOnPage({ approval: 'auto' });
    chat.privateValues = rules();
    return { chat, model: answerByHand(chat) };
  }

  async function turn(chat: ToolChat, model: ReturnType<typeof answerByHand>, words: string, ...pieces: string[]): Promise<string> {
    const ends = chat.sendMessage(words);
    const request = await model.next();
    for (const piece of pieces) request.send(piece);
    request.done();
    hasTokensOnly(request);
    return (await ends).text;
  }

  it('stand on screen wherever the answer is cut, and only tokens leave', async () => {
    const { chat, model } = await privately();
    const answer = '[EMAIL_1], [CUSTOMER_1], [ORDER_1].';
    for (let cut = 1; cut < answer.length; cut += 1) {
      const said = await turn(
        chat,
        model,
        `Mail ${MAIL} for ${NAME} on ${ORDER}`,
        `${String(cut)}: `,
        answer.slice(0, cut),
        answer.slice(cut),
      );
      expect(said).to.equal(`${String(cut)}: ${MAIL}, ${NAME}, ${ORDER}.`);
    }
    const last = `${String(answer.length - 1)}: ${MAIL}, ${NAME}, ${ORDER}.`;
    await until(() => deepText(chat).includes(last), 'the screen has other words');
    expect(deepText(chat)).not.to.match(/\[(EMAIL|CUSTOMER|ORDER)_/);
    expect(JSON.stringify(model.requests.at(-1)!.body)).to.contain('Mail [EMAIL_1] for [CUSTOMER_1] on [ORDER_1]');
  });

  it('are what a tool calls sensitive, once it is known: the tool gets the value, the model a token', async () => {
    const { chat, model } = await privately();
    const got: unknown[] = [];
    chat.registerTool(
      tool('log_in', {
        risk: 'query',
        parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
        sensitive: ['word'],
        execute: ({ word }: { word: string }) => (got.push(word), { success: true, message: `In with ${word}` }),
      }),
    );
    const ends = chat.sendMessage('Log in');
    const first = await model.next();
    first.send(call('log_in', { word: SECRET }));
    first.done();
    const second = await model.next();
    expect(hasTokensOnly(second)).to.contain('In with [WORD_1]');
    second.send('I used [WO');
    second.send('RD_1]');
    second.done();
    await ends;
    expect(got).to.deep.equal([SECRET]);
    await until(() => deepText(chat).includes(`I used ${SECRET}`), 'the screen has other words');
  });

  it('have the same tokens on a page that was really reloaded, and none of them is in an exported session', async () => {
    const sessionId = `private-${crypto.randomUUID()}`;
    let model!: ReturnType<typeof answerByHand>;
    Object.assign(window, {
      setUp(chat: ToolChat) {
        const customer = chat.ownerDocument.createElement('input');
        Object.assign(customer, { id: 'customer', value: NAME });
        chat.ownerDocument.body.append(customer);
        for (const [name, value] of [
          ['storage', 'indexeddb'],
          ['session-id', sessionId],
          ['wire', 'cutie'],
          ['lang', 'en'],
        ])
          chat.setAttribute(name!, value!);
        chat.privateValues = rules();
        model = answerByHand(chat);
      },
    });
    const frame = document.createElement('iframe');
    frame.style.cssText = 'inline-size: 500px; block-size: 700px';
    frame.src = new URL('./kept-page.html', import.meta.url).href;
    document.body.append(frame);
    const talking = async (not?: ToolChat): Promise<ToolChat> => {
      const find = () => (frame.contentWindow as unknown as { chat?: ToolChat } | null)?.chat;
      await until(() => find() !== undefined && find() !== not, 'no chat on the page');
      await untilTalking(find()!);
      return find()!;
    };
    try {
      const before = await talking();
      await turn(before, model, `Mail ${MAIL} for ${NAME} on ${ORDER}`, 'Mailed [EMAIL_1].');
      await until(() => deepText(before).includes(`Mailed ${MAIL}.`), 'the screen has other words');
      const file = JSON.stringify(await before.exportSession());
      expect(file).to.contain('[EMAIL_1]').and.not.to.contain(ORDER);
      expect(file.toLowerCase()).not.to.contain('canary');

      frame.contentWindow!.location.reload();
      const chat = await talking(before);
      await until(() => deepText(chat).includes(`Mailed ${MAIL}.`), 'what was said is gone');
      expect(await turn(chat, model, 'Not b.canary@example.org', '[EMAIL_1], [EMAIL_2], [CUSTOMER_1], [ORDER_1]')).to.equal(
        `${MAIL}, b.canary@example.org, ${NAME}, ${ORDER}`,
      );
      expect(model.requests).to.have.length(1);
      await chat.forget();
    } finally {
      frame.remove();
    }
  });
});
