/** Derives the published `session` fields from the chart. */
import { cutText } from '../../base/cut-text.js';
import { openCalls } from '../chart/call-records.js';
import type { Phase, SessionState } from '../../model/snapshot.js';
import type { ConversationContext } from '../chart/chart-context.js';

/** The maximum length of `lastResultSummary` in UTF-16 units. */
const SUMMARY_CHARS = 500;

export function sessionOf(context: ConversationContext, state: Phase): Omit<SessionState, 'plan'> {
  const last = context.toolHistory.at(-1);
  return {
    state,
    requiresConfirm: openCalls(context).some((call) => call.status === 'awaiting_approval'),
    lastTool: last?.toolName ?? null,
    lastResultSummary: last ? shortened(last.message) : null,
  };
}

/** Returns the first sentence on one line, at most 500 UTF-16 units. The full result is stored with the results. */
export function shortened(text: string): string {
  // Only the beginning is read, because a result may be very long.
  const line = cutText(text, 4 * SUMMARY_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  const end = /[.!?](?= )|[。！？]/.exec(line);
  const sentence = end ? line.slice(0, end.index + 1) : line;
  return sentence.length <= SUMMARY_CHARS ? sentence : `${cutText(sentence, SUMMARY_CHARS - 1)}…`;
}
