/**
 * Turns the strings of a text notation into what the schema declares (S0-50 … S0-54). Only strings change, no name is added
 * or dropped, and what does not fit stays as it was, for validation to refuse.
 */
import type { JsonSchema } from '../json-schema.js';
import { define } from '../plain.js';
import { parameterSchemas } from './schema.js';

/**
 * `schema`: the declared type wins; without a schema as `pattern`. `pattern`: by the look of the text, as seed 000 does, save
 * numbers that would change by it (leading zeros, beyond 2^53). `none`: nothing changes.
 */
export type Coercion = 'schema' | 'pattern' | 'none';

/** Longest text that is tried as a number. */
const NUMBER_CHARS = 64;

export function coerceArguments(args: Record<string, unknown>, schema: JsonSchema | undefined, policy: Coercion): Record<string, unknown> {
  if (policy === 'none') return args;
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    let coerced = value;
    if (typeof value === 'string') {
      coerced = policy === 'schema' && schema ? byDeclaration(value, parameterSchemas(schema, name)) : byPattern(value);
    }
    define(result, name, coerced);
  }
  return result;
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

function byDeclaration(text: string, alternatives: JsonSchema[]): unknown {
  const trimmed = text.trim();
  const types = new Set<unknown>(alternatives.flatMap(typesOf));
  const listed = alternatives.flatMap(listedBy);
  const nullable = types.has('null') || alternatives.some((schema) => schema['nullable'] === true);

  if (listed.length > 0) {
    const match = listed.includes(text) ? text : listed.find((value) => typeof value !== 'object' && String(value) === trimmed);
    if (match !== undefined) return match;
    if (trimmed === 'null' && listed.includes(null)) return null;
  }
  // A free text that may be null keeps the word; where only certain texts are allowed, "null" can only mean null.
  const certain = alternatives.some(
    ({ format, pattern, enum: values }) => format !== undefined || pattern !== undefined || values !== undefined,
  );
  if (nullable && trimmed === 'null' && (certain || !types.has('string'))) return null;
  if (types.has('string')) return text;

  if (types.has('boolean')) {
    const word = trimmed.length > 5 ? '' : trimmed.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
  }
  if (types.has('number') || types.has('integer')) {
    const number = toNumber(trimmed);
    if (number !== undefined && (types.has('number') || Number.isInteger(number))) return number;
  }
  if ((types.has('array') && trimmed.startsWith('[')) || (types.has('object') && trimmed.startsWith('{'))) return fromJson(trimmed, text);
  return text;
}

/** The values that `enum` and `const` name. */
function listedBy({ enum: values, const: only }: JsonSchema): unknown[] {
  return [...(Array.isArray(values) ? (values as unknown[]) : []), ...(only === undefined ? [] : [only])];
}

function typesOf(schema: JsonSchema): unknown[] {
  const { type, properties, items } = schema;
  if (type !== undefined) return Array.isArray(type) ? (type as unknown[]) : [type];
  if (properties !== undefined) return ['object'];
  if (items !== undefined) return ['array'];
  const samples = listedBy(schema);
  return samples.some((sample) => typeof sample === 'string') ? ['string'] : [];
}

/** Decimal notation only: `0x10`, `Infinity` and blanks are not numbers, and a whole number must be exact. */
function toNumber(text: string): number | undefined {
  if (text.length > NUMBER_CHARS || !/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text) + 0;
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : undefined;
}

function fromJson(text: string, otherwise: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return otherwise;
  }
}
