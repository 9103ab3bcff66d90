/** No argument hides another on the card: what the sentence does not state is in view before "allow" counts. */
import { expect } from '@open-wc/testing';
import { armed, press } from './doing.js';
import { find, part, words } from './looking.js';
import { call, chatWith, tool } from './tool-chat-stage.js';

const ALLOW = part('approve-button');
const strings = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));

/** A card whose call waits: what is in view, what is folded. */
async function asked(change: Record<string, unknown>, properties: object, args: Record<string, string>) {
  const act = tool('act', { risk: 'danger', parameters: { type: 'object', properties, additionalProperties: false }, ...change });
  const { chat, model } = await chatWith([act]);
  const { turn } = await model.begin('Act', `I will act. ${call('act', args)}`);
  await armed(chat, ALLOW);
  const inView = words(find(chat, `.facts ${part('tool-card-arguments')}`));
  const folded = words(find(chat, '.details'));
  return { chat, act, model, turn, inView, folded };
}

describe('an argument in view', () => {
  for (const [what, describeCall, properties, args, inView] of [
    [
      'whose word stands in another one',
      ({ title }: { title: string }) => `Delete the note “${title}”`,
      { ...strings('title'), permanent: { type: 'boolean' } },
      { title: 'What is true and what is not', permanent: 'true' },
      ['permanent = true'],
    ],
    [
      'which another one names in full',
      ({ subject }: { subject: string }) => `Send “${subject}”`,
      strings('subject', 'bcc'),
      { subject: 'Mail for eve@evil.example today', bcc: 'eve@evil.example' },
      ['bcc = eve@evil.example'],
    ],
    [
      'that is an id, with quotation marks of two others around our own words',
      ({ before, after }: Record<string, string>) => `Delete ${before ?? ''} this task ${after ?? ''}`,
      strings('before', 'after', 'task_id'),
      { before: 'the “', after: '” only', task_id: 'everything' },
      ['before = the “', 'after = ” only', 'task_id = everything'],
    ],
  ] as const)
    it(what, async () => {
      const { chat, act, model, turn, inView: seen, folded } = await asked({ describeCall }, properties, args);
      for (const fact of inView) expect(seen).to.include(fact);
      for (const fact of inView) expect(folded).to.not.include(fact);
      await press(find(chat, ALLOW) as Element);
      await model.reply('');
      await turn;
      expect(act.ran).to.have.length(1);
    });

  it('is none that the sentence states, at once or after a while', async () => {
    const names: Record<string, string> = { 'n-1': 'Groceries' };
    for (const describeCall of [
      ({ note_id, title }: Record<string, string>) => `Rename “${names[note_id ?? ''] ?? ''}” to “${title ?? ''}”`,
      ({ note_id, title }: Record<string, string>) => Promise.resolve(`Rename “${names[note_id ?? ''] ?? ''}” to “${title ?? ''}”`),
    ]) {
      const { inView, folded } = await asked({ describeCall }, strings('note_id', 'title'), { note_id: 'n-1', title: 'Shopping' });
      expect(inView).to.equal('');
      expect(folded).to.include('note_id = n-1').and.include('title = Shopping');
    }
  });
});
