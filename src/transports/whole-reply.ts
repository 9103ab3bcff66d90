/** Reads a reply that came as one JSON body: `stream="off"`, or a proxy that does not stream. */
import { field, finishEvent, partsOf, readError, readFinish, readUsage, reasoningOf, spokenWords, stringOf } from './read-fields.js';
import type { WireEvent } from './wire.js';

/** Returns the error if the body is one. Other wires use it, too. */
export function readWholeError(body: unknown): WireEvent[] {
  return (field(body, 'error') ?? undefined) !== undefined || field(body, 'type') === 'error' ? [readError(body)] : [];
}

/**
 * Reads the relay's `{reply, usage, model, response_time_ms}`, a `chat.completion`, or an error object. A complete body is its own end
 * marker, so the finish is proved unless its reason is unknown. Returns nothing for any other shape.
 *
 * @param readCalls Reads the tool calls of a completion; without it they are ignored.
 */
export function readWholeReply(given: unknown, readCalls?: (calls: unknown) => readonly WireEvent[]): WireEvent[] {
  // Some gateways wrap the answer in an envelope.
  const body = Array.isArray(field(field(given, 'data'), 'choices')) ? field(given, 'data') : given;
  const error = readWholeError(body);
  if (error.length > 0) return error;
  const choice = field(field(body, 'choices'), 0);
  const message = field(choice, 'message');
  const answer = field(body, 'reply') ?? field(message, 'content');
  // A completion may have no text (a withheld answer has `content: null`), but then it has a finish reason.
  const finish = readFinish(field(body, 'finish_reason')) ?? readFinish(field(choice, 'finish_reason'));
  if (typeof answer !== 'string' && !Array.isArray(answer) && finish === undefined) return [];

  const events: WireEvent[] = [];
  const reasoning = reasoningOf(message);
  if (reasoning !== '') events.push({ type: 'reasoning', text: reasoning });
  const refusal = stringOf(field(message, 'refusal'));
  const said = partsOf(answer);
  events.push(...(said.length > 0 ? said : partsOf(refusal ?? spokenWords(message))));
  const old = field(message, 'function_call') ?? undefined;
  const calls = readCalls?.(old === undefined ? field(message, 'tool_calls') : [{ function: old }]) ?? [];
  events.push(...calls);
  const usage = readUsage(field(body, 'usage'), field(body, 'model'));
  if (usage) events.push(usage);
  const reason = finish ?? 'stop';
  const end = finishEvent(refusal === undefined || reason === 'error' || reason === 'aborted' ? reason : 'content-filter', calls.length);
  // Our relay reports if its upstream ended without a reason.
  events.push(field(body, 'proved') === false ? { ...end, proved: false } : end);
  return events;
}
