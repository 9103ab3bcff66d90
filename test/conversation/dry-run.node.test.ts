/** Dry run: what the calls of a reply would do is shown as a whole before any of it runs, and only what was shown runs. */
import { expect } from 'chai';
import type { CardView } from '../../src/model/calls.js';
import type { PreviewedStep, SimulateContext, ToolDefinition } from '../../src/tools/tool.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { ran } from './play.js';
import { call, deferred, statuses, talk, tick, until, useFaultServer, type Talk, type TalkOptions } from './talk.js';

type Notes = string[];

/** The notes after a step. */
function after(notes: Notes, { toolName, args }: Pick<PreviewedStep, 'toolName' | 'args'>): Notes {
  const title = String(args['title']);
  if (toolName === 'add') return [...notes, title];
  return toolName === 'drop' ? notes.filter((note) => note !== title) : notes;
}

/** A conversation about notes: what each step would do depends on the notes that there are by then. */
function desk(turns: string[], options: TalkOptions = {}, kept: Notes = ['a', 'b']) {
  const one = talk(turns, { rehearse: 'on', person: true, ...options });
  const state = { notes: kept };
  const seen: { earlier: number; running: number }[] = [];
  function step(toolName: string, more: Partial<ToolDefinition> = {}) {
    one.tool(toolName, {
      simulate(args: Record<string, unknown>, { earlier }: SimulateContext) {
        seen.push({ earlier: earlier.length, running: one.runs.length });
        const before = earlier.reduce(after, state.notes);
        const then = after(before, { toolName, args });
        return { changes: [{ label: 'Notes', before: before.join(' '), after: then.join(' ') }], result: then.length };
      },
      execute: (args) => {
        state.notes = after(state.notes, { toolName, args });
        return state.notes.length;
      },
      ...more,
    });
  }
  step('add');
  step('drop', { risk: 'danger' });
  one.tool('look', { risk: 'query' });
  const allow = (...cards: CardView[]) => cards.forEach((card) => one.decide('allow', card));
  /** A turn up to the question about so many steps. */
  const asks = async (count: number) => {
    const turn = one.send();
    return { turn, cards: await one.asked(count) };
  };
  return { ...one, one, state, seen, step, allow, asks };
}

const add = (title: string) => call('add', { title });
const drop = (title: string) => call('drop', { title });
const effects = (cards: readonly CardView[]) => cards.map((card) => card.call?.preview?.map(({ after: then }) => then).join());
const titles = ({ runs }: Pick<Talk, 'runs'>) => runs.map(({ name, args }) => `${name} ${String(args['title'])}`).join();
const verdict = ({ requestId, call: shown }: CardView, more: object) =>
  ({ requestId, digest: shown!.rehearsed!.digest!, verdict: 'allow', ...more }) as never;

describe('a dry run', () => {
  useFaultServer({ settles: true });

  it('shows all steps with what they would do, each after those before it, and runs them in order', async () => {
    const { one, state, seen, asks, allow } = desk([add('c') + drop('a') + add('d'), 'Done.']);
    const { turn, cards } = await asks(3);
    expect(effects(cards)).to.deep.equal(['a b c', 'b c', 'b c d']);
    const shown = cards.map((card) => card.call!.rehearsed!);
    const lines = shown.map(({ step, of, by, result }) => [step, of, by, result].join());
    expect(lines).to.deep.equal(['1,3,simulate,3', '2,3,simulate,2', '3,3,simulate,3']);
    expect(new Set(shown.map(({ digest }) => digest)).size, 'one digest for all').to.equal(1);
    expect(one.chat.trace.filter(({ what }) => what === 'rehearsal')).to.have.length(1);
    expect([cards.every(({ offers = [] }) => offers.length === 0), one.runs]).to.deep.equal([true, []]);
    allow(...[...cards].reverse());
    expect(statuses((await turn).results)).to.deep.equal(['success', 'success', 'success']);
    expect([titles(one), state.notes.join()]).to.deep.equal(['add c,drop a,add d', 'b,c,d']);
    expect(seen.map(({ earlier, running }) => `${String(earlier)} ${String(running)}`).join()).to.equal('0 0,1 0,2 0,0 0,0 1,0 2');
  });

  it('would be missed: without it a write runs by policy, unseen', async () => {
    const { one, seen, asks, allow } = desk([add('c') + drop('a'), 'Done.'], { rehearse: 'off' });
    const { turn, cards } = await asks(1);
    expect([cards[0]?.toolName, cards[0]?.call?.rehearsed]).to.deep.equal(['drop', undefined]);
    await until(() => one.runs.length === 1, 'the write');
    allow(...cards);
    await turn;
    expect(seen).to.deep.equal([]);
  });

  it('asks again when a change that is only counted becomes another', async () => {
    let contract = 'Draft 120';
    const changes = () =>
      Array.from({ length: 150 }, (_, at) => ({ label: at === 120 ? contract : `Draft ${String(at)}`, before: 'there' }));
    const { one, step, asks, allow, asked } = desk([call('tidy'), 'Done.']);
    step('tidy', { simulate: () => ({ changes: changes() }), execute: () => undefined });
    const { turn, cards } = await asks(1);
    expect(JSON.stringify(cards[0]?.call)).to.not.include('Draft 120');
    contract = 'The contract';
    allow(...cards);
    await until(() => one.cards()[0]?.call?.reason?.startsWith('Needs approval again'), 'the second question');
    expect(one.runs).to.have.length(0);
    allow(...(await asked(1)));
    await turn;
    expect(one.runs).to.have.length(1);
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    for (const k of [0, 1, 2])
      it(`stops at step ${String(k + 1)} of 3 when it would do something else by then, ${execution}`, async () => {
        const names = ['c', 'd', 'e'];
        const { one, state, asked, asks, allow, chat } = desk([names.map(add).join(''), 'Done.'], { execution });
        // The page changes between two steps: after `k` of them have run.
        const meanwhile = () => void state.notes.push('x');
        const off = chat.subscribe(() => {
          if (k === 0 || chat.toolHistory.length !== k) return;
          off();
          meanwhile();
        });
        const { turn, cards } = await asks(3);
        if (k === 0) meanwhile();
        allow(...cards);
        const again = await asked(3 - k);
        const isOwn = (reason = '') => reason === 'Needs approval again, not executed: it no longer matches the preview';
        expect(one.runs, 'what had run').to.have.length(k);
        expect(again.map((card) => isOwn(card.call?.reason))).to.deep.equal(again.map((_, at) => at === 0));
        for (const card of again.slice(1)) expect(card.call?.reason).to.match(/^Needs approval again: an earlier step no longer matches/);
        expect(effects(again).at(-1)).to.equal(['a', 'b', ...names.slice(0, k), 'x', ...names.slice(k)].join(' '));
        // What was allowed before allows nothing now.
        allow(...cards);
        await tick();
        expect(one.runs).to.have.length(k);
        expect(
          chat.trace.filter(({ what, reason }) => what === 'ask' && reason.includes('Needs approval again, not executed')),
        ).to.have.length(1);
        allow(...again);
        expect(statuses((await turn).results)).to.deep.equal(['success', 'success', 'success']);
        expect(titles(one)).to.equal('add c,add d,add e');
      });

  it('takes no decision about anything but all that is shown, also where calls would run within the reply', async () => {
    const { one, asked, asks, decide, allow } = desk([add('c') + add('d'), 'Done.'], { dispatch: 'on-block', approval: 'auto' });
    const { turn, cards } = await asks(2);
    const [first, second] = cards;
    for (const wrong of [first!.call!.digest, second!.call!.digest, '', 'f'.repeat(64), `${first!.call!.rehearsed!.digest!} `])
      decide('allow', first!, wrong);
    await tick();
    await asked(2);
    expect(one.runs).to.deep.equal([]);
    allow(...cards);
    await turn;
    expect(one.runs).to.have.length(2);
  });

  it('shows those behind a declined step as they would be without it', async () => {
    const { one, state, asked, asks, decide, allow } = desk([add('c') + drop('c') + add('d'), 'Done.']);
    const { turn, cards } = await asks(3);
    allow(cards[0]!);
    decide('deny', cards[1]!);
    await until(() => effects(one.cards()).at(-1) === 'a b c d', 'the third step without the second');
    const [changed] = await asked(1);
    allow(cards[2]!);
    await tick();
    expect(titles(one)).to.equal('add c');
    allow(changed!);
    await turn;
    expect(statuses(one.chat.toolHistory)).to.have.members(['success', 'denied', 'success']);
    expect(state.notes).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  for (const [what, args, expected, runs] of [
    ['shows again all behind a step that a user changes', { title: 'q' }, 'a b q,a b q d', 'add q,add d'],
    ['leaves the question as it was when a change does not pass', { title: { no: 'text' } }, 'a b c,a b c d', 'add c,add d'],
  ] as const)
    it(what, async () => {
      const { one, asked, asks, allow } = desk([add('c') + add('d'), 'Done.']);
      const { turn, cards } = await asks(2);
      internalsOf(one.chat).decide(verdict(cards[0]!, { verdict: 'edit', args }));
      await until(() => one.cards()[0]?.edit?.problem ?? !effects(one.cards()).join().startsWith('a b c'), 'the change, or its problem');
      await until(() => effects(one.cards()).join() === expected, 'both as they are now');
      allow(...(await asked(2)));
      await turn;
      expect(titles(one)).to.equal(runs);
    });

  it('waits for all calls of the reply before it asks about any, and lets queries run', async () => {
    const slow = deferred();
    const { one, asked, send, step, allow } = desk([call('look') + add('c') + call('slow', { title: 's' }), 'Done.']);
    const preview = () => slow.promise.then(() => [{ label: 'S', after: 1 }]);
    step('slow', { preview, simulate: undefined as never, execute: () => undefined });
    const turn = send();
    await until(() => one.runs.length === 1, 'the query');
    await tick();
    await asked(0);
    slow.resolve();
    const cards = await asked(2);
    expect(cards.map((card) => card.call?.rehearsed?.by)).to.deep.equal(['simulate', 'preview']);
    allow(...cards);
    await turn;
    expect(ran(one)).to.deep.equal(['look', 'add', 'slow']);
  });

  it('says of a tool without a preview that its effect is unknown, and of one that fails that it failed', async () => {
    const { one, asks, allow } = desk([call('blind') + call('broken'), 'Done.']);
    one.tool('blind');
    one.tool('broken', { simulate: () => expect.fail('no') });
    const { turn, cards } = await asks(2);
    expect(cards.map((card) => card.call?.rehearsed?.by)).to.deep.equal([undefined, undefined]);
    expect(cards.map((card) => card.call?.describeFailed)).to.deep.equal([undefined, true]);
    allow(...cards);
    expect(statuses((await turn).results)).to.deep.equal(['success', 'success']);
  });

  it('runs nothing where nobody can be asked, and no step that differs', async () => {
    const nobody = desk([add('c') + add('d'), 'Done.'], { person: false });
    expect(statuses((await nobody.send()).results)).to.deep.equal(['denied', 'denied']);
    const host = desk([add('c') + add('d'), 'Done.'], {
      person: false,
      decide: () => 'allow',
      onEach: (event) => void (event.type === 'tool-complete' && host.state.notes.push('x')),
    });
    expect([statuses((await host.send()).results), titles(host)]).to.deep.equal([['success', 'denied'], 'add c']);
  });

  it('is not opened by a permission, and opens nothing that untrusted content closes', async () => {
    const { one, asks, decide, send } = desk([add('c'), 'Done.', call('read'), add('d'), 'Done.'], { approval: 'auto' });
    one.tool('read', { risk: 'query', untrusted: true });
    const { turn, cards } = await asks(1);
    expect(cards[0]?.call?.reason).to.equal('Needs approval: you review every step before any of them runs');
    internalsOf(one.chat).decide(verdict(cards[0]!, { remember: 0 }));
    await turn;
    expect(one.chat.grants).to.deep.equal([]);
    const next = send('next');
    const tainted = await one.question();
    expect(tainted.call?.taintedBy?.toolName).to.equal('read');
    expect(tainted.call?.reason).to.include('read');
    decide('deny', tainted);
    await next;
  });

  describe('over a reload', () => {
    const area = useSessionStorage();

    it('trusts nothing: all is looked at and asked about again', async () => {
      const kept = { storage: 'session', sessionId: 'rehearsed' } as const;
      const before = desk([add('c') + add('d') + add('e'), 'Done.'], kept);
      void before.send();
      const asked = await before.asked(3);
      before.allow(asked[1]!);
      await until(() => [...area.values()].some((text) => text.includes('"queued"')), 'what is stored');
      const next = desk(['Done.'], kept, ['z']);
      const again = await next.asked(3);
      expect(effects(again)).to.deep.equal(['z c', 'z c d', 'z c d e']);
      next.allow(...asked);
      await tick();
      expect(next.runs).to.deep.equal([]);
      next.allow(...again);
      await until(() => !next.chat.isLoading, 'the end');
      expect([next.state.notes, before.runs]).to.deep.equal([['z', 'c', 'd', 'e'], []]);
    });
  });
});
