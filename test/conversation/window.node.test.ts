/** The messages that are sent: pairs stay together wherever the window cuts. S4-31, S2-10. */
import { expect } from 'chai';
import fc from 'fast-check';
import { windowOf } from '../../src/conversation/chart/message-window.js';
import type { ChatMessage } from '../../src/model/messages.js';
import { rounds } from '../helpers/effort.js';

/** A conversation of exchanges: a question, then replies, each followed by so many results of calls. */
function written(exchanges: readonly number[][], isRunning = false): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const add = (role: ChatMessage['role'], id: string, type: ChatMessage['status']['type'] = 'complete') =>
    messages.push({ id, role, text: id, createdAt: 0, status: { type }, metadata: {} });
  exchanges.forEach((results, nth) => {
    add('user', `q${String(nth)}`);
    results.forEach((count, reply) => {
      add('assistant', `q${String(nth)} a${String(reply)}`);
      for (let at = 0; at < count; at += 1) add('tool', `q${String(nth)} a${String(reply)} r${String(at)}`);
    });
  });
  if (isRunning) add('assistant', 'running', 'running');
  return messages;
}

describe('the window of messages', () => {
  it('is never longer than wanted, never parts a result from its call, and keeps the question under way (any conversation, any window)', () => {
    const conversations = fc.array(fc.array(fc.nat(3), { maxLength: 4 }), { minLength: 1, maxLength: 12 });
    const property = fc.property(conversations, fc.integer({ min: 1, max: 40 }), (exchanges, window) => {
      const messages = written(exchanges);
      const sent = windowOf(messages, { memory: 'layered', window });
      const ids = new Set(sent.map(({ id }) => id));
      expect(sent.length).to.be.at.most(window);
      expect(sent).to.deep.equal(messages.filter(({ id }) => ids.has(id)));
      for (const { id, role } of sent) if (role === 'tool') expect(ids.has(id.replace(/ r\d+$/, ''))).to.equal(true);
      const question = messages.findLast(({ role }) => role === 'user')!;
      expect(ids.has(question.id)).to.equal(true);
      // No fewer than wanted, but for results whose reply is no longer among them.
      const from = messages.length - window + (messages.indexOf(question) < messages.length - window ? 1 : 0);
      let orphans = 0;
      while (messages.length > window && messages[from + orphans]?.role === 'tool') orphans += 1;
      expect(sent.length).to.equal(Math.min(window, messages.length) - orphans);
    });
    fc.assert(property, { numRuns: rounds(500) });
  });

  it('does not count the reply that is to come', () => {
    const messages = written([...Array.from({ length: 10 }, () => [0]), []], true);
    expect(windowOf(messages, { memory: 'window', window: 21 })).to.have.length(21);
    expect(windowOf(messages, { memory: 'full', window: 2 })).to.have.length(21);
  });
});
