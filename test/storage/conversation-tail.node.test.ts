/** The end of a long conversation, which is shown while the rest is read (S0-153). */
import { expect } from 'chai';
import fc from 'fast-check';
import { readTail } from '../../src/storage/conversation-tail.js';
import { createRowMaker, LISTS, type ListName } from '../../src/storage/conversation-rows.js';
import { emptyConversation, type StoredCall, type StoredConversation } from '../../src/storage/stored-conversation.js';
import { callOf, textMessage } from './sample.js';
import { resultOf } from './helpers.js';

const ended = (requestId: string, messageId: string, more: Partial<StoredCall> = {}): StoredCall =>
  callOf(requestId, { messageId, status: 'success', started: true, result: resultOf(requestId), ...more });

/** Questions and answers; every answer makes so many calls. */
function long(length: number, calls = 0): StoredConversation {
  const stored = emptyConversation('long');
  const messages = Array.from({ length }, (_, at) => textMessage(`m${at}`, at % 2 === 0 ? 'user' : 'assistant'));
  const answers = calls > 0 ? messages.filter(({ role }) => role === 'assistant') : [];
  const made = answers.map(({ id }) => Array.from({ length: calls }, (_, at) => ended(`${id}-c${at}`, id)));
  return {
    ...stored,
    messages,
    parts: Object.fromEntries(made.map((of, at) => [answers[at]!.id, of.map(({ requestId }) => ({ type: 'call' as const, requestId }))])),
    calls: made.flat(),
  };
}

/** What is found, and how many rows were read for it. `change` is made to rows as they lie in the database. */
async function endOf(stored: StoredConversation, change: { head?: object; row?(row: object, at: number): object } = {}) {
  const rows = createRowMaker().rowsOf(stored);
  const lists: Record<ListName, readonly object[]> = rows;
  const ends = LISTS.map((name) => [0, lists[name].length]);
  let read = 0;
  const end = await readTail({ by: 'me', at: 5, row: rows.head, ends, ...change.head }, 'long', (name, from, to) => {
    read += to - from;
    const written = lists[name].map((row, at) => ({ by: 'me', at: 5, row, ...change.row?.(row, at) }));
    return Promise.resolve(written.slice(from, to));
  });
  return { end, read };
}

describe('the end of a stored conversation', () => {
  it('is not asked for where a conversation is short', async () => {
    const { end, read } = await endOf(long(200));
    expect([end, read]).to.deep.equal([undefined, 0]);
  });

  for (const [what, change] of Object.entries<(stored: StoredConversation) => StoredConversation>({
    'a turn is not over': (stored) => ({
      ...stored,
      turn: { id: 't', round: [], proof: 'unproved', iterations: 0, fruitless: 0, denied: {}, executed: {}, manual: false },
    }),
    'a reply was arriving': (stored) => ({ ...stored, reply: { messageId: 'm499', text: '', raw: '', reasoning: '', parts: [] } }),
    'a text waits to be sent': (stored) => ({ ...stored, queue: ['Later'] }),
    'a call waits': (stored) => ({ ...stored, calls: [...stored.calls, callOf('open', { messageId: 'm499' })] }),
    'a message runs': (stored) => ({
      ...stored,
      messages: [...stored.messages.slice(0, -1), { ...stored.messages.at(-1)!, status: { type: 'running' } }],
    }),
    'the person said nothing for long': (stored) => ({
      ...stored,
      messages: stored.messages.map((one) => ({ ...one, role: 'assistant' as const })),
    }),
  }))
    it(`is not shown by itself where ${what}`, async () => {
      expect((await endOf(change(long(500, 1)))).end).to.equal(undefined);
    });

  it('is not shown where it is damaged, of another conversation, or of a hand that nobody has read', async () => {
    const stored = long(500);
    expect((await endOf(stored, { row: (_, at) => (at === 480 ? { row: { message: 7 } } : {}) })).end).to.equal(undefined);
    expect((await endOf({ ...stored, sessionId: 'another' })).end).to.equal(undefined);
    expect((await endOf(stored, { head: { row: { version: 9 } } })).end).to.equal(undefined);
    expect((await endOf(stored, { head: { ends: [[0, 501]] } })).end, 'a row is missing').to.equal(undefined);
    const other = (_: object, at: number) => (at === 480 ? { by: 'other', at: 3 } : {});
    expect((await endOf(stored, { row: other })).end).to.equal(undefined);
    expect((await endOf(stored, { row: other, head: { hands: { other: 2 } } })).end).to.equal(undefined);
    expect((await endOf(stored, { row: other, head: { hands: { other: 3 } } })).end?.messages).to.have.length(60);
  });

  it('is a part of the whole with everything its messages show, whatever was called', async () => {
    const role = fc.constantFrom('user', 'assistant', 'assistant', 'tool');
    const turns = fc.array(fc.record({ role, calls: fc.integer({ min: 0, max: 4 }) }), { minLength: 201, maxLength: 260 });
    await fc.assert(
      fc.asyncProperty(turns, async (made) => {
        const messages = made.map((one, at) => textMessage(`m${at}`, one.role as 'user'));
        const calls = made.flatMap((one, at) =>
          one.role === 'assistant' ? Array.from({ length: one.calls }, (_, nth) => ended(`m${at}-c${nth}`, `m${at}`)) : [],
        );
        const parts: Record<string, { type: 'call'; requestId: string }[]> = {};
        for (const { messageId, requestId } of calls) (parts[messageId] ??= []).push({ type: 'call', requestId });
        const { end, read } = await endOf({ ...emptyConversation('long'), messages, calls, parts });
        expect(read).to.be.at.most(120);
        if (!end) return;
        expect([end.messages, end.messages[0]?.role]).to.deep.equal([messages.slice(-end.messages.length), 'user']);
        const ids = new Set(end.messages.map(({ id }) => id));
        expect(end.calls).to.deep.equal(calls.filter(({ messageId }) => ids.has(messageId)));
      }),
      { numRuns: 40 },
    );
  });
});
