/** The word that was named before a reload means the same after it (S4-10, S4-56). */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { call, talk, tick, until, useFaultServer, type ScriptedTurn, type Talk } from './talk.js';

describe('a chain that waits when the page is reloaded', () => {
  useFaultServer();
  const area = useSessionStorage();
  let pages = 0;

  function page(turns: ScriptedTurn[], sessionId: string): Talk {
    const one = talk(turns, { ...({ callsPerTurn: 'confirm-chain', person: true, storage: 'session' } as const), sessionId });
    one.tool('look', { risk: 'query' });
    one.tool('change');
    one.tool('erase', { risk: 'danger' });
    return one;
  }

  /** The same conversation on the next page, with a chain that waits. */
  async function reloaded(step: string, turns: ScriptedTurn[]): Promise<Talk> {
    const sessionId = `chain-${String((pages += 1))}`;
    const before = page([call('look'), step], sessionId);
    void before.send();
    await before.asked();
    await until(() => [...area.values()].some((text) => text.includes('awaiting_approval')), 'what is stored');
    return page(turns, sessionId);
  }

  it('still takes the word that was named', async () => {
    const one = await reloaded(call('change', { title: 'a' }), ['Done.']);
    const [card] = await one.asked();
    expect([card?.confirm, one.view().confirmWords]).to.deep.equal(['both', ['confirm', 'yes', 'continue']]);
    internalsOf(one.chat).decide({ requestId: card!.requestId, digest: card!.call!.digest, verdict: 'allow', word: '确认' });
    await until(() => !one.chat.isLoading, 'the end');
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['change']);
    expect(one.chat.messages.filter(({ role }) => role === 'user').map(({ text }) => text)).to.deep.equal(['hello']);
    expect(JSON.stringify(one.bodies())).to.not.include('确认');
  });

  for (const [what, step] of [
    ['a danger call', call('erase')],
    ['a step below a question', `Is blue nice?\n${call('change', { title: 'a' })}`],
  ] as const)
    it(`says of ${what} that only its button confirms`, async () => {
      const one = await reloaded(step, ['Done.']);
      const [card] = await one.asked();
      expect([card?.confirm, one.view().confirmWords]).to.deep.equal(['button', undefined]);
      internalsOf(one.chat).decide({ requestId: card!.requestId, digest: card!.call!.digest, verdict: 'allow', word: 'yes' });
      await tick();
      expect(one.runs).to.deep.equal([]);
      one.decide('allow', card!);
      await until(() => !one.chat.isLoading, 'the end');
      expect(one.runs).to.have.length(1);
    });
});
