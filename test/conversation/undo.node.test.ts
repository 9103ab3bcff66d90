/** Taking back what a tool did (S0-180). */
import { expect } from 'chai';
import { ToolError } from '../../src/base/errors.js';
import { en } from '../../src/i18n/en.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { play, stage } from './play.js';
import { call, deferred, tick, until, useFaultServer, type Talk } from './talk.js';

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
    for (const requestId of [id(one, 1), 'nonsense']) expect(await refusal(one, requestId)).to.equal('Nothing to undo here');
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
    const undo = () => ((tries += 1) === 1 ? Promise.reject(new ToolError('locked')) : gate.promise);
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

  for (const [error, offer] of [
    [new TypeError('Failed to fetch'), 'unsure'],
    [Object.assign(new Error('gone'), { status: 503 }), 'unsure'],
    [new SyntaxError('Unexpected end of JSON input'), 'unsure'],
    [new DOMException('Stopped', 'AbortError'), 'unsure'],
    [Object.assign(new Error('not now'), { status: 422 }), 'failed'],
    [new ToolError('no such order'), 'failed'],
  ] as const)
    it(`is ${offer} when it was refused with: ${error.message}`, async () => {
      const one = await play([call('add'), 'Done.'], { add: { undo: () => Promise.reject(error) } });
      await until(() => card(one, 0).undo, 'the offer');
      expect(await refusal(one, id(one, 0))).to.equal(offer === 'unsure' ? en.undoUnsure : en.undoFailed);
      expect(card(one, 0)).to.include({ status: 'success', undo: offer });
    });

  const verify = (answer: string) => ({ verify: () => Promise.resolve(answer) }) as object;
  // The card after the time is over; how often undo was started, and the card, after a second try.
  const cases: [tool: string, more: object, offer: string, tries: number, status: string][] = [
    ['says nothing more', {}, 'unsure', 1, 'success'],
    ['is idempotent', { idempotent: true }, 'retry', 2, 'undone'],
    ['finds the effect in place', verify('done'), 'retry', 2, 'undone'],
    ['finds it gone', verify('not-done'), 'retry', 1, 'undone'],
    ['does not know', verify('unknown'), 'retry', 1, 'success'],
  ];
  for (const [what, more, offer, tries, status] of cases)
    it(`may have happened when its time is over, and is offered again only where that is safe: a tool that ${what}`, async () => {
      const gate = deferred();
      let undos = 0;
      const undo = () => ((undos += 1) === 1 ? gate.promise : Promise.resolve());
      const one = await play([call('add'), 'Done.', call('add'), 'Done.'], { add: { timeout: 1, undo, ...more } }, { person: true });
      await until(() => card(one, 0).undo, 'the offer');
      expect(await refusal(one, id(one, 0))).to.equal(en.undoUnsure);
      expect(card(one, 0)).to.include({ status: 'success', undo: offer });
      if (tries === 2) gate.reject(new DOMException('Stopped', 'AbortError'));
      await refusal(one, id(one, 0));
      expect([undos, card(one, 0).status]).to.deep.equal([tries, status]);
      const turn = one.send('and now?');
      // What the user wanted undone does not run again unasked, nor count as done.
      expect((await one.question()).call?.reason).to.equal(en.reasonUndoneBefore);
      await one.answer('deny');
      await turn;
      const sent = JSON.stringify(one.bodies()[2]!.messages);
      expect([sent.includes(en.undoUnsureSays), sent.includes(en.undoneByPerson)]).to.deep.equal([
        status === 'success',
        status === 'undone',
      ]);
      gate.resolve();
      if (tries === 1) await until(() => card(one, 0).status === 'undone', 'the late end');
    });

  it('waits for what its tool shares, as a call does, and calls wait for it', async () => {
    const [gate, back] = [deferred(), deferred()];
    const order: string[] = [];
    const shared = (name: string, end?: Promise<unknown>) => async () => {
      order.push(name);
      await end;
      order.push(`${name} over`);
    };
    const resource = 'list';
    const tools = {
      add: { resource, undo: shared('undo', back.promise) },
      use: { resource, execute: shared('use', gate.promise) },
      next: { resource, execute: shared('next') },
    };
    const one = stage([call('add'), 'Done.', call('use'), 'Done.', call('next'), 'Done.'], tools);
    await one.send();
    await until(() => card(one, 0).undo, 'the offer');
    const turn = one.send('go on');
    await until(() => order.length === 1, 'the call at work');
    const undone = one.chat.undo(id(one, 0));
    for (let ticks = 0; ticks < 20; ticks += 1) await tick();
    expect([order, card(one, 0).undo]).to.deep.equal([['use'], 'running']);
    gate.resolve();
    await turn;
    const last = one.send('go on');
    await until(() => one.cards()[2]?.progress, 'the call that waits for it');
    back.resolve();
    await Promise.all([undone, last]);
    expect(order).to.deep.equal(['use', 'use over', 'undo', 'undo over', 'next', 'next over']);
  });
});

describe('an undo in a session that is saved', () => {
  useFaultServer();
  useSessionStorage();

  for (const isFull of [true, false])
    it(isFull ? 'does not begin where it cannot be written down' : 'would be missed: it begins where it can', async () => {
      let undos = 0;
      const undo = () => Promise.resolve(void (undos += 1));
      const options = { person: true, storage: 'session', sessionId: `undo-${String(isFull)}` } as const;
      const one = stage([call('pay'), 'Done.'], { pay: { undo } }, options);
      await one.send();
      await until(() => one.cards()[0]?.undo, 'the offer');
      if (isFull)
        sessionStorage.setItem = () => {
          throw new DOMException('full', 'QuotaExceededError');
        };
      const said = await one.chat.undo(one.cards()[0]!.requestId).catch((error: unknown) => (error as Error).message);
      expect([undos, said, one.cards()[0]?.status]).to.deep.equal(isFull ? [0, en.undoFailed, 'success'] : [1, undefined, 'undone']);
    });
});
