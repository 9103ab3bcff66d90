/** A call that the page or a person makes is a turn of its own. */
import type { ChatMessage } from '../../model/messages.js';
import { recordOf } from './call-records.js';
import type { ConversationContext, ConversationEvent, Turn } from './chart-context.js';
import { newTurn } from './conversation-changes.js';
import { taintOf } from './taint.js';

export function beginManualTurn(
  context: ConversationContext,
  event: Extract<ConversationEvent, { type: 'user.runTool' }>,
): Partial<ConversationContext> & { turn: Turn } {
  const { request } = event;
  // What a person runs again is the conversation's affair: the model hears of it and answers.
  const manual = request.repeats === undefined;
  // A call that runs again follows what the failed one followed, and what has come since.
  const failed = context.calls.findLast(({ requestId }) => requestId === request.repeats);
  const taintedBy = manual ? undefined : (failed?.taintedBy ?? taintOf(context, event.settings));
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
