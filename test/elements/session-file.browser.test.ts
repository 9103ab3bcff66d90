/** A session that was exported, imported elsewhere, and drawn: a reader sees and hears the same. */
import { expect } from '@open-wc/testing';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { cutieText, scriptedFetch } from '../conversation/scripted-fetch.js';
import { atRest, deepText, findAll, part, stage, until } from './helpers.js';

const call = (name: string, title: string, due: string) =>
  `<tool_use>\n<invoke name="${name}">\n<parameter name="title">${title}</parameter>\n<parameter name="due">${due}</parameter>\n</invoke>\n</tool_use>\n`;

const tool = (name: string, risk: 'query' | 'danger') => ({
  ...{ name, risk, label: `Tool ${name}`, icon: '🔧', description: `Does ${name}.` },
  parameters: { type: 'object' as const, properties: { title: { type: 'string' as const }, due: { type: 'string' as const } } },
  execute: () =>
    name === 'fail'
      ? { success: false, message: 'It did not work' }
      : { success: true, message: `${name} is done`, data: { zebra: 1, apple: [true, null] } },
});

const settings = (texts: string[]): ConversationOptions => ({
  ...{ endpoint: 'https://model.test/', wire: 'cutie', logLevel: 'off' },
  fetch: scriptedFetch(texts.map((text) => () => cutieText(text))).fetch,
});

/** What is read aloud of the roles and names, and all text, without what only the page of the first run can offer. */
function heard(panel: Element): string[] {
  const spoken = findAll(panel, '[role], [aria-label], button, summary')
    .filter((element) => element.checkVisibility())
    .map((element) => `${element.localName} ${element.role ?? ''} ${element.ariaLabel ?? ''}`.trim());
  return [deepText(panel).replace(/\s+/g, ' ').trim(), ...spoken];
}

describe('an imported session', () => {
  it('is drawn, and read aloud, like the one it was exported from', async () => {
    const first = createConversation(
      settings([
        `**Looking** first.\n${call('look', 'Zoo', 'today')}${call('fail', 'Ant', 'now')}`,
        `Now delete.\n${call('remove', 'Milk', 'never')}`,
        'Done, but *nothing* was deleted.',
      ]),
    );
    const inside = internalsOf(first);
    inside.attachPerson();
    first.registerTool(tool('look', 'query'));
    first.registerTool(tool('fail', 'query'));
    first.registerTool(tool('remove', 'danger'));
    const turn = first.sendMessage('Tidy up, please');
    const cards = () => Object.values(inside.surface.view.cards);
    await until(() => cards().some(({ status }) => status === 'awaiting_approval'), 'no card waits');
    const asks = cards().find(({ status }) => status === 'awaiting_approval');
    inside.decide({ requestId: asks?.requestId ?? '', digest: asks?.call?.digest ?? '', verdict: 'deny' });
    expect(await turn).to.include({ reason: 'stop' });

    const second = createConversation(settings([]));
    second.registerTool(tool('look', 'query'));
    second.registerTool(tool('fail', 'query'));
    second.registerTool(tool('remove', 'danger'));
    await second.importSession(JSON.stringify(await first.exportSession()));

    // What failed can be run again with other arguments, here as there.
    const canRunAgain = () => Object.values(internalsOf(second).surface.view.cards).some(({ edit }) => edit);
    await until(canRunAgain, 'no tool of now was found again');

    const one = await stage(inside.surface);
    await until(() => findAll(one.panel, part('tool-card')).length === 3, 'the cards are not drawn');
    await atRest(one.panel);
    const original = heard(one.panel);
    const two = await stage(internalsOf(second).surface);
    await until(() => findAll(two.panel, part('tool-card')).length === 3, 'the cards are not drawn again');
    await atRest(two.panel);
    expect(heard(two.panel)).to.deep.equal(original);
    expect(original[0]).to.include('Tidy up, please').and.include('Looking first.').and.include('Tool remove');
    // The proof that it can fail.
    await second.importSession([{ role: 'user', content: 'Another' }]);
    await until(() => deepText(two.panel).includes('Another'), 'the other session is not drawn');
    expect(heard(two.panel)).not.to.deep.equal(original);
    first.dispose();
    second.dispose();
  });
});
