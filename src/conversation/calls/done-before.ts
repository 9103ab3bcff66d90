/** Whether a call asks for what was done a moment ago. */
import type { Call, PublishedResult } from '../../model/calls.js';
import type { ConversationContext } from '../chart/chart-context.js';

/**
 * The first result of the same call, if it has succeeded since the person's last message, and was not taken back. Queries may be asked as
 * often as one likes.
 *
 * @param told only what the model has heard of; else also what stands before it in the same reply, where one call waits for the other
 */
export function doneBefore(
  { messages, calls, turn }: Pick<ConversationContext, 'messages' | 'calls' | 'turn'>,
  { requestId, digest, risk }: Pick<Call, 'requestId' | 'digest' | 'risk'>,
  told: boolean,
): PublishedResult | undefined {
  const at = calls.findIndex((call) => call.requestId === requestId);
  const self = calls[at];
  if (risk === 'query' || !self) return undefined;
  const said = messages.findLastIndex(({ role }) => role === 'user');
  const since = new Set(messages.slice(said + 1).map(({ id }) => id));
  const inOrder = !told && (turn?.settings.execution === 'serial' || self.resources.length > 0);
  return calls
    .slice(0, at)
    .find(
      (call) =>
        call.status === 'success' &&
        call.started &&
        !call.manual &&
        call.call?.digest === digest &&
        since.has(call.messageId) &&
        (inOrder || call.messageId !== self.messageId),
    )?.result;
}
