/** Untrusted content: as long as it is among what is sent, nothing that changes something runs without a user (threat model 4, G108). */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { PublishedResult } from '../../src/model/calls.js';
import { buildHistory } from '../../src/conversation/request/history.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { windowOf } from '../../src/conversation/chart/message-window.js';
import { taintOf } from '../../src/conversation/chart/taint.js';
import type { CallRecord } from '../../src/conversation/chart/chart-context.js';
import { en } from '../../src/i18n/en.js';
import type { ChatMessage } from '../../src/model/messages.js';
import { rounds } from '../helpers/effort.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { question, ran, stage } from './play.js';
import { afterReload, combinations, harmOf, protocolIds, readings, victim, ways, type Victim } from './taint-attack.js';
import { call, deferred, talk, tick, until, useFaultServer } from './talk.js';

const read = { risk: 'query', untrusted: true } as const;

describe('untrusted content', () => {
  useFaultServer();
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

  describe('on the next page', () => {
    const area = useSessionStorage();

    it('makes every change ask, in all protocols and readings', async () => {
      for (const [protocol, target, reading] of combinations()) {
        const sessionId = `${protocol}-${target}-${reading}`;
        const isKept = () => [...area].some(([key, text]) => key.includes(sessionId) && text.includes('It was read.'));
        const one = await afterReload(opener(protocol, reading, { storage: 'session', sessionId }), target, isKept);
        expect(harmOf(one, target), sessionId).to.deep.equal([]);
      }
    });
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

  it('is what the model saw when it wrote the call, though the window has moved since', async () => {
    // Turn by turn, until nothing of the one in which it came is among what the request carries.
    const seen = new Set<boolean>();
    for (let between = 0; between < 4; between += 1) {
      const one = opener('xml-invoke', 'balanced', { window: 6 })();
      one.says({ call: 'read' }, 'Read.', ...Array<string>(between).fill('Yes.'), { call: 'note' }, 'Done.');
      for (let turn = 0; turn <= between; turn += 1) await one.chat.sendMessage(String(turn));
      const before = one.chat.messages;
      await one.chat.sendMessage('Note it');
      const sent = windowOf([...before, { ...before[0]!, id: 'now' }], { memory: 'window', window: 6 });
      const carried = sent.some(({ id }) => before.slice(0, 4).some((message) => message.id === id));
      seen.add(carried);
      expect(ran(one as never).includes('note'), `${String(between)} turns between`).to.equal(!carried);
    }
    expect(seen.size).to.equal(2);
  });

  for (const between of [0, 4])
    it(`goes with a call that is run again ${String(between)} turns later, and is named by the label of its tool`, async () => {
      const turns = [call('read'), call('full', { title: 'a' }), 'Full.', ...Array<string>(between).fill('Yes.'), 'Done.'];
      const full = { execute: () => Promise.reject(new Error('full')) };
      const one = stage(turns, { read: { ...read, label: 'Read the page' }, full }, { person: true, window: 6 });
      const turn = one.send();
      const card = await question(one);
      const { requestId, call: made } = card;
      expect(made?.reason).to.equal(en.reasonTainted('Read the page'));
      one.decide('allow', card);
      await turn;
      for (let nth = 0; nth < between; nth += 1) await one.send(String(nth));
      internalsOf(one.chat).decide({ requestId, digest: made!.digest, verdict: 'edit', args: { title: 'b' } });
      const again = await question(one);
      expect(again.repeats).to.equal(requestId);
      expect(again.call?.taintedBy).to.deep.equal(made?.taintedBy);
      expect(again.call?.reason).to.contain(en.reasonTainted('Read the page'));
      one.decide('deny', again);
      await until(() => !one.chat.isLoading, 'the end');
    });

  it('is not overridden by a permission, and of what the host allows only where it is no danger', async () => {
    const turns = [call('note', { title: 'a' }), 'Done.', call('read'), call('note', { title: 'a' }), 'Done.'];
    const granted = stage(
      turns,
      { read, note: {} },
      {
        ...{ person: true, approval: 'always' },
        decide: ({ toolName }) => (toolName === 'read' ? 'allow' : 'ask'),
      },
    );
    const first = granted.send();
    const { requestId, call: made } = await question(granted);
    internalsOf(granted.chat).decide({ requestId, digest: made!.digest, verdict: 'allow', remember: 0 });
    await first;
    const second = granted.send('again');
    const again = await question(granted);
    expect(again.call?.reason).to.contain('outside content read by read');
    granted.decide('deny', again);
    await second;

    const tools = { read, note: {}, erase: { risk: 'danger' } } as const;
    const host = stage([call('read'), call('note'), call('erase'), 'Done.'], tools, { decide: () => 'allow', person: true });
    const turn = host.send();
    host.decide('deny', await question(host));
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
          const card = await question(one);
          answers.push(one.cards().map(({ toolName, call: made }) => [toolName, made?.decidedBy, made?.taintedBy?.toolName, made?.reason]));
          expect(card.call?.args).to.deep.equal({ title: 'b' });
          expect(card.call?.reason).to.contain('read by read');
          one.decide('deny', card);
          await done;
          expect(one.runs.map(({ name, args }) => `${name} ${String(args['title'])}`)).to.deep.equal(['read undefined', 'note a']);
        }
        expect(answers[1]).to.deep.equal(answers[0]);
      });

  it('is found exactly where it is among what is sent', () => {
    const MARK = 'FROM ELSEWHERE';
    const kinds = fc.array(fc.constantFrom('user', 'answer', 'query', 'read', 'imported'), { maxLength: 30 });
    const property = fc.property(kinds, fc.integer({ min: 1, max: 12 }), fc.boolean(), (plan, window, full) => {
      const messages: ChatMessage[] = [];
      const calls: CallRecord[] = [];
      const push = (role: ChatMessage['role'], text: string, metadata: ChatMessage['metadata'] = {}) =>
        messages.push({ id: `m${String(messages.length)}`, role, text, createdAt: 0, status: { type: 'complete' }, metadata });
      for (const kind of plan) {
        if (kind === 'user') push('user', 'Hello');
        else if (kind === 'answer') push('assistant', 'Well');
        else if (kind === 'imported') push('assistant', MARK, { imported: true });
        else {
          push('assistant', 'Let me see');
          const requestId = `c${String(calls.length)}`;
          const result = { requestId, toolName: kind, status: 'success', success: true, message: 'm', durationMs: 0 } as const;
          calls.push({
            ...{ requestId, toolName: kind, messageId: messages.at(-1)!.id, params: {}, raw: '', flags: [], status: 'success' },
            ...{ starting: false, started: true, byPerson: false, resources: [], manual: false, protocol: 'x' },
            ...{ tainted: kind === 'read', result: { ...result, result: kind === 'read' ? MARK : 'fine' } as PublishedResult },
          });
          push('tool', 'm', { toolCall: { requestId, toolName: kind, status: 'success', durationMs: 0 } });
        }
      }
      const policy = {
        ...({ memory: full ? 'full' : 'window', resultRole: 'user-envelope', orchestration: 'client' } as const),
        ...{ window, protocol: 'x', promptOptions: {} },
      };
      const tell = (results: readonly PublishedResult[]) => results.map(({ result }) => result).join();
      const sent = buildHistory({ messages, calls, parts: {} }, policy, { tell, undone: '', instead: () => '' });
      const isTainted = taintOf({ messages, calls }, policy) !== undefined;
      if (sent.messages.some(({ text }) => text.includes(MARK))) expect(isTainted).to.equal(true);
      // And nowhere else: something is sent of a turn into which it came.
      const shown = new Set(windowOf(messages, policy).map(({ id }) => id));
      const turns = messages.reduce<ChatMessage[][]>((all, one) => {
        if (one.role === 'user' || all.length === 0) all.push([]);
        all.at(-1)!.push(one);
        return all;
      }, []);
      const isForeign = ({ metadata }: ChatMessage) => metadata.imported === true || metadata.toolCall?.toolName === 'read';
      expect(isTainted).to.equal(turns.some((turn) => turn.some(isForeign) && turn.some(({ id }) => shown.has(id))));
    });
    fc.assert(property, { numRuns: rounds(300) });
  });
});
