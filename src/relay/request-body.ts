/** Reads a page's request within limits and keeps only the fields that may go upstream: a relay must not be an open proxy. */
import { z } from 'zod';
import { readBody } from '../base/read-body.js';
import { createYield } from '../tools/yield-to-main.js';
import { parsedBody } from './client.js';
import { relayErrors, RelayError } from './errors.js';
import type { RelayConfig } from './relay-options.js';
import { insertTools, toolConfigSchema } from './injected-prompt.js';
import type { ShareHold } from './fair-shares.js';
import { withTimeout } from './timeouts.js';
import type { RelayTurn } from './relay-turn.js';
import { boundedList } from './bounded-list.js';
import { SLICE_MS, type Pause } from './time-slices.js';

const MAX_MESSAGES = 2_000;

/** Maximum UTF-16 units of a grammar. */
const MAX_GRAMMAR = 100_000;

/** The fields that may pass: zod drops every other one, so a provider's own `tools`, `n` and the like are never forwarded. */
const turnSchema = z.object({
  messages: boundedList(MAX_MESSAGES, z.object({ role: z.enum(['user', 'assistant', 'tool']), text: z.string() }), 1),
  system: z.string().default(''),
  max_tokens: z.number().optional(),
  model: z.string().max(200).optional(),
  temperature: z.number().optional(),
  grammar: z.string().max(MAX_GRAMMAR).optional(),
  config: toolConfigSchema.optional(),
});

/** Minimum bytes counted for a body while it is read, and the overhead of a piece of it. */
export const LEAST_BODY = 16_384;
const PIECE = 64;

/** Number of pieces of a body that may have any length, and the minimum average bytes of a piece after that: reading a piece costs time. */
const SMALL_PIECES = 1_000;
const LEAST_PIECE = 16;

/** Number of UTF-16 units up to which a body is parsed without waiting for a turn: it takes a millisecond at most. */
const AT_ONCE = 16_384;

const DEFAULT_MAX_TOKENS = 2_000;

const NO_BODY = 'The request body is empty or not JSON. Mount the relay before body parsers such as `express.json()`.';

/** The shared resources that reading a request uses. */
export interface Reading {
  pause: Pause;
  memory: ShareHold;
}

/**
 * Reads a chat request.
 *
 * @throws RelayError 400, 408, 413 or 415; 429 or 503 if there is no room for it
 */
export async function readTurn(request: Request, config: RelayConfig, { pause, memory }: Reading, platform?: unknown): Promise<RelayTurn> {
  const json = await readJson(request, config, { pause, memory }, platform);
  const breathe = createYield(SLICE_MS, pause);
  const parsed = turnSchema.safeParse(json, { jitless: true });
  if (!parsed.success) throw relayErrors.badRequest(`The request is not understood: ${where(parsed.error)}.`);
  await breathe();
  const { messages, system, max_tokens, model, temperature, grammar, config: tools } = parsed.data;
  if (model !== undefined && !config.models.has(model)) throw relayErrors.badRequest('This model is not offered here.');
  const asked = model ?? config.model;
  const told = tools ? await insertTools(system, tools, breathe) : { system, examples: [] };
  // Gated mode rejects example turns: they contain calls that the model never made.
  const isGated = config.gate && tools?.orchestration;
  return {
    messages: [...(isGated ? [] : told.examples), ...messages],
    system: [config.systemPrefix, told.system].filter(Boolean).join('\n\n'),
    ...(asked !== undefined && { model: asked }),
    ...(config.gate && tools?.orchestration && { claims: tools.orchestration }),
    ...(temperature !== undefined && { temperature: Math.min(2, Math.max(0, temperature)) }),
    ...(grammar !== undefined && { grammar }),
    maxTokens: Math.min(config.maxTokens, Math.max(1, Math.floor(max_tokens ?? DEFAULT_MAX_TOKENS))),
  };
}

/**
 * Reads the body of a request as JSON.
 *
 * @throws RelayError 400, 408, 413 or 415; 429 or 503 if there is no room for it
 */
export async function readJson(
  request: Request,
  { maxBodyBytes, bodyTimeout }: Pick<RelayConfig, 'maxBodyBytes' | 'bodyTimeout'>,
  { pause, memory }: Reading,
  platform?: unknown,
): Promise<unknown> {
  // A form or a text/plain body needs no preflight. Requiring JSON makes the browser send one first.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) throw relayErrors.notJson();
  const parsed = parsedBody(platform);
  const text = parsed ?? (await readText(request, maxBodyBytes, bodyTimeout, memory));
  if (parsed !== undefined && new TextEncoder().encode(parsed).byteLength > maxBodyBytes) throw relayErrors.bodyTooLarge(maxBodyBytes);
  if (parsed !== undefined) memory.add(text.length);
  if (text.length > AT_ONCE) await pause();
  const bound = exceededBound(text);
  if (bound) throw relayErrors.badRequest(`The request ${bound}. Send fewer messages or tools.`);
  const json = parseJson(text);
  if (text.length > AT_ONCE) await pause();
  return json;
}

/** Describes the first mistake by its path and kind, without the value. */
function where(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue?.code === 'custom') return `\`${issue.path.map(String).join('.').slice(0, 100)}\` ${issue.message}`;
  return issue?.path.length ? `\`${issue.path.map(String).join('.').slice(0, 100)}\` does not fit` : 'it must be an object';
}

/** Reads the body as text. Counts the arriving bytes, since `Content-Length` may be absent or wrong. */
async function readText(request: Request, most: number, ms: number, memory: ShareHold): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > most) throw relayErrors.bodyTooLarge(most);
  const stop = new AbortController();
  const late = () => {
    stop.abort();
    throw relayErrors.bodyTimeout();
  };
  memory.add(LEAST_BODY);
  let left = LEAST_BODY;
  let pieces = 0;
  let read = 0;
  const onPiece = (bytes: number) => {
    if (pieces > SMALL_PIECES && read < pieces * LEAST_PIECE) throw relayErrors.badRequest('The request comes in too many small pieces.');
    pieces += 1;
    read += bytes;
    left -= bytes + PIECE;
    if (left >= 0) return;
    memory.add(-left);
    left = 0;
  };
  const { text, isWhole, error } = await withTimeout(readBody(request.body, most, { signal: stop.signal, fatal: true, onPiece }), ms, late);
  if (isWhole) return text;
  if (error instanceof RelayError) throw error;
  throw error === undefined ? relayErrors.bodyTooLarge(most) : relayErrors.badRequest('The request is not UTF-8, or broke off.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw relayErrors.badRequest(NO_BODY);
  }
}

/** Maximum number of objects, lists and values in them. Three hundred tools of ten parameters have about 11,000. */
const MAX_VALUES = 20_000;

/** Maximum depth of lists and objects; schemas that developers write have about a dozen levels. */
const MAX_LEVELS = 200;

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Checks the limits without parsing: parsing a megabyte of brackets would block the thread for too long.
 *
 *   @returns the exceeded limit as the end of a sentence, or `undefined`
 */
function exceededBound(json: string): string | undefined {
  let values = 1;
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    if (code === 44) values += 1;
    else if (code === 91 || code === 123) {
      values += 1;
      level += 1;
      if (level > MAX_LEVELS) return `is nested deeper than the ${MAX_LEVELS} levels that this service takes`;
    } else if (code === 93 || code === 125) level -= 1;
    if (values > MAX_VALUES) return `holds more than the ${MAX_VALUES} values that this service takes`;
  }
  return undefined;
}

function endOfString(json: string, from: number): number {
  let end = json.indexOf('"', from + 1);
  while (end >= 0) {
    let first = end;
    while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
  return json.length;
}
