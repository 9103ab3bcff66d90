/** Hides the one correction of a turn, which takes place between page and model. The user sees what came of it. */
import type { MessageView } from '../../model/snapshot.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';

const none: ReadonlySet<string> = new Set();

/**
 * Returns the ids of the calls that could not be parsed and that were, or may still be, made again. A call that was never made again is
 * shown, so that no action is lost silently.
 *
 * @param repairs the calls that the model was taught to write once more
 */
export function hiddenRetries(
  { calls, messages, turn }: Pick<ConversationContext, 'calls' | 'messages' | 'turn'>,
  repairs: readonly CallRecord[],
): ReadonlySet<string> {
  if (repairs.length === 0) return none;
  const taught = new Set(repairs.map(({ messageId }) => messageId));
  // Number of user messages up to each message, by message id.
  const asked = new Map<string, number>();
  let times = 0;
  for (const { id, role } of messages) asked.set(id, (times += role === 'user' ? 1 : 0));
  const isAnother = (call: CallRecord, later: CallRecord) =>
    later.messageId !== call.messageId &&
    asked.get(later.messageId) === asked.get(call.messageId) &&
    (call.toolName === '' || later.toolName === '' || later.toolName === call.toolName);
  return new Set(
    calls.flatMap((call, at) => {
      if (!taught.has(call.messageId) || call.result?.code !== 'MALFORMED_CALL') return [];
      const goesOn = turn !== null && !turn.manual && asked.get(call.messageId) === times;
      return goesOn || calls.slice(at + 1).some((later) => isAnother(call, later)) ? [call.requestId] : [];
    }),
  );
}

/** Removes the hidden calls, and each message that holds nothing else. */
export function withoutRetries(views: readonly MessageView[], hidden: ReadonlySet<string>): readonly MessageView[] {
  if (hidden.size === 0) return views;
  return views.flatMap((view) => {
    const parts = view.parts.filter((part) => part.type !== 'call' || !hidden.has(part.requestId));
    if (parts.length === view.parts.length) return [view];
    const says = parts.length > 0 || view.note !== undefined || view.canContinue || view.message.reasoning || isRunning(view);
    return says ? [{ ...view, parts }] : [];
  });
}

const isRunning = ({ message }: MessageView) => message.status.type === 'running';
