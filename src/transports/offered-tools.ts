/** Tools as the providers themselves offer them: only under `protocol="native"` (S1-02). */
import { isObject } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { field, arrayOf, parseJson, stringOf } from './read-fields.js';
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

/** In place of arguments of which pieces were lost: it is no JSON, so the call fails instead of running with no arguments. */
export const LOST_ARGUMENTS = '…';

/**
 * The part of the arguments that is still missing when all of them are known. If the two contradict each other, both are told: together
 * they are no JSON, so the call fails.
 */
export function missingPart(told: string, whole: string): string {
  if (whole.startsWith(told)) return whole.slice(told.length);
  const [left, right] = [parseJson(told), parseJson(whole)];
  return left !== undefined && JSON.stringify(left) === JSON.stringify(right) ? '' : whole;
}

function differs(told: string, whole: string): boolean {
  const [left, right] = [parseJson(told), parseJson(whole)];
  return isObject(left) && isObject(right) && JSON.stringify(left) !== JSON.stringify(right);
}

/** Arguments as JSON text, also from services that send an object. */
export function argumentSource(args: unknown): string | undefined {
  return isObject(args) ? JSON.stringify(args) : stringOf(args);
}

interface OpenCall {
  index: number;
  id: string | undefined;
  name: string | undefined;
  /** The arguments so far. */
  source: string;
  isContradicted?: boolean;
}

/**
 * Numbers the calls of a reply that comes in OpenAI's form. Not always by `index`: some servers leave it out, and some give 0 to every
 * call; then a name under another id is another call.
 */
export function createCallReader(): {
  pieces(calls: unknown): ToolEvent[];
  /** Reads the calls of a whole message that comes with the pieces, and emits what the pieces lacked. */
  whole(calls: unknown): ToolEvent[];
  readonly calls: number;
} {
  const known = new Map<number, OpenCall>();
  const all: OpenCall[] = [];
  let calls = 0;

  return {
    get calls() {
      return calls;
    },
    whole: (given) =>
      arrayOf(given).flatMap((one, position) => {
        const id = stringOf(field(one, 'id'));
        const name = stringOf(field(field(one, 'function'), 'name'));
        const source = argumentSource(field(field(one, 'function'), 'arguments')) ?? '';
        const placed = all[position]?.name === name ? all[position] : undefined;
        // The ids may be others than those of the pieces: the same call is not made twice.
        const call =
          (id !== undefined && all.find((each) => each.id === id)) ||
          all.find((each) => each.name === name && missingPart(each.source, source) === '') ||
          (placed && (placed.id === undefined || id === undefined || placed.source === '') ? placed : undefined);
        if (!call) {
          const begun = { index: calls++, id, name, source };
          all.push(begun);
          return [callPiece(begun.index, id, name, source)];
        }
        if (call.isContradicted) return [];
        const missing = missingPart(call.source, source);
        call.isContradicted = missing === source && call.source !== '' && source !== '';
        if (missing === '') return [];
        call.source += missing;
        return [callPiece(call.index, undefined, undefined, missing)];
      }),
    pieces: (pieces) =>
      arrayOf(pieces).map((piece, position) => {
        const place = field(piece, 'index');
        const key = typeof place === 'number' ? place : position;
        const id = stringOf(field(piece, 'id'));
        const name = stringOf(field(field(piece, 'function'), 'name'));
        const args = field(field(piece, 'function'), 'arguments');
        let call = known.get(key);
        const isNamed = call?.id !== undefined && name !== undefined && id !== undefined && id !== call.id;
        // Without ids, a name with other arguments after whole ones begins the next call.
        const isNext =
          call?.id === undefined && id === undefined && name !== undefined && differs(call?.source ?? '', argumentSource(args) ?? '');
        const isAnother = isNamed || isNext;
        if (!call || isAnother) {
          known.set(key, (call = { index: calls++, id, name, source: '' }));
          all.push(call);
        }
        call.id ??= id;
        call.name ??= name;
        call.source += argumentSource(args) ?? '';
        return isObject(args) ? wholeCall(call.index, id, name, args) : callPiece(call.index, id, name, args);
      }),
  };
}
