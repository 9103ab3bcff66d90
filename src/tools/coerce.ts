/**
 * Turns the strings of a text notation into what the schema declares, also inside of lists and objects. Only strings
 * change, no name is added or dropped, and what does not fit stays as it was, for validation to refuse.
 */
import type { JsonSchema } from '../model/json-schema.js';
import type { SchemaModel } from '../model/schema-model.js';
import { parseExactly } from '../base/exact-json.js';
import { own } from '../base/objects.js';
import { DEPTH_LIMIT } from './freeze.js';
import { matches, partsAt, rootParts, valuesOf } from './schema-parts.js';

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
  function visit(value: unknown, parts: SchemaModel[], depth: number): unknown {
    if (typeof value === 'string') {
      const read = readText(value, parts);
      return typeof read === 'object' ? visit(read, parts, depth) : read;
    }
    if (typeof value !== 'object' || value === null || depth > DEPTH_LIMIT) return value;
    const fitting = fittingFor(value, parts);
    // Beyond the places that are named one by one, all of a list is declared alike.
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

/** Those that an object does not contradict, by a constant or by a name it lacks; all, when it contradicts each. */
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

/** Remembered: of a long list each item asks. */
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
  // A text stays one where texts are allowed: any, or those of a pattern. By its format alone, "3" is no date but a number.
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
function typesOf(model: SchemaModel): unknown[] {
  const { type, nullable } = model;
  const listed = valuesOf(model);
  const types = type === undefined ? listed.map((value) => (value === null ? 'null' : typeof value)) : [type];
  return [...(listed.length > 0 ? types.filter((each) => each !== 'string') : types), ...(nullable ? ['null'] : [])];
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
