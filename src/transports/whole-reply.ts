/** A reply that came as one JSON body: `stream="off"`, or a proxy that does not stream. */
import { field, normalizeFinish, readError, readUsage, text } from './fields.js';
import type { WireEvent } from './wire.js';

/**
 * Reads the seed's `{reply, usage, model, response_time_ms}` (S0-114), a `chat.completion`, or an error object.
 * A whole body is its own end mark, so the finish is proved. Nothing is returned for any other shape.
 */
export function readWholeReply(body: unknown): WireEvent[] {
  if ((field(body, 'error') ?? undefined) !== undefined || field(body, 'type') === 'error') return [readError(body)];
  const choice = field(field(body, 'choices'), 0);
  const message = field(choice, 'message');
  const answer = field(body, 'reply') ?? field(message, 'content');
  // A completion may hold no words at all (a withheld answer has `content: null`), but then it says how it finished.
  const reason = text(field(body, 'finish_reason')) ?? text(field(choice, 'finish_reason'));
  if (typeof answer !== 'string' && reason === undefined) return [];

  const events: WireEvent[] = [];
  const reasoning = text(field(message, 'reasoning_content')) ?? text(field(message, 'reasoning'));
  if (reasoning !== undefined) events.push({ type: 'reasoning', text: reasoning });
  if (text(answer) !== undefined) events.push({ type: 'text', text: answer as string });
  const usage = readUsage(field(body, 'usage'), field(body, 'model'));
  if (usage) events.push(usage);
  events.push({ type: 'finish', finish: reason === undefined ? 'stop' : normalizeFinish(reason), proved: true });
  return events;
}
