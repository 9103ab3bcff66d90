/** A stored conversation with everything in it, for the storage tests. */
import type { Call } from '../../src/model/calls.js';
import type { ChatMessage } from '../../src/model/messages.js';
import { emptyConversation, type StoredCall, type StoredConversation } from '../../src/storage/stored-conversation.js';
import { resultOf } from './helpers.js';

export const textMessage = (id: string, role: ChatMessage['role'], text = id): ChatMessage => ({
  ...{ id, role, text, createdAt: 5 },
  status: { type: 'complete' },
  metadata: {},
});

export const callOf = (requestId: string, more: Partial<StoredCall> = {}): StoredCall => ({
  ...{ requestId, toolName: 'pay', messageId: 'a1', params: { amount: '5' }, raw: '<pay/>', flags: [], protocol: 'xml-invoke' },
  ...({ status: 'pending', started: false, manual: false } as const),
  ...more,
});

export const checkedCall = (requestId: string, more: Partial<Call> = {}): Call => ({
  ...{ requestId, toolName: 'pay', label: 'Pay', risk: 'write', args: { amount: 5 }, digest: 'd', reason: 'It writes.' },
  status: 'awaiting_approval',
  ...more,
});

export function fullConversation(sessionId: string): StoredConversation {
  const result = { ...resultOf('c1'), data: { list: [1, null, { deep: 'x' }] }, undone: true };
  return {
    ...emptyConversation(sessionId),
    messages: [
      { ...textMessage('u1', 'user'), metadata: { imported: true }, attachments: [{ type: 'image/png', name: 'a.png', url: 'data:,' }] },
      {
        ...textMessage('a1', 'assistant'),
        reasoning: 'hm',
        raw: '<pay/>',
        metadata: {
          ...{ finishReason: 'stop', usage: { input: 1, output: 2 }, model: 'm' },
          taintedBy: { requestId: 's0', toolName: 'search', from: 'service' },
          toolCallsRequested: [{ requestId: 'c1', toolName: 'pay', args: { amount: 5 }, status: 'completed' }],
        },
      },
      {
        ...textMessage('c1-result', 'tool'),
        metadata: { toolCall: { requestId: 'c1', toolName: 'pay', status: 'success', durationMs: 1, rawArgs: { amount: '5' } } },
      },
      { ...textMessage('a2', 'assistant', ''), status: { type: 'running' } },
    ],
    parts: {
      a1: [
        { type: 'text', text: 'a1' },
        { type: 'call', requestId: 'c1' },
      ],
      a2: [{ type: 'text', text: 'So' }],
    },
    calls: [
      callOf('c1', {
        ...{ status: 'success', started: true, result, fingerprint: 'f', rerun: false, tainted: true },
        taintedBy: { requestId: 'u1', toolName: 'imported conversation', from: 'import' },
        call: checkedCall('c1', {
          ...{ preview: [{ label: 'Balance', before: 10, after: 5 }], decidedBy: 'person', flags: ['repaired'] },
          taintedBy: { requestId: 'c0', toolName: 'read' },
        }),
      }),
      callOf('c2', {
        ...{ status: 'awaiting_approval', served: true, repair: true, withheld: true },
        approval: { id: 's', reason: 'r', keep: { a: 1 } },
      }),
    ],
    toolHistory: [result],
    reply: { messageId: 'a2', text: 'So far', raw: 'So far', reasoning: 'r', parts: [{ type: 'text', text: 'So far' }] },
    turn: {
      ...{ id: 't1', round: ['c1', 'c2'], proof: 'proved', iterations: 1, fruitless: 0 },
      ...{ denied: { d: 1 }, executed: { e: 2 }, manual: false },
    },
    draft: 'and then',
    queue: ['next'],
    grants: [
      {
        ...{ id: 'g', toolName: 'pay', fingerprint: 'f', sentence: 'Pay up to 50', scope: 'always', left: 5, expiresAt: 9 },
        where: { amount: { max: 50 }, to: { oneOf: ['a', 1] }, kind: { equals: null } },
      },
    ],
    plan: { goal: 'g', steps: [{ id: '1', title: 't', tool: 'pay', input: {}, dependsOn: [], status: 'todo' }] },
    kept: { memory: { facts: [1, 'two'] } },
  } satisfies StoredConversation;
}
