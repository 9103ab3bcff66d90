/** `textRules`: what is shown otherwise than it was written (S2-09). */
import { expect } from '@open-wc/testing';
import { appears, find, findAll, part, until, words } from './looking.js';
import { call, chatWith, listening, tool } from './tool-chat-stage.js';

async function ruled(rules: unknown) {
  const look = tool('look_up', { risk: 'query', execute: () => ({ found: 'the secret word', deep: [{ word: 'secret' }] }) });
  const { chat, model } = await chatWith([look]);
  chat.textRules = rules as never;
  const shown = () => words(find(chat, part('messages')));
  const answer = () => words(findAll(chat, '.body').at(-1));
  return { chat, model, shown, answer, says: (text: string) => until(() => answer() === text, `“${text}” is not shown`) };
}

describe('rules for texts (S2-09)', () => {
  it('of one role alter what that role says, and the same words of another stay', async () => {
    const { chat, model, shown, says } = await ruled([{ pattern: 'secret', replace: '•••', targetRoles: ['tool'] }]);
    await model.turn('Find the secret', call('look_up'), 'It is a secret.');
    const card = await appears(chat, part('tool-card'));
    find(card, 'summary, button[aria-expanded]')?.click();
    await until(() => words(card).includes('•••') || shown().includes('•••'), 'the altered result');
    await says('It is a secret.');
    expect(shown()).to.include('Find the secret');
    expect(JSON.stringify(chat.messages)).to.not.include('•••');
    expect(chat.toolHistory[0]?.result).to.include('the secret word');
  });

  it('act in order on what a person and the assistant say; what is sent and kept is as it was written', async () => {
    const rules = [
      { pattern: /(\w+)@example\.org/, replace: '$1@…' },
      { pattern: '@…', replace: ' at home' },
    ];
    const { chat, model, shown, says } = await ruled(rules);
    await model.turn('Mail ann@example.org', 'bob@example.org and eve@example.org\n');
    await says('bob at home and eve at home');
    expect(shown()).to.include('Mail ann at home');
    expect(model.requests[0]!.body.messages.at(-1)!.text).to.equal('Mail ann@example.org');
    expect(chat.messages.at(-1)!.text).to.include('bob@example.org');
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
    const field = await appears<HTMLTextAreaElement>(chat, 'textarea[aria-label="Say it otherwise"]');
    await until(() => field.value === 'Call Ann', 'the field');
    chat.textRules = undefined;
    await says('Ann is called.');
  });

  it('that do not fit are left out with one warning each, and the others act', async () => {
    const said = await listening(async () => {
      const rules = [{ pattern: '', replace: 'x' }, 7, { pattern: 'a', replace: 3 }, { pattern: 'a', replace: 'e', targetRoles: ['me'] }];
      const { model, says } = await ruled([...rules, { pattern: 'Yes', replace: 'No' }]);
      await model.turn('Well?', 'Yes');
      await says('No');
    });
    const warned = said.flatMap((line) => /textRules.* does not fit/.exec(line)?.[0] ?? []);
    expect(warned).to.deep.equal([
      'textRules[0].pattern (string) does not fit',
      'textRules[1] (number) does not fit',
      'textRules[2].replace (number) does not fit',
      'textRules[3].targetRoles (object) does not fit',
    ]);
  });
});
