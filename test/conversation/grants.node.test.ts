/** What a person allows beyond one call: held to exactly what was said, listed, counted, taken back. S2-54. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { call, talk, until, useFaultServer, type Talk } from './talk.js';

const price = { type: 'object', properties: { price: { type: 'number', minimum: 0 }, title: { type: 'string' } } };

describe('grants', () => {
  useFaultServer({ settles: true });

  /** Allows the waiting call, and from now on what the offer at this place says. */
  async function grant(one: Talk, place: number): Promise<readonly string[]> {
    const [card] = await one.asked();
    internalsOf(one.chat).decide({ requestId: card!.requestId, digest: card!.call!.digest, verdict: 'allow', remember: place });
    return card!.offers ?? [];
  }
  const buys = (...prices: number[]) => prices.map((one) => call('buy', { price: String(one) }));

  it('are offered in words, and let only what they cover run without asking', async () => {
    const one = talk([...buys(30), ...buys(40), ...buys(900), 'Done.'], { approval: 'always', person: true });
    one.tool('buy', { parameters: price });
    const turn = one.send();
    const offers = await grant(one, 1);
    expect(offers[1]).to.include('`price` up to 50');
    const [second] = await one.asked();
    expect(one.runs.map(({ args }) => args['price'])).to.deep.equal([30, 40]);
    expect(second?.call?.args).to.deep.equal({ price: 900 });
    expect(one.cards()[1]?.call?.decidedBy).to.equal('grant');
    one.decide('deny', second!);
    await turn;
    const [granted] = one.chat.grants;
    expect(granted).to.include({ toolName: 'buy', scope: 'session' });
    expect(granted?.sentence).to.include('price');
  });

  it('hold for calls that wait already, as far as they count, and leave the others waiting', async () => {
    const one = talk([buys(30, 40, 900).join(''), 'Done.'], { approval: 'always', person: true });
    one.tool('buy', { parameters: price });
    const turn = one.send();
    const [first] = await one.asked(3);
    internalsOf(one.chat).decide({ requestId: first!.requestId, digest: first!.call!.digest, verdict: 'allow', remember: 1 });
    await until(() => one.runs.length === 2, 'the second call');
    const [third] = await one.asked();
    expect(third?.call?.args).to.deep.equal({ price: 900 });
    expect(one.cards().map(({ call }) => call?.decidedBy)).to.deep.equal(['person', 'grant', undefined]);
    one.decide('deny', third!);
    const { results } = await turn;
    expect(results.map(({ status }) => status)).to.deep.equal(['success', 'success', 'denied']);
  });

  for (const how of ['they are revoked', 'the tool has changed'] as const)
    it(`hold no longer once ${how}`, async () => {
      const one = talk([...buys(30), 'Done.', ...buys(30), 'Done.'], { approval: 'always', person: true });
      const off = one.tool('buy', { parameters: price });
      const turn = one.send();
      await grant(one, 0);
      await turn;
      if (how === 'they are revoked') {
        one.chat.revoke(one.chat.grants[0]!.id);
        expect(one.chat.grants).to.deep.equal([]);
      } else {
        off();
        one.tool('buy', { parameters: price, description: 'Buys anything at all.' });
      }
      const again = one.send('again');
      const [card] = await one.asked();
      one.decide('deny', card!);
      await again;
      expect(one.runs).to.have.length(1);
    });

  it('G108 are neither offered nor used for a danger call behind outside content', async () => {
    const one = talk([call('erase', { title: 'a' }), 'Done.', call('read'), call('erase', { title: 'a' }), 'Done.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    one.tool('read', { risk: 'query', untrusted: true });
    const first = one.send();
    await grant(one, 0);
    await first;
    const turn = one.send('read it, and erase that again');
    await until(() => one.runs.length === 2, 'the tainted result');
    const [card] = await one.asked();
    expect(card?.offers).to.equal(undefined);
    expect(card?.call?.taintedBy).to.include({ toolName: 'read' });
    one.decide('deny', card!);
    await turn;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['erase', 'read']);
  });
});
