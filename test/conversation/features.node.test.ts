import { expect } from 'chai';
import { call, talk, until, useFaultServer } from './talk.js';

describe('features that come when there is something for them to do', () => {
  useFaultServer();

  /** Two plugins of one name cannot be in use: what is there can be told from what is not. */
  const isThere = (one: ReturnType<typeof talk>, name: string): boolean => {
    try {
      one.chat.use({ name, setup() {} })();
      return false;
    } catch {
      return true;
    }
  };
  const undo = { name: 'tool-chat:undo', undo: () => Promise.resolve() };

  it('enter by the door of plugins: taking back is there once a tool that can has done its work', async () => {
    const one = talk([call('plain'), 'Done.', call('add'), 'Done.']);
    one.tool('plain');
    one.tool('add', { undo: undo.undo });
    await one.send();
    expect(isThere(one, undo.name)).to.equal(false);
    await one.send();
    await until(() => isThere(one, undo.name), 'the feature');
    expect(one.cards().map((card) => card.undo)).to.deep.equal([undefined, 'offered']);
  });

  it('are waited for by who wants them at once', async () => {
    let takenBack = 0;
    const one = talk([call('add'), 'Done.']);
    one.tool('add', { undo: () => Promise.resolve(void (takenBack += 1)) });
    const undone = new Promise<void>((resolve, reject) => {
      const off = one.chat.subscribe(({ toolHistory }) => {
        if (toolHistory.length === 0) return;
        off();
        one.chat.undo(toolHistory[0]!.requestId).then(resolve, reject);
      });
    });
    await one.send();
    await undone;
    expect(takenBack).to.equal(1);
  });

  it('are taken back with the conversation', async () => {
    const one = talk([call('add'), 'Done.']);
    one.tool('add', { undo: undo.undo });
    await one.send();
    const { requestId } = one.chat.toolHistory[0]!;
    one.chat.dispose();
    expect(isThere(one, undo.name)).to.equal(false);
    const why: unknown = await one.chat.undo(requestId).catch((error: unknown) => (error as Error).message);
    expect(why).to.equal('There is nothing to undo here');
  });
});
