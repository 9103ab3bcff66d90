import { expect } from 'chai';
import fc from 'fast-check';
import type { CardStatus } from '../../src/model/calls.js';
import type { JournalEntry } from '../../src/storage/journal.js';
import { isSettledCall, recover } from '../../src/storage/recover.js';
import { emptyConversation, type StoredCall, type StoredConversation } from '../../src/storage/stored-conversation.js';
import { resultOf } from './helpers.js';
import { callOf, checkedCall, fullConversation, textMessage } from './sample.js';
import { rounds } from '../helpers/effort.js';

const options = { sessionId: 's', texts: { interrupted: 'May have happened', notExecuted: 'Not executed' }, now: 9 };

const entryOf = (requestId: string, more: Partial<JournalEntry> = {}): JournalEntry => ({
  ...{ requestId, toolName: 'pay', digest: 'd', args: { amount: 5 }, startedAt: 3, attempt: 1 },
  ...more,
});

/** One finished reply with these calls, in the middle of its turn. */
function withCalls(...calls: StoredCall[]): StoredConversation {
  const round = calls.map(({ requestId }) => requestId);
  return {
    ...emptyConversation('s'),
    messages: [textMessage('u1', 'user'), textMessage('a1', 'assistant')],
    parts: { a1: round.map((requestId) => ({ type: 'call', requestId })) },
    calls,
    turn: { ...{ id: 't', round, iterations: 0, fruitless: 0, denied: {}, executed: {}, manual: false }, proof: 'proved' },
  };
}

const after = (stored: StoredConversation | undefined, ...records: JournalEntry[]) => {
  const { stored: back, questions, settle } = recover(stored, records, options);
  const told = back?.messages.filter(({ role }) => role === 'tool').map(({ metadata }) => metadata.toolCall?.status);
  return { back, call: back?.calls[0], questions, settle, told };
};

describe('recovering a conversation', () => {
  it('leaves nothing to nothing, and a quiet one as it is', () => {
    expect(recover(undefined, [], options)).to.deep.equal({ stored: undefined, questions: [], settle: [] });
    const { reply: _, turn: __, ...quiet } = fullConversation('s');
    const stored = { ...quiet, messages: quiet.messages.slice(0, 3), calls: quiet.calls.slice(0, 1) };
    expect(recover(stored, [], options)).to.deep.equal({ stored, questions: [], settle: [] });
  });

  it('takes the end that the journal knows', () => {
    const { call, questions, told, back } = after(withCalls(callOf('c', { status: 'executing' })), entryOf('c', { result: resultOf('c') }));
    expect(call).to.deep.include({ status: 'success', started: true, result: resultOf('c') });
    expect([questions, told, back?.toolHistory]).to.deep.equal([[], ['success'], [resultOf('c')]]);
    expect(back?.turn?.round, 'the loop may go on').to.deep.equal(['c']);
  });

  it('takes an end for untrusted content where it is not known whose tool gave it', () => {
    const end = entryOf('c', { result: resultOf('c') });
    const { call: _, ...unchecked } = callOf('c', { status: 'pending' });
    expect(after(withCalls(unchecked), end).call?.tainted).to.equal(true);
    expect(after(withCalls(callOf('c', { status: 'executing', call: checkedCall('c') })), end).call?.tainted).to.equal(undefined);
    expect(after(withCalls(callOf('c', { status: 'executing', call: checkedCall('c'), tainted: true })), end).call?.tainted).to.equal(true);
  });

  const started: [string, CardStatus, boolean][] = [
    ['that was executing', 'executing', true],
    ['that was saved before it started', 'awaiting_approval', false],
    ['that was saved in the queue', 'queued', false],
  ];
  for (const [name, status, isStarted] of started) {
    it(`says of a payment ${name}: it may have happened`, () => {
      const { call, questions, told } = after(withCalls(callOf('c', { status, started: isStarted })), entryOf('c'));
      expect(call).to.deep.include({ status: 'interrupted', started: true });
      expect(call?.result).to.include({ code: 'INTERRUPTED', message: 'May have happened', success: false });
      expect(questions).to.deep.equal([
        { type: 'verify', requestId: 'c', toolName: 'pay', digest: 'd', args: { amount: 5 }, startedAt: 3 },
      ]);
      expect(told, 'the model hears the answer').to.deep.equal([]);
    });

    it(`offers to run a query again ${name}`, () => {
      const { call, questions } = after(withCalls(callOf('c', { status, started: isStarted })), entryOf('c', { rerun: true, attempt: 2 }));
      expect(call).to.deep.include({ status: 'pending', started: true });
      expect(questions).to.deep.equal([{ type: 'again', requestId: 'c', attempt: 2 }]);
    });
  }

  it('believes the journal, not the conversation, about what may run again', () => {
    expect(after(withCalls(callOf('c', { status: 'executing', rerun: true })), entryOf('c')).questions[0]?.type).to.equal('verify');
  });

  it('says of a call that was marked as started, and has no record. It may have gone through', () => {
    for (const stored of [callOf('c', { status: 'executing' }), callOf('c', { started: true })]) {
      const { call, questions } = after(withCalls({ ...stored, call: checkedCall('c') }));
      expect(call?.status).to.equal('interrupted');
      expect(questions).to.deep.equal([{ type: 'verify', requestId: 'c', toolName: 'pay', digest: 'd', args: { amount: 5 } }]);
    }
  });

  it('asks again for what waited, was allowed, or was not looked at yet (S4-56)', () => {
    for (const status of ['awaiting_approval', 'queued', 'pending'] as const) {
      const allowed = checkedCall('c', { status, decidedBy: 'person' });
      const { call, questions } = after(withCalls(callOf('c', { status, call: allowed })));
      expect(questions).to.deep.equal([{ type: 'ask', requestId: 'c' }]);
      expect(call).to.include({ status: 'pending', started: false });
      expect(call?.call).not.to.have.property('decidedBy');
      expect(call?.call?.status).to.equal('pending');
    }
    expect(after(withCalls(callOf('c', { status: 'queued', rerun: true }))).questions).to.deep.equal([
      { type: 'again', requestId: 'c', attempt: 0 },
    ]);
  });

  it('does not ask for a call of which something is missing', () => {
    const { call, questions, told } = after(withCalls(callOf('c', { status: 'awaiting_approval', withheld: true })));
    expect([call?.status, call?.result?.message, questions, told]).to.deep.equal(['cancelled', 'Not executed', [], ['cancelled']]);
    expect(after(withCalls(callOf('c', { withheld: true })), entryOf('c', { rerun: true })).questions[0]?.type).to.equal('verify');
  });

  it('cuts a reply that was being read: its text stays, its calls do not run', () => {
    const { back, questions, told } = after({
      ...withCalls(callOf('c', { rerun: true })),
      messages: [textMessage('u1', 'user'), { ...textMessage('a1', 'assistant', ''), status: { type: 'running' } }],
      parts: {},
      reply: {
        ...{ messageId: 'a1', text: 'So far', raw: 'So far<pay', reasoning: '' },
        parts: [
          { type: 'text', text: 'So far' },
          { type: 'call', requestId: 'c' },
          { type: 'call', requestId: 'half written' },
        ],
      },
    });
    expect(back?.messages[1]).to.deep.include({ text: 'So far', raw: 'So far<pay', status: { type: 'cut' } });
    expect(back?.parts['a1']?.map((part) => (part.type === 'call' ? part.requestId : part.type))).to.deep.equal(['text', 'c']);
    expect([back?.calls[0]?.status, questions, told]).to.deep.equal(['cancelled', [], ['cancelled']]);
    expect(back).not.to.have.any.keys('reply', 'turn');
  });

  it('shows what was started and never saved', () => {
    const { back, questions } = after(withCalls(callOf('c', { status: 'success', result: resultOf('c') })), entryOf('lost'));
    expect(back?.calls[1]).to.deep.include({ requestId: 'lost', messageId: 'a1', status: 'interrupted', params: { amount: 5 } });
    expect(back?.parts['a1']?.at(-1)).to.deep.equal({ type: 'call', requestId: 'lost' });
    expect(back?.turn?.round).to.deep.equal(['c', 'lost']);
    expect(questions.map(({ type, requestId }) => [type, requestId])).to.deep.equal([['verify', 'lost']]);

    const alone = after(undefined, entryOf('lost', { rerun: true }));
    expect(alone.back?.messages).to.deep.equal([{ ...textMessage('recovered-lost', 'assistant', ''), createdAt: 3 }]);
    expect(alone.questions.map(({ type }) => type)).to.deep.equal(['verify']);

    const afterUser = after({ ...emptyConversation('s'), messages: [textMessage('u1', 'user')] }, entryOf('lost'));
    expect(afterUser.back?.messages.map(({ id }) => id)).to.deep.equal(['u1', 'recovered-lost']);
  });

  it('keeps asking what became of a call until somebody answers', () => {
    const once = after(withCalls(callOf('c', { status: 'executing' })), entryOf('c'));
    const twice = after(once.back, entryOf('c'));
    expect([twice.questions, twice.back]).to.deep.equal([once.questions, once.back]);
    expect(after(once.back, entryOf('c', { result: resultOf('c') })).questions).to.deep.equal([]);
  });

  it('gives the journal the ends that it does not know', () => {
    const result = resultOf('c');
    const { settle, back, questions } = after(withCalls(callOf('c', { status: 'success', started: true, result })), entryOf('c'));
    expect([settle, questions, back?.calls[0]?.status]).to.deep.equal([[result], [], 'success']);
  });

  it('never lets anything run by itself, whatever was stored', () => {
    const anyCall = fc.record({
      status: fc.constantFrom<CardStatus>('pending', 'queued', 'awaiting_approval', 'executing', 'success', 'interrupted', 'cancelled'),
      started: fc.boolean(),
      rerun: fc.boolean(),
      withheld: fc.boolean(),
      decided: fc.boolean(),
      record: fc.constantFrom('none', 'open', 'again', 'ended'),
      known: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 6 }), fc.boolean(), (list, isRunning) => {
        const records: JournalEntry[] = [];
        const calls: StoredCall[] = [];
        list.forEach(({ record, known, decided, ...how }, nth) => {
          const id = `c${String(nth)}`;
          if (record !== 'none')
            records.push(entryOf(id, { rerun: record === 'again', ...(record === 'ended' && { result: resultOf(id) }) }));
          const checked = checkedCall(id, decided ? { decidedBy: 'person' } : {});
          if (known || record === 'none')
            calls.push(callOf(id, { ...how, call: checked, ...(isSettledCall(how) && { result: resultOf(id) }) }));
        });
        const before = withCalls(...calls);
        if (isRunning)
          before.messages = before.messages.map((one) => (one.role === 'user' ? one : { ...one, status: { type: 'running' } }));
        const { stored, questions } = recover(before, records, options);
        const asked = new Map(questions.map((question) => [question.requestId, question]));
        expect(asked.size).to.equal(questions.length);
        for (const call of stored?.calls ?? []) {
          const question = asked.get(call.requestId);
          const record = records.find(({ requestId }) => requestId === call.requestId);
          expect(['queued', 'executing', 'awaiting_approval']).not.to.include(call.status);
          if (!isSettledCall(call)) expect(question?.type, call.requestId).to.be.oneOf(['ask', 'again']);
          // What may have happened is never simply asked for again.
          if (question?.type === 'ask') expect(record).to.equal(undefined);
          if (question?.type === 'again' && record) expect(record.rerun).to.equal(true);
          if (call.status === 'pending') expect(call.call).not.to.have.property('decidedBy');
        }
        for (const { requestId } of records) expect(stored?.calls.filter((call) => call.requestId === requestId).length).to.be.at.most(1);
        expect(stored?.messages.some(({ status }) => status.type === 'running')).to.equal(false);
      }),
      { numRuns: rounds(500) },
    );
  });
});
