/** `textRules`: what is shown otherwise than it was written (S2-09). */
import { expect } from '@open-wc/testing';
import { appears, find, findAll, part, until, words } from './looking.js';
import { call, chatWith, tool } from './tool-chat-stage.js';

async function ruled(rules: unknown) {
  const look = tool('look_up', { risk: 'query', execute: () => ({ found: 'the secret word', deep: [{ word: 'secret' }] }) });
  const { chat, model } = await chatWith([look]);
  chat.textRules = rules as never;
  const shown = () => words(find(chat, part('messages')));
  const answer = () => words(findAll(chat, '.body').at(-1));
  return { chat, model, shown, answer, says: (text: string) => until(() => answer() === text, `“${text}” is not shown`) };
}

describe('rules for texts (S2-09)', () => {
  it('act in order on what a person and the assistant say, or on the role they name; what is sent and kept is as it was written', async () => {
    const { chat, model, shown, says } = await ruled([
      { pattern: 'secret', replace: '•••', targetRoles: ['tool'] },
      { pattern: /(\w+)@example\.org/, replace: '$1@…' },
      { pattern: '@…', replace: ' at home' },
    ]);
    await model.turn('Mail the secret to ann@example.org', call('look_up'), 'A secret for bob@example.org and eve@example.org\n');
    await says('A secret for bob at home and eve at home');
    const card = await appears(chat, part('tool-card'));
    find(card, 'summary, button[aria-expanded]')?.click();
    await until(() => shown().includes('•••'), 'the altered result');
    expect(shown()).to.include('Mail the secret to ann at home');
    expect(model.requests[0]!.body.messages.at(-1)!.text).to.equal('Mail the secret to ann@example.org');
    expect(chat.messages.at(-1)!.text).to.include('bob@example.org');
    expect([chat.toolHistory[0]?.result.includes('the secret word'), JSON.stringify(chat.messages).includes('•••')]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('never show half a word of what is still arriving', async () => {
    const { chat, model, answer } = await ruled([{ pattern: 'Rumpelstiltskin', replace: 'N. N.' }]);
    const turn = chat.sendMessage('Who are you?');
    const request = await model.next();
    const seen = new Set<string>();
    const observer = new MutationObserver(() => seen.add(answer()));
    for (const piece of ['I am Rumpel', 'stilt', 'skin.\nMy name is Rum', 'pelstiltskin']) {
      request.send(piece);
      await until(() => chat.streamingText.endsWith(piece), 'the piece');
      const root = find(chat, 'tool-chat-message:last-of-type')?.shadowRoot;
      if (root) observer.observe(root, { childList: true, subtree: true, characterData: true });
    }
    request.done();
    await turn;
    await until(() => answer().includes('My name is N. N.'), 'the answer');
    observer.disconnect();
    expect([...seen].join(' ')).to.not.include('Rum');
  });

  it('come, change and go with the property; what is being edited is what was written', async () => {
    const { chat, model, shown, says } = await ruled(undefined);
    await model.turn('Call Ann', 'Ann is called.');
    chat.textRules = [{ pattern: 'Ann', replace: 'A.' }];
    await says('A. is called.');
    expect(shown()).to.include('Call A.');
    find(chat, part('edit-message-button'))!.click();
    const field = await appears<HTMLTextAreaElement>(chat, 'textarea[aria-label="Edit message"]');
    await until(() => field.value === 'Call Ann', 'the field');
    chat.textRules = undefined;
    await says('Ann is called.');
  });
});
