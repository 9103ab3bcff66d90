/** A reply that came as one JSON body: `stream="off"`, or a proxy that does not stream. */
import { field, finishEvent, partsOf, readError, readFinish, readUsage, reasoningOf, stringOf } from './read-fields.js';
import type { WireEvent } from './wire.js';

/** The error a whole body is, if it is one; other wires ask, too. */
export function readWholeError(body: unknown): WireEvent[] {
  return (field(body, 'error') ?? undefined) !== undefined || field(body, 'type') === 'error' ? [readError(body)] : [];
}

/**
 * Reads the seed's `{reply, usage, model, response_time_ms}`, a `chat.completion`, or an error object.
 * A whole body is its own end mark, so the finish is proved unless its reason is unknown. Nothing is returned for any other shape.
 *
 * @param readCalls reads the tool calls of a completion; without it they are passed over
 */
export function readWholeReply(given: unknown, readCalls?: (calls: unknown) => readonly WireEvent[]): WireEvent[] {
  // Some gateways put the answer into an envelope.
  const body = Array.isArray(field(field(given, 'data'), 'choices')) ? field(given, 'data') : given;
  const error = readWholeError(body);
  if (error.length > 0) return error;
  const choice = field(field(body, 'choices'), 0);
  const message = field(choice, 'message');
  const answer = field(body, 'reply') ?? field(message, 'content');
  // A completion may hold no words at all (a withheld answer has `content: null`), but then it says how it finished.
  const finish = readFinish(field(body, 'finish_reason')) ?? readFinish(field(choice, 'finish_reason'));
  if (typeof answer !== 'string' && !Array.isArray(answer) && finish === undefined) return [];

  const events: WireEvent[] = [];
  const reasoning = reasoningOf(message);
  if (reasoning !== '') events.push({ type: 'reasoning', text: reasoning });
  const refusal = stringOf(field(message, 'refusal'));
  const said = partsOf(answer);
  events.push(...(said.length > 0 ? said : partsOf(refusal)));
  const old = field(message, 'function_call') ?? undefined;
  const calls = readCalls?.(old === undefined ? field(message, 'tool_calls') : [{ function: old }]) ?? [];
  events.push(...calls);
  const usage = readUsage(field(body, 'usage'), field(body, 'model'));
  if (usage) events.push(usage);
  const reason = finish ?? 'stop';
  const end = finishEvent(refusal === undefined || reason === 'error' || reason === 'aborted' ? reason : 'content-filter', calls.length);
  // Our relay passes on that its upstream ended without saying why.
  events.push(field(body, 'proved') === false ? { ...end, proved: false } : end);
  return events;
}
