/** A plan that outlives its page (S4-30). */
import { expect } from 'chai';
import { fresh, until } from '../storage/helpers.js';
import { call, closeAll, forever, page, type Page, type Reply } from './kept.js';

const steps = [
  { id: 'look', title: 'Look', tool: 'search', dependsOn: [] },
  { id: 'write', title: 'Write', tool: 'write_note', dependsOn: ['look'] },
  { id: 'send', title: 'Send', tool: 'mail', dependsOn: ['write'] },
];
const plan = `\`\`\`json\n${JSON.stringify({ task_plan: { goal: 'A report', steps } })}\n\`\`\`\n`;
const LONG = 'Compare the offers, summarise them and save the note';

function open(id: string, replies: Reply[], execute?: () => Promise<unknown>): Page {
  const self = page(id, replies, { planning: 'threshold' });
  self.tool('search', { risk: 'write' });
  self.tool('write_note', { risk: 'write', ...(execute && { execute }) });
  self.tool('mail', { risk: 'write' });
  return self;
}

const ticks = ({ chat }: Page) => chat.session.plan?.steps.map(({ id, status }) => `${id} ${status}`);
const planParts = ({ view }: Page) => view().views.flatMap(({ parts }) => parts.filter(({ type }) => type === 'plan'));

describe('a kept plan', () => {
  afterEach(closeAll);

  it('comes back with its ticks, and the next request tells how far it is', async () => {
    const id = fresh('plan');
    const before = open(id, [plan + call('search'), 'More tomorrow.']);
    await before.chat.sendMessage(LONG);
    before.leave();
    const after = open(id, [call('write_note'), 'Written.']);
    await until(() => after.texts().length > 0);
    expect(ticks(after)).to.deep.equal(['look done', 'write todo', 'send todo']);
    expect(planParts(after)).to.have.length(1);
    await after.chat.sendMessage('Go on');
    expect(after.asked[0]?.system).to.include('- [done] look: Look (search)').and.to.include('- [todo] write');
    expect(ticks(after)).to.deep.equal(['look done', 'write done', 'send todo']);
  });

  it('has nothing at work that nobody works on', async () => {
    const id = fresh('plan');
    const before = open(id, [plan + call('search') + call('write_note')], forever);
    void before.chat.sendMessage(LONG);
    await until(() => ticks(before)?.includes('write doing'));
    before.leave();
    const after = open(id, ['ok']);
    await until(() => after.texts().length > 0);
    expect(ticks(after)?.[0]).to.equal('look done');
    await until(() => after.cards().some(({ toolName, status }) => toolName === 'write_note' && status === 'interrupted'));
    expect(ticks(after)).to.deep.equal(['look done', 'write todo', 'send todo']);
    await after.chat.sendMessage('Go on');
    expect(after.asked.at(-1)?.system).to.include('- [done] look');
  });
});
