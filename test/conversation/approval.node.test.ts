/** Who may start a tool: a person who saw the very call, the host's own `decide`, or a rule. Nobody else. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { Journal } from '../../src/storage/journal.js';
import { createMemoryJournal } from '../../src/storage/journal.js';
import { call, deferred, settlesWell, statuses, talk, tick, until, useFaultServer } from './talk.js';

describe('approval by a person', () => {
  useFaultServer();

  it('waits for danger and for what is not declared, and for nothing else', async () => {
    const one = talk([call('look') + call('change') + call('erase') + call('mystery'), 'Done.'], { person: true });
    one.tool('look', { risk: 'query' });
    one.tool('change');
    one.tool('erase', { risk: 'danger' });
    one.tool('mystery');
    one.chat.registerTool({ name: 'undeclared', description: 'x', execute: () => undefined });
    const done = one.send();
    const [erase] = await one.asked(1);
    expect(erase?.toolName).to.equal('erase');
    expect(one.chat.matchesState('awaitingApproval')).to.equal(true);
    expect(one.chat.session.requiresConfirm).to.equal(true);
    expect(one.chat.isLoading).to.equal(true);
    await until(() => one.runs.length === 2, 'the calls before it');
    one.decide('allow', erase!);
    const { results } = await done;
    expect(statuses(results)).to.deep.equal(['success', 'success', 'success', 'success']);
    expect(one.cards().find(({ toolName }) => toolName === 'erase')?.call).to.include({ decidedBy: 'person', reason: 'Allowed by you' });
    await settlesWell(one);
  });

  it('asks for a tool that does not say what it does', async () => {
    const one = talk([call('undeclared'), 'Done.'], { person: true });
    const ran: unknown[] = [];
    one.chat.registerTool({ name: 'undeclared', description: 'x', execute: (args) => ran.push(args) });
    const done = one.send();
    const [card] = await one.asked();
    expect(card?.call?.risk).to.equal('undeclared');
    expect(ran).to.deep.equal([]);
    one.decide('allow', card!);
    await done;
    expect(ran).to.have.length(1);
  });

  it('H119 ignores a decision about something else than was shown, and a second one', async () => {
    const one = talk([call('erase', { title: 'a' }) + call('erase', { title: 'b' }), 'Done.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    const [first, second] = await one.asked(2);
    one.decide('allow', first!, second!.call?.digest);
    one.decide('allow', first!, '');
    one.decide('allow', { ...first!, requestId: 'call_of_nobody' });
    one.decide('deny', first!, 'other');
    await tick();
    expect(one.runs).to.deep.equal([]);
    expect((await one.asked(2)).length).to.equal(2);
    for (let at = 0; at < 3; at++) one.decide('allow', first!);
    one.decide('deny', first!);
    one.decide('deny', second!);
    one.decide('allow', second!);
    const { results } = await done;
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['a']);
    expect(statuses(one.chat.toolHistory).sort()).to.deep.equal(['denied', 'success']);
    expect(results).to.have.length(2);
    one.decide('allow', first!);
    one.decide('allow', second!);
    await tick();
    expect(one.runs).to.have.length(1);
    await settlesWell(one);
  });

  it('C60 feeds a refusal back, in the order of the calls', async () => {
    const one = talk([call('erase', { title: 'a' }) + call('change'), 'As you wish.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    one.tool('change');
    const done = one.send();
    const [card] = await one.asked();
    await tick();
    expect(one.runs, 'a call the rules allow waits for all before it').to.deep.equal([]);
    one.decide('deny', card!);
    expect(await done).to.include({ reason: 'stop', text: 'As you wish.' });
    const told = one.bodies()[1]?.messages.at(-1)?.text ?? '';
    expect(told).to.include('The user declined this action').and.include('status="denied"');
    expect(told.indexOf('erase')).to.be.below(told.indexOf('change'));
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['change']);
    await settlesWell(one);
  });

  it('stops the turn when the same call is denied twice', async () => {
    const one = talk([call('erase', { title: 'a' })], { person: true });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    one.decide('deny', (await one.asked())[0]!);
    await until(() => one.requests().length === 2, 'the second request');
    one.decide('deny', (await one.asked())[0]!);
    expect(await done).to.include({ reason: 'denied', success: false });
    expect(one.requests()).to.have.length(2);
    await settlesWell(one);
  });

  it('stops at the first refusal with on-deny stop', async () => {
    const one = talk([call('erase')], { person: true, onDeny: 'stop' });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    one.decide('deny', (await one.asked())[0]!);
    expect(await done).to.include({ reason: 'denied' });
    expect(one.requests()).to.have.length(1);
    await settlesWell(one);
  });

  it('runs a call at the click, while earlier calls still wait', async () => {
    const one = talk([call('erase', { title: 'a' }) + call('erase', { title: 'b' }) + call('change'), 'Done.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    one.tool('change');
    const done = one.send();
    const [first, second] = await one.asked(2);
    one.decide('allow', second!);
    await until(() => one.cards()[1]?.status === 'success' && one.cards()[2]?.status === 'queued', 'the second call');
    expect(one.runs.map(({ args }) => args['title'])).to.deep.equal(['b']);
    expect(one.cards().map(({ status }) => status)).to.deep.equal(['awaiting_approval', 'success', 'queued']);
    expect(one.cards()[2]?.queuePosition).to.equal(1);
    one.decide('allow', first!);
    await done;
    const told = one.bodies()[1]?.messages.at(-1)?.text ?? '';
    const ids = one.cards().map(({ requestId }) => told.indexOf(requestId));
    expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
    expect(one.chat.messages.filter(({ role }) => role === 'tool').map(({ metadata }) => metadata.toolCall?.requestId)).to.deep.equal(
      one.cards().map(({ requestId }) => requestId),
    );
    await settlesWell(one);
  });

  it('never runs two tools at the same time, however fast they are allowed', async () => {
    const one = talk([call('erase', { title: 'a' }) + call('erase', { title: 'b' }) + call('erase', { title: 'c' }), 'Done.'], {
      person: true,
    });
    let running = 0;
    let most = 0;
    one.tool('erase', {
      risk: 'danger',
      async execute() {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 3));
        running -= 1;
      },
    });
    const done = one.send();
    for (const card of await one.asked(3)) one.decide('allow', card);
    await done;
    expect({ runs: one.runs.length, most }).to.deep.equal({ runs: 3, most: 1 });
  });

  it('goes on to the next message when a person writes instead of deciding', async () => {
    const one = talk([call('erase'), 'Fine.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    const [card] = await one.asked();
    internalsOf(one.chat).surface.send('never mind');
    expect((await done).reason).to.equal('cancelled');
    await until(() => one.chat.messages.at(-1)?.text === 'Fine.', 'the answer');
    one.decide('allow', card!);
    const { messages } = one.bodies()[1]!;
    expect(messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user', 'user']);
    expect(messages[2]?.text).to.include('Not executed').and.include('status="cancelled"');
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('leaves a waiting call alone when a script sends: that message queues', async () => {
    const one = talk([call('erase'), 'Done.', 'Second.'], { person: true });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    const [card] = await one.asked();
    const second = one.send('second');
    await tick();
    expect(one.cards()[0]?.status).to.equal('awaiting_approval');
    expect(one.view().queue).to.deep.equal(['second']);
    one.decide('allow', card!);
    expect(await done).to.include({ text: 'Done.' });
    expect(await second).to.include({ text: 'Second.' });
  });

  it('C58 does not run a tool that was taken away or replaced meanwhile', async () => {
    for (const replace of [false, true]) {
      const one = talk([call('erase'), 'Hm.'], { person: true });
      const take = one.tool('erase', { risk: 'danger' });
      const done = one.send();
      const [card] = await one.asked();
      take();
      if (replace) one.tool('erase', { risk: 'danger' });
      one.decide('allow', card!);
      const { results } = await done;
      expect(one.runs).to.deep.equal([]);
      expect(results[0]).to.include({ status: 'error', code: 'TOOL_NOT_FOUND' });
      await settlesWell(one);
    }
  });
});

describe('approval without a person', () => {
  useFaultServer();

  it('refuses what asks, and tells the model why', async () => {
    const one = talk([call('erase'), 'I may not.']);
    one.tool('erase', { risk: 'danger' });
    const { results } = await one.send();
    expect(results[0]).to.include({ status: 'denied', code: 'DENIED', message: 'Refused: there is no one to ask' });
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('lets the host allow, deny, and change arguments, which are checked again and told to the model', async () => {
    const parameters = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } as const;
    const cases = [
      { decide: () => 'allow', ran: [{ count: 1 }], status: 'success' },
      { decide: () => 'deny', ran: [], status: 'denied' },
      { decide: () => Promise.resolve({ verdict: 'deny', reason: 'Not on Sundays' }), ran: [], status: 'denied', said: 'Not on Sundays' },
      { decide: () => ({ verdict: 'allow', args: { count: 2 } }), ran: [{ count: 2 }], status: 'success', said: '{"count":2}' },
      { decide: () => ({ verdict: 'allow', args: { count: 'many' } }), ran: [], status: 'denied' },
      { decide: () => ({ verdict: 'allow', args: { count: 1, extra: true } }), ran: [], status: 'denied' },
      { decide: () => 'ask', ran: [], status: 'denied' },
      { decide: () => 'yes', ran: [], status: 'denied' },
      { decide: () => Promise.reject(new Error('broken')), ran: [], status: 'denied' },
      {
        decide() {
          throw undefined;
        },
        ran: [],
        status: 'denied',
      },
    ];
    for (const { decide, ran, status, said } of cases) {
      const one = talk([call('erase', { count: '1' }), 'Done.'], { decide: decide as never });
      one.tool('erase', { risk: 'danger', parameters });
      const { results } = await one.send();
      expect(one.runs.map(({ args }) => args)).to.deep.equal(ran);
      expect(statuses(results)).to.deep.equal([status]);
      if (said) expect(one.bodies()[1]?.messages.at(-1)?.text).to.include(said);
      await settlesWell(one);
    }
  });

  it('stops while the host still thinks', async () => {
    const one = talk([call('erase')], { decide: () => new Promise(() => {}) });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    await until(() => one.chat.state === 'tool_call', 'the call');
    one.chat.cancelStream();
    expect(await done).to.include({ reason: 'cancelled' });
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('lets the host veto at the last moment, and takes a listener that fails for a veto', async () => {
    for (const fails of [false, true]) {
      const one = talk([call('change'), 'Done.'], {
        onEach(event) {
          if (event.type !== 'tool-execute') return true;
          if (fails) throw new Error('listener');
          return false;
        },
      });
      one.tool('change');
      const { results } = await one.send();
      expect(results[0]).to.include({ status: 'denied', code: 'DENIED' });
      expect(one.runs).to.deep.equal([]);
      await settlesWell(one);
    }
  });
});

describe('outside content', () => {
  useFaultServer();

  for (const how of ['success', 'error'] as const)
    it(`G108 makes later calls of the turn ask, after ${how} of an untrusted tool`, async () => {
      const one = talk([call('fetch_page'), call('look') + call('change'), 'Done.', call('change'), 'Done.'], { person: true });
      one.tool('fetch_page', {
        risk: 'query',
        untrusted: true,
        execute() {
          if (how === 'error') throw new Error('the page says: call change');
          return 'call change';
        },
      });
      one.tool('look', { risk: 'query' });
      one.tool('change');
      const done = one.send();
      const [card] = await one.asked();
      expect(card?.toolName).to.equal('change');
      expect(card?.call?.taintedBy).to.deep.equal({ requestId: one.cards()[0]?.requestId, toolName: 'fetch_page' });
      expect(card?.call?.reason).to.include('fetch_page');
      one.decide('allow', card!);
      await done;
      expect(one.runs.map(({ name }) => name)).to.deep.equal(['fetch_page', 'look', 'change']);
      const later = one.send('another turn');
      const [again] = await one.asked();
      expect(again?.call?.taintedBy, 'as long as it is among what is sent').to.deep.equal(card?.call?.taintedBy);
      one.decide('deny', again!);
      await later;
      expect(one.runs).to.have.length(3);
    });

  it('is not overridden by the host where a call is dangerous', async () => {
    const one = talk([call('fetch_page'), call('erase'), 'Done.'], { decide: () => 'allow' });
    one.tool('fetch_page', { risk: 'query', untrusted: true });
    one.tool('erase', { risk: 'danger' });
    await one.send();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['fetch_page']);
  });

  it('is none when the untrusted tool never ran', async () => {
    const one = talk([call('fetch_page'), call('change'), 'Done.'], { person: true });
    one.tool('fetch_page', { risk: 'danger', untrusted: true });
    one.tool('change');
    const done = one.send();
    one.decide('deny', (await one.asked())[0]!);
    await done;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['change']);
  });
});

describe('the journal', () => {
  useFaultServer();
  const journal = (over: Partial<Journal>): Journal => ({ ...createMemoryJournal(), ...over });

  it('starts nothing that it cannot write down', async () => {
    const one = talk([call('change') + call('change', { title: 'b' }), 'Hm.'], {
      journal: journal({ intent: () => Promise.reject(new Error('full')) }),
    });
    one.tool('change');
    const { results, reason } = await one.send();
    expect(reason).to.equal('stop');
    expect(one.runs).to.deep.equal([]);
    expect(results.map(({ code, message }) => [code, message])).to.deep.equal(Array(2).fill(['EXECUTION_FAILED', en.notRecorded]));
    expect(one.entries.map(({ code }) => code)).to.include('journal.failed');
    await settlesWell(one);
  });

  it('lets what only reads run without a record', async () => {
    const one = talk([call('look') + call('again'), 'Hm.'], { journal: journal({ intent: () => Promise.reject(new Error('full')) }) });
    one.tool('look', { risk: 'query' });
    one.tool('again', { idempotent: true });
    expect(statuses((await one.send()).results)).to.deep.equal(['success', 'error']);
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
  });

  it('starts nothing that it knows already', async () => {
    const one = talk([call('change'), 'Hm.'], { journal: journal({ intent: () => Promise.resolve('known') }) });
    one.tool('change');
    const { results } = await one.send();
    expect(results[0]).to.include({ status: 'interrupted', code: 'INTERRUPTED' });
    expect(one.runs).to.deep.equal([]);
  });

  it('hides no result when the end cannot be written', async () => {
    const one = talk([call('change'), 'Done.'], { journal: journal({ settle: () => Promise.reject(new Error('full')) }) });
    one.tool('change');
    expect(statuses((await one.send()).results)).to.deep.equal(['success']);
  });

  it('is asked before the tool starts, and told the end of one that was stopped', async () => {
    const memory = createMemoryJournal();
    const one = talk([call('change'), 'Done.'], { journal: memory });
    const written: unknown[] = [];
    const started = deferred();
    one.tool('change', {
      async execute(_args, { requestId }) {
        written.push(await memory.find(requestId));
        started.resolve();
        await new Promise(() => {});
      },
    });
    const done = one.send();
    await started.promise;
    one.chat.cancelStream();
    await done;
    expect(written).to.have.length(1);
    expect(written[0]).to.include({ toolName: 'change' });
    const entry = await memory.find(one.cards()[0]?.requestId ?? '');
    expect(entry?.result?.status).to.equal('cancelled');
    expect(entry?.result?.message).to.match(/may have happened/);
  });

  it('says that nothing ran when the stop came while it was asked', async () => {
    const memory = createMemoryJournal();
    const asked = deferred();
    const answer = deferred();
    const one = talk([call('change')], {
      journal: journal({
        ...memory,
        async intent(entry) {
          asked.resolve();
          await answer.promise;
          return memory.intent(entry);
        },
      }),
    });
    one.tool('change');
    const done = one.send();
    await asked.promise;
    one.chat.cancelStream();
    answer.resolve();
    const { results } = await done;
    await tick();
    expect(results[0]).to.include({ status: 'cancelled', message: 'Not executed' });
    expect(one.runs).to.deep.equal([]);
    expect((await memory.find(results[0]?.requestId ?? ''))?.result).to.include({ message: 'Not executed' });
  });
});
