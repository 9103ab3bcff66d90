/** Versions of a conversation: what an edit or an answer anew leaves behind (Y-06). */
import { expect } from 'chai';
import fc from 'fast-check';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { MessageView } from '../../src/model/snapshot.js';
import { call, talk, until, useFaultServer, type Talk } from './talk.js';

const surface = (now: Talk) => internalsOf(now.chat).surface;
const actions = (now: Talk) => surface(now).messageActions!;
const idle = (now: Talk) => until(() => !now.chat.isLoading && now.chat.state === 'idle', 'the end of the turn');
const fork = (now: Talk): MessageView => now.view().views.find(({ branch }) => branch)!;
const said = (now: Talk) => now.view().views.map(({ message }) => message.text);

/** What was sent is whole: each call of it is answered, and each answer has its call. */
function sentWhole(now: Talk): void {
  for (const { messages } of now.bodies()) {
    const all = messages.map(({ text }) => text).join('\n');
    const asked = all.match(/<invoke name=/g)?.length ?? 0;
    const told = all.match(/<tool_result /g)?.length ?? 0;
    expect(told, all).to.equal(asked);
  }
}

async function switched(now: Talk, place: 'previous' | 'next'): Promise<void> {
  const { branch } = fork(now);
  actions(now).switchTo(branch!.from, branch![place]!);
  await until(() => fork(now)?.branch?.at !== branch!.at, 'the other version');
}

describe('versions of a conversation', () => {
  useFaultServer({ settles: true });

  it('keeps the answer that was given before, and shows it again', async () => {
    const now = talk(['First.', 'Second.', 'Third.']);
    await now.send('Go');
    await now.chat.regenerate();
    expect(said(now)).to.deep.equal(['Go', 'Second.']);
    expect(fork(now)).to.deep.include({ branch: { from: now.chat.messages[0]!.id, at: 2, of: 2, previous: 1 } });
    await switched(now, 'previous');
    expect(said(now)).to.deep.equal(['Go', 'First.']);
    await now.send('On');
    const { messages } = now.bodies().at(-1)!;
    expect(messages.map(({ text }) => text).join(), 'what is shown is what is sent').to.equal('Go,First.,On');
    await switched(now, 'next');
    expect(said(now)).to.deep.equal(['Go', 'Second.']);
    await switched(now, 'previous');
    expect(said(now)).to.deep.equal(['Go', 'First.', 'On', 'Third.']);
  });

  it('keeps what was said before an edit, with its attachments, and what was done stays done and is said', async () => {
    const now = talk([call('book', { title: 'two' }), 'Booked.', call('book', { title: 'three' }), 'Booked again.'], { approval: 'auto' });
    now.tool('book', { risk: 'write' });
    await now.send('Book');
    const first = now.chat.messages[0]!;
    await now.chat.editMessage(first.id, 'Book later');
    expect(now.runs.map(({ args }) => args['title'])).to.deep.equal(['two', 'three']);
    expect(fork(now).branch).to.deep.equal({ from: '', at: 2, of: 2, previous: 1, stay: 1 });
    await switched(now, 'previous');
    expect(said(now)[0]).to.equal('Book');
    expect(now.runs, 'nothing runs again').to.have.length(2);
    sentWhole(now);
  });

  it('answers anew without running a call again, and an answer that was stopped, which stays marked', async () => {
    const replies = [call('book', { title: 'two' }), 'Booked.', { text: 'It is booked.', q: 'hang=2&gap=1', times: 1 }];
    const now = talk(replies, { approval: 'auto', heartbeat: 200 }).with({ book: 'write' });
    await now.send('Book');
    const turn = now.chat.regenerate();
    await until(() => now.chat.streamingText !== '', 'some text');
    now.chat.cancelStream();
    await turn;
    const last = now.view().views.at(-1)!;
    expect([last.canContinue, last.canRegenerate, last.note !== undefined]).to.deep.equal([true, true, true]);
    await now.chat.regenerate();
    expect([now.runs.length, said(now).at(-1)]).to.deep.equal([1, 'It is booked.']);
    expect(fork(now).branch).to.deep.include({ at: 3, of: 3 });
    await switched(now, 'previous');
    expect(now.view().views.at(-1)?.note).to.equal(last.note);
    await switched(now, 'previous');
    expect(said(now).at(-1)).to.equal('Booked.');
    sentWhole(now);
  });

  it('shows the answer before again when the new one says nothing', async () => {
    const now = talk(['First.', { text: 'x', q: 'status=400' }]);
    await now.send('Go');
    await now.chat.regenerate();
    expect([said(now), now.view().views.some(({ branch }) => branch)]).to.deep.equal([['Go', 'First.'], false]);
    expect(now.view().failure, 'what went wrong is said').to.not.equal(null);
  });

  it('keeps versions in an exported file, and takes them in; a file whose versions are not whole is none', async () => {
    const now = talk([call('book', { title: 'two' }), 'Booked.', 'Other.'], { approval: 'auto' }).with({ book: 'write' });
    await now.send('Book');
    await now.chat.editMessage(now.chat.messages[0]!.id, 'Nothing');
    const file = await now.chat.exportSession();
    expect([file.version, file.branches?.length]).to.deep.equal([1, 1]);
    const other = talk(['Yes.']).with({ book: 'write' });
    await other.chat.importSession(JSON.stringify(file));
    expect(fork(other).branch).to.deep.equal({ from: '', at: 2, of: 2, previous: 1, stay: 1 });
    await switched(other, 'previous');
    expect(said(other).filter((text) => text.trim())).to.deep.equal(['Book', 'Booked.']);
    expect(other.chat.messages.every(({ metadata }) => metadata.imported)).to.equal(true);
    await other.send('Go on');
    expect(other.runs).to.have.length(0);
    sentWhole(other);
    for (const spoil of [
      (copy: typeof file) => delete copy.branches![0]!.calls[0]!.result,
      (copy: typeof file) => Object.assign(copy.branches![0]!, { from: 'nobody' }),
      (copy: typeof file) => Object.assign(copy.branches![0]!, { messages: copy.messages }),
      (copy: typeof file) => copy.branches!.push(copy.branches![0]!),
    ]) {
      const copy = structuredClone(file);
      spoil(copy);
      expect(await other.chat.importSession(copy).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    }
  });

  it('tells the page what a person thinks of an answer, and keeps it', async () => {
    const now = talk(['First.']);
    await now.send('Go');
    const { id } = now.chat.messages.at(-1)!;
    actions(now).rate(id, { value: 'down', reason: 'wrong' });
    expect(now.chat.messages.at(-1)?.metadata.feedback).to.deep.equal({ value: 'down', reason: 'wrong' });
    actions(now).rate(id, null);
    expect(now.chat.messages.at(-1)?.metadata.feedback).to.equal(undefined);
    expect(now.events.filter(({ type }) => type === 'feedback')).to.deep.equal([
      { type: 'feedback', messageId: id, value: 'down', reason: 'wrong' },
      { type: 'feedback', messageId: id, value: null, reason: '' },
    ]);
  });

  it('Y-06: edits, answers anew and switches leave no call without its result in any version', async () => {
    const act = fc.record({ what: fc.constantFrom('send', 'edit', 'anew', 'switch'), stop: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 9 }), fc.infiniteStream(fc.nat(20)), async (walk, which) => {
        const pick = <T>(list: readonly T[]): T | undefined => list[(which.next().value as number) % list.length];
        const now = talk(
          [call('add', { title: 'a' }), 'Added.', call('wipe', { title: 'b' }), 'Plain.', call('wipe', { title: 'c' }), 'Done.'],
          { person: true, approval: 'auto', exhaust: 'repeat' },
        );
        now.with({ add: 'write', wipe: 'danger' });
        for (const { what, stop } of [{ what: 'send', stop: false }, ...walk]) {
          const mine = pick(now.chat.messages.filter(({ role }) => role === 'user'));
          const branch = pick([...now.view().views].flatMap((view) => view.branch ?? []));
          if (what === 'switch' && branch) actions(now).switchTo(branch.from, (branch.previous ?? branch.next)!);
          else if (what === 'anew') surface(now).retry();
          else if (what === 'edit' && mine) surface(now).edit(mine.id, 'Edited');
          else surface(now).send('Go');
          if (stop) now.chat.cancelStream();
          await until(() => !now.chat.isLoading || now.cards().some(({ status }) => status === 'awaiting_approval'), 'some rest');
        }
        now.chat.cancelStream();
        await idle(now);
        sentWhole(now);
        const ids = now.runs.map(({ context }) => context.requestId);
        expect(new Set(ids).size, 'each call runs once').to.equal(ids.length);
        const file = await now.chat.exportSession();
        for (const { messages, calls = [] } of [file, ...(file.branches ?? [])])
          for (const { requestId, result } of calls) {
            expect(result?.requestId).to.equal(requestId);
            expect(messages.filter(({ metadata }) => metadata.toolCall?.requestId === requestId)).to.have.length(1);
          }
        now.chat.dispose();
      }),
      { numRuns: process.env['TEST_EFFORT'] === 'full' ? 40 : 6 },
    );
  });
});
