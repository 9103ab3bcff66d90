/** Who may start a tool: a person who saw the very call, the host's own `decide`, or a rule. Nobody else. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { createMemoryJournal, type Journal } from '../../src/storage/journal.js';
import { asking, play, ran, stage, told } from './play.js';
import { call, deferred, statuses, tick, until, useFaultServer, type Talk } from './talk.js';

const erase = (...titles: string[]) => titles.map((title) => call('erase', { title })).join('');
const tools = { look: 'query', change: 'write', erase: 'danger' } as const;
const titles = ({ runs }: Talk) => runs.map(({ args }) => args['title']);

describe('approval by a person', () => {
  useFaultServer({ settles: true });

  it('waits for danger and for a tool that does not say what it does, and for nothing else', async () => {
    const turns = [call('look') + call('change') + call('erase') + call('undeclared'), 'Done.'];
    const { one, turn, cards } = await asking(turns, { ...tools, undeclared: { risk: undefined as never } }, { count: 2 });
    expect([cards[0]?.toolName, cards[1]?.call?.risk]).to.deep.equal(['erase', 'undeclared']);
    expect([one.chat.matchesState('awaitingApproval'), one.chat.session.requiresConfirm, one.chat.isLoading]).to.not.include(false);
    await until(() => one.runs.length === 2, 'the calls before it');
    for (const card of cards) one.decide('allow', card);
    expect(statuses((await turn).results)).to.deep.equal(['success', 'success', 'success', 'success']);
    expect(ran(one)).to.deep.equal(['look', 'change', 'erase', 'undeclared']);
    expect(one.cards()[2]?.call).to.include({ decidedBy: 'person', reason: 'Allowed by you' });
  });

  it('H119 ignores a decision about something else than was shown, and a second one', async () => {
    const { one, turn, cards } = await asking([erase('a', 'b'), 'Done.'], tools, { count: 2 });
    const [first, second] = [cards[0]!, cards[1]!];
    one.decide('allow', first, second.call?.digest);
    one.decide('allow', first, '');
    one.decide('allow', { ...first, requestId: 'call_of_nobody' });
    one.decide('deny', first, 'other');
    await tick();
    expect(one.runs).to.deep.equal([]);
    await one.asked(2);
    for (let at = 0; at < 3; at++) one.decide('allow', first);
    one.decide('deny', first);
    one.decide('deny', second);
    one.decide('allow', second);
    expect([(await turn).results.length, titles(one)]).to.deep.equal([2, ['a']]);
    expect(statuses(one.chat.toolHistory).sort()).to.deep.equal(['denied', 'success']);
  });

  it('C60 feeds a refusal back, in the order of the calls', async () => {
    const { one, turn, card } = await asking([erase('a') + call('change'), 'As you wish.'], tools);
    await tick();
    expect(one.runs, 'a call the rules allow waits for all before it').to.deep.equal([]);
    one.decide('deny', card);
    expect(await turn).to.include({ reason: 'stop', text: 'As you wish.' });
    expect(told(one)).to.match(/erase[^]*status="denied"[^]*The user declined this action[^]*change/);
    expect(ran(one)).to.deep.equal(['change']);
  });

  it('runs a call at the click, while earlier calls still wait', async () => {
    const { one, turn, cards } = await asking([erase('a', 'b') + call('change'), 'Done.'], tools, { count: 2 });
    one.decide('allow', cards[1]!);
    const shown = () => one.cards().map(({ status }) => status);
    await until(() => shown().join() === 'awaiting_approval,success,queued', 'the second call');
    expect([titles(one), one.cards()[2]?.queuePosition]).to.deep.equal([['b'], 1]);
    one.decide('allow', cards[0]!);
    await turn;
    const places = one.cards().map(({ requestId }) => told(one).indexOf(requestId));
    expect(places).to.deep.equal([...places].sort((a, b) => a - b));
  });

  for (const how of ['taken away', 'replaced', 'replaced by `decide`'] as const)
    it(`C58 does not run a tool that was ${how} meanwhile`, async () => {
      const change = (): void => {
        take();
        if (how !== 'taken away') one.tool('erase', { risk: 'danger' });
      };
      const decide = () => (change(), { verdict: 'allow' as const, args: { title: 'b' } });
      const one = stage([call('erase'), 'Hm.'], {}, { person: true, ...(how === 'replaced by `decide`' && { decide }) });
      const take = one.tool('erase', { risk: 'danger' });
      const turn = one.send();
      if (how !== 'replaced by `decide`') {
        const card = await one.question();
        change();
        one.decide('allow', card);
      }
      expect((await turn).results[0]).to.include({ status: 'error', code: 'TOOL_NOT_FOUND' });
      expect(one.runs).to.deep.equal([]);
    });
});

describe('approval without a person', () => {
  useFaultServer({ settles: true });

  it('lets the host allow, deny, and change arguments, which are checked again and told to the model', async () => {
    const parameters = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } as const;
    for (const { decide, args, said = '', logs } of [
      { decide: () => 'allow', args: [{ count: 1 }] },
      { decide: () => 'deny', args: [] },
      { decide: () => Promise.resolve({ verdict: 'deny', reason: 'Not on Sundays' }), args: [], said: 'Not on Sundays' },
      { decide: () => ({ verdict: 'allow', args: { count: 2 } }), args: [{ count: 2 }], said: '{"count":2}' },
      ...[{ count: 'many' }, { count: 1, extra: true }].map((args) => ({
        ...{ decide: () => ({ verdict: 'allow', args }), args: [], logs: 'decide.arguments' },
      })),
      { decide: () => 'ask', args: [] },
      ...[undefined, 'yes', {}, { verdict: 'ALLOW' }].map((answer) => ({ decide: () => answer, args: [], logs: 'decide.failed' })),
      { decide: ({ args }) => ((args['count'] = 9), 'allow'), args: [], logs: 'decide.failed' },
      { decide: undefined, args: [], said: 'Not executed: no one can approve it here' },
      { decide: () => Promise.reject(new Error('broken')), args: [], logs: 'decide.failed' },
    ] as { decide?: (call: { args: Record<string, unknown> }) => unknown; args: object[]; said?: string; logs?: string }[]) {
      const tools = { erase: { risk: 'danger', parameters } } as const;
      const one = await play([call('erase', { count: '1' }), 'Done.'], tools, { decide: decide as never });
      expect(one.runs.map((run) => run.args)).to.deep.equal(args);
      expect(statuses(one.results)).to.deep.equal([args.length > 0 ? 'success' : 'denied']);
      expect(told(one)).to.include(said);
      expect(one.entries.find(({ code }) => code.startsWith('decide'))?.code).to.equal(logs);
    }
  });

  for (const fails of [false, true])
    it(fails ? 'takes a listener that fails at the last moment for a veto' : 'lets the host veto at the last moment', async () => {
      const one = await play([call('change'), 'Done.'], tools, {
        onEach(event) {
          if (fails && event.type === 'tool-execute') throw new Error('listener');
          return event.type !== 'tool-execute';
        },
      });
      expect(one.results[0]).to.include({ status: 'denied', code: 'DENIED' });
      expect(one.runs).to.deep.equal([]);
    });
});

describe('the journal', () => {
  useFaultServer({ settles: true });
  const journal = (over: Partial<Journal>): Journal => ({ ...createMemoryJournal(), ...over });
  const full = () => Promise.reject(new Error('full'));

  it('starts nothing that it cannot write down, but what only reads', async () => {
    const turns = [call('look') + call('change') + call('again'), 'Hm.'];
    const one = await play(turns, { ...tools, again: { idempotent: true } }, { journal: journal({ intent: full }) });
    expect([one.reason, ran(one)]).to.deep.equal(['stop', ['look']]);
    expect(one.results.slice(1).map(({ code, message }) => [code, message])).to.deep.equal(
      Array(2).fill(['EXECUTION_FAILED', en.notRecorded]),
    );
    expect(one.entries.map(({ code }) => code)).to.include('journal.failed');
  });

  it('starts nothing that it knows already, and hides no result when the end cannot be written', async () => {
    const known = await play([call('change'), 'Hm.'], tools, { journal: journal({ intent: () => Promise.resolve('known') }) });
    expect(known.results[0]).to.include({ status: 'interrupted', code: 'INTERRUPTED' });
    expect(known.runs).to.deep.equal([]);
    const unwritten = await play([call('change'), 'Done.'], tools, { journal: journal({ settle: full }) });
    expect(statuses(unwritten.results)).to.deep.equal(['success']);
  });

  it('is asked before the tool starts, and told the end of one that was stopped', async () => {
    const memory = createMemoryJournal();
    const one = stage([call('change'), 'Done.'], {}, { journal: memory });
    const written: unknown[] = [];
    one.tool('change', { execute: async (_, { requestId }) => (written.push(await memory.find(requestId)), new Promise(() => {})) });
    const turn = one.send();
    await until(() => written.length === 1, 'the record');
    one.chat.cancelStream();
    await turn;
    expect(written[0]).to.include({ toolName: 'change' });
    const { result } = (await memory.find(one.cards()[0]!.requestId))!;
    expect(result?.status).to.equal('cancelled');
    expect(result?.message).to.match(/may have gone through/);
  });

  it('says that nothing ran when the stop came while it was asked', async () => {
    const memory = createMemoryJournal();
    const answer = deferred();
    const intent: Journal['intent'] = (entry) => answer.promise.then(() => memory.intent(entry));
    const one = stage([call('change')], tools, { journal: { ...memory, intent } });
    const turn = one.send();
    await until(() => one.names().includes('tool-execute'), 'the call');
    one.chat.cancelStream();
    answer.resolve();
    const { results } = await turn;
    await tick();
    expect(results[0]).to.include({ status: 'cancelled', message: 'Not executed' });
    expect(one.runs).to.deep.equal([]);
    expect((await memory.find(results[0]!.requestId))?.result).to.include({ message: 'Not executed' });
  });
});
