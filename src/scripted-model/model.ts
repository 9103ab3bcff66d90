/** The scripted model: converts a request to a timed stream of text and calls. */
import { reply } from './dialogue.js';
import { parsePrompt } from './parsed-prompt.js';
import type { ParsedPrompt } from './parsed-prompt.js';
import type { ScriptedRequest } from './scripted-request.js';
import { injectFault } from './fault-injection.js';
import type { Script } from './fault-injection.js';
import { keepNotes } from './notes.js';
import { typeValues, type WrittenCall } from './protocol.js';

export interface ScriptedModelOptions {
  /** Milliseconds before each chunk. Default 25, about the pace of a large model; 0 = at once. */
  delayMs?: number;
  /** Characters (code points) in a chunk. Default 4. */
  chunkSize?: number;
}

/** A native call. */
export interface ScriptedCall {
  /** Unique among all calls of this model. */
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** A piece of text, or a whole call. Calls occur only if the request has `tools`. */
export type ScriptedPiece = string | ScriptedCall;

/** @throws ScriptedFault if `/fault` requested one; the signal's reason when it is aborted */
export type ScriptedModel = (request: ScriptedRequest, signal?: AbortSignal) => AsyncIterable<ScriptedPiece>;

/**
 * A deliberate failure. With `status`, the request is refused with this HTTP status before the first chunk; without it, the reply is cut
 * off.
 */
export class ScriptedFault extends Error {
  readonly status: number | undefined;

  constructor(status?: number) {
    super(
      status === undefined
        ? 'The scripted model stopped in mid-answer, as it was told.'
        : `The scripted model answers ${status}, as it was told.`,
    );
    this.name = 'ScriptedFault';
    this.status = status;
  }
}

/** Number of refused requests remembered, so that a repeated one succeeds. */
const MAX_REFUSED = 100;

export function createScriptedModel({ delayMs = 25, chunkSize = 4 }: ScriptedModelOptions = {}): ScriptedModel {
  const refused = new Set<string>();
  let calls = 0;

  /** Checks whether to refuse this request: refused once, then answered, then refused again. */
  function refuses(request: ScriptedRequest): boolean {
    const key = JSON.stringify(request.messages);
    if (refused.delete(key)) return false;
    refused.add(key);
    if (refused.size > MAX_REFUSED) refused.delete(refused.values().next().value!);
    return true;
  }

  return async function* answer(request, signal) {
    const notes = keepNotes(request);
    const script =
      notes === undefined ? write(parsePrompt(request.system, request.messages, request.tools)) : { text: notes, nativeCalls: [] };
    if (script.status !== undefined && refuses(request)) throw new ScriptedFault(script.status);
    for (const chunk of slices(script.text, script.chunkSize ?? chunkSize)) {
      await pause(delayMs * (script.slowness ?? 1), signal);
      yield chunk;
    }
    for (const call of script.nativeCalls) {
      await pause(delayMs, signal);
      yield { id: `call_${(calls += 1)}`, ...call };
    }
    if (script.end === 'hang') await pause(Infinity, signal);
    if (script.end === 'cut') throw new ScriptedFault();
  };
}

/** Returns the next output, with its calls written into the text as the prompt describes, or as native calls. */
function write(prompt: ParsedPrompt): Script & { nativeCalls: readonly WrittenCall[] } {
  const fault = /^\/fault(?:\s+([\w-]+))?/.exec(prompt.request);
  const script: Script = fault ? injectFault(fault[1] ?? 'help', prompt) : reply(prompt);
  const { text, calls = [] } = script;
  if (calls.length === 0) return { ...script, nativeCalls: [] };
  const { protocol, isNative, tools } = prompt;
  const typed = isNative || protocol?.isTyped ? calls.map((call) => typeValues(call, tools.get(call.name))) : calls;
  if (isNative) return { ...script, nativeCalls: typed };
  return { ...script, text: [text, protocol?.write(typed)].filter(Boolean).join('\n\n'), nativeCalls: [] };
}

/** Slices by code points, so that a chunk never ends inside a character. */
function* slices(text: string, size: number): Iterable<string> {
  let chunk = '';
  let length = 0;
  for (const character of text) {
    chunk += character;
    if (++length < size) continue;
    yield chunk;
    chunk = '';
    length = 0;
  }
  if (chunk) yield chunk;
}

/** Rejects with the signal's reason as soon as it is aborted. `Infinity` waits for nothing else. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms === 0) return;
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = Number.isFinite(ms)
      ? setTimeout(() => {
          signal?.removeEventListener('abort', stop);
          resolve();
        }, ms)
      : undefined;
    signal?.addEventListener('abort', stop, { once: true });
  });
}
