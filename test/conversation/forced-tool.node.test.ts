/** A message that is for one tool: `sendMessage(text, { tool })` (S4-47, S4-48, S4-50). */
import { expect } from 'chai';
import { ran, stage, told, type PlayOptions, type Tools } from './play.js';
import { call, tick, useFaultServer } from './talk.js';

const both = { search: 'write', write: 'write' } as const;
const [search, write] = [call('search'), call('write')];

/** A message for the tool `search`. */
async function chosen(turns: string[], tools: Tools = both, { answers = [], ...options }: PlayOptions = {}) {
  const one = stage(turns, tools, { ...(answers.length > 0 && { person: true }), ...options });
  const turn = one.chat.sendMessage('go', { tool: 'search' });
  for (const verdict of answers) await one.answer(verdict);
  return { ...one, ...(await turn) };
}

describe('a chosen tool', () => {
  useFaultServer({ settles: true });

  it('is called first, once; after that the turn goes on by the usual rules', async () => {
    const one = await chosen([search, call('search', { title: 'more' }) + write, 'Done.', 'Hi.']);
    expect(one).to.include({ reason: 'stop', text: 'Done.' });
    expect(ran(one)).to.deep.equal(['search', 'search', 'write']);
    await one.send('hello');
    const named = one.bodies().map(({ system }) => system.includes('The user has chosen the tool search'));
    expect(named).to.deep.equal([true, false, false, false]);
  });

  it('goes before another that the model calls: that one is refused, and the model is told why', async () => {
    const one = await chosen([write, search, 'Done.']);
    expect(ran(one)).to.deep.equal(['search']);
    expect(one.results[0]).to.include({ toolName: 'write', status: 'denied' });
    expect(told(one)).to.include('search');
  });

  it('is asked for once more when the reply calls nothing, without a word on the screen', async () => {
    const one = await chosen(['Let me think.', search, 'Done.']);
    expect(one).to.include({ reason: 'stop', text: 'Done.' });
    expect([ran(one), told(one)]).to.deep.equal([['search'], 'Call the tool search now, as the user has chosen.']);
    expect(one.chat.messages.filter(({ role }) => role === 'user')).to.have.length(1);
  });

  for (const [what, replies] of [
    ['nothing', ['No.', 'Still no.', 'Hi.']],
    ['another tool', [write, write, 'Hi.']],
  ] as const)
    it(`fails visibly when ${what} is called instead, and it is asked for once`, async () => {
      const one = await chosen([...replies], { search: { label: 'Web search' }, write: 'write' });
      expect([one.reason, one.error?.message]).to.deep.equal(['error', 'The assistant did not use Web search']);
      expect(one.chat.error).to.equal('The assistant did not use Web search');
      expect(told(one), 'the model knows it by its name').to.include('Call the tool search now');
      expect([one.requests().length, one.runs]).to.deep.equal([2, []]);
      expect(await one.send('hello')).to.include({ text: 'Hi.' });
    });

  for (const approval of ['always', 'user-run'] as const)
    it(`is no longer chosen when the person declines it under ${approval}: nothing asks for it again, and nobody is blamed (Y-16)`, async () => {
      const one = await chosen([search, 'All right.'], both, { approval, answers: ['deny'] });
      expect(one).to.include({ reason: 'stop', text: 'All right.' }).and.not.have.property('error');
      expect(one.requests()).to.have.length(2);
      expect(JSON.stringify(one.bodies()[1])).not.to.match(/has chosen the tool|Call the tool search now/);
    });

  it('stays chosen behind a call that never started', async () => {
    const one = await chosen([call('search', { nonsense: '1' }), 'No.', search, 'Done.']);
    expect(one).to.include({ reason: 'stop', text: 'Done.' });
    expect(one.chat.toolHistory.map(({ status }) => status)).to.deep.equal(['error', 'success']);
    expect(one.bodies()[1]?.system, 'still chosen').to.include('has chosen the tool search');
    expect(told(one, 2), 'and asked for').to.include('Call the tool search now');
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    it(`lets another of the same reply, ${execution}, be judged when it was called`, async () => {
      const tools = { search: { execute: () => tick().then(() => 'found') }, write: {} };
      const one = await chosen([search + write + call('search', { title: 'b' }), 'Done.'], tools, { execution });
      expect(one).to.include({ reason: 'stop', text: 'Done.' });
      expect(ran(one)).to.have.members(['search', 'write', 'search']);
      expect(ran(one)[0]).to.equal('search');
    });

  it('lets another of the same reply be judged when it was declined; one before it is refused', async () => {
    const turns = [write + search + call('write', { title: 'b' }), 'Done.'];
    const one = await chosen(turns, { search: 'danger', write: 'write' }, { answers: ['deny'] });
    const ends = one.results.map(({ toolName, status }) => `${toolName} ${status}`).sort();
    expect(ends).to.deep.equal(['search denied', 'write denied', 'write success']);
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['b']);
  });

  it('is chosen in the language of the prompt', async () => {
    expect((await chosen([search, '好。'], both, { lang: 'zh-CN' })).bodies()[0]?.system).to.contain('必须调用该工具');
  });

  it('has to be one that is registered', async () => {
    const one = stage([]);
    const refused: unknown = await one.chat.sendMessage('go', { tool: 'nonsense' }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TypeError);
    expect(one.requests()).to.have.length(0);
  });
});
