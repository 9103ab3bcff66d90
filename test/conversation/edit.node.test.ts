/** Arguments that a person changes: while a call waits, and after it failed (S0-140, S0-141, X-12; faults 57, 114, 119). */
import { expect } from 'chai';
import type { CardView } from '../../src/model/calls.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { ToolError } from '../../src/base/errors.js';
import { createMemoryJournal, type Journal } from '../../src/storage/journal.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { asking, stage, told } from './play.js';
import { call, deferred, statuses, tick, until, useFaultServer, type ScriptedTurn, type Talk, type TalkOptions } from './talk.js';

const parameters = {
  type: 'object',
  properties: { title: { type: 'string' }, count: { type: 'integer', minimum: 1 }, pin: { type: 'string' } },
  required: ['title'],
};

const answers = (card: CardView | undefined) => card?.edit?.answered ?? 0;
const cardOf = (now: Talk, requestId: string) => now.view().cards[requestId];
const argsOf = ({ runs }: Talk) => runs.map(({ args }) => args);

function sendEdit(now: Talk, { requestId, call: shown }: CardView, args: Record<string, unknown>): void {
  internalsOf(now.chat).decide({ requestId, digest: shown?.digest ?? '', verdict: 'edit', args });
}

/** Sends a person's arguments and waits for what is said about them. */
async function edit(now: Talk, card: CardView, args: Record<string, unknown>): Promise<CardView> {
  const before = answers(cardOf(now, card.requestId));
  sendEdit(now, card, args);
  await until(() => {
    const then = cardOf(now, card.requestId);
    return !then?.edit || (answers(then) > before && !then.edit.checking);
  }, 'an answer to the edit');
  return cardOf(now, card.requestId)!;
}

async function waiting(more: Partial<ToolDefinition> = {}, args: Record<string, string> = { title: 'milk', count: '2' }, options = {}) {
  const turns = [`One moment. ${call('buy', args)}`, 'Done.', 'Again.'];
  const { one, turn, card } = await asking(turns, { buy: { risk: 'danger', parameters, ...more } }, options);
  /** Allows what is shown then; resolves with the result. */
  const allow = async (shown: CardView) => {
    one.decide('allow', shown);
    return (await turn).results[0]?.result;
  };
  return { now: one, turn, card, allow };
}

describe('editing a call that waits', () => {
  useFaultServer({ settles: true });

  it('runs exactly what the person wrote and saw, and tells the page and the model', async () => {
    const { now, card, allow } = await waiting();
    const edited = await edit(now, card, { title: 'oat milk', count: 3 });
    expect(edited.status).to.equal('awaiting_approval');
    expect(edited.call?.digest).to.not.equal(card.call?.digest);
    expect(edited.edited).to.deep.equal([
      { label: 'title', before: 'milk', after: 'oat milk' },
      { label: 'count', before: 2, after: 3 },
    ]);
    const asked = now.events.flatMap((event) => (event.type === 'approval-request' ? event.calls.map(({ args }) => args['title']) : []));
    expect(asked).to.deep.equal(['milk', 'oat milk']);
    now.decide('allow', card);
    await tick();
    expect(now.runs, 'nothing for what was shown before').to.deep.equal([]);
    expect(await allow(edited)).to.match(/The user changed the arguments to: {"title":"oat milk","count":3}[^]*buy done/);
    expect(argsOf(now)).to.deep.equal([{ title: 'oat milk', count: 3 }]);
    expect(told(now)).to.contain('{"title":"oat milk","count":3}');
    const requested = now.chat.messages.flatMap(({ metadata }) => metadata.toolCallsRequested ?? []);
    expect(requested[0]?.args).to.deep.equal({ title: 'oat milk', count: 3 });
  });

  it('leaves the call as it was when the change does not pass, and names the parameter', async () => {
    const { now, card, allow } = await waiting();
    const refused = await edit(now, card, { title: 'milk', count: 0 });
    expect(refused.edit?.problem?.parameter).to.equal('count');
    expect(refused.edit?.problem?.message).to.contain('Invalid parameter count').and.to.contain('≥ 1');
    expect([refused.status, refused.call?.digest, refused.edited]).to.deep.equal(['awaiting_approval', card.call?.digest, []]);
    const missing = await edit(now, refused, { count: 1 });
    expect(missing.edit?.problem).to.deep.equal({ message: 'Missing parameter: title', parameter: 'title' });
    expect(now.names().filter((name) => name === 'approval-request')).to.have.length(1);
    expect([await allow(card), argsOf(now)]).to.deep.equal(['buy done', [{ title: 'milk', count: 2 }]]);
  });

  it('cannot be allowed while the change is being looked at, but can be denied', async () => {
    const looked = deferred();
    let looks = 0;
    const preview = async () => {
      if ((looks += 1) > 1) await looked.promise;
      return [];
    };
    const { now, turn, card } = await waiting({ preview });
    sendEdit(now, card, { title: 'tea' });
    await until(() => cardOf(now, card.requestId)?.edit?.checking && looks === 2, 'the second look');
    now.decide('allow', card);
    await tick();
    expect(cardOf(now, card.requestId)?.status).to.equal('awaiting_approval');
    now.decide('deny', card);
    expect(statuses((await turn).results)).to.deep.equal(['denied']);
    looked.resolve();
    await tick();
    expect(now.runs).to.have.length(0);
  });

  it('always asks again, also where the rules of the page would let the new call run', async () => {
    let asked = 0;
    const decide = () => ((asked += 1) === 1 ? 'ask' : 'allow');
    const { now, card, allow } = await waiting({ risk: 'write' }, undefined, { decide });
    const edited = await edit(now, card, { title: 'tea' });
    expect([asked, now.runs.length, edited.status, edited.call?.decidedBy]).to.deep.equal([2, 0, 'awaiting_approval', undefined]);
    expect(edited.call?.reason).to.equal('Needs approval: you changed the parameters');
    await allow(edited);
    expect(now.runs).to.have.length(1);
  });

  it('runs what was shown, whatever becomes of the object it was told with (X-12)', async () => {
    const { now, card, allow } = await waiting();
    const args: Record<string, unknown> = { title: 'tea' };
    const shown = edit(now, card, args);
    args['title'] = 'everything';
    const edited = await shown;
    expect(edited.call?.args).to.deep.equal({ title: 'tea' });
    expect(() => Object.assign(edited.call?.args as object, { title: 'everything' })).to.throw(TypeError);
    expect(card.offers?.join()).to.contain('milk');
    expect(edited.offers?.join(), 'grants are offered for what it is now').to.contain('tea').and.to.not.contain('milk');
    await allow(edited);
    expect(argsOf(now)).to.deep.equal([{ title: 'tea' }]);
  });

  it('keeps what is sensitive out of what is told and shown', async () => {
    const { now, card, allow } = await waiting({ sensitive: ['pin'] }, { title: 'milk', pin: '1111' });
    const edited = await edit(now, card, { title: 'tea', pin: '2222' });
    expect(edited.edited?.[1]).to.deep.equal({ label: 'pin', before: '[hidden]', after: '[hidden]' });
    expect(await allow(edited)).to.contain('{"title":"tea","pin":"[hidden]"}');
    expect(argsOf(now)).to.deep.equal([{ title: 'tea', pin: '2222' }]);
    expect(JSON.stringify([now.events, now.bodies()])).to.not.contain('2222');
  });

  it('keeps what speaks against the call', async () => {
    const tools = { read: { risk: 'query', untrusted: true }, buy: { parameters } } as const;
    const { one, turn, card } = await asking([call('read'), call('buy', { title: 'milk' }), 'Done.'], tools);
    const edited = await edit(one, card, { title: 'tea' });
    expect(edited.call?.taintedBy?.toolName).to.equal('read');
    expect(edited.call?.reason).to.contain('read');
    one.decide('deny', edited);
    await turn;
  });
});

describe('running a failed call again', () => {
  useFaultServer({ settles: true });

  /** A turn whose call failed with a conflict until the title is another. */
  async function failed(
    more: Partial<ToolDefinition> = {},
    options: TalkOptions = {},
    replies: ScriptedTurn[] = ['It failed.', 'Now it is there.', 'Good.'],
  ) {
    const now = stage([call('buy', { title: 'milk', count: '2' }), ...replies], {}, { person: true, ...options });
    const execute = ({ title }: Record<string, unknown>) => {
      if (title === 'milk') throw new ToolError('Milk is sold out', { status: 409 });
      return { success: true, message: `${String(title)} bought` };
    };
    const off = now.tool('buy', { parameters, execute, ...more });
    await now.send();
    return { now, off, card: now.cards()[0]! };
  }

  async function answered(now: Talk, verdict: 'allow' | 'deny' = 'allow'): Promise<void> {
    await now.answer(verdict);
    await now.rest();
  }

  it('is a call of its own: asks for what is shown, runs once, and the model hears of it at once', async () => {
    const journal = createMemoryJournal();
    const intents: string[] = [];
    const noting: Journal = { ...journal, intent: (entry) => (intents.push(entry.requestId), journal.intent(entry)) };
    const { now, card } = await failed({}, { journal: noting });
    expect([card.status, card.edit?.answered]).to.deep.equal(['error', 0]);
    const requests = now.requests().length;
    await edit(now, card, { title: 'tea', count: 2 });
    const again = await now.question();
    expect(again.requestId).to.not.equal(card.requestId);
    expect(again).to.deep.include({ repeats: card.requestId, edited: [{ label: 'title', before: 'milk', after: 'tea' }] });
    expect(again.call?.args).to.deep.equal({ title: 'tea', count: 2 });
    expect([now.runs.length, now.requests().length]).to.deep.equal([1, requests]);
    await answered(now);
    expect(now.runs.map(({ args }) => args['title'])).to.deep.equal(['milk', 'tea']);
    expect(intents).to.deep.equal([card.requestId, again.requestId]);
    expect(cardOf(now, card.requestId)).to.include({ status: 'error', repeatedBy: again.requestId }).and.not.have.property('edit');
    expect(cardOf(now, again.requestId)?.status).to.equal('success');
    expect(now.bodies().at(-1)?.messages.at(-1)?.role).to.equal('user');
    expect(told(now, requests)).to.match(/The user ran this call again, with the arguments: {"title":"tea","count":2}[^]*tea bought/);
    expect(now.chat.messages.at(-1)?.text).to.equal('Now it is there.');
  });

  it('begins nothing while the arguments do not fit, says so on the failed card, and ends without the model when it is turned down', async () => {
    const { now, card } = await failed();
    const requests = now.requests().length;
    const refused = await edit(now, card, { title: 'tea', count: 'two' });
    expect(refused.edit?.problem).to.include({ parameter: 'count' });
    expect([now.chat.isLoading, now.cards().length, refused.status]).to.deep.equal([false, 1, 'error']);
    await edit(now, refused, { title: 'tea' });
    await answered(now, 'deny');
    expect([now.requests().length, now.runs.length]).to.deep.equal([requests, 1]);
    await until(() => cardOf(now, card.requestId)?.edit?.answered === 2, 'another offer');
  });

  it('is not offered for what may have happened, was refused, or has no tool any more', async () => {
    const { now, off, card } = await failed();
    off();
    now.tool('other'); // any change that is drawn
    await now.send('more');
    expect(cardOf(now, card.requestId)?.edit, 'the tool is gone').to.equal(undefined);
    now.tool('buy', { parameters });
    expect(cardOf(now, card.requestId)?.edit, 'another tool of that name').to.equal(undefined);
    sendEdit(now, card, { title: 'tea' });
    await tick();
    expect(now.chat.isLoading).to.equal(false);

    const slow = { execute: () => new Promise(() => {}), timeout: 5 };
    expect((await failed(slow)).card, 'It may have gone through').to.not.have.property('edit');
    expect((await failed({ ...slow, idempotent: true })).card, 'it may happen twice').to.have.property('edit');
    for (const error of [new Error('boom'), new SyntaxError('Unexpected end of JSON input')])
      expect((await failed({ execute: () => Promise.reject(error) })).card, error.message).to.not.have.property('edit');
    const denied = await failed({ risk: 'danger' }, { decide: () => 'deny' });
    expect(denied.card, 'the page said no').to.not.have.property('edit');
  });
});
