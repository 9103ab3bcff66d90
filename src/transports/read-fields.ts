/** Careful looks into JSON from outside: own properties only, so that neither `__proto__` nor a polluted prototype is ever read. */
import { parseExactly } from '../base/exact-json.js';
import { own as field } from '../base/objects.js';
import type { Finish, WireEvent } from './wire.js';

export { field };

/** A string that is not empty, else `undefined`. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The entries of an array; of everything else, none. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The words of what may be a string, a part with words, or a list of such. */
export function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(wordsOf).join('');
  return ['text', 'thinking', 'reasoning', 'summary', 'content'].map((name) => wordsOf(field(value, name) ?? '')).find(Boolean) ?? '';
}

/** The thoughts of a message or a piece of one. Services name them differently, and some send them under two names at once. */
export const reasoningOf = (message: unknown): string =>
  ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'].map((name) => wordsOf(field(message, name) ?? '')).find(Boolean) ?? '';

/** Text and reasoning of what services give as the content of a message: a string, or a list of parts. A refusal is text, too. */
export function partsOf(content: unknown): (WireEvent & { type: 'text' | 'reasoning' })[] {
  const parts = Array.isArray(content) ? arrayOf(content) : [content];
  return parts.flatMap((part) => {
    const kind = stringOf(field(part, 'type')) ?? '';
    const isThought = kind.includes('reasoning') || kind.includes('thinking') || (kind === '' && field(part, 'thinking') !== undefined);
    const text = wordsOf(typeof part === 'string' ? part : isThought ? part : (field(part, 'text') ?? field(part, 'refusal') ?? ''));
    return text === '' ? [] : [{ type: isThought ? 'reasoning' : 'text', text } as const];
  });
}

/** A number of things, or `undefined`. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The value of a JSON text, or `undefined` when it is none. Arguments of calls come as objects of some services, with ids of 64 bits. */
export function parseJson(source: string): unknown {
  try {
    return parseExactly(source);
  } catch {
    return undefined;
  }
}

/** Spellings of the reasons why a reply ends, in lower case and with `_`; the services write them in any case. */
const finishes: Readonly<Record<string, Finish>> = named({
  stop: 'stop end_turn stop_sequence eos eos_token complete completed',
  // `pause_turn`: the service has paused a long turn and wants to be asked to continue, as with a reply that grew too long.
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

/** Why a reply has ended, across providers; `unknown` for a reason that is not in the list, `undefined` where none is given. */
export function readFinish(value: unknown): Finish | undefined {
  const reason = typeof value === 'string' ? value.trim().toLowerCase().replaceAll('-', '_') : '';
  if (NOT_SAID.includes(reason)) return undefined;
  return (field(finishes, reason) as Finish | undefined) ?? 'unknown';
}

/**
 * Many services say `stop` although they have called tools. An unknown reason may mean that the reply broke off, so it does not
 * prove that all of it has come.
 */
export function finishEvent(finish: Finish, calls = 0): WireEvent & { type: 'finish' } {
  return { type: 'finish', finish: finish === 'stop' && calls > 0 ? 'tool-calls' : finish, proved: finish !== 'unknown' };
}

type Usage = WireEvent & { type: 'usage' };

/** Reads both spellings of token counts; `undefined` when neither is there. */
export function readUsage(usage: unknown, model: unknown): Usage | undefined {
  return usageEvent(
    field(usage, 'prompt_tokens') ?? field(usage, 'input_tokens') ?? field(usage, 'input'),
    field(usage, 'completion_tokens') ?? field(usage, 'output_tokens') ?? field(usage, 'output'),
    model,
  );
}

/** From what should be counts; `undefined` when neither is one. */
export function usageEvent(input: unknown, output: unknown, model: unknown): Usage | undefined {
  const [came, went] = [readCount(input), readCount(output)];
  if (came === undefined && went === undefined) return undefined;
  const name = stringOf(model);
  return { type: 'usage', input: came ?? 0, output: went ?? 0, ...(name !== undefined && { model: name }) };
}

/** What gets better by waiting: statuses under their numbers and under the names that providers give them. */
const passing = new Set(
  '408 409 429 500 502 503 504 529 rate_limit_error rate_limit_exceeded overloaded_error api_error timeout_error server_error'.split(' '),
);

/** Reads an error in any of the shapes seen in the wild: a string, `{message}`, `{error: …}`, `{detail}`. */
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
