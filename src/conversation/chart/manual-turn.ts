/** Creates the turn of a call that the page or the user makes. */
import type { ChatMessage } from '../../model/messages.js';
import { recordOf } from './call-records.js';
import type { ConversationContext, ConversationEvent, Turn } from './chart-context.js';
import { newTurn } from './conversation-changes.js';
import { untrustedSourceOf } from './untrusted-content.js';

export function beginManualTurn(
  context: ConversationContext,
  event: Extract<ConversationEvent, { type: 'user.runTool' }>,
): Partial<ConversationContext> & { turn: Turn } {
  const { request } = event;
  // A call that the user runs again belongs to the conversation: the model gets its result and answers.
  const manual = request.repeats === undefined;
  // A repeated call follows the same untrusted content as the failed one, and any that has arrived since.
  const failed = context.calls.findLast(({ requestId }) => requestId === request.repeats);
  const taintedBy = manual ? undefined : (failed?.taintedBy ?? untrustedSourceOf(context, event.settings));
  const message: ChatMessage = {
    id: `${event.turnId}-call`,
    role: 'assistant',
    text: '',
    createdAt: Date.now(),
    status: { type: 'complete' },
    metadata: { ...(taintedBy && { taintedBy }) },
  };
  return {
    turn: {
      ...newTurn(event.turnId, event.settings, manual),
      round: [request.requestId],
      proof: 'proved',
    },
    messages: [...context.messages, message],
    parts: { ...context.parts, [message.id]: [{ type: 'call', requestId: request.requestId }] },
    calls: [...context.calls, { ...recordOf(request, message.id), manual }],
    failure: null,
  };
}
