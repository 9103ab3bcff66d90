/**
 * Turns the strings of a text notation into what the schema declares (S0-50 … S0-54), also inside of lists and objects. Only strings
 * change, no name is added or dropped, and what does not fit stays as it was, for validation to refuse.
 */
import type { JsonSchema } from '../model/json-schema.js';
import { isObject, own } from '../base/objects.js';
import { DEPTH_LIMIT } from './freeze.js';
import { childSchemas, flatten, listedBy, matches } from './schema-parts.js';

/**
 * `schema`: the declared type wins; without a schema as `pattern`. `pattern`: by the look of the text, as seed 000 does, save
 * numbers that would change by it (leading zeros, beyond 2^53). `declared`: the declared type wins; without a schema nothing changes.
 * `none`: nothing changes.
 */
export type Coercion = 'schema' | 'pattern' | 'declared' | 'none';

/** Longest text that is tried as a number. */
const NUMBER_CHARS = 64;

export function coerceArguments(args: Record<string, unknown>, schema: JsonSchema | undefined, policy: Coercion): Record<string, unknown> {
  if (policy === 'none' || (policy === 'declared' && !schema)) return args;
  if (policy !== 'pattern' && schema) return byDeclaration(args, schema) as Record<string, unknown>;
  return mapValues(args, (value) => (typeof value === 'string' ? byPattern(value) : value));
}

function byPattern(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text.length <= NUMBER_CHARS && /^(?:0|[1-9]\d*)$/.test(text)) {
    const number = Number(text);
    if (Number.isSafeInteger(number)) return number;
  }
  return text;
}

/** Each value is visited once, with all that is declared for its place; of a union, with those members that may be meant. */
function byDeclaration(args: Record<string, unknown>, root: JsonSchema): unknown {
  const known = new Map<JsonSchema, JsonSchema[]>();
  const partsOf = (schema: JsonSchema): JsonSchema[] => {
    let parts = known.get(schema);
    if (!parts) known.set(schema, (parts = flatten(schema, root)));
    return parts;
  };

  function visit(value: unknown, parts: JsonSchema[], depth: number): unknown {
    if (typeof value === 'string') {
      const read = readText(value, parts);
      return typeof read === 'object' ? visit(read, parts, depth) : read;
    }
    if (typeof value !== 'object' || value === null || depth > DEPTH_LIMIT) return value;
    const fitting = fittingFor(value, parts);
    // Beyond the places that are named one by one, all of a list is declared alike.
    const named = Math.max(
      0,
      ...fitting.flatMap(({ prefixItems, items }) => [prefixItems, items].map((list) => (Array.isArray(list) ? list.length : 0))),
    );
    const alike = Array.isArray(value) ? childSchemas(fitting, named).flatMap(partsOf) : [];
    const child = (item: unknown, key: string | number) => {
      if (typeof item !== 'string' && typeof item !== 'object') return item;
      return visit(item, Number(key) >= named && Array.isArray(value) ? alike : childSchemas(fitting, key).flatMap(partsOf), depth + 1);
    };
    return Array.isArray(value) ? value.map(child) : mapValues(value, child);
  }

  return visit(args, partsOf(root), 0);
}

/** Those that an object does not contradict, by a constant or by a name it lacks; all, when it contradicts each. */
function fittingFor(value: object, parts: JsonSchema[]): JsonSchema[] {
  const fitting = parts.filter(({ properties, required }) => {
    if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, String(name)))) return false;
    return Object.entries(properties ?? {}).every(([name, property]) => {
      const given = own(value, name);
      const listed = isObject(property) ? listedBy(property) : [];
      return (
        given === undefined ||
        listed.length === 0 ||
        listed.includes(given) ||
        (typeof given === 'string' && findWritten(listed, given.trim()))
      );
    });
  });
  return fitting.some(({ properties, additionalProperties }) => properties ?? additionalProperties) ? fitting : parts;
}

interface Readings {
  listed: unknown[];
  texts: JsonSchema[];
  types: Set<unknown>;
  nullable: boolean;
}

const readings = new WeakMap<JsonSchema[], Readings>();

/** Remembered: of a long list each item asks. */
function readingsOf(parts: JsonSchema[]): Readings {
  let known = readings.get(parts);
  if (!known) {
    const texts = parts.filter((schema) => typesOf(schema).includes('string'));
    const types = new Set<unknown>(parts.flatMap(typesOf));
    known = {
      listed: parts.flatMap(listedBy),
      texts,
      types,
      nullable: types.has('null') || parts.some(({ nullable }) => nullable === true),
    };
    readings.set(parts, known);
  }
  return known;
}

function readText(text: string, parts: JsonSchema[]): unknown {
  const { listed, texts, types, nullable } = readingsOf(parts);
  // A text stays one where texts are allowed: any, or those of a pattern. By its format alone, "3" is no date but a number.
  const isText = ({ format, pattern }: JsonSchema) => (pattern === undefined ? format === undefined : matches(pattern, text));
  if (listed.includes(text) || texts.some(isText)) return text;

  const trimmed = text.trim();
  const written = findWritten(listed, trimmed);
  if (written) return written.value;
  if (trimmed === 'null' && nullable) return null;
  if (types.has('boolean') && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (types.has('number') || types.has('integer')) {
    const number = toNumber(trimmed);
    if (number !== undefined && (types.has('number') || Number.isInteger(number))) return number;
  }
  if ((types.has('array') && trimmed.startsWith('[')) || (types.has('object') && trimmed.startsWith('{'))) {
    try {
      return JSON.parse(trimmed) as unknown;
    } catch {
      // Not JSON: refused as it stands.
    }
  }
  return text;
}

/** The listed value that is written so, a text before any other. */
function findWritten(listed: unknown[], text: string): { value: unknown } | undefined {
  if (listed.includes(text)) return { value: text };
  const at = listed.findIndex((value) => (value === null || typeof value !== 'object') && String(value) === text);
  return at < 0 ? undefined : { value: listed[at] };
}

/** What lists its values allows no texts but these. */
function typesOf(schema: JsonSchema): unknown[] {
  const { type, properties, additionalProperties, items, prefixItems } = schema;
  const listed = listedBy(schema);
  if (listed.length > 0) return [type ?? listed.map((value) => typeof value)].flat().filter((each) => each !== 'string');
  if (type !== undefined) return [type].flat();
  if (isObject(properties) || isObject(additionalProperties)) return ['object'];
  return items !== undefined || prefixItems !== undefined ? ['array'] : [];
}

/** Decimal notation only: `0x10`, `Infinity` and blanks are not numbers, and a whole number must be exact. */
function toNumber(text: string): number | undefined {
  if (text.length > NUMBER_CHARS || !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text) + 0;
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : undefined;
}

function mapValues(values: object, map: (value: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}
