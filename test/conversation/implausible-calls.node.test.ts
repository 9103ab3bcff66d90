/** Calls that nobody can have meant: what was done a moment ago (R21), and what stands in the prompt as an example. */
import { expect } from 'chai';
import { ToolError } from '../../src/base/errors.js';
import { findPastCall } from '../../src/conversation/calls/find-duplicate-call.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { en } from '../../src/i18n/en.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import same from '../fixtures/conversation/nearly-the-same.json' with { type: 'json' };
import { asking, play, stage, told } from './play.js';
import { call, deferred, statuses, until, useFaultServer, type TalkOptions } from './talk.js';

describe('a call that was done before', () => {
  useFaultServer({ settles: true });
  const create = call('create', { title: 'Buy milk' });

  it('is answered with its first result from the second on, and the turn ends when the model does not notice', async () => {
    const execute = () => ({ success: true, message: 'Created', data: { id: 7 } });
    const one = await play([create], { create: { execute } }, { maxIterations: 50 });
    const { results } = one;
    expect([one.reason, one.chat.error, one.runs.length]).to.deep.equal(['limit', en.repeatReached, 1]);
    expect(statuses(results)).to.deep.equal(['success', 'success', 'success']);
    expect(results[1]).to.deep.include({ message: en.alreadyDone, data: { id: 7 } });
    expect(results[1]?.result).to.contain(en.alreadyDoneSays).and.contain(results[0]?.result);
    expect(told(one, 2)).to.contain('Already done');
  });

  it('is answered in the same reply, too, where one call waits for the other', async () => {
    const one = await play([create + create, 'Done.'], 'create');
    expect([one.runs.length, one.results.map(({ message }) => message)]).to.deep.equal([1, ['create done', en.alreadyDone]]);
  });

  it('puts no question to a person, and runs where a person allows it', async () => {
    const erase = call('erase', { title: 'a' });
    expect((await play([erase, erase, 'Done.'], { erase: 'danger' }, { answers: ['allow'] })).runs).to.have.length(1);
    const { one, turn, cards } = await asking([create + create, 'Done.'], 'create', { approval: 'always', count: 2 });
    for (const card of cards) one.decide('allow', card);
    await turn;
    expect(one.runs).to.have.length(2);
  });

  it('runs when the person asks again, when it had failed, was only a query or had other arguments', async () => {
    let failures = 0;
    const fails = () => ((failures += 1) === 1 ? Promise.reject(new ToolError('full')) : Promise.resolve('created'));
    for (const [replies, tool] of [
      [[create, 'Done.', create, 'Done.'], {}],
      [[create, create, 'Done.'], { execute: fails }],
      [[create, create, 'Done.'], { risk: 'query' }],
      [[create, call('create', { title: 'Buy tea' }), 'Done.'], {}],
    ] as const) {
      const one = await play(replies, { create: tool });
      if (one.runs.length === 1) await one.send('once more');
      expect(one.runs).to.have.length(2);
    }
  });
});

describe('a call that was denied, taken back, or may have gone through', () => {
  useFaultServer({ settles: true });
  const pay = call('pay', { title: 'x' });
  const late = new ToolError('Late', { errorType: 'timeout' });
  const lost = { execute: () => Promise.reject(late) };
  const ends: [how: string, end: unknown, asks: boolean, options?: TalkOptions][] = [
    ['a time limit, under `approval="auto"`', late, true, { approval: 'auto' }],
    ['a time limit, whatever `decide` says', late, true, { decide: () => 'allow' }],
    ['a time limit of its own', new DOMException('signal timed out', 'TimeoutError'), true],
    ['a code of axios', Object.assign(new Error('timeout of 5000ms exceeded'), { code: 'ECONNABORTED' }), true],
    ['half a body', new SyntaxError('Unexpected end of JSON input'), true],
    ['a gateway without an answer', Object.assign(new Error(), { status: 504 }), true],
    ['a refusal of the service', Object.assign(new Error('Taken'), { status: 409 }), false],
    ['its own reason', new ToolError('Out of stock'), false],
    ['a code of the service, which may mean success', { code: 'CREATED', message: 'Order placed' }, true],
    ['what the service answered to a conflict', { code: 409, message: 'Taken' }, false],
  ];
  for (const [how, end, asks, options] of ends)
    it(`${asks ? 'asks' : 'runs'} where its tool ended with ${how}`, async () => {
      const tool = { pay: { execute: () => (end instanceof Error ? Promise.reject(end) : end) } };
      if (!asks) return expect((await play([pay, pay, 'Done.'], tool)).runs).to.have.length(2);
      const { one, turn, card } = await asking([pay, pay, 'Done.'], tool, options);
      expect([card.call?.reason, one.runs.length]).to.deep.equal([en.reasonUnsure, 1]);
      one.decide('deny', card);
      await turn;
      return expect(one.runs).to.have.length(1);
    });
  it('asks in spite of a grant for exactly this call', async () => {
    let tries = 0;
    const execute = () => ((tries += 1) === 1 ? { success: true, message: 'paid' } : lost.execute());
    const tools = { pay: { risk: 'danger', execute } } as const;
    const { one, turn, card } = await asking([pay, 'Done.', pay, 'Done.', pay, pay, 'Done.'], tools, {
      errorStrategies: { timeout: ['fail'] },
    });
    internalsOf(one.chat).decide({ requestId: card.requestId, digest: card.call!.digest, verdict: 'allow', remember: 0 });
    await turn;
    await one.send('again');
    expect([one.runs.length, one.cards()[1]?.call?.decidedBy]).to.deep.equal([2, 'grant']);
    const last = one.send('again');
    for (const _ of [1, 2]) {
      const again = await one.question();
      expect([[en.reasonUnsure, en.reasonDeniedBefore].includes(again.call?.reason ?? ''), one.chat.grants.length]).to.deep.equal([
        true,
        1,
      ]);
      await one.answer('deny');
      await until(() => one.cards().some(({ requestId, status }) => requestId === again.requestId && status === 'denied'), 'the denial');
    }
    await last;
    expect(one.runs).to.have.length(2);
  });

  it('asks after Stop and an edit of the message, which says that its outcome is unknown', async () => {
    const gate = deferred();
    const endless = { execute: () => gate.promise };
    const one = stage([pay, pay, 'Done.'], { pay: endless }, { person: true });
    const turn = one.send();
    await until(() => one.runs.length === 1, 'the start');
    one.chat.cancelStream();
    await turn;
    const edited = one.chat.editMessage(one.chat.messages[0]!.id, 'Pay, please');
    expect((await one.question()).call?.reason).to.equal(en.reasonUnsure);
    expect(one.view().views.find(({ branch }) => branch)?.branch).to.include({ stay: 1, unsure: true });
    await one.answer('deny');
    await edited;
    gate.resolve();
    expect(one.runs).to.have.length(1);
  });
});

describe('nearly the same call', () => {
  useFaultServer({ settles: true });
  const text = { type: 'string' };
  const place = { type: 'object', properties: { name: text, city: { ...text, default: 'Rome' } } };
  const parameters = {
    type: 'object',
    properties: { title: text, note: text, currency: { ...text, default: 'EUR' }, to: place, list: { type: 'array', items: place } },
  };
  const first = { title: 'Café', to: { name: 'Eve', city: 'Oslo' }, list: [{ name: 'Bob' }] };
  const pasts: [what: string, reason: string, tool: Partial<ToolDefinition>][] = [
    ['was denied', en.reasonDeniedBefore, {}],
    ['may have gone through', en.reasonUnsure, { execute: () => Promise.reject(new ToolError('Late', { errorType: 'timeout' })) }],
    ['was done', en.reasonDoneBefore, {}],
  ];
  const written = (args: object) =>
    call(
      'pay',
      Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])),
    );
  const again = async (args: object, what: string, tool: Partial<ToolDefinition> = {}) => {
    const reply = written(first);
    const turns = [what === 'was denied' ? { text: reply, q: 'finish=odd' } : reply, written({ ...first, ...args }), 'Done.'];
    const one = stage(turns, { pay: { parameters, ...tool } }, { person: true });
    const turn = one.send();
    if (what === 'was denied') one.decide('deny', await one.question());
    await until(() => one.cards().length === 2 && one.cards()[1]?.status !== 'pending', 'the second call');
    return { one, turn };
  };

  for (const [past, reason, tool] of pasts)
    for (const [what, args] of Object.entries(same.near))
      it(`asks where one ${past} and this has ${what}`, async () => {
        const { one, turn } = await again(args, past, tool);
        const card = await one.question();
        expect(card.call?.reason).to.equal(reason);
        one.decide('deny', card);
        await turn;
        expect(one.runs).to.have.length(past === 'was denied' ? 0 : 1);
      });

  for (const [what, args] of Object.entries(same.far))
    it(`runs where one was denied or done and this has ${what}`, async () => {
      for (const past of ['was denied', 'was done']) {
        const { one, turn } = await again(args, past);
        await turn;
        expect(one.runs.at(-1)?.args, past).to.deep.equal({ ...first, ...args });
      }
    });

  it('runs where one was done and it only reads, can be repeated, or the person has asked again', async () => {
    const spaced = call('pay', { title: 'x ' });
    for (const tool of [{ risk: 'query' as const }, { idempotent: true }])
      expect((await play([call('pay', { title: 'x' }), spaced, 'Done.'], { pay: tool })).runs).to.have.length(2);
    const one = await play([call('pay', { title: 'x' }), 'Done.', spaced, 'Done.'], 'pay');
    await one.send('again');
    expect(one.runs).to.have.length(2);
  });

  it('asks where a person has run it again with other values', async () => {
    let tries = 0;
    const execute = () => ((tries += 1) === 1 ? Promise.reject(new ToolError('Too much')) : Promise.resolve('paid'));
    const pay = (title: string) => call('pay', { title });
    const one = stage([pay('1000'), 'Failed.', 'Good.', pay('1000'), 'Done.'], { pay: { execute } }, { person: true });
    await one.send();
    const { requestId, call: failed } = one.cards()[0]!;
    internalsOf(one.chat).decide({ requestId, digest: failed!.digest, verdict: 'edit', args: { title: '10' } });
    await one.answer('allow');
    await one.rest();
    const turn = one.send('thanks');
    const card = await one.question();
    expect([card.call?.reason, card.call?.args]).to.deep.equal([en.reasonChangedBefore, { title: '1000' }]);
    one.decide('deny', card);
    await turn;
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['1000', '10']);
  });

  it('is looked for in each call that waits, which is read once, however many wait', () => {
    let reads = 0;
    const calls = Array.from({ length: 40 }, (_, at) => {
      const args = Object.defineProperty({}, 'title', { enumerable: true, get: () => `${String((reads += 1))} ${String(at)}` });
      const asked = { requestId: `r${String(at)}`, toolName: 'pay', digest: `d${String(at)}`, args };
      return { ...asked, messageId: 'm', params: {}, resources: [], status: 'awaiting_approval', started: false, call: asked };
    });
    for (const one of calls) findPastCall({ messages: [], calls } as never, one as never, false);
    expect(reads).to.equal(40);
  });
});

describe('another call of a tool of which one may have gone through', () => {
  useFaultServer({ settles: true });
  const pay = (title: string) => call('pay', { title });
  const fails = (errorType: 'timeout' | 'invalid_format', more: Partial<ToolDefinition> = {}) => ({
    pay: {
      execute: ({ title }: Record<string, unknown>) =>
        title === 'x' ? Promise.reject(new ToolError('No', { errorType })) : Promise.resolve('paid'),
      ...more,
    },
    note: 'write' as const,
  });

  it('asks in the same turn and in the next one, not in the one after, whatever it says', async () => {
    const turns = [pay('x'), pay('x.'), 'Done.', pay('y'), 'Done.', pay('z'), 'Done.'];
    const { one, turn, card } = await asking(turns, fails('timeout'), { decide: () => 'allow' });
    expect([card.call?.reason, one.runs.length]).to.deep.equal([en.reasonUnsureTool, 1]);
    one.decide('deny', card);
    await turn;
    const next = one.send('next');
    const again = await one.question();
    expect(again.call?.reason).to.equal(en.reasonUnsureTool);
    one.decide('allow', again);
    await next;
    await one.send('after');
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['x', 'y', 'z']);
  });

  const runs: [what: string, ...Parameters<typeof fails>][] = [
    ['it surely failed', 'invalid_format'],
    ['it only reads', 'timeout', { risk: 'query' }],
    ['it can be repeated', 'timeout', { idempotent: true }],
  ];
  for (const [what, ...how] of runs)
    it(`runs where ${what}`, async () => {
      const one = await play([pay('x'), pay('y'), 'Done.'], fails(...how), { errorStrategies: { timeout: ['fail'] } });
      expect(one.runs.map(({ args }) => args['title'])).to.include('y');
    });

  it('is asked about alone: calls of other tools run', async () => {
    expect((await play([pay('x'), call('note', { title: 'x' }), 'Done.'], fails('timeout'))).runs).to.have.length(2);
  });
});

describe('a call that comes back', () => {
  useFaultServer({ settles: true });
  const names = { 'its own name': 'pay', 'an alias': 'zahlen', 'the name of a method': 'settle' };

  for (const [what, written] of Object.entries(names)) {
    const pay = call(written, { title: 'x' });
    const tool = { aliases: { 'xml-invoke': 'zahlen' }, origin: { id: 'shop', name: 'Shop', method: 'settle' } };

    it(`asks when it was denied under ${what}, whatever would let it run by now`, async () => {
      let asked = 0;
      const decide = () => ((asked += 1) === 1 ? 'ask' : 'allow');
      const { one, turn, card } = await asking([pay, pay, 'Done.'], { pay: tool }, { decide });
      one.decide('deny', card);
      await until(() => one.cards().length === 2, 'the second call');
      expect((await one.question()).call?.reason).to.equal(en.reasonDeniedBefore);
      await one.answer('allow');
      await turn;
      expect(one.runs).to.have.length(1);
    });
  }
});

describe('a call that recites the example of the prompt', () => {
  useFaultServer({ settles: true });
  const recited = [call('set_title', { title: 'some title' }), 'Done.'];

  for (const approval of ['auto', 'by-risk'] as const)
    it(`asks under ${approval}, unless it is a query`, async () => {
      const { one, turn, card } = await asking(recited, 'set_title', { approval });
      expect(card.call?.reason).to.equal(en.reasonRecited);
      one.decide('deny', card);
      await turn;
      expect([one.runs, (await play(recited, { set_title: 'query' }, { approval })).runs.length]).to.deep.equal([[], 1]);
    });

  it('is one of the tool’s own examples, too, and no call without arguments or with others', async () => {
    const refresh = { parameters: { type: 'object', properties: {} } };
    const turns = [call('set_title', { title: 'Spring' }), call('refresh'), ...recited];
    const one = await play(turns, { set_title: { examples: [{ title: 'Spring' }] }, refresh });
    expect(one.runs.map(({ name, args }) => `${name} ${String(args['title'])}`)).to.deep.equal([
      'refresh undefined',
      'set_title some title',
    ]);
  });
});
