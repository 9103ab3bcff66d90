/** What a person allows beyond one call: held to exactly what was said, listed, counted, taken back. S2-54. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { CardView } from '../../src/model/calls.js';
import { asking, ran, stage } from './play.js';
import { call, deferred, statuses, until, useFaultServer, type Talk } from './talk.js';

const parameters = { type: 'object', properties: { price: { type: 'number', minimum: 0 }, title: { type: 'string' } } };
const buy = { parameters };
const buys = (...prices: number[]) => prices.map((price) => call('buy', { price: String(price) }));

/** Allows the call, and from now on what the offer at this place says. */
const grant = ({ chat }: Talk, { requestId, call: shown }: CardView, remember: number) =>
  internalsOf(chat).decide({ requestId, digest: shown!.digest, verdict: 'allow', remember });

describe('grants', () => {
  useFaultServer({ settles: true });

  for (const count of [1, 3])
    it(`are offered in words, and let only what they cover run without asking: ${String(count)} wait already`, async () => {
      const calls = buys(30, 40, 900);
      const turns = [...(count === 1 ? calls : [calls.join('')]), 'Done.'];
      const { one, turn, card } = await asking(turns, { buy }, { approval: 'always', count });
      expect(card.offers?.[1]).to.include('`price` up to 50');
      grant(one, card, 1);
      await until(() => one.runs.length === 2, 'the second call');
      const third = await one.question();
      expect([one.runs.map(({ args }) => args['price']), third.call?.args]).to.deep.equal([[30, 40], { price: 900 }]);
      expect(one.cards().map((each) => each.call?.decidedBy)).to.deep.equal(['person', 'grant', undefined]);
      one.decide('deny', third);
      expect(statuses((await turn).results)).to.deep.equal(['success', 'success', 'denied']);
      const [granted] = one.chat.grants;
      expect(granted).to.include({ toolName: 'buy', scope: 'session' });
      expect(granted?.sentence).to.include('price');
    });

  it('run no call that the user is about to change', async () => {
    const { one, turn } = await asking([buys(30, 40).join(''), 'Done.'], { buy }, { approval: 'always', count: 2 });
    const [first, second] = await one.asked(2);
    internalsOf(one.chat).asksAlone(second!.requestId);
    grant(one, first!, 1);
    await until(() => one.runs.length === 1, 'the first call');
    await one.answer('deny');
    expect(statuses((await turn).results)).to.deep.equal(['success', 'denied']);
  });

  for (const how of ['they are revoked', 'the tool has changed', 'another user is signed in', 'the page names its user'] as const)
    it(`hold no longer once ${how}`, async () => {
      const context: { user?: { id: string } } = how === 'the page names its user' ? {} : { user: { id: 'anna' } };
      const one = stage([...buys(30), 'Done.', ...buys(30), 'Done.'], {}, { approval: 'always', person: true, context });
      const off = one.tool('buy', buy);
      const turn = one.send();
      grant(one, await one.question(), 0);
      await turn;
      if (how === 'they are revoked') {
        one.chat.revoke(one.chat.grants[0]!.id);
        expect(one.chat.grants).to.deep.equal([]);
      } else if (how !== 'the tool has changed') context.user = { id: 'ben' };
      else {
        off();
        one.tool('buy', { parameters, description: 'Buys anything at all.' });
      }
      const again = one.send('again');
      await one.answer('deny');
      await again;
      expect(one.runs).to.have.length(1);
    });

  for (const [what, prices, asks] of [
    ['is revoked', [31, 32, 33], true],
    ['is used up by these very calls', [31, 32, 33, 34, 35], false],
  ] as const)
    it(`are looked at again where a call leaves the queue: one ${what}`, async () => {
      const gate = deferred();
      const wait = { parameters: {}, execute: () => gate.promise.then(() => ({ success: true, message: 'waited' })) };
      const replies = [...buys(30), 'Done.', call('wait') + buys(...prices).join(''), 'Done.'];
      const { one, turn, card } = await asking(replies, { buy, wait }, { approval: 'always' });
      expect(card.offers?.[1]).to.include('5 more times');
      grant(one, card, 1);
      await turn;
      const next = one.send('again');
      await one.answer('allow');
      await until(() => one.cards().filter(({ status }) => status === 'queued').length === prices.length, 'the queue');
      for (const { id } of one.chat.grants) one.chat.revoke(id);
      gate.resolve();
      for (const _ of asks ? prices : []) {
        const again = await one.question();
        expect([again.call?.reason, again.call?.decidedBy]).to.deep.equal([en.reasonAlways, undefined]);
        await one.answer('deny');
        await until(() => one.cards().some(({ requestId, status }) => requestId === again.requestId && status === 'denied'), 'the denial');
      }
      await next;
      expect(ran(one)).to.deep.equal(['buy', 'wait', ...(asks ? [] : prices.map(() => 'buy'))]);
    });

  it('G108 are neither offered nor used for a danger call behind untrusted content', async () => {
    const erase = call('erase', { title: 'a' });
    const tools = { erase: 'danger', read: { risk: 'query', untrusted: true } } as const;
    const { one, turn, card } = await asking([erase, 'Done.', call('read'), erase, 'Done.'], tools);
    grant(one, card, 0);
    await turn;
    const next = one.send('read it, and erase that again');
    await until(() => one.runs.length === 2, 'the tainted result');
    const again = await one.question();
    expect(again.offers).to.equal(undefined);
    expect(again.call?.taintedBy).to.include({ toolName: 'read' });
    one.decide('deny', again);
    await next;
    expect(ran(one)).to.deep.equal(['erase', 'read']);
  });
});
