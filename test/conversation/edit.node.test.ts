/** Arguments that a person changes: while a call waits, and after it failed (S0-140, S0-141, X-12; faults 57, 114, 119). */
import { expect } from 'chai';
import type { CardView } from '../../src/model/calls.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { ToolError } from '../../src/base/errors.js';
import { createMemoryJournal, type Journal } from '../../src/storage/journal.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { openaiCalls, openaiText, scriptedFetch } from './scripted-fetch.js';
import { call, deferred, statuses, talk, tick, until, useFaultServer, type Talk } from './talk.js';

const parameters = {
  type: 'object',
  properties: { title: { type: 'string' }, count: { type: 'integer', minimum: 1 }, pin: { type: 'string' } },
  required: ['title'],
};

const answers = (card: CardView | undefined) => card?.edit?.answered ?? 0;
const cardOf = (now: Talk, requestId: string) => now.view().cards[requestId];

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
  return cardOf(now, card.requestId) as CardView;
}

async function waiting(more: Partial<ToolDefinition> = {}, args: Record<string, string> = { title: 'milk', count: '2' }, options = {}) {
  const now = talk([`One moment. ${call('buy', args)}`, 'Done.', 'Again.'], { person: true, ...options });
  now.tool('buy', { risk: 'danger', parameters, ...more });
  const turn = now.send();
  const [card] = await now.asked();
  return { now, turn, card: card as CardView };
}

describe('editing a call that waits', () => {
  useFaultServer({ settles: true });

  it('runs exactly what the person wrote and saw, and tells the page and the model', async () => {
    const { now, turn, card } = await waiting();
    const edited = await edit(now, card, { title: 'oat milk', count: 3 });
    expect(edited.status).to.equal('awaiting_approval');
    expect(edited.call?.digest).to.not.equal(card.call?.digest);
    expect(edited.edited).to.deep.equal([
      { label: 'title', before: 'milk', after: 'oat milk' },
      { label: 'count', before: 2, after: 3 },
    ]);
    expect(now.events.flatMap((event) => (event.type === 'approval-request' ? event.calls.map(({ args }) => args) : []))).to.deep.equal([
      { title: 'milk', count: 2 },
      { title: 'oat milk', count: 3 },
    ]);
    expect(now.runs).to.have.length(0);
    now.decide('allow', edited);
    const { results } = await turn;
    expect(now.runs.map(({ args }) => args)).to.deep.equal([{ title: 'oat milk', count: 3 }]);
    expect(results[0]?.result).to.contain('The user changed the arguments to: {"title":"oat milk","count":3}').and.to.contain('buy done');
    expect(now.bodies().at(-1)?.messages.at(-1)?.text).to.contain('{"title":"oat milk","count":3}');
    const requested = now.chat.messages.flatMap(({ metadata }) => metadata.toolCallsRequested ?? []);
    expect(requested[0]?.args).to.deep.equal({ title: 'oat milk', count: 3 });
  });

  it('leaves the call as it was when the change does not pass, and names the parameter', async () => {
    const { now, turn, card } = await waiting();
    const refused = await edit(now, card, { title: 'milk', count: 0 });
    expect(refused.edit?.problem).to.include({ parameter: 'count' });
    expect(refused.edit?.problem?.message).to.contain('Invalid parameter count').and.to.contain('≥ 1');
    expect([refused.status, refused.call?.digest, refused.edited]).to.deep.equal(['awaiting_approval', card.call?.digest, []]);
    const missing = await edit(now, refused, { count: 1 });
    expect(missing.edit?.problem).to.deep.equal({ message: 'Missing parameter: title', parameter: 'title' });
    expect(now.names().filter((name) => name === 'approval-request')).to.have.length(1);
    now.decide('allow', card);
    await turn;
    expect(now.runs.map(({ args }) => args)).to.deep.equal([{ title: 'milk', count: 2 }]);
    expect(now.bodies().at(-1)?.messages.at(-1)?.text).to.not.contain('changed the arguments');
  });

  it('runs nothing for the digest of what was shown before', async () => {
    const { now, turn, card } = await waiting();
    const edited = await edit(now, card, { title: 'tea' });
    now.decide('allow', card);
    await tick();
    expect(cardOf(now, card.requestId)?.status).to.equal('awaiting_approval');
    expect(now.runs).to.have.length(0);
    now.decide('deny', edited);
    expect(statuses((await turn).results)).to.deep.equal(['denied']);
    expect(now.runs).to.have.length(0);
  });

  it('cannot be allowed while the change is being looked at, but can be denied', async () => {
    const looked = deferred();
    let looks = 0;
    const { now, turn, card } = await waiting({
      preview: async () => {
        if ((looks += 1) > 1) await looked.promise;
        return [];
      },
    });
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
    const { now, turn, card } = await waiting({ risk: 'write' }, undefined, {
      decide: () => ((asked += 1) === 1 ? 'ask' : 'allow'),
    });
    const edited = await edit(now, card, { title: 'tea' });
    expect(asked).to.equal(2);
    expect([edited.status, edited.call?.reason, edited.call?.decidedBy]).to.deep.equal([
      'awaiting_approval',
      'Waits for your word: you changed the parameters',
      undefined,
    ]);
    expect(now.runs).to.have.length(0);
    now.decide('allow', edited);
    await turn;
    expect(now.runs).to.have.length(1);
  });

  it('describes the call and shows what would change anew, and says when it cannot', async () => {
    const { now, turn, card } = await waiting({
      describeCall: ({ title }) => `Buys ${String(title)}`,
      preview: ({ title }) => {
        if (title === 'nothing') throw new Error('No such thing');
        return [{ label: 'basket', before: 'empty', after: title }];
      },
    });
    const edited = await edit(now, card, { title: 'tea' });
    expect([edited.call?.sentence, edited.call?.preview, edited.call?.describeFailed]).to.deep.equal([
      'Buys tea',
      [{ label: 'basket', before: 'empty', after: 'tea' }],
      undefined,
    ]);
    const blind = await edit(now, edited, { title: 'nothing' });
    expect([blind.call?.preview, blind.call?.describeFailed, blind.status]).to.deep.equal([undefined, true, 'awaiting_approval']);
    now.decide('allow', blind);
    await turn;
    expect(now.runs.map(({ args }) => args)).to.deep.equal([{ title: 'nothing' }]);
  });

  it('runs what was shown, whatever becomes of the object it was told with (X-12)', async () => {
    const { now, turn, card } = await waiting();
    const args: Record<string, unknown> = { title: 'tea' };
    const shown = edit(now, card, args);
    args['title'] = 'everything';
    const edited = await shown;
    expect(edited.call?.args).to.deep.equal({ title: 'tea' });
    expect(() => Object.assign(edited.call?.args as object, { title: 'everything' })).to.throw(TypeError);
    expect(card.offers?.join()).to.contain('milk');
    expect(edited.offers?.join(), 'grants are offered for what it is now').to.contain('tea').and.to.not.contain('milk');
    now.decide('allow', edited);
    await turn;
    expect(now.runs.map((run) => run.args)).to.deep.equal([{ title: 'tea' }]);
  });

  it('keeps what is sensitive out of what is told and shown', async () => {
    const { now, turn, card } = await waiting({ sensitive: ['pin'] }, { title: 'milk', pin: '1111' });
    const edited = await edit(now, card, { title: 'tea', pin: '2222' });
    expect(edited.edited).to.deep.equal([
      { label: 'title', before: 'milk', after: 'tea' },
      { label: 'pin', before: '[hidden]', after: '[hidden]' },
    ]);
    now.decide('allow', edited);
    const { results } = await turn;
    expect(now.runs[0]?.args).to.deep.equal({ title: 'tea', pin: '2222' });
    expect(results[0]?.result).to.contain('{"title":"tea","pin":"[hidden]"}');
    expect(JSON.stringify([now.events, now.bodies()])).to.not.contain('2222');
  });

  it('is the same question when nothing was changed, and tells the model nothing', async () => {
    const { now, turn, card } = await waiting();
    await edit(now, card, { title: 'tea' });
    const back = await edit(now, cardOf(now, card.requestId) as CardView, { title: 'milk', count: 2 });
    expect([back.call?.digest, back.edited]).to.deep.equal([card.call?.digest, []]);
    now.decide('allow', back);
    expect((await turn).results[0]?.result).to.equal('buy done');
  });

  it('keeps what speaks against the call', async () => {
    const now = talk([call('read'), call('buy', { title: 'milk' }), 'Done.'], { person: true });
    now.tool('read', { risk: 'query', untrusted: true });
    now.tool('buy', { risk: 'write', parameters });
    const turn = now.send();
    const card = await edit(now, (await now.asked())[0]!, { title: 'tea' });
    expect(card.call?.taintedBy?.toolName).to.equal('read');
    expect(card.call?.reason).to.contain('read');
    now.decide('allow', card);
    await turn;
  });
});

describe('running a failed call again', () => {
  useFaultServer({ settles: true });

  /** A turn whose call failed with a conflict until the title is another. */
  async function failed(
    more: Partial<ToolDefinition> = {},
    options: Parameters<typeof talk>[1] = {},
    replies: Parameters<typeof talk>[0] = ['It failed.', 'Now it is there.', 'Good.'],
  ) {
    const now = talk([call('buy', { title: 'milk', count: '2' }), ...replies], { person: true, ...options });
    const off = now.tool('buy', {
      parameters,
      execute: ({ title }) => {
        if (title === 'milk') throw new ToolError('Milk is sold out', { status: 409 });
        return { success: true, message: `${String(title)} bought` };
      },
      ...more,
    });
    await now.send();
    return { now, off, card: now.cards()[0] as CardView };
  }

  /** Allows what is asked, and waits for the end. */
  async function allowed(now: Talk): Promise<void> {
    now.decide('allow', (await now.asked())[0]!);
    await until(() => !now.chat.isLoading, 'the end');
  }

  it('is a call of its own: asks for what is shown, runs once, and the model hears of it at once', async () => {
    const journal = createMemoryJournal();
    const intents: string[] = [];
    const noting: Journal = { ...journal, intent: (entry) => (intents.push(entry.requestId), journal.intent(entry)) };
    const { now, card } = await failed({}, { journal: noting });
    expect([card.status, card.edit?.answered]).to.deep.equal(['error', 0]);
    const requests = now.requests().length;
    await edit(now, card, { title: 'tea', count: 2 });
    const again = (await now.asked())[0]!;
    expect(again.requestId).to.not.equal(card.requestId);
    expect([again.repeats, again.edited, again.call?.args]).to.deep.equal([
      card.requestId,
      [{ label: 'title', before: 'milk', after: 'tea' }],
      { title: 'tea', count: 2 },
    ]);
    expect([now.runs.length, now.requests().length]).to.deep.equal([1, requests]);
    now.decide('allow', again);
    await until(() => !now.chat.isLoading, 'the end of the small turn');
    expect(now.runs.map(({ args }) => args['title'])).to.deep.equal(['milk', 'tea']);
    expect(intents).to.deep.equal([card.requestId, again.requestId]);
    expect(cardOf(now, card.requestId)).to.include({ status: 'error', repeatedBy: again.requestId });
    expect(cardOf(now, card.requestId)?.edit).to.equal(undefined);
    expect(cardOf(now, again.requestId)?.status).to.equal('success');
    const told = now.bodies().at(-1)?.messages.at(-1);
    expect(told?.role).to.equal('user');
    expect(told?.text)
      .to.contain('The user ran this call again by hand, with the arguments: {"title":"tea","count":2}')
      .and.to.contain('tea bought');
    expect(now.chat.messages.at(-1)?.text).to.equal('Now it is there.');
  });

  it('begins nothing while the arguments do not fit, says so on the failed card, and ends without the model when it is turned down', async () => {
    const { now, card } = await failed();
    const requests = now.requests().length;
    const refused = await edit(now, card, { title: 'tea', count: 'two' });
    expect(refused.edit?.problem).to.include({ parameter: 'count' });
    expect([now.chat.isLoading, now.cards().length, refused.status]).to.deep.equal([false, 1, 'error']);
    await edit(now, refused, { title: 'tea' });
    now.decide('deny', (await now.asked())[0]!);
    await until(() => !now.chat.isLoading, 'the end');
    expect([now.requests().length, now.runs.length]).to.deep.equal([requests, 1]);
    await until(() => cardOf(now, card.requestId)?.edit?.answered === 2, 'another offer');
  });

  it('offers it for arguments that never passed, too', async () => {
    const now = talk([call('buy', { count: '2' }), 'A title is missing.', 'Good.'], { person: true });
    now.tool('buy', { parameters });
    await now.send();
    const [card] = now.cards();
    expect([card?.result?.code, card?.edit?.answered]).to.deep.equal(['MISSING_PARAMETER', 0]);
    await edit(now, card as CardView, { title: 'tea', count: 2 });
    await allowed(now);
    expect(now.runs.map(({ args }) => args)).to.deep.equal([{ title: 'tea', count: 2 }]);
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
    expect((await failed(slow)).card, 'it may have happened').to.not.have.property('edit');
    expect((await failed({ ...slow, idempotent: true })).card, 'it may happen twice').to.have.property('edit');
    const denied = await failed({ risk: 'danger' }, { decide: () => 'deny' });
    expect(denied.card, 'the page said no').to.not.have.property('edit');
  });

  it('waits for the turn that runs', async () => {
    const { now, card } = await failed({}, {}, ['It failed.', { text: 'A long answer.', q: 'ms=60' }, 'Now it is there.']);
    const turn = now.send('Tell me more');
    sendEdit(now, card, { title: 'tea' });
    await until(() => cardOf(now, card.requestId)?.repeatedBy === '', 'its place in the queue');
    expect(now.cards()).to.have.length(1);
    await turn;
    await allowed(now);
    expect(statuses(now.chat.toolHistory)).to.deep.equal(['error', 'success']);
  });

  it('is told in words where calls and results have fields of their own', async () => {
    const milk = { id: 'r1', name: 'buy', arguments: '{"title":"milk","count":2}' };
    const replies = [openaiCalls(milk), openaiText('It failed.'), openaiText('Now it is there.')];
    const { fetch, asked } = scriptedFetch(replies);
    const { now, card } = await failed({}, { fetch, protocol: 'native', wire: 'openai' });
    await edit(now, card, { title: 'tea' });
    await allowed(now);
    const told = asked.at(-1)!.body.messages;
    expect(told.at(-1)?.role).to.equal('user');
    expect(told.at(-1)?.content).to.contain('The user ran this call again by hand').and.to.contain('tea bought');
    expect(told.filter(({ role }) => role === 'tool')).to.have.length(1);
  });
});
