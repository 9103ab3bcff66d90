/** Careful looks into JSON from outside: own properties only, so that neither `__proto__` nor a polluted prototype is ever read. */
import { own as field } from '../objects.js';
import type { Finish, WireEvent } from './wire.js';

export { field };

/** A string that is not empty, else `undefined`. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value of a JSON text, or `undefined` when it is none. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch {
    return undefined;
  }
}

const finishes: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  end_turn: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool-calls',
  'tool-calls': 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  'content-filter': 'content-filter',
  aborted: 'aborted',
  error: 'error',
};

/** The name of a finish reason across providers; what nobody has heard of is `unknown`. */
export function normalizeFinish(raw: string): Finish {
  return (field(finishes, raw) as Finish | undefined) ?? 'unknown';
}

/** Reads both spellings of token counts; `undefined` when neither is there. */
export function readUsage(usage: unknown, model: unknown): (WireEvent & { type: 'usage' }) | undefined {
  const input = count(field(usage, 'prompt_tokens') ?? field(usage, 'input_tokens') ?? field(usage, 'input'));
  const output = count(field(usage, 'completion_tokens') ?? field(usage, 'output_tokens') ?? field(usage, 'output'));
  if (input === undefined && output === undefined) return undefined;
  const name = text(model);
  return { type: 'usage', input: input ?? 0, output: output ?? 0, ...(name !== undefined && { model: name }) };
}

/** Reads an error in any of the shapes seen in the wild: a string, `{message}`, `{error: …}`, `{detail}`. */
export function readError(value: unknown): WireEvent & { type: 'error' } {
  const inner = field(value, 'error') ?? value;
  const message = text(inner) ?? text(field(inner, 'message')) ?? text(field(inner, 'detail')) ?? text(field(value, 'message')) ?? '';
  const code = field(inner, 'code') ?? (inner === value ? undefined : field(inner, 'type'));
  const retryable = field(inner, 'retryable');
  return {
    type: 'error',
    message,
    ...((typeof code === 'string' || typeof code === 'number') && { code: String(code) }),
    ...(typeof retryable === 'boolean' && { retryable }),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
