/** Native tool declarations and calls, used only under `protocol="native"`. */
import { followJson, type JsonEnd } from '../base/json-end.js';
import { isObject } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { field, arrayOf, parseJson, stringOf } from './read-fields.js';
import type { TurnRequest, WireEvent } from './wire.js';

export interface DeclaredTool {
  name: string;
  description: string;
  /**
   * The JSON schema of the arguments: an object at its root, always with `type` and `properties`, because some providers reject a schema
   * without them.
   */
  parameters: JsonSchema;
}

/** Checks whether the request declares tools. Under a text protocol it must not mention any. */
export function isNative(turn: TurnRequest): boolean {
  return turn.tools !== undefined && turn.tools.length > 0;
}

/** Returns the tools to declare, or `undefined` if there are none. */
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

/** Creates an event for a piece of a call. Fields of the wrong type are omitted. */
export function toolCallDelta(index: number, id: unknown, name: unknown, source: unknown): ToolEvent {
  const [its, called, piece] = [stringOf(id), stringOf(name), stringOf(source)];
  return {
    type: 'tool',
    index,
    ...(its !== undefined && { id: its }),
    ...(called !== undefined && { name: called }),
    ...(piece !== undefined && { arguments: piece }),
  };
}

/** Creates an event for a call that comes in one piece, with its arguments as an object. */
export function toolCallEvent(index: number, id: unknown, name: unknown, args: unknown): ToolEvent {
  return toolCallDelta(index, id, name, typeof args === 'string' ? args : JSON.stringify(args ?? {}));
}

/** Replaces arguments of which pieces were lost. It is not valid JSON, so the call fails instead of running without arguments. */
export const LOST_ARGUMENTS = '…';

/**
 * Returns the part of the arguments that is still missing when all of them are known. If the two contradict each other, it returns all of
 * `whole`: together they are not valid JSON, so the call fails.
 */
export function remainingArguments(told: string, whole: string): string {
  if (whole.startsWith(told)) return whole.slice(told.length);
  const [left, right] = [parseJson(told), parseJson(whole)];
  return left !== undefined && JSON.stringify(left) === JSON.stringify(right) ? '' : whole;
}

/** Returns arguments as JSON text, even if the service sends an object. */
export function argumentSource(args: unknown): string | undefined {
  return isObject(args) ? JSON.stringify(args) : stringOf(args);
}

interface OpenCall {
  index: number;
  id: string | undefined;
  name: string | undefined;
  /** The arguments so far. */
  source: string;
  end: JsonEnd;
  /** Complete arguments in normalized form, so that equal ones match. Computed once. */
  read?: string | undefined;
  isContradicted?: boolean;
}

/** Maximum length of incomplete arguments that are compared as text. */
const SHORT = 64;

/** Returns equal text for equal arguments; undefined if they match no others. A call is parsed once, however many pieces come. */
function meaningOf(call: Pick<OpenCall, 'source' | 'end' | 'read'>): string | undefined {
  if (!call.end.isClosed) return call.source.length <= SHORT ? call.source : undefined;
  if (call.read === undefined) {
    const parsed = parseJson(call.source);
    call.read = parsed === undefined ? call.source : JSON.stringify(parsed);
  }
  return call.read;
}

function written(source: string): Pick<OpenCall, 'source' | 'end'> {
  const end = followJson();
  end.add(source);
  return { source, end };
}

function differs(call: OpenCall | undefined, source: string): boolean {
  if (!call?.end.isClosed || !isObject(parseJson(source))) return false;
  const told = meaningOf(call)!;
  return told.startsWith('{') && told !== meaningOf(written(source)) && isObject(parseJson(told));
}

/**
 * Creates a reader that numbers the calls of a reply in OpenAI's format. `index` is not reliable: some servers omit it, and some send 0 for
 * every call; then a name with another id is another call. Linear in its input, however many calls a line has.
 */
export function createCallReader(): {
  pieces(calls: unknown): ToolEvent[];
  /** Reads the calls of a complete message that comes in addition to the pieces, and emits whatever the pieces lacked. */
  whole(calls: unknown): ToolEvent[];
  readonly calls: number;
} {
  const known = new Map<number, OpenCall>();
  const all: OpenCall[] = [];
  const byId = new Map<string, OpenCall>();
  const byName = new Map<string, OpenCall>();
  const byMeaning = new Map<string, OpenCall>();
  /** Calls that have grown since the last lookup by meaning. */
  const grown = new Set<OpenCall>();

  const keyOf = (name: string | undefined, meaning: string) => `${name ?? ''}\n${meaning}`;

  function begin(id: string | undefined, name: string | undefined): OpenCall {
    const call: OpenCall = { index: all.length, id, name, ...written('') };
    all.push(call);
    grown.add(call);
    return call;
  }

  function grow(call: OpenCall, source: string): void {
    call.source += source;
    call.end.add(source);
    grown.add(call);
  }

  function named(call: OpenCall): OpenCall {
    if (call.id !== undefined && !byId.has(call.id)) byId.set(call.id, call);
    if (!byName.has(call.name ?? '')) byName.set(call.name ?? '', call);
    return call;
  }

  /** Returns the first call of this name with equal arguments. A message without arguments matches any call of the name. */
  function withMeaning(name: string | undefined, meaning: string | undefined): OpenCall | undefined {
    if (meaning === '') return byName.get(name ?? '');
    for (const call of grown) {
      const its = meaningOf(call);
      const key = its === undefined ? undefined : keyOf(call.name, its);
      const first = key === undefined ? undefined : byMeaning.get(key);
      if (key !== undefined && (!first || meaningOf(first) !== its)) byMeaning.set(key, call);
    }
    grown.clear();
    const found = meaning === undefined ? undefined : byMeaning.get(keyOf(name, meaning));
    return found && meaningOf(found) === meaning ? found : undefined;
  }

  return {
    get calls() {
      return all.length;
    },
    whole: (given) =>
      arrayOf(given).flatMap((one, position) => {
        const id = stringOf(field(one, 'id'));
        const name = stringOf(field(field(one, 'function'), 'name'));
        const source = argumentSource(field(field(one, 'function'), 'arguments')) ?? '';
        const meaning = meaningOf(written(source));
        const placed = all[position]?.name === name ? all[position] : undefined;
        // The ids may differ from those of the pieces. The same call must not run twice.
        const call =
          (id !== undefined && byId.get(id)) ||
          withMeaning(name, meaning) ||
          (placed && (placed.id === undefined || id === undefined || placed.source === '') ? placed : undefined);
        if (!call) {
          const begun = named(begin(id, name));
          grow(begun, source);
          return [toolCallDelta(begun.index, id, name, source)];
        }
        if (call.isContradicted) return [];
        const goesOn = source.length >= call.source.length && source.startsWith(call.source);
        const missing = goesOn ? source.slice(call.source.length) : meaning !== undefined && meaning === meaningOf(call) ? '' : source;
        call.isContradicted = missing === source && call.source !== '' && source !== '';
        if (missing === '') return [];
        grow(call, missing);
        return [toolCallDelta(call.index, undefined, undefined, missing)];
      }),
    pieces: (pieces) =>
      arrayOf(pieces).flatMap((piece, position) => {
        const place = field(piece, 'index');
        const key = typeof place === 'number' ? place : position;
        const id = stringOf(field(piece, 'id'));
        const name = stringOf(field(field(piece, 'function'), 'name'));
        const args = field(field(piece, 'function'), 'arguments');
        const source = argumentSource(args) ?? '';
        let call = known.get(key);
        // Some servers add an empty call to an answer.
        if (!call && id === undefined && name === undefined && source === '') return [];
        const isOtherId = call?.id !== undefined && id !== undefined && id !== call.id;
        const isNamed = isOtherId && name !== undefined;
        // Some servers give each piece of a call another id.
        const isPiece = isOtherId && !isNamed && !call!.end.isClosed;
        // Without ids, a name with different arguments after complete ones begins the next call.
        const isNext = call?.id === undefined && id === undefined && name !== undefined && differs(call, source);
        if (!call || isNamed || isNext) known.set(key, (call = begin(id, name)));
        call.id ??= id;
        call.name ??= name;
        grow(named(call), source);
        const its = isPiece ? call.id : id;
        return [isObject(args) ? toolCallEvent(call.index, its, name, args) : toolCallDelta(call.index, its, name, args)];
      }),
  };
}
