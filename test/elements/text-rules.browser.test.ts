/** `textRules`: what is shown otherwise than it was written (S2-09). */
import { expect } from '@open-wc/testing';
import { appears, deepText, find, findAll, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, listening, tool } from './tool-chat-stage.js';

const shown = (chat: Element) => deepText(find(chat, part('messages'))!).replace(/\s+/g, ' ');
const bodyOf = (chat: Element) => findAll(chat, '.body').map((body) => deepText(body).trim());

async function talk(rules: unknown, user: string, answer: string[]) {
  const chat = await chatOnPage();
  chat.textRules = rules as never;
  const model = answerByHand(chat);
  chat.registerTool(tool('look_up', { risk: 'query', execute: () => ({ found: 'the secret word', deep: [{ word: 'secret' }] }) }));
  const turn = chat.sendMessage(user);
  for (const [at, text] of answer.entries()) {
    const request = await model.next();
    request.send(text);
    request.done();
    if (at === answer.length - 1) await turn;
  }
  return { chat, model };
}

describe('rules for texts (S2-09)', () => {
  it('of one role alter what that role says, and the same words of another stay', async () => {
    const rules = [{ pattern: 'secret', replace: '•••', targetRoles: ['tool'] }];
    const { chat } = await talk(rules, 'Find the secret', [call('look_up'), 'It is a secret.']);
    const card = await appears(chat, part('tool-card'));
    find<HTMLElement>(card, 'summary, button[aria-expanded]')?.click();
    await until(() => deepText(card.shadowRoot ?? card).includes('•••') || shown(chat).includes('•••'), 'the altered result');
    expect(shown(chat)).to.include('Find the secret');
    expect(bodyOf(chat).join('')).to.include('It is a secret.');
    expect(JSON.stringify(chat.messages)).to.not.include('•••');
    expect(chat.toolHistory[0]?.result).to.include('the secret word');
  });

  it('act in order on what a person and the assistant say; what is sent and kept is as it was written', async () => {
    const rules = [
      { pattern: /(\w+)@example\.org/, replace: '$1@…' },
      { pattern: '@…', replace: ' at home' },
    ];
    const { chat, model } = await talk(rules, 'Mail ann@example.org', ['bob@example.org and eve@example.org\n']);
    await until(() => bodyOf(chat)[0] === 'bob at home and eve at home', 'the altered answer');
    expect(shown(chat)).to.include('Mail ann at home');
    expect(model.requests[0]!.body.messages.at(-1)!.text).to.equal('Mail ann@example.org');
    expect(chat.messages.at(-1)!.text).to.include('bob@example.org');
  });

  it('never show half a word of what is still arriving', async () => {
    const chat = await chatOnPage();
    chat.textRules = [{ pattern: 'Rumpelstiltskin', replace: 'N. N.' }];
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Who are you?');
    const request = await model.next();
    const seen = new Set<string>();
    const observer = new MutationObserver(() => bodyOf(chat).forEach((text) => seen.add(text)));
    for (const piece of ['I am Rumpel', 'stilt', 'skin.\nMy name is Rum', 'pelstiltskin']) {
      request.send(piece);
      await until(() => chat.streamingText.endsWith(piece), 'the piece');
      const root = find(chat, 'tool-chat-message:last-of-type')?.shadowRoot;
      if (root) observer.observe(root, { childList: true, subtree: true, characterData: true });
    }
    request.done();
    await turn;
    await until(() => bodyOf(chat)[0]?.includes('My name is N. N.') ?? false, 'the answer');
    observer.disconnect();
    expect([...seen].join(' ')).to.not.include('Rum');
  });

  it('come, change and go with the property; what is being edited is what was written', async () => {
    const { chat } = await talk(undefined, 'Call Ann', ['Ann is called.']);
    chat.textRules = [{ pattern: 'Ann', replace: 'A.' }];
    await until(() => shown(chat).includes('Call A.') && bodyOf(chat)[0] === 'A. is called.', 'the rule');
    find<HTMLElement>(chat, part('edit-message-button'))!.click();
    await until(() => find(chat, 'tool-chat-rewrite')?.shadowRoot?.querySelector('textarea')?.value === 'Call Ann', 'the field');
    chat.textRules = [{ pattern: 'Ann', replace: 'B.' }];
    await until(() => bodyOf(chat)[0] === 'B. is called.', 'the other rule');
    chat.textRules = undefined;
    await until(() => bodyOf(chat)[0] === 'Ann is called.', 'no rule');
  });

  it('that do not fit are left out with one warning each, and the others act', async () => {
    const said = await listening(async () => {
      const rules = [{ pattern: '', replace: 'x' }, 7, { pattern: 'a', replace: 3 }, { pattern: 'a', replace: 'e', targetRoles: ['me'] }];
      const { chat } = await talk([...rules, { pattern: 'Yes', replace: 'No' }], 'Well?', ['Yes']);
      await until(() => bodyOf(chat)[0] === 'No', 'the rule that fits');
    });
    expect(said.filter((line) => line.includes('textRules'))).to.deep.equal([
      '[tool-chat] textRules[0].pattern (string) does not fit: a text or a RegExp → docs/error-codes.md#config',
      '[tool-chat] textRules[1] (number) does not fit: an object → docs/error-codes.md#config',
      '[tool-chat] textRules[2].replace (number) does not fit: a text → docs/error-codes.md#config',
      '[tool-chat] textRules[3].targetRoles (object) does not fit: a list of user, assistant, tool, system → docs/error-codes.md#config',
    ]);
  });
});
