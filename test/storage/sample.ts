/** A stored conversation with everything in it, for the storage tests. */
import type { Call } from '../../src/model/calls.js';
import type { ChatMessage } from '../../src/model/messages.js';
import { emptyConversation, type StoredCall, type StoredConversation } from '../../src/storage/stored-conversation.js';
import full from '../fixtures/storage/conversation.json' with { type: 'json' };

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

/** All that is kept of one. */
export const fullConversation = (sessionId: string): StoredConversation => ({
  ...emptyConversation(sessionId),
  ...(structuredClone(full) as unknown as Partial<StoredConversation>),
});
