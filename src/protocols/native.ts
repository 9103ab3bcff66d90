/**
 * Calls that a service returns outside of the text (`protocol="native"`): their pieces are converted to the same segments as those of a
 * protocol.
 *
 * Services number and name pieces inconsistently, so a piece is assigned in this order: to a known id, whatever its index; to a new call
 * for a new id, also on a used index; to the index; to the most recent call. Only the end of the reply ends a call, and nothing is guessed:
 * arguments that are not JSON by then are repaired for known defects (`repairArguments`) and flagged `repaired`, or reported as errors.
 */
import { followJson, type JsonEnd } from '../base/json-end.js';
import { endOfText, parseExactly } from '../base/exact-json.js';
import { isObject } from '../base/objects.js';
import type { CallErrorCode, CallFlag, ParserOptions, Segment, EndReason, JsonSchema, ToolDescription } from './protocol.js';
import { trimBlanks } from './scan.js';
import { DEFAULT_MAX_ACCUMULATOR } from './text-mode.js';
import { cutText } from '../base/cut-text.js';
import { createAllowance } from '../base/allowance.js';
import type { SchemaModel } from '../model/schema-model.js';
import { oneObject, promptSchema } from '../model/prompt-schema.js';

export { nativeReader } from './native-reader.js';

/** A piece of a call, as a wire emits it. */
export interface NativePiece {
  /** The index of the call. Absent or not an integer: the service does not number calls. */
  index?: number;
  /** The service's own id of the call. */
  id?: string;
  name?: string;
  /** JSON text, or the next part of it. */
  arguments?: string;
  /** An opaque value that is sent back with the call. */
  signature?: string;
}

export interface NativeOptions extends ParserOptions {
  /** Without it, a name that comes in pieces is not put together. */
  isTool?(name: string): boolean;
}

export interface NativeCalls {
  /** Returns our id of the call that the piece belongs to, or '' until its name is known. Never throws. */
  take(piece: NativePiece): string;
  /** Ends the reply: emits each call as `call` or `call-error`, in the order they began. After `abort`, none is complete. */
  end(reason?: EndReason): void;
}

interface OpenCall {
  id: string;
  providerId: string;
  signature?: string;
  name: string;
  /** Pieces of the JSON text. They are joined once. */
  pieces: string[];
  length: number;
  end: JsonEnd;
  /** Complete arguments in the form of `objectText`. Computed once. */
  object?: string;
  tooLarge: boolean;
}

/** Length, in UTF-16 units, that is shown of a call that was too large. */
const RAW_HEAD = 200;

export function createNativeCalls(emit: (segment: Segment) => void, options: NativeOptions = {}): NativeCalls {
  const { maxAccumulator = DEFAULT_MAX_ACCUMULATOR } = options;
  let createdIds = 0;
  const createId = options.createId ?? (() => `call-${(createdIds += 1)}`);

  const calls: OpenCall[] = [];
  const byId = new Map<string, OpenCall>();
  const byIndex = new Map<number, OpenCall>();
  let current: OpenCall | undefined;
  let over = false;

  function take(piece: NativePiece): string {
    if (over) return '';
    const { arguments: text } = piece;
    const call = (current = callOf(piece));
    if (piece.signature) call.signature = piece.signature;
    const name = trimBlanks(piece.name ?? '');
    if (name) call.name = joinedName(call, name) ?? (call.name || name);
    // The rest of a name may follow, but only before the arguments.
    if (call.name && !call.id && (text || options.isTool?.(call.name) !== false)) begin(call);
    if (text && !call.tooLarge && !repeats(call, text)) grow(call, text);
    return call.id;
  }

  function callOf({ index, id: given, name: written, arguments: text }: NativePiece): OpenCall {
    let id = given;
    const name = trimBlanks(written ?? '');
    const place = Number.isInteger(index) ? index! : undefined;
    const numbered = place === undefined ? undefined : byIndex.get(place);
    const same = id ? byId.get(id) : undefined;
    // Some services give parallel calls the same id. Complete arguments under another index that differ belong to another call.
    const isTwin = same && !numbered && place !== undefined && name === same.name && isOther(same, text ?? '');
    if (isTwin) id = undefined;
    let call: OpenCall | undefined = (id && byId.get(id)) || numbered;
    // A piece without an id or a name begins no call, so it continues the most recent one, whatever its index.
    if (!call && !isTwin && (place === undefined || !(id || name))) call = current;
    // Another id or another name means another call. Only a missing id or name may come late.
    if (call && id && id !== call.providerId && (call.providerId || (name && call.name))) call = undefined;
    if (call && name && call.name && name !== call.name && joinedName(call, name) === undefined) call = undefined;
    const begins = call === undefined;
    call ??= { id: '', providerId: '', name: '', pieces: [], length: 0, end: followJson(), tooLarge: false };
    if (begins) calls.push(call);
    if (id) {
      call.providerId = id;
      byId.set(id, call);
    }
    // A new call takes over its index. A known call under the index of another was only numbered wrongly.
    if (place !== undefined && (begins || !numbered)) byIndex.set(place, call);
    return call;
  }

  /** Checks whether both are complete objects with different contents. The second one then belongs to another call. */
  function isOther(call: OpenCall, text: string): boolean {
    if (!call.end.isClosed) return false;
    const told = (call.object ??= objectText(call.pieces.join('')));
    const idText = objectText(text);
    return told !== '' && idText !== '' && told !== idText;
  }

  /**
   * Returns the name of a tool that comes in pieces; undefined if `piece` names another call. Such a name is no tool's until it is complete.
   */
  function joinedName({ name, length }: OpenCall, piece: string): string | undefined {
    const { isTool } = options;
    if (!isTool || name === '' || length > 0 || isTool(name)) return undefined;
    const joined = [name + piece, piece].find((one) => one.startsWith(name) && isTool(one));
    return joined ?? (isTool(piece) ? undefined : piece.startsWith(name) ? piece : name + piece);
  }

  function begin(call: OpenCall) {
    call.id = createId();
    emit({ type: 'call-start', id: call.id, name: call.name });
    if (call.tooLarge) return fail(call, 'too_large');
    if (call.length > 0) emit({ type: 'arguments', id: call.id, text: call.pieces.join('') });
  }

  function grow(call: OpenCall, text: string) {
    call.pieces.push(text);
    call.length += text.length;
    call.end.add(text);
    if (call.length > maxAccumulator) {
      call.tooLarge = true;
      call.pieces = [call.pieces.join('').slice(0, RAW_HEAD)];
      if (call.name) fail(call, 'too_large');
    } else if (call.name) emit({ type: 'arguments', id: call.id, text });
  }

  /**
   * Checks whether a finished call is repeated: some services send it again under another index. Complete arguments cannot continue, so
   * ignoring the repetition loses nothing.
   */
  function repeats(call: OpenCall, text: string): boolean {
    if (text.length !== call.length || call.pieces.join('') !== text) return false;
    return readArguments(text) !== 'bad_json';
  }

  function fail(call: OpenCall, code: CallErrorCode) {
    const { id, name } = call;
    emit({ type: 'call-error', ...(id && { id }), ...(name && { name }), code, raw: call.pieces.join('') });
  }

  function end(reason: EndReason = 'stop') {
    if (over) return;
    over = true;
    for (const call of calls) {
      if (call.name && !call.id) begin(call);
      if (!call.tooLarge || !call.name) settle(call, reason);
    }
    byId.clear();
    byIndex.clear();
    calls.length = 0;
    current = undefined;
  }

  function settle(call: OpenCall, reason: EndReason) {
    const { id, name, providerId, signature } = call;
    if (call.tooLarge) return fail(call, 'too_large');
    const { pieces } = call;
    const raw = pieces.join('');
    call.pieces = [raw];
    if (reason === 'abort') return fail(call, 'unclosed');
    if (!name) return fail(call, 'missing_name');
    let args = readArguments(raw);
    // Arguments that were cut off by a length limit are not repaired.
    const repaired = args === 'bad_json' || args === 'bad_shape' ? (reason === 'length' ? undefined : repairArguments(pieces)) : undefined;
    if (repaired !== undefined) args = readArguments(repaired);
    // The reply was cut off at its length limit: arguments are complete only if their JSON is.
    if (reason === 'length' && (args === 'bad_json' || raw.trim() === '')) return fail(call, 'unclosed');
    if (typeof args === 'string') return fail(call, args);
    const isDoubled = repaired === undefined && hasRepeatedKey(raw, args);
    const flag: CallFlag | undefined = repaired !== undefined ? 'repaired' : isDoubled ? 'duplicate_key' : undefined;
    emit({
      type: 'call',
      id,
      name,
      arguments: args,
      raw,
      ...(flag && { flags: [flag] }),
      ...(providerId && { providerId }),
      ...(signature && { signature }),
    });
  }

  return { take, end };
}

/** Names that reach a prototype if the host is careless. They are refused at any depth, escaped or not. */
const FORBIDDEN = /^(?:__proto__|constructor|prototype)$/;

/** A quick check: a text without any match contains none of these names. */
const SUSPECT = /__proto__|constructor|prototype|\\u/;

/** Counts the keys in valid JSON, including repeated ones. */
function countKeys(json: string): number {
  const colon = /\s*:/y;
  let count = 0;
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    colon.lastIndex = at = endOfText(json, at + 1);
    if (colon.test(json)) count += 1;
  }
  return count;
}

/** Checks whether valid JSON, which was parsed as `value`, repeats a key. The last of equal keys silently wins, in most parsers. */
export const hasRepeatedKey = (json: string, value: object): boolean => countKeys(json) !== countKeys(JSON.stringify(value));

/** Parses strict JSON. An empty text means no arguments. */
function readArguments(raw: string): Record<string, unknown> | 'bad_json' | 'bad_shape' {
  if (raw.trim() === '') return {};
  let value: unknown;
  let forbidden = false;
  try {
    value = parseExactly(raw);
    if (SUSPECT.test(raw))
      JSON.parse(raw, (key, item: unknown) => {
        forbidden ||= FORBIDDEN.test(key);
        return item;
      });
  } catch {
    return value === undefined ? 'bad_json' : 'bad_shape';
  }
  if (value === null) return {};
  return isObject(value) && !forbidden ? value : 'bad_shape';
}

/** Tools as they are declared to services, in the subset of JSON Schema that all services read. Validation still uses the whole schema. */
const HINT_CHARS = 200;

/** Keywords that not all services read. They are added to the description, where the model reads them. */
const HINTS = [
  ...(['format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const),
  ...(['multipleOf', 'minItems', 'maxItems', 'default'] as const),
];

/** Returns `{name, description, parameters}` for each method. A wire wraps them in the format of its service. */
export function nativeTools(tools: readonly ToolDescription[]): JsonSchema[] {
  const allowance = createAllowance();
  return tools.flatMap(({ methods }) =>
    methods.map(({ name, description, parameters = {} }) => ({
      name,
      description,
      parameters: portableSchema({ properties: {}, ...oneObject(promptSchema(parameters, allowance)), type: 'object' }),
    })),
  );
}

/**
 * Reduces a schema to one `type`, `enum` of strings, `items`, `anyOf`, `description` and `additionalProperties: false`. Other keywords are
 * dropped or added to the description.
 */
function portableSchema(schema: SchemaModel): JsonSchema {
  const { type, enum: values, properties, required = [], items, prefixItems, anyOf, additionalProperties: more } = schema;
  const areTexts = values?.every((value) => typeof value === 'string');
  const kind = type ?? (values?.every((value) => typeof value === typeof values[0]) ? typeof values[0] : undefined);
  const found: JsonSchema = {
    ...(areTexts ? { type: 'string', enum: values } : kind !== undefined && { type: kind }),
    ...(anyOf && oneOfThese(anyOf.map(portableSchema))),
  };
  if (type === 'object') {
    const written = Object.fromEntries(Object.entries(properties ?? {}).map(([name, property]) => [name, portableSchema(property)]));
    const needed = required.filter((name) => Object.hasOwn(written, name));
    Object.assign(found, properties && { properties: written }, needed.length > 0 && { required: needed });
    if (more === false) found['additionalProperties'] = false;
  }
  if (type === 'array') found['items'] = prefixItems ? oneOfThese(prefixItems.map(portableSchema)) : portableSchema(items ?? {});
  if (schema['format'] === 'date-time') found['format'] = 'date-time';

  const hints = HINTS.filter((key) => isInformative(schema[key]) && found[key] === undefined).map(
    (key) => `${key}: ${hintText(schema[key])}`,
  );
  // Not every service reads the schema of a map's values.
  const held = type === 'object' && !properties && typeof more === 'object' ? portableSchema(more) : {};
  if (Object.keys(held).length > 0) hints.push(`any names, each with a value of: ${hintText(held)}`);
  if (values && !areTexts) hints.push(`one of: ${values.map(hintText).join(', ')}`);
  const told = [schema['description'], hints.length > 0 && `(${hints.join('; ')})`];
  const description = told.filter((text) => typeof text === 'string').join(' ');
  return { ...found, ...(description && { description }) };
}

/** Simplifies a union: one member is returned as such, and enums of strings are merged into one. */
function oneOfThese(members: JsonSchema[]): JsonSchema {
  if (members.length < 2) return members[0] ?? {};
  const lists = members.map((member) => member['enum']);
  if (lists.every(Array.isArray)) return { type: 'string', enum: [...new Set(lists.flat() as unknown[])] };
  return { anyOf: members };
}

/** Checks whether a keyword is informative: not `int64`, and not the limits of exact integers that zod writes. */
function isInformative(value: unknown): boolean {
  return value !== undefined && value !== 'int64' && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
}

function hintText(value: unknown): string {
  return cutText(typeof value === 'string' ? value : JSON.stringify(value), HINT_CHARS);
}

/** Returns a complete object as normalized JSON text, so that equal objects give equal text. Empty for anything else. */
export function objectText(source: string): string {
  const value = parse(source);
  return isObject(value) ? JSON.stringify(value) : '';
}

/** @returns JSON text of an object, or undefined if these pieces cannot be repaired */
export function repairArguments(pieces: readonly string[]): string | undefined {
  const text = withoutRepeats(pieces);
  const value = parse(text) ?? parse(escapeControls(text));
  const inner = typeof value === 'string' ? parse(value) : value;
  return isObject(inner) && Object.keys(inner).length > 0 ? JSON.stringify(inner) : undefined;
}

/** Joins the pieces. A piece that begins with all preceding ones, ignoring blanks, replaces them; so does an object after an empty one. */
function withoutRepeats(pieces: readonly string[]): string {
  let kept: string[] = [];
  let squeezed: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    const short = squeeze(piece);
    if (short.startsWith('{') && short.length >= length && length > 0) {
      const before = squeezed.join('');
      if (short.startsWith(before) || before === '{}') [kept, squeezed, length] = [[], [], 0];
    }
    kept.push(piece);
    squeezed.push(short);
    length += short.length;
  }
  const text = kept.join('');
  // The empty object and the real one may have come in one piece.
  return text.startsWith('{}') && text.length > 2 ? text.slice(2) : text;
}

const squeeze = (text: string): string => text.replace(/\s+/g, '');

/** Escapes line breaks and tabs inside strings, as JSON requires. */
function escapeControls(text: string): string {
  let inside = false;
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') inside = !inside;
    if (inside && char === '\\') out += char + (text[++at] ?? '');
    else out += inside && char < ' ' ? JSON.stringify(char).slice(1, -1) : char;
  }
  return out;
}

function parse(source: string): unknown {
  try {
    return parseExactly(source);
  } catch {
    return undefined;
  }
}
