/** Tools as the providers themselves offer them: only under `protocol="native"` (S1-02). */
import { isObject } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { field, arrayOf, stringOf } from './read-fields.js';
import type { TurnRequest, WireEvent } from './wire.js';

export interface DeclaredTool {
  name: string;
  description: string;
  /** An object at its root, always with `type` and `properties`: some providers refuse a schema without. */
  parameters: JsonSchema;
}

/** Whether tools are declared at all; under a text protocol nothing of a request may speak of any. */
export function isNative(turn: TurnRequest): boolean {
  return turn.tools !== undefined && turn.tools.length > 0;
}

/** The tools to declare, or `undefined` where there are none. */
export function declaredTools(turn: TurnRequest): DeclaredTool[] | undefined {
  if (!isNative(turn)) return undefined;
  return turn.tools?.map((tool) => {
    const schema = field(tool, 'parameters');
    const { $schema: _, ...parameters } = isObject(schema) ? schema : {};
    return {
      name: stringOf(field(tool, 'name')) ?? '',
      description: stringOf(field(tool, 'description')) ?? '',
      parameters: { type: 'object', properties: {}, ...parameters },
    };
  });
}

type ToolEvent = WireEvent & { type: 'tool' };

/** One piece of a call, as far as its parts are what they should be. */
export function callPiece(index: number, id: unknown, name: unknown, source: unknown): ToolEvent {
  const [its, called, piece] = [stringOf(id), stringOf(name), stringOf(source)];
  return {
    type: 'tool',
    index,
    ...(its !== undefined && { id: its }),
    ...(called !== undefined && { name: called }),
    ...(piece !== undefined && { arguments: piece }),
  };
}

/** A call that comes in one piece, its arguments an object. */
export function wholeCall(index: number, id: unknown, name: unknown, args: unknown): ToolEvent {
  return callPiece(index, id, name, typeof args === 'string' ? args : JSON.stringify(args ?? {}));
}

/**
 * Numbers the calls of a reply that comes in OpenAI's form. Not always by `index`: some servers leave it out, and some give 0 to every
 * call; then a name under another id is another call.
 */
export function createCallReader(): { pieces(calls: unknown): ToolEvent[]; readonly calls: number } {
  const known = new Map<number, { index: number; id: string | undefined }>();
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    pieces: (pieces) =>
      arrayOf(pieces).map((piece, position) => {
        const place = field(piece, 'index');
        const key = typeof place === 'number' ? place : position;
        const id = stringOf(field(piece, 'id'));
        const name = stringOf(field(field(piece, 'function'), 'name'));
        const args = field(field(piece, 'function'), 'arguments');
        let call = known.get(key);
        const isAnother = call?.id !== undefined && name !== undefined && id !== undefined && id !== call.id;
        if (!call || isAnother) known.set(key, (call = { index: calls++, id }));
        call.id ??= id;
        return isObject(args) ? wholeCall(call.index, id, name, args) : callPiece(call.index, id, name, args);
      }),
  };
}
