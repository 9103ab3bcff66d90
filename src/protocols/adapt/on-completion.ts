/** A parser for protocols that read a reply only when it is complete. It handles the host's result defensively. */
import { isObject } from '../../base/objects.js';
import { ownIdOf } from '../json/json-calls.js';
import type { ProtocolReader } from '../protocol.js';
import { NO_MATCH, trimBlanks } from '../scan.js';
import { createTextMode, DEFAULT_MAX_ACCUMULATOR, type CreateNotation } from '../text-mode.js';
import { createTextBuffer, FORBIDDEN } from '../call-buffer.js';

/** A call as the host's function returned it. No field has been validated. */
export interface FoundCall {
  toolName?: unknown;
  args?: unknown;
  /** The source text of the call. */
  raw?: unknown;
  /** The model's own id of the call. */
  callId?: unknown;
}

/** Returns the text and the calls of a complete reply, in order. May throw. */
export type ReadReply = (text: string) => readonly (string | FoundCall)[];

/**
 * A parser without blocks: it only separates reasoning from the answer while the reply streams. Reasoning is never searched for calls.
 */
const noBlocks: CreateNotation = () => ({
  openers: '<',
  open: () => NO_MATCH,
  inside: false,
  read: (_text, at) => at,
  inspect: () => ({ state: 'text' }),
});

/**
 * Creates a parser that streams reasoning and holds all other text until the reply is complete, because a call may begin anywhere. A reply
 * longer than `maxAccumulator` UTF-16 units is shown as text and has no calls. The same applies if the reply was aborted or `read` throws.
 */
export function onCompletion(read: ReadReply, onError: (error: unknown) => void): NonNullable<ProtocolReader['createParser']> {
  return (emit, options = {}) => {
    let calls = 0;
    const createId = options.createId ?? (() => `call-${(calls += 1)}`);
    const limit = options.maxAccumulator ?? DEFAULT_MAX_ACCUMULATOR;
    const held = createTextBuffer();
    let length = 0;

    const engine = createTextMode(
      noBlocks,
      (segment) => {
        if (segment.type === 'was-reasoning' && length <= limit) {
          const thoughts = held.join();
          held.clear();
          length = 0;
          if (thoughts) emit({ type: 'reasoning', text: thoughts });
          return;
        }
        if (segment.type !== 'text' || length > limit) return emit(segment);
        held.add(segment.text);
        length += segment.text.length;
        if (length > limit) flush();
      },
      options,
    );

    function flush() {
      const text = held.join();
      held.clear();
      if (text) emit({ type: 'text', text });
    }

    function end(reason: 'stop' | 'length' | 'abort' = 'stop') {
      engine.end(reason);
      if (reason === 'abort' || length > limit) return flush();
      const text = held.join();
      held.clear();
      for (const piece of readSafely(text)) {
        if (typeof piece !== 'string') emitCall(piece);
        else if (piece) emit({ type: 'text', text: piece });
      }
    }

    function readSafely(text: string): readonly (string | FoundCall)[] {
      if (text === '') return [];
      try {
        return read(text).filter((piece) => typeof piece === 'string' || isObject(piece));
      } catch (error) {
        onError(error);
        return [text];
      }
    }

    function emitCall(found: FoundCall) {
      const raw = typeof found.raw === 'string' ? found.raw : '';
      const name = typeof found.toolName === 'string' ? trimBlanks(found.toolName) : '';
      if (!name) return emit({ type: 'call-error', code: 'missing_name', raw });
      const values = copyArguments(found.args);
      if (!values) return emit({ type: 'call-error', name, code: 'bad_shape', raw });
      const id = createId();
      emit({ type: 'call-start', id, name });
      const providerId = ownIdOf(found.callId);
      emit({ type: 'call', id, name, arguments: values, raw, ...(providerId !== undefined && { providerId }) });
    }

    return { push: (chunk) => engine.push(chunk), end, inspect: () => ({ state: 'held', accumulator: held.join() }) };
  };
}

/** Returns a plain copy of the arguments, or undefined if they are not an object or have a prototype key at any depth. */
function copyArguments(args: unknown): Record<string, unknown> | undefined {
  let safe = true;
  try {
    const copy: unknown = JSON.parse(JSON.stringify(args ?? {}), (key, value: unknown) => {
      if (FORBIDDEN.has(key)) safe = false;
      return value;
    });
    return safe && isObject(copy) ? Object.assign(Object.create(null) as Record<string, unknown>, copy) : undefined;
  } catch {
    return undefined; // a cycle, a getter that throws, or too deep
  }
}

/** Cuts the source of each call out of the text. If a source is not found in order, it stays in the text. */
export function callsAndText(
  text: string,
  requests: readonly { toolName?: unknown; args?: unknown; rawBlock?: unknown }[],
): (string | FoundCall)[] {
  if (!Array.isArray(requests)) throw new TypeError('parseToolRequests() did not return a list.');
  const pieces: (string | FoundCall)[] = [];
  let shown = 0;
  for (const request of requests.filter(isObject)) {
    const { toolName, args, rawBlock: raw } = request;
    const at = typeof raw === 'string' && raw ? text.indexOf(raw, shown) : -1;
    if (at !== -1) {
      pieces.push(text.slice(shown, at));
      shown = at + (raw as string).length;
    }
    pieces.push({ toolName, args, raw });
  }
  pieces.push(text.slice(shown));
  return pieces;
}
