/** Defensive access to untrusted JSON: own properties only, so that neither `__proto__` nor a polluted prototype is ever read. */
import { parseExactly } from '../base/exact-json.js';
import { own as field } from '../base/objects.js';
import type { Finish, WireEvent } from './wire.js';

export { field };

/** Returns a nonempty string, else `undefined`. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the entries of an array; an empty array for anything else. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the text of a string, of a part with text, or of a list of these. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('');
  return ['text', 'thinking', 'reasoning', 'summary', 'content'].map((name) => textOf(field(value, name) ?? '')).find(Boolean) ?? '';
}

/** Returns the reasoning of a message or of a piece of one. Services use different names, and some send it under two names at once. */
export const reasoningOf = (message: unknown): string =>
  ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'reasoning_details']
    .map((name) => textOf(field(message, name) ?? ''))
    .find(Boolean) ?? '';

/** Returns the words of an answer that is audio. */
export const spokenWords = (message: unknown): string | undefined => stringOf(field(field(message, 'audio'), 'transcript'));

/** Returns the text and reasoning in the content of a message: a string, or a list of parts. A refusal counts as text. */
export function partsOf(content: unknown): (WireEvent & { type: 'text' | 'reasoning' })[] {
  const parts = Array.isArray(content) ? arrayOf(content) : [content];
  return parts.flatMap((part) => {
    const kind = stringOf(field(part, 'type')) ?? '';
    const isThought = kind.includes('reasoning') || kind.includes('thinking') || (kind === '' && field(part, 'thinking') !== undefined);
    const text = textOf(typeof part === 'string' ? part : isThought ? part : (field(part, 'text') ?? field(part, 'refusal') ?? ''));
    return text === '' ? [] : [{ type: isThought ? 'reasoning' : 'text', text } as const];
  });
}

/** Returns a nonnegative finite number, else `undefined`. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/**
 * Parses a JSON text; `undefined` if it is invalid. Some services send the arguments of calls as objects with 64-bit ids, so numbers are
 * kept exact.
 */
export function parseJson(source: string): unknown {
  try {
    return parseExactly(source);
  } catch {
    return undefined;
  }
}

/** Spellings of finish reasons, in lower case and with `_`; services write them in any case. */
const finishes: Readonly<Record<string, Finish>> = named({
  stop: 'stop end_turn stop_sequence eos eos_token complete completed',
  // `pause_turn`: the service has paused a long turn and expects a request to continue, as after a reply that reached its length limit.
  length: 'length max_tokens max_output_tokens max_length token_limit model_length model_context_window_exceeded pause_turn',
  'tool-calls': 'tool_calls tool_call tool_use function_call',
  'content-filter':
    'content_filter content_filtered refusal sensitive guardrail_intervened error_toxic safety recitation language blocklist ' +
    'prohibited_content spii image_safety image_prohibited_content image_recitation',
  aborted: 'abort aborted cancelled canceled interrupted',
  error: 'error network_error insufficient_system_resource timeout time_limit',
});

function named(spellings: Partial<Record<Finish, string>>): Record<string, Finish> {
  const entries = Object.entries(spellings) as [Finish, string][];
  return Object.fromEntries(entries.flatMap(([finish, all]) => all.split(' ').map((one) => [one, finish])));
}

/** Some gateways write "nothing yet" as a word. */
const NOT_SAID = ['', 'null', 'none', 'undefined'];

/** Returns the finish reason of any provider; `unknown` for a reason that is not in the list, `undefined` if there is none. */
export function readFinish(value: unknown): Finish | undefined {
  const reason = typeof value === 'string' ? value.trim().toLowerCase().replaceAll('-', '_') : '';
  if (NOT_SAID.includes(reason)) return undefined;
  return (field(finishes, reason) as Finish | undefined) ?? 'unknown';
}

/**
 * Creates a `finish` event. Many services report `stop` although they have called tools. An unknown reason may mean that the reply broke
 * off, so it does not prove that the reply is complete.
 */
export function finishEvent(finish: Finish, calls = 0): WireEvent & { type: 'finish' } {
  return { type: 'finish', finish: finish === 'stop' && calls > 0 ? 'tool-calls' : finish, proved: finish !== 'unknown' };
}

type Usage = WireEvent & { type: 'usage' };

/** Reads all spellings of token counts; `undefined` if there are none. */
export function readUsage(usage: unknown, model: unknown): Usage | undefined {
  return usageEvent(
    field(usage, 'prompt_tokens') ?? field(usage, 'input_tokens') ?? field(usage, 'input'),
    field(usage, 'completion_tokens') ?? field(usage, 'output_tokens') ?? field(usage, 'output'),
    model,
  );
}

/** Creates a `usage` event from untrusted counts; `undefined` if neither is valid. */
export function usageEvent(input: unknown, output: unknown, model: unknown): Usage | undefined {
  const [came, went] = [readCount(input), readCount(output)];
  if (came === undefined && went === undefined) return undefined;
  const name = stringOf(model);
  return { type: 'usage', input: came ?? 0, output: went ?? 0, ...(name !== undefined && { model: name }) };
}

/** Errors that may pass after some time: status numbers and the names that providers use. */
const passing = new Set(
  '408 409 429 500 502 503 504 529 rate_limit_error rate_limit_exceeded overloaded_error api_error timeout_error server_error'.split(' '),
);

/** Reads an error in any of the known shapes: a string, `{message}`, `{error: …}`, `{detail}`. */
export function readError(value: unknown): WireEvent & { type: 'error' } {
  const inner = field(value, 'error') ?? value;
  const message =
    stringOf(inner) ?? stringOf(field(inner, 'message')) ?? stringOf(field(inner, 'detail')) ?? stringOf(field(value, 'message')) ?? '';
  const code = field(inner, 'code') ?? (inner === value ? undefined : field(inner, 'type'));
  const named = typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
  const said = field(inner, 'retryable');
  const retryable = typeof said === 'boolean' ? said : named !== undefined && passing.has(named) ? true : undefined;
  const reason = stringOf(field(inner, 'reason'));
  const window = readCount(field(inner, 'n_ctx'));
  return {
    type: 'error',
    message,
    ...(named !== undefined && { code: named }),
    ...(retryable !== undefined && { retryable }),
    ...(reason !== undefined && { reason }),
    ...(window !== undefined && { window }),
  };
}
