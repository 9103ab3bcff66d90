/** `clear()` and `forget()` resolve when it is gone, wherever it was, and reject when it is not (contract §2). */
import { expect } from 'chai';
import { fresh, rejection, replace, until } from '../storage/helpers.js';
import { call, closeAll, everything, frame, page, slowly, stored, type Frame, type Page } from './kept.js';

describe('forgetting a kept conversation', () => {
  afterEach(closeAll);

  /** A page that holds the lock and hears nothing: as one in a tab that the browser has frozen. */
  async function frozen(): Promise<Frame> {
    const inside = await frame();
    class Deaf extends EventTarget {
      postMessage() {}
      close() {}
    }
    Object.assign(inside.window, { BroadcastChannel: Deaf });
    return inside;
  }
  const wake = (inside: Frame) => inside.window.document.dispatchEvent(new inside.window.Event('resume'));

  async function led(id: string, inside: Frame, replies: string[] = []): Promise<Page> {
    const leader = page(id, ['Your secret is kept.', ...replies], { frame: inside });
    await leader.chat.sendMessage('Hear my secret');
    await stored(id, (found) => found?.messages[1]?.text === 'Your secret is kept.');
    return leader;
  }

  for (const how of ['clear', 'forget'] as const) {
    it(`${how}() is over when the tab that leads has forgotten it, too`, async () => {
      const id = fresh('gone');
      const one = await led(id, await frame());
      const two = page(id);
      await until(() => two.texts().length === 2);
      await two.chat[how]();
      expect(await everything(id)).to.not.include('secret');
      expect([one.texts(), two.texts()]).to.deep.equal([[], []]);
    });

    it(`${how}() reaches what a tab holds that stands still, and that tab does not write it back when it wakes`, async () => {
      const id = fresh('gone');
      const inside = await frozen();
      const one = await led(id, inside);
      const two = page(id);
      await until(() => two.texts().length === 2);
      await two.chat[how]();
      expect(await everything(id)).to.not.include('secret');
      expect(two.texts()).to.deep.equal([]);
      // The negative control: it has it still, and leads.
      expect(one.texts()).to.deep.equal(['Hear my secret', 'Your secret is kept.']);
      wake(inside);
      await until(() => one.texts().length === 0);
      one.leave();
      two.leave();
      const three = page(id, ['Hello!']);
      await three.chat.sendMessage('Hi');
      expect(three.texts()).to.deep.equal(['Hi', 'Hello!']);
      expect(await everything(id)).to.not.include('secret');
    }).timeout(20_000);
  }

  it('is honoured by a tab that goes on before it has looked: nothing is written, and no call begins', async () => {
    const id = fresh('gone');
    const inside = await frozen();
    const one = await led(id, inside, [call('pay', { amount: 5 })]);
    one.tool('pay');
    const turn = one.chat.sendMessage('Pay for my secret');
    const card = await one.card();
    await stored(id, (found) => found?.calls.length === 1);
    const two = page(id);
    await until(() => two.texts().length > 0);
    await two.chat.forget();
    one.decide('allow', card);
    await turn;
    expect(one.runs).to.deep.equal([]);
    await until(() => one.texts().length === 0);
    expect(await everything(id)).to.not.include('secret');
  }).timeout(20_000);

  it('is honoured by a reply that goes on arriving', async () => {
    const id = fresh('gone');
    const reply = slowly();
    const inside = await frozen();
    const one = page(id, [() => reply.response], { frame: inside });
    void one.chat.sendMessage('Hear my secret');
    await until(() => one.chat.isLoading);
    reply.say('Your secret ');
    await stored(id, (found) => found?.reply?.text.includes('secret'));
    const two = page(id);
    await until(() => two.texts().length > 0);
    await two.chat.forget();
    reply.say('is safe.');
    await until(() => one.texts().length === 0);
    expect(await everything(id)).to.not.include('secret');
  }).timeout(20_000);

  for (const how of ['clear', 'forget'] as const)
    it(`${how}() is over, too, when the tab that led has just gone and this one takes up what is stored`, async () => {
      const id = fresh('gone');
      const one = await led(id, await frame());
      const two = page(id, ['Hello!']);
      await until(() => two.texts().length === 2);
      one.leave();
      await two.chat[how]();
      expect(await everything(id)).to.not.include('secret');
      expect(two.texts()).to.deep.equal([]);
      await two.chat.sendMessage('Hi');
      expect(two.texts()).to.deep.equal(['Hi', 'Hello!']);
      two.leave();
      expect(await everything(id)).to.not.include('secret');
    });

  it('leaves what outlives clear() where the tab that leads stands still', async () => {
    const id = fresh('gone');
    const inside = await frozen();
    const one = await led(id, inside);
    await stored(id, (found) => found?.kept !== undefined);
    const two = page(id);
    await until(() => two.texts().length === 2);
    await two.chat.clear();
    await stored(id, (found) => found?.messages.length === 0 && found.kept !== undefined);
    wake(inside);
    await until(() => one.texts().length === 0);
    await stored(id, (found) => found?.messages.length === 0 && found.kept !== undefined);
  }).timeout(20_000);

  for (const where of ['here', 'in another tab'] as const)
    it(`rejects with a code where it cannot be done ${where}, and can be tried again`, async () => {
      const id = fresh('gone');
      const one = await led(id, where === 'here' ? await frame() : await frozen());
      if (where === 'here') one.leave();
      const two = page(id);
      await until(() => two.texts().length === 2);
      const undo = replace(IDBObjectStore.prototype, 'delete', () => () => {
        throw new DOMException('No', 'UnknownError');
      });
      try {
        expect(await rejection(two.chat.forget())).to.include({ code: 'STORAGE' });
      } finally {
        undo();
      }
      expect(await everything(id)).to.include('secret');
      await two.chat.forget();
      expect(await everything(id)).to.not.include('secret');
    }).timeout(20_000);

  it('has nothing to do where the browser gives no storage', async () => {
    const undo = replace(IDBFactory.prototype, 'open', () => () => {
      throw new DOMException('No', 'SecurityError');
    });
    try {
      const inside = await frame();
      inside.window.IDBFactory.prototype.open = IDBFactory.prototype.open;
      const alone = page(fresh('gone'), ['Hello!'], { frame: inside });
      await alone.chat.sendMessage('Hi');
      await alone.chat.clear();
      expect(alone.texts()).to.deep.equal([]);
    } finally {
      undo();
    }
  });
});
