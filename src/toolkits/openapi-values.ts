/** Serializes values for a query, a form or JSON. */
import { isLargeNumber } from '../base/exact-json.js';
import { isObject, numbered, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';

export const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Removes nulls, which neither a URL nor a form can express. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, item]) => (item === null ? [] : [[name, withoutNulls(item)]])));
}

/** Yields pairs for values that a plain query cannot express: `items[0][price]`, `expand[]`, `created[gte]`. */
export function* bracketPairs(key: string, value: unknown): Generator<[string, string]> {
  if (Array.isArray(value)) {
    // A list of plain values needs no indexes, and many services accept none.
    const isNested = value.some((item) => typeof item === 'object' && item !== null);
    for (const [at, item] of numbered(value)) yield* bracketPairs(`${key}[${isNested ? String(at) : ''}]`, item);
  } else if (isObject(value)) for (const [name, item] of Object.entries(value)) yield* bracketPairs(`${key}[${name}]`, item);
  else yield [key, textOf(value)];
}

/**
 * Writes JSON. A 64-bit integer, which only a text holds exactly, is written as a number if the schema requires one.
 *
 * @param schemas all schemas that may describe the value
 */
export function writeJson(value: unknown, schemas: readonly JsonSchema[]): string {
  if (isLargeNumber(value) && schemas.some(isWhole) && !schemas.some(takesText)) return value;
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => branches(schema['items']));
    return `[${value.map((item) => writeJson(item, items)).join(',')}]`;
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const inner = schemas.flatMap((schema) => branches(own(schema['properties'], name) ?? schema['additionalProperties']));
    return [`${JSON.stringify(name)}:${writeJson(item, inner)}`];
  });
  return `{${members.join(',')}}`;
}

/** Returns a schema and the members of its union. */
export function branches(schema: unknown): JsonSchema[] {
  if (!isObject(schema)) return [];
  const { anyOf } = schema;
  return [schema, ...(Array.isArray(anyOf) ? anyOf.flatMap(branches) : [])];
}

const isWhole = ({ type }: JsonSchema): boolean => [type].flat().includes('integer');

const takesText = ({ type, enum: values, anyOf }: JsonSchema): boolean =>
  [type].flat().includes('string') || (type === undefined && values === undefined && anyOf === undefined);
