/** Taking back what a tool did (S0-180). */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { call, deferred, talk, until, useFaultServer, type Talk } from './talk.js';

describe('undo', () => {
  useFaultServer();

  /** A list that tools write to. */
  function lists(replies: string[]) {
    const list: string[] = [];
    const one = talk([...replies, 'Done.', 'Hi.']);
    one.tool('add', {
      parameters: { type: 'object', properties: { title: { type: 'string' } } },
      execute(args: Record<string, unknown>) {
        list.push(String(args['title']));
        return { success: true, message: 'added', data: { title: args['title'] } };
      },
      undo: (result) => {
        const { title } = result.data as { title: string };
        list.splice(list.lastIndexOf(title), 1);
        return Promise.resolve();
      },
    });
    return { one, list };
  }
  const ids = (one: Talk) => one.chat.toolHistory.map(({ requestId }) => requestId);
  const card = (one: Talk, at: number) => one.cards()[at]!;

  it('is offered on the card of a success whose tool can, runs once, and marks the card and the result', async () => {
    const { one, list } = lists([call('add', { title: 'milk' })]);
    await one.send();
    await until(() => card(one, 0).undo, 'the offer'); // the first comes with a part that is loaded
    expect(card(one, 0)).to.include({ status: 'success', undo: 'offered' });
    await one.chat.undo(ids(one)[0]!);
    expect(list).to.deep.equal([]);
    expect(card(one, 0)).to.include({ status: 'undone' }).and.not.have.property('undo');
    expect(one.chat.toolHistory[0]).to.include({ status: 'success', undone: true });
    const again: unknown = await one.chat.undo(ids(one)[0]!).catch((error: unknown) => error);
    expect(again).to.be.an('error');
    await one.chat.sendMessage('and now?');
    expect(
      one
        .bodies()
        .at(-1)
        ?.messages.find(({ text }) => text.includes('<tool_result'))?.text,
    ).to.include('undid');
  });

  it('is not offered by a tool that cannot, nor for a call that failed', async () => {
    const one = talk([call('plain') + call('fails'), 'Done.']);
    one.tool('plain');
    one.tool('fails', {
      execute() {
        throw new Error('no');
      },
      undo: () => Promise.resolve(),
    });
    await one.send();
    expect(one.cards().map(({ undo }) => undo)).to.deep.equal([undefined, undefined]);
    expect(await one.chat.undo(ids(one)[1]!).catch((error: unknown) => (error as Error).message)).to.equal('There is nothing to undo here');
    expect(await one.chat.undo('nonsense').catch((error: unknown) => (error as Error).message)).to.equal('There is nothing to undo here');
  });

  it('goes back to a call in reverse order', async () => {
    const { one, list } = lists([call('add', { title: 'a' }) + call('add', { title: 'b' }) + call('add', { title: 'c' })]);
    await one.send();
    expect(one.cards().map(({ undoBack }) => undoBack)).to.deep.equal([true, true, undefined]);
    const left: string[] = [];
    one.chat.subscribe(() => left.push(list.join('')));
    internalsOf(one.chat).surface.undo(ids(one)[1]!, { back: true });
    await until(() => card(one, 1).status === 'undone', 'the way back');
    expect(list).to.deep.equal(['a']);
    expect(left).to.include('ab');
    expect(one.cards().map(({ status }) => status)).to.deep.equal(['success', 'undone', 'undone']);
  });

  it('says so when it fails, and can be tried again; twice at once is once', async () => {
    const gate = deferred();
    let tries = 0;
    const one = talk([call('add'), 'Done.']);
    one.tool('add', {
      undo: async () => {
        if ((tries += 1) === 1) throw new Error('locked');
        await gate.promise;
      },
    });
    await one.send();
    const [id] = ids(one) as [string];
    expect(await one.chat.undo(id).catch((error: unknown) => (error as Error).message)).to.equal('This could not be undone');
    expect(card(one, 0)).to.include({ status: 'success', undo: 'failed' });
    const running = one.chat.undo(id);
    expect(card(one, 0)).to.include({ undo: 'running' });
    expect(await one.chat.undo(id).catch(() => 'refused')).to.equal('refused');
    gate.resolve();
    await running;
    expect([tries, card(one, 0).status]).to.deep.equal([2, 'undone']);
  });
});
