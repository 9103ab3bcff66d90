/**
 * Turns the strings of a text notation into what the schema declares (S0-50 … S0-54). Only strings change, no name is added
 * or dropped, and what does not fit stays as it was, for validation to refuse.
 */
import type { JsonSchema } from '../json-schema.js';
import { parameterSchemas } from './schema-parts.js';

/**
 * `schema`: the declared type wins; without a schema as `pattern`. `pattern`: by the look of the text, as seed 000 does, save
 * numbers that would change by it (leading zeros, beyond 2^53). `none`: nothing changes.
 */
export type Coercion = 'schema' | 'pattern' | 'none';

/** Longest text that is tried as a number. */
const NUMBER_CHARS = 64;

export function coerceArguments(args: Record<string, unknown>, schema: JsonSchema | undefined, policy: Coercion): Record<string, unknown> {
  if (policy === 'none') return args;
  const read = (name: string, text: string) =>
    policy === 'schema' && schema ? byDeclaration(text, parameterSchemas(schema, name)) : byPattern(text);
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? read(name, value) : value]));
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
  if (listed.includes(text)) return text;
  const match = listed.find((value) => (value === null || typeof value !== 'object') && String(value) === trimmed);
  if (match !== undefined) return match;

  if (trimmed === 'null' && (types.has('null') || alternatives.some(({ nullable }) => nullable === true))) {
    // A free text that may be null keeps the word; where only certain texts are allowed, "null" can only mean null.
    const certain = alternatives.some(({ format, pattern, enum: values }) => [format, pattern, values].some((rule) => rule !== undefined));
    if (certain || !types.has('string')) return null;
  }
  if (types.has('string')) return text;
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

/** The values that `enum` and `const` name. */
function listedBy({ enum: values, const: only }: JsonSchema): unknown[] {
  return [...(Array.isArray(values) ? (values as unknown[]) : []), ...(only === undefined ? [] : [only])];
}

function typesOf(schema: JsonSchema): unknown[] {
  const { type, properties, items } = schema;
  if (type !== undefined) return [type].flat();
  if (properties !== undefined) return ['object'];
  if (items !== undefined) return ['array'];
  return listedBy(schema).some((sample) => typeof sample === 'string') ? ['string'] : [];
}

/** Decimal notation only: `0x10`, `Infinity` and blanks are not numbers, and a whole number must be exact. */
function toNumber(text: string): number | undefined {
  if (text.length > NUMBER_CHARS || !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text) + 0;
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : undefined;
}
