/** Taking back what a tool did (S0-180). */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { play } from './play.js';
import { call, deferred, until, useFaultServer, type Talk } from './talk.js';

describe('undo', () => {
  useFaultServer({ settles: true });

  const id = (one: Talk, at: number) => one.chat.toolHistory[at]!.requestId;
  const card = (one: Talk, at: number) => one.cards()[at]!;
  const refusal = (one: Talk, requestId: string) => one.chat.undo(requestId).catch((error: unknown) => (error as Error).message);

  /** A list to which a tool has added these. */
  async function added(...titles: string[]) {
    const list: string[] = [];
    const add = {
      execute({ title }: Record<string, unknown>) {
        list.push(String(title));
        return { success: true, message: 'added', data: { title } };
      },
      undo: async (result: { data?: unknown }) => void list.splice(list.lastIndexOf((result.data as { title: string }).title), 1),
    };
    const one = await play([titles.map((title) => call('add', { title })).join(''), 'Done.', 'Hi.'], { add });
    await until(() => card(one, titles.length - 1).undo, 'the offer'); // The first comes with a part that is loaded.
    return { one, list };
  }

  it('is offered on the card of a success whose tool can, runs once, and marks the card and the result', async () => {
    const { one, list } = await added('milk');
    expect(card(one, 0)).to.include({ status: 'success', undo: 'offered' });
    await one.chat.undo(id(one, 0));
    expect(list).to.deep.equal([]);
    expect(card(one, 0)).to.include({ status: 'undone' }).and.not.have.property('undo');
    expect(one.chat.toolHistory[0]).to.include({ status: 'success', undone: true });
    expect(await refusal(one, id(one, 0))).to.be.a('string');
    await one.send('and now?');
    const { messages } = one.bodies().at(-1)!;
    expect(messages.find(({ text }) => text.includes('<tool_result'))?.text).to.include('undid');
  });

  it('is not offered by a tool that cannot, nor for a call that failed', async () => {
    const fails = { execute: () => Promise.reject(new Error('no')), undo: () => Promise.resolve() };
    const one = await play([call('plain') + call('fails'), 'Done.'], { plain: {}, fails });
    expect(one.cards().map(({ undo }) => undo)).to.deep.equal([undefined, undefined]);
    for (const requestId of [id(one, 1), 'nonsense']) expect(await refusal(one, requestId)).to.equal('There is nothing to undo here');
  });

  it('goes back to a call in reverse order', async () => {
    const { one, list } = await added('a', 'b', 'c');
    expect(one.cards().map(({ undoBack }) => undoBack)).to.deep.equal([true, true, undefined]);
    const left: string[] = [];
    one.chat.subscribe(() => left.push(list.join('')));
    internalsOf(one.chat).surface.undo(id(one, 1), { back: true });
    await until(() => card(one, 1).status === 'undone', 'the way back');
    expect(list).to.deep.equal(['a']);
    expect(left).to.include('ab');
    expect(one.cards().map(({ status }) => status)).to.deep.equal(['success', 'undone', 'undone']);
  });

  it('says so when it fails, and can be tried again; twice at once is once', async () => {
    const gate = deferred();
    let tries = 0;
    const undo = () => ((tries += 1) === 1 ? Promise.reject(new Error('locked')) : gate.promise);
    const one = await play([call('add'), 'Done.'], { add: { undo } });
    expect(await refusal(one, id(one, 0))).to.equal('This could not be undone');
    expect(card(one, 0)).to.include({ status: 'success', undo: 'failed' });
    const running = one.chat.undo(id(one, 0));
    expect(card(one, 0)).to.include({ undo: 'running' });
    expect(await refusal(one, id(one, 0))).to.be.a('string');
    gate.resolve();
    await running;
    expect([tries, card(one, 0).status]).to.deep.equal([2, 'undone']);
  });
});
