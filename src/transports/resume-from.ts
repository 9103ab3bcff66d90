/** A reply that another page began to read, and had not read to its end when it was closed or reloaded. */
import { failureOf } from './failure.js';
import { readOnce } from './read-reply.js';
import type { ReplyOutcome, ReplyRequest, ReplySink, Trail } from './reply-request.js';
import { resume } from './resume.js';

/**
 * Reads on after the frame `lastEventId`, which `ReplySink.place` told; nothing that was told before comes again. `request` is as it was
 * for the reply itself, but its turn is not sent. Resolves with the end, or as cut where the rest cannot be had: the reply is kept as it
 * is then, and nothing of it runs.
 */
export function resumeFrom(request: ReplyRequest, lastEventId: string, on: ReplySink): Promise<ReplyOutcome> {
  if (request.signal.aborted) return Promise.resolve({ type: 'aborted' });
  const trail: Trail = { begun: true, lastId: lastEventId, take: () => true };
  return resume({ request, on, trail, readOnce, atOnce: true }, { type: 'cut', error: failureOf('cut') });
}
