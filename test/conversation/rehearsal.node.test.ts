/** Rehearsal: what the calls of a reply would do is shown as a whole before any of it runs, and only what was shown runs. */
import { expect } from 'chai';
import type { CardView } from '../../src/model/calls.js';
import type { RehearsedStep, SimulateContext, ToolDefinition } from '../../src/tools/tool.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { call, deferred, settlesWell, statuses, talk, tick, until, useFaultServer, type Talk, type TalkOptions } from './talk.js';

type Notes = string[];

/** What the notes are after a step. */
function after(notes: Notes, { toolName, args }: Pick<RehearsedStep, 'toolName' | 'args'>): Notes {
  const title = String(args['title']);
  if (toolName === 'add') return [...notes, title];
  return toolName === 'drop' ? notes.filter((note) => note !== title) : notes;
}

/** A conversation about notes: what each step would do depends on what is there by then. */
function desk(turns: string[], options: TalkOptions = {}, kept: Notes = ['a', 'b']) {
  const one = talk(turns, { rehearse: 'on', person: true, ...options });
  const state = { notes: kept };
  const seen: { toolName: string; title: unknown; earlier: number; running: number }[] = [];
  function step(toolName: string, more: Partial<ToolDefinition> = {}) {
    one.tool(toolName, {
      simulate(args: Record<string, unknown>, { earlier }: SimulateContext) {
        seen.push({ toolName, title: args['title'], earlier: earlier.length, running: one.runs.length });
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
  return { ...one, one, state, seen, step };
}

const add = (title: string) => call('add', { title });
const drop = (title: string) => call('drop', { title });
const effects = (cards: readonly CardView[]) => cards.map((card) => card.call?.preview?.map(({ after: then }) => then).join());
const titles = ({ runs }: Pick<Talk, 'runs'>) => runs.map(({ name, args }) => `${name} ${String(args['title'])}`);

describe('rehearsal', () => {
  useFaultServer();

  it('shows all steps with what they would do, each after those before it, and runs them in order', async () => {
    const { one, state, seen, asked, send, decide } = desk([add('c') + drop('a') + add('d'), 'Done.']);
    const done = send();
    const cards = await asked(3);
    expect(effects(cards)).to.deep.equal(['a b c', 'b c', 'b c d']);
    expect(cards.map((card) => card.call?.rehearsed?.result)).to.deep.equal([3, 2, 3]);
    expect(cards.map((card) => [card.call?.rehearsed?.step, card.call?.rehearsed?.of, card.call?.rehearsed?.by])).to.deep.equal([
      [1, 3, 'simulate'],
      [2, 3, 'simulate'],
      [3, 3, 'simulate'],
    ]);
    expect(one.chat.trace.filter(({ what }) => what === 'rehearsal')).to.have.length(1);
    expect(new Set(cards.map((card) => card.call?.rehearsed?.digest)).size, 'one digest for all').to.equal(1);
    expect(cards.every(({ offers = [] }) => offers.length === 0)).to.equal(true);
    expect(one.runs).to.deep.equal([]);
    for (const card of [...cards].reverse()) decide('allow', card);
    expect(statuses((await done).results)).to.deep.equal(['success', 'success', 'success']);
    expect(titles(one)).to.deep.equal(['add c', 'drop a', 'add d']);
    expect(state.notes).to.deep.equal(['b', 'c', 'd']);
    expect(seen.map(({ earlier, running }) => [earlier, running])).to.deep.equal([
      ...[0, 1, 2].map((earlier) => [earlier, 0]),
      ...[0, 1, 2].map((running) => [0, running]),
    ]);
    await settlesWell(one);
  });

  it('would be noticed: without it a write runs by policy, unseen', async () => {
    const { one, seen, send, asked, decide } = desk([add('c') + drop('a'), 'Done.'], { rehearse: 'off' });
    const done = send();
    const [card] = await asked(1);
    expect(card?.toolName).to.equal('drop');
    expect(card?.call?.rehearsed).to.equal(undefined);
    await until(() => one.runs.length === 1, 'the write');
    decide('allow', card!);
    await done;
    expect(seen).to.deep.equal([]);
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    for (const k of [0, 1, 2])
      it(`stops at step ${String(k + 1)} of 3 when it would do something else by then, ${execution}`, async () => {
        const turn = [add('c'), add('d'), add('e')];
        const { one, state, asked, send, decide, chat } = desk([turn.join(''), 'Done.'], { execution });
        // The page changes between two steps: after `k` of them have run.
        const meanwhile = () => void state.notes.push('x');
        if (k > 0) {
          const ran = chat.subscribe(() => {
            if (chat.toolHistory.length !== k) return;
            ran();
            meanwhile();
          });
        }
        const done = send();
        const cards = await asked(3);
        if (k === 0) meanwhile();
        for (const card of cards) decide('allow', card);
        const again = await asked(3 - k);
        expect(titles(one), 'what had run').to.deep.equal(['add c', 'add d', 'add e'].slice(0, k));
        expect(again.map((card) => card.call?.reason)).to.deep.equal([
          'Asks again, and has not run: it would now do something else than was shown',
          ...again.slice(1).map(() => 'Asks again: a step before it would now do something else than was shown'),
        ]);
        expect(effects(again).at(-1)).to.equal(['a', 'b', ...['c', 'd', 'e'].slice(0, k), 'x', ...['c', 'd', 'e'].slice(k)].join(' '));
        // What was allowed before allows nothing now.
        for (const card of cards) decide('allow', card);
        await tick();
        expect(one.runs).to.have.length(k);
        expect(chat.trace.filter(({ what, reason }) => what === 'ask' && reason.includes('Asks again, and has not run'))).to.have.length(1);
        for (const card of again) decide('allow', card);
        expect(statuses((await done).results)).to.deep.equal(['success', 'success', 'success']);
        expect(titles(one)).to.deep.equal(['add c', 'add d', 'add e']);
        await settlesWell(one);
      });

  it('asks again as often as it differs, and each time under another digest', async () => {
    const { one, state, asked, send, decide } = desk([add('c'), 'Done.']);
    const done = send();
    const digests = new Set<string | undefined>();
    for (let at = 0; at < 4; at++) {
      const [card] = await asked(1);
      digests.add(card?.call?.rehearsed?.digest);
      state.notes = at % 2 ? ['a', 'b'] : ['z'];
      if (at === 3) break;
      decide('allow', card!);
      await until(() => one.cards()[0]?.call?.rehearsed?.digest !== card?.call?.rehearsed?.digest, 'another question');
    }
    expect(digests.size).to.equal(4);
    expect(one.runs).to.deep.equal([]);
    one.decide('deny', (await asked(1))[0]!);
    await done;
  });

  it('takes no decision about anything but all that is shown', async () => {
    const { one, asked, send, decide } = desk([add('c') + add('d'), 'Done.']);
    const done = send();
    const [first, second] = await asked(2);
    const { digest } = first!.call!;
    for (const wrong of [digest, second!.call!.digest, '', 'f'.repeat(64), `${first!.call!.rehearsed!.digest!} `])
      decide('allow', first!, wrong);
    await tick();
    expect((await asked(2)).length).to.equal(2);
    expect(one.runs).to.deep.equal([]);
    for (const card of [first!, second!]) decide('allow', card);
    await done;
    expect(one.runs).to.have.length(2);
  });

  it('shows those behind a declined step as they would be without it', async () => {
    const { one, state, asked, send, decide } = desk([add('c') + drop('c') + add('d'), 'Done.']);
    const done = send();
    const [first, second, third] = await asked(3);
    decide('allow', first!);
    decide('deny', second!);
    await until(() => effects(one.cards()).at(-1) === 'a b c d', 'the third step without the second');
    const third2 = (await asked(1))[0]!;
    decide('allow', third!);
    await tick();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['add']);
    decide('allow', third2);
    await done;
    expect(one.cards().map(({ status }) => status)).to.deep.equal(['success', 'denied', 'success']);
    expect(state.notes).to.deep.equal(['a', 'b', 'c', 'd']);
    await settlesWell(one);
  });

  it('asks again for an allowed step that depends on a declined one, and lets the others run', async () => {
    const { one, asked, send, decide, step } = desk([add('c') + add('d') + call('ring', { title: 'r' }), 'Done.']);
    step('ring', { simulate: () => ({ changes: [{ label: 'Bell', after: 'rings' }] }), execute: () => undefined });
    const done = send();
    const [first, second, third] = await asked(3);
    decide('allow', second!);
    decide('allow', third!);
    decide('deny', first!);
    const again = await asked(2);
    expect(again.map(({ toolName }) => toolName)).to.deep.equal(['add', 'ring']);
    expect(one.runs).to.deep.equal([]);
    for (const card of again) decide('allow', card);
    await done;
    expect(titles(one)).to.deep.equal(['add d', 'ring r']);
  });

  it('waits for the end of the reply, also where calls would run within it', async () => {
    const { one, asked, send, decide } = desk([add('c') + drop('a'), 'Done.'], { dispatch: 'on-block', approval: 'auto' });
    const done = send();
    const cards = await asked(2);
    expect(cards.map((card) => card.call?.rehearsed?.of)).to.deep.equal([2, 2]);
    expect(one.runs).to.deep.equal([]);
    for (const card of cards) decide('allow', card);
    await done;
    expect(titles(one)).to.deep.equal(['add c', 'drop a']);
  });

  it('denies all at once', async () => {
    const { one, asked, send, decide } = desk([add('c') + drop('a') + add('d'), 'As you wish.']);
    const done = send();
    for (const card of await asked(3)) decide('deny', card);
    expect(statuses((await done).results)).to.deep.equal(['denied', 'denied', 'denied']);
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('looks anew at all behind a step that a person changes', async () => {
    const { one, asked, send, decide } = desk([add('c') + add('d'), 'Done.']);
    const done = send();
    const [first] = await asked(2);
    const { requestId, call: shown } = first!;
    internalsOf(one.chat).decide({ requestId, digest: shown!.rehearsed!.digest!, verdict: 'edit', args: { title: 'q' } });
    await until(() => effects(one.cards()).join() === 'a b q,a b q d', 'both as they are now');
    for (const card of await asked(2)) decide('allow', card);
    await done;
    expect(titles(one)).to.deep.equal(['add q', 'add d']);
  });

  it('leaves the question as it was when a change does not pass', async () => {
    const { one, asked, send, decide } = desk([add('c') + add('d'), 'Done.']);
    const done = send();
    const [first, second] = await asked(2);
    internalsOf(one.chat).decide({
      ...{ requestId: first!.requestId, digest: first!.call!.rehearsed!.digest!, verdict: 'edit' },
      args: { title: { no: 'text' } },
    });
    await until(() => one.cards()[0]?.edit?.problem, 'what is wrong');
    for (const card of [first!, second!]) decide('allow', card);
    await done;
    expect(titles(one)).to.deep.equal(['add c', 'add d']);
  });

  it('waits for all calls of the reply before it asks about any, and lets queries be', async () => {
    const slow = deferred();
    const { one, asked, send, decide, step } = desk([call('look') + add('c') + call('slow', { title: 's' }), 'Done.']);
    step('slow', {
      preview: () => slow.promise.then(() => [{ label: 'S', after: 1 }]),
      simulate: undefined as never,
      execute: () => undefined,
    });
    const done = send();
    await until(() => one.runs.length === 1, 'the query');
    await tick();
    await asked(0);
    slow.resolve();
    const cards = await asked(2);
    expect(cards.map((card) => card.call?.rehearsed?.by)).to.deep.equal(['simulate', 'preview']);
    for (const card of cards) decide('allow', card);
    await done;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look', 'add', 'slow']);
  });

  it('says of a tool that cannot show it that what it does is not known, and of one that fails that it does', async () => {
    const { one, asked, send, decide } = desk([call('blind') + call('broken'), 'Done.']);
    one.tool('blind');
    one.tool('broken', {
      simulate() {
        throw new Error('no');
      },
    });
    const done = send();
    const cards = await asked(2);
    expect(cards.map((card) => [card.call?.rehearsed?.by, card.call?.describeFailed])).to.deep.equal([
      [undefined, undefined],
      [undefined, true],
    ]);
    for (const card of cards) decide('allow', card);
    expect(statuses((await done).results)).to.deep.equal(['success', 'success']);
  });

  it('runs nothing where nobody can be asked, and no step that differs', async () => {
    const nobody = desk([add('c') + add('d'), 'Done.'], { person: false });
    expect(statuses((await nobody.send()).results)).to.deep.equal(['denied', 'denied']);
    const host = desk([add('c') + add('d'), 'Done.'], {
      person: false,
      decide: () => 'allow',
      onEach: (event) => void (event.type === 'tool-complete' && host.state.notes.push('x')),
    });
    expect(statuses((await host.send()).results)).to.deep.equal(['success', 'denied']);
    expect(titles(host)).to.deep.equal(['add c']);
  });

  it("shows the host's `decide` what each would do, and what it changes as it is then", async () => {
    const seen: unknown[] = [];
    const { asked, send, decide, one } = desk([add('c') + add('d'), 'Done.'], {
      decide: (shown) => {
        seen.push([shown.preview?.[0]?.after, shown.rehearsed]);
        return shown.args['title'] === 'c' ? { verdict: 'ask', args: { title: 'h' } } : 'ask';
      },
    });
    const done = send();
    const cards = await asked(2);
    expect(seen).to.deep.equal([
      ['a b c', { by: 'simulate', result: 3 }],
      ['a b h d', { by: 'simulate', result: 4 }],
    ]);
    expect(effects(cards)).to.deep.equal(['a b h', 'a b h d']);
    for (const card of cards) decide('allow', card);
    await done;
    expect(titles(one)).to.deep.equal(['add h', 'add d']);
  });

  it('is not opened by a grant, and opens nothing that outside content closes', async () => {
    const { one, asked, send, decide } = desk([add('c'), 'Done.', call('read'), add('d'), 'Done.'], { approval: 'auto' });
    one.tool('read', { risk: 'query', untrusted: true });
    const done = send();
    const [card] = await asked(1);
    expect(card?.call?.reason).to.equal('Asks because all of it is shown before any of it runs');
    internalsOf(one.chat).decide({ requestId: card!.requestId, digest: card!.call!.rehearsed!.digest!, verdict: 'allow', remember: 0 });
    await done;
    expect(one.chat.grants).to.deep.equal([]);
    const next = send('next');
    const [tainted] = await asked(1);
    expect(tainted?.call?.taintedBy?.toolName).to.equal('read');
    expect(tainted?.call?.reason).to.include('read');
    decide('deny', tainted!);
    await next;
  });

  it('ends with the turn that is stopped', async () => {
    const { one, asked, send } = desk([add('c') + add('d'), 'Done.']);
    const done = send();
    await asked(2);
    one.chat.cancelStream();
    expect((await done).reason).to.equal('cancelled');
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('ends with a turn that is stopped while it is looked at', async () => {
    const never = deferred();
    const { one, send, step } = desk([add('c') + call('slow', { title: 's' }), 'Done.']);
    step('slow', { simulate: () => never.promise.then(() => ({})) });
    const done = send();
    await until(() => one.cards().length === 2, 'both cards');
    await tick();
    one.chat.cancelStream();
    await done;
    never.resolve();
    await tick();
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('lets the chosen tool go before the others, which are looked at then', async () => {
    const { one, asked, decide } = desk([add('c') + drop('a'), add('c'), 'Done.']);
    const done = one.chat.sendMessage('drop it', { tool: 'drop' });
    const [card] = await asked(1);
    expect(card?.toolName).to.equal('drop');
    decide('allow', card!);
    const [next] = await asked(1);
    expect(next?.toolName).to.equal('add');
    decide('allow', next!);
    await done;
    expect(titles(one).slice(0, 2)).to.deep.equal(['drop a', 'add c']);
  });

  describe('over a reload', () => {
    const area = useSessionStorage();

    it('trusts nothing: all is looked at and asked about again', async () => {
      const sessionId = 'rehearsed';
      const kept = { storage: 'session', sessionId } as const;
      const before = desk([add('c') + add('d') + add('e'), 'Done.'], kept);
      void before.send();
      const asked = await before.asked(3);
      before.decide('allow', asked[1]!);
      await until(() => [...area.values()].some((text) => text.includes('"queued"')), 'what is stored');
      const next = desk(['Done.'], kept, ['z']);
      const again = await next.asked(3);
      expect(effects(again)).to.deep.equal(['z c', 'z c d', 'z c d e']);
      for (const card of asked) next.decide('allow', card);
      await tick();
      expect(next.runs).to.deep.equal([]);
      for (const card of again) next.decide('allow', card);
      await until(() => !next.chat.isLoading, 'the end');
      expect(next.state.notes).to.deep.equal(['z', 'c', 'd', 'e']);
      expect(before.runs).to.deep.equal([]);
    });
  });
});
