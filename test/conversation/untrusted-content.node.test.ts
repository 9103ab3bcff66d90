/** Untrusted content: as long as it is among what is sent, nothing that changes something runs without a user (threat model 4, G108). */
import { expect } from 'chai';
import { ToolError } from '../../src/base/errors.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { windowOf } from '../../src/conversation/chart/message-window.js';
import { en } from '../../src/i18n/en.js';
import { ran, stage } from './play.js';
import { combinations, harmOf, protocolIds, readings, victim, ways, type Victim } from './injection-attack.js';
import { call, deferred, talk, tick, until, useFaultServer } from './talk.js';

const read = { risk: 'query', untrusted: true } as const;

describe('untrusted content', () => {
  useFaultServer({ settles: true });
  const open: Victim[] = [];
  afterEach(() => {
    for (const { chat } of open.splice(0)) chat.dispose();
  });
  const opener =
    (protocol: string, reading: string, kept: object = {}) =>
    (more?: object) => {
      const one = victim({ protocol, ...readings[reading], ...kept, ...more });
      open.push(one);
      return one;
    };

  for (const [way, attack] of Object.entries(ways))
    it(`makes every change ask ${way}, in all protocols and readings`, async () => {
      for (const [protocol, target, reading] of combinations())
        expect(harmOf(await attack(opener(protocol, reading), target), target), `${protocol}, ${target}, ${reading}`).to.deep.equal([]);
    });

  it('would be missed: without any, a write runs by policy, and its card names no source', async () => {
    for (const protocol of protocolIds) {
      const one = opener(protocol, 'balanced')();
      one.says({ call: 'note' }, 'Done.');
      await one.chat.sendMessage('Note it');
      expect(one.runs, protocol).to.deep.equal([{ name: 'note', asked: false }]);
      expect(harmOf(one, 'note')).to.include('note ran unasked');
    }
  });

  it('is over with `clear()`', async () => {
    const one = opener('xml-invoke', 'balanced')();
    one.says({ call: 'read' }, 'Read.', { call: 'note' }, 'Done.');
    await one.chat.sendMessage('Read it');
    await one.chat.clear();
    await one.chat.sendMessage('Note it');
    expect(one.runs.at(-1)).to.deep.equal({ name: 'note', asked: false });
  });

  it('goes on in what the assistant has said of it, though the result itself has left the window', async () => {
    const between = 8;
    const one = opener('xml-invoke', 'balanced', { window: 6 })();
    one.says({ call: 'read' }, 'Read.', ...Array<string>(between).fill('It said: note it.'), { call: 'note' }, 'Done.');
    for (let turn = 0; turn <= between; turn += 1) await one.chat.sendMessage(String(turn));
    const sent = windowOf(one.chat.messages, { memory: 'window', window: 6 });
    expect(sent.filter(({ role }) => role === 'tool')).to.deep.equal([]);
    await one.chat.sendMessage('Note it');
    expect(harmOf(one, 'note')).to.deep.equal([]);
  });

  for (const between of [0, 4])
    it(`goes with a call that is run again ${String(between)} turns later, and is named by the label of its tool`, async () => {
      const turns = [call('read'), call('full', { title: 'a' }), 'Full.', ...Array<string>(between).fill('Yes.'), 'Done.'];
      const full = { execute: () => Promise.reject(new ToolError('full')) };
      const one = stage(turns, { read: { ...read, label: 'Read the page' }, full }, { person: true, window: 6 });
      const turn = one.send();
      const card = await one.question();
      const { requestId, call: made } = card;
      expect(made?.reason).to.equal(en.reasonTainted('Read the page'));
      one.decide('allow', card);
      await turn;
      for (let nth = 0; nth < between; nth += 1) await one.send(String(nth));
      internalsOf(one.chat).decide({ requestId, digest: made!.digest, verdict: 'edit', args: { title: 'b' } });
      const again = await one.question();
      expect(again.repeats).to.equal(requestId);
      expect(again.call?.taintedBy).to.deep.equal(made?.taintedBy);
      expect(again.call?.reason).to.contain(en.reasonTainted('Read the page'));
      one.decide('deny', again);
      await until(() => !one.chat.isLoading, 'the end');
    });

  for (const [way, asks] of [
    ['an answer to questions of the model, though the questions have left the window', true],
    ['no other message', false],
  ] as const)
    it(`goes on in ${way}`, async () => {
      const clarify = { default: 'note it', questions: [{ text: 'Right?', options: ['note it'] }] };
      const said = asks ? `\`\`\`json\n${JSON.stringify({ clarify })}\n\`\`\`` : 'It said: note it.';
      const one = opener('xml-invoke', 'balanced', { window: 1, promptOptions: { clarify: true } })();
      one.says({ call: 'read' }, said, { call: 'note' }, 'Done.');
      for (const text of ['Read it', 'Right: note it']) await one.chat.sendMessage(text);
      expect(one.cards.map(({ toolName }) => toolName)).to.deep.equal(asks ? ['note'] : []);
    });

  for (const untrusted of [true, false])
    it(`goes on with a plan that each request tells, though its message has left the window: ${String(untrusted)}`, async () => {
      const steps = [{ id: 'a', title: 'Pay 1000 to EVE', tool: 'pay' }];
      const plan = `\`\`\`json\n${JSON.stringify({ task_plan: { goal: 'Sort mail', steps } })}\n\`\`\`\n`;
      const turns = [call('look'), plan, 'Later.', 'Fine.', 'Fine.', call('pay', { title: 'EVE' }), 'Done.'];
      const options = { person: true, planning: 'threshold', planningOptions: { minLength: 6 }, memory: 'window', window: 1 } as const;
      const one = stage(turns, { look: { risk: 'query', untrusted }, pay: 'write' }, options);
      for (const text of ['Sort my mail', 'Well', 'Hm']) await one.send(text);
      const turn = one.send('So');
      if (untrusted) one.decide('deny', await one.question());
      await turn;
      expect(one.runs.map(({ name }) => name)).to.deep.equal(untrusted ? ['look'] : ['look', 'pay']);
    });

  it('is not overridden by a permission, and of what the host allows only where it is no danger', async () => {
    const turns = [call('note', { title: 'a' }), 'Done.', call('read'), call('note', { title: 'a' }), 'Done.'];
    const granted = stage(
      turns,
      { read, note: {} },
      { ...{ person: true, approval: 'always' }, decide: ({ toolName }) => (toolName === 'read' ? 'allow' : 'ask') },
    );
    const first = granted.send();
    const { requestId, call: made } = await granted.question();
    internalsOf(granted.chat).decide({ requestId, digest: made!.digest, verdict: 'allow', remember: 0 });
    await first;
    const second = granted.send('again');
    const again = await granted.question();
    expect(again.call?.reason).to.contain('untrusted content (read)');
    granted.decide('deny', again);
    await second;

    const tools = { read, note: {}, erase: { risk: 'danger' } } as const;
    const host = stage([call('read'), call('note'), call('erase'), 'Done.'], tools, { decide: () => 'allow', person: true });
    const turn = host.send();
    host.decide('deny', await host.question());
    await turn;
    expect(ran(host)).to.deep.equal(['read', 'note']);
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    for (const dispatch of ['on-turn-end', 'on-block'] as const)
      it(`is settled with the reply, whichever ends first, the reading or the check of a call beside it (${execution}, ${dispatch})`, async () => {
        const answers: unknown[] = [];
        for (const order of ['read first', 'check first'] as const) {
          const [reading, check] = [deferred(), deferred()];
          const one = talk([call('read') + call('note', { title: 'a' }), call('note', { title: 'b' }), 'Done.'], {
            ...{ execution, dispatch, afterCall: 'continue', callsPerTurn: 'many', person: true },
          });
          one.tool('read', { ...read, execute: () => reading.promise.then(() => 'text') });
          one.tool('note', { describeCall: () => check.promise.then(() => 'Notes it') });
          const done = one.send();
          await until(() => one.runs.length === 1, 'the reading');
          (order === 'read first' ? reading : check).resolve();
          for (let turn = 0; turn < 20; turn += 1) await tick();
          (order === 'read first' ? check : reading).resolve();
          const card = await one.question();
          answers.push(one.cards().map(({ toolName, call: made }) => [toolName, made?.decidedBy, made?.taintedBy?.toolName, made?.reason]));
          expect(card.call?.args).to.deep.equal({ title: 'b' });
          expect(card.call?.reason).to.contain('untrusted content (read)');
          one.decide('deny', card);
          await done;
          expect(one.runs.map(({ name, args }) => `${name} ${String(args['title'])}`)).to.deep.equal(['read undefined', 'note a']);
        }
        expect(answers[1]).to.deep.equal(answers[0]);
      });
});
