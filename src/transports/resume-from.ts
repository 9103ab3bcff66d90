/** Continues a reply that another page was reading when it was closed or reloaded. */
import { failureOf } from './failure.js';
import { readOnce } from './read-reply.js';
import type { ReplyOutcome, ReplyRequest, ReplySink, ResumeState } from './reply-request.js';
import { resume } from './resume.js';

/**
 * Reads on after the frame `lastEventId`, which `ReplySink.place` reported. Earlier events are not repeated. `request` is that of the
 * original reply, but its turn is not sent. Resolves with the end, or as cut if the rest is not available: the reply is then kept as it is,
 * and none of it runs.
 */
export function resumeFrom(request: ReplyRequest, lastEventId: string, on: ReplySink): Promise<ReplyOutcome> {
  if (request.signal.aborted) return Promise.resolve({ type: 'aborted' });
  const resumeState: ResumeState = { begun: true, lastId: lastEventId, take: () => true };
  return resume({ request, on, resumeState, readOnce, atOnce: true }, { type: 'cut', error: failureOf('cut') });
}
