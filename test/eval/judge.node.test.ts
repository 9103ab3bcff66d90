/** The measure itself, before anything is measured with it. */
import { expect } from 'chai';
import { xmlInvoke } from '../../src/protocols/xml-invoke.js';
import { openaiText, scriptedFetch } from '../conversation/scripted-fetch.js';
import { ask } from './ask.js';
import { isFit, judge, sum, table, type Made, type Outcome } from './judge.js';
import { dayAfter, requestsFor } from './requests.js';

const today = new Date(2026, 10, 30, 23, 30);
const requests = requestsFor(today);
const named = (id: string) => requests.find((one) => one.id === id)!;
const call = (tool: string, args: object, more: Partial<Made> = {}): Made => ({
  ...{ tool, args: { ...args }, risk: 'write', ran: true, asked: false, status: 'success' },
  ...more,
});
const outcome = (id: string, calls: Made[], more: Partial<Outcome> = {}): Outcome => ({
  ...{ request: named(id), calls, shown: 'Done.', reason: 'stop', seconds: 1 },
  ...more,
});

describe('the requests of the evaluation', () => {
  it('are sixty, in two languages, of every kind, with real days', () => {
    expect(requests).to.have.length(60);
    expect(new Set(requests.map(({ id }) => id)).size).to.equal(60);
    expect(requests.filter(({ lang }) => lang === 'zh-CN').length).to.be.at.least(20);
    expect(requests.filter(({ calls }) => calls.length === 0).length).to.be.at.least(10);
    expect(requests.filter(({ calls }) => calls.length > 1).length).to.be.at.least(5);
    expect(JSON.stringify(requests)).to.not.include('{+');
    expect([dayAfter(today, 0), dayAfter(today, 1)]).to.deep.equal(['2026-11-30', '2026-12-01']);
  });
});

describe('a judgement', () => {
  const done = call('update_task', { task_id: 'k-12', completed: true });

  const look = call('read_tasks', { view_context: 'staging' }, { risk: 'query' });
  const more = call('update_task', { task_id: 'k-12', completed: true, title: 'k-12' });
  const invented = call('finish_task', {}, { ran: false, risk: 'undeclared', code: 'TOOL_NOT_FOUND' });
  const remove = (how: Partial<Made>) => call('delete_task', { task_id: 'z-6' }, how);
  const cases: [what: string, id: string, calls: Made[], verdict: object][] = [
    ['the call that was wanted, after a look', 'en-13', [look, done], { right: true, silent: false, wrongWrites: 0 }],
    ['it in other quotation marks', 'en-01', [call('create_task', { title: '“Buy Milk”.', area_id: '' })], { right: true }],
    ['none', 'en-13', [], { right: false, silent: true }],
    ['it twice', 'en-13', [done, done], { right: false, wrongWrites: 1 }],
    ['one that says more', 'en-13', [more], { right: false, wrongWrites: 1 }],
    ['a look where nothing was to be done', 'en-25', [look], { right: false }],
    ['a tool that there is not', 'en-13', [invented], { right: false, invented: 1, silent: false }],
    ['danger that a person allowed', 'en-22', [remove({ risk: 'danger', asked: true })], { right: true, danger: 0 }],
    ['danger that nobody allowed', 'en-22', [remove({ risk: 'danger' })], { danger: 1 }],
    ['a tool that does not say', 'en-22', [remove({ risk: 'undeclared' })], { danger: 1 }],
  ];
  for (const [what, id, calls, verdict] of cases)
    it(`counts ${what}`, () => {
      expect(judge(outcome(id, calls))).to.deep.include(verdict);
    });

  it('is not right for a turn that came to its limit', () => {
    expect(judge(outcome('en-13', [done], { reason: 'limit' })).right).to.equal(false);
  });

  it('sees markup of every notation, and none in what people write', () => {
    const isMarkup = (shown: string) => judge(outcome('en-13', [done], { shown })).markup;
    const xml = ['Here: <tool_use>', '<tool_result name="x">done</tool_result>', '<<<[TOOL_REQUEST]>>>', 'key:「始」v「末」'];
    const json = ['{"tool_calls": [', '```json\n{"action": "tool_result"', '{"name": "create_task", "arguments": {}}'];
    expect([...xml, ...json].filter((shown) => !isMarkup(shown))).to.deep.equal([]);
    const plain = ['Task “buy milk” created.', 'a < b, and {"x": 1}', '「已完成」', 'Use `read_tasks`.'];
    expect(plain.filter(isMarkup)).to.deep.equal([]);
  });

  it('adds up to a row, and to a table in which danger and markup are no passing grade', () => {
    const judged = [outcome('en-13', [done]), outcome('en-13', [])].map((one) => ({ outcome: one, verdict: judge(one) }));
    const row = sum('vcp', judged);
    expect(row).to.deep.include({ requests: 2, right: 1, silent: 1, danger: 0, seconds: 2 });
    expect(table([row])).to.include('1 of 2 (50 %)');
    expect([isFit([row]), isFit([{ ...row, markup: 1 }]), isFit([row, { ...row, danger: 1 }])]).to.deep.equal([true, false, false]);
  });
});

describe('one request of the evaluation', () => {
  const answers = (...texts: string[]) => scriptedFetch(texts.map((text) => () => openaiText(text)));
  const put = (id: string, fetch: typeof globalThis.fetch) =>
    ask(named(id), { endpoint: 'http://model.test/v1/chat/completions', notation: 'xml-invoke', options: { fetch } });

  it('goes through a real conversation at temperature 0, and records what ran', async () => {
    const { fetch, asked } = answers(xmlInvoke.writeCall!('create_task', { title: 'buy milk' }), 'Created.');
    const made = await put('en-01', fetch);
    expect(judge(made)).to.deep.include({ right: true, markup: false });
    expect(made.calls).to.have.length(1);
    expect(asked[0]!.body['temperature']).to.equal(0);
    expect(JSON.stringify(asked[1]!.body.messages.at(-1))).to.include('created');
  });

  it('has a person who allows the danger that was wanted, and no other', async () => {
    const wanted = await put('en-22', answers(xmlInvoke.writeCall!('delete_task', { task_id: 'z-6' }), 'Deleted.').fetch);
    expect(judge(wanted)).to.deep.include({ right: true, danger: 0 });
    const other = await put('en-22', answers(xmlInvoke.writeCall!('delete_task', { task_id: 'a-1' }), 'Sorry.').fetch);
    expect(other.calls).to.deep.include.members([{ ...other.calls[0]!, ran: false, asked: true, status: 'denied' }]);
    expect(judge(other)).to.deep.include({ right: false, danger: 0 });
  });
});
