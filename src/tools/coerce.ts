/**
 * Converts the strings of a text protocol to the types that the schema declares, also inside lists and objects. Only strings change, and no
 * name is added or dropped. A string that does not match stays as it is, and validation rejects it.
 */
import type { JsonSchema } from '../model/json-schema.js';
import type { SchemaModel } from '../model/schema-model.js';
import { parseExactly } from '../base/exact-json.js';
import { own } from '../base/objects.js';
import { DEPTH_LIMIT } from './freeze.js';
import { matches, partsAt, rootParts, valuesOf } from './schema-parts.js';

/**
 * `schema`: the declared type wins; without a schema as `pattern`. `pattern`: by the look of the text, as in the `xml-invoke` protocol,
 * except for numbers that would change (leading zeros, beyond 2^53). `declared`: the declared type wins; without a schema nothing changes.
 * `none`: nothing changes.
 */
export type Coercion = 'schema' | 'pattern' | 'declared' | 'none';

/** Maximum length of a text that is tried as a number. */
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

/** Visits each value once, with all schemas that apply to it. For a union, these are the members that the value may match. */
function byDeclaration(args: Record<string, unknown>, root: JsonSchema): unknown {
  function visit(value: unknown, parts: SchemaModel[], depth: number): unknown {
    if (typeof value === 'string') {
      const read = readText(value, parts);
      return typeof read === 'object' ? visit(read, parts, depth) : read;
    }
    if (typeof value !== 'object' || value === null || depth > DEPTH_LIMIT) return value;
    const fitting = fittingFor(value, parts);
    // Items after those of `prefixItems` all have the same schema.
    const named = Math.max(0, ...fitting.map(({ prefixItems = [] }) => prefixItems.length));
    const alike = Array.isArray(value) ? partsAt(fitting, named) : [];
    const child = (item: unknown, key: string | number) => {
      if (typeof item !== 'string' && typeof item !== 'object') return item;
      return visit(item, Number(key) >= named && Array.isArray(value) ? alike : partsAt(fitting, key), depth + 1);
    };
    return Array.isArray(value) ? value.map(child) : mapValues(value, child);
  }

  return visit(args, rootParts(root), 0);
}

/** Returns the parts that an object does not contradict by a constant or a missing name. If it contradicts all, returns all. */
function fittingFor(value: object, parts: SchemaModel[]): SchemaModel[] {
  const fitting = parts.filter(({ properties = {}, required = [] }) => {
    if (!required.every((name) => Object.hasOwn(value, name))) return false;
    return Object.entries(properties).every(([name, property]) => {
      const given = own(value, name);
      if (given === undefined) return true;
      const listed = valuesOf(property);
      return listed.length === 0 || listed.includes(given) || (typeof given === 'string' && findWritten(listed, given.trim()));
    });
  });
  return fitting.some(({ properties, additionalProperties }) => properties ?? additionalProperties) ? fitting : parts;
}

interface Readings {
  listed: unknown[];
  texts: SchemaModel[];
  types: Set<unknown>;
}

const readings = new WeakMap<SchemaModel[], Readings>();

/** Collects the possible types and values of the parts. Cached, because it is called for every item of a list. */
function readingsOf(parts: SchemaModel[]): Readings {
  let known = readings.get(parts);
  if (!known) {
    const texts = parts.filter((part) => typesOf(part).includes('string'));
    known = { listed: parts.flatMap((part) => valuesOf(part)), texts, types: new Set(parts.flatMap(typesOf)) };
    readings.set(parts, known);
  }
  return known;
}

function readText(text: string, parts: JsonSchema[]): unknown {
  const { listed, texts, types } = readingsOf(parts);
  // Keep the text if the schema allows any text, or if it matches the pattern. A format alone is not enough: "3" is a number, not a date.
  const isText = ({ format, pattern }: SchemaModel) => (pattern === undefined ? format === undefined : matches(pattern, text));
  if (listed.includes(text) || texts.some(isText)) return text;

  const trimmed = text.trim();
  const written = findWritten(listed, trimmed);
  if (written) return written.value;
  if (trimmed === 'null' && types.has('null')) return null;
  if (types.has('boolean') && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (types.has('number') || types.has('integer')) {
    const number = toNumber(trimmed);
    if (number !== undefined && (types.has('number') || Number.isInteger(number))) return number;
  }
  if ((types.has('array') && trimmed.startsWith('[')) || (types.has('object') && trimmed.startsWith('{'))) {
    try {
      return parseExactly(trimmed);
    } catch {
      // It is not JSON, so validation rejects it.
    }
  }
  return text;
}

/** Finds the listed value that is written like this, preferring a text. */
function findWritten(listed: unknown[], text: string): { value: unknown } | undefined {
  if (listed.includes(text)) return { value: text };
  const at = listed.findIndex((value) => (value === null || typeof value !== 'object') && String(value) === text);
  return at < 0 ? undefined : { value: listed[at] };
}

/** Returns the types that a model allows. If it lists its values, other texts are not allowed. */
function typesOf(model: SchemaModel): unknown[] {
  const { type, nullable } = model;
  const listed = valuesOf(model);
  const types = type === undefined ? listed.map((value) => (value === null ? 'null' : typeof value)) : [type];
  return [...(listed.length > 0 ? types.filter((each) => each !== 'string') : types), ...(nullable ? ['null'] : [])];
}

/** Converts decimal notation only: `0x10`, `Infinity` and blanks are not numbers, and an integer must be exact. */
function toNumber(text: string): number | undefined {
  if (text.length > NUMBER_CHARS || !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text) + 0;
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : undefined;
}

function mapValues(values: object, map: (value: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}
