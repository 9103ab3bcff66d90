/**
 * A fast check for plain data and plain schemas, which most arguments are. It only confirms valid data; the full check handles everything
 * else.
 */
import { isObject } from '../base/objects.js';

/** Maximum steps. Larger data is left to the full check. */
const MOST = 5000;

const SILENT: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$schema', '$comment', 'deprecated', 'readOnly', 'writeOnly'],
]);

/**
 * Returns true if the data is valid and the schema uses only `type`, `format: int64`, `required`, `enum`, `items`, `properties`,
 * `additionalProperties`, `minimum`, `maximum`, `minItems`, `maxItems` and annotations. False does not mean that the data is invalid.
 */
export function fastValidate(data: unknown, schema: unknown, left = { steps: MOST }): boolean {
  if (schema === true) return true;
  if ((left.steps -= 1) < 0 || !isObject(schema)) return false;
  return Object.entries(schema).every(([keyword, rule]) => SILENT.has(keyword) || matchesKeyword(keyword, rule, data, schema, left));
}

function matchesKeyword(keyword: string, rule: unknown, data: unknown, schema: Record<string, unknown>, left: { steps: number }): boolean {
  const list = Array.isArray(data) ? (data as unknown[]) : undefined;
  const object = !list && isObject(data) ? data : undefined;
  switch (keyword) {
    case 'type':
      return [rule].flat().some((name) => isOfType(name, data));
    case 'format':
      return rule === 'int64';
    case 'enum':
      return Array.isArray(rule) && rule.includes(data);
    case 'minimum':
      return typeof rule === 'number' && (typeof data !== 'number' || data >= rule);
    case 'maximum':
      return typeof rule === 'number' && (typeof data !== 'number' || data <= rule);
    case 'minItems':
      return typeof rule === 'number' && (!list || list.length >= rule);
    case 'maxItems':
      return typeof rule === 'number' && (!list || list.length <= rule);
    case 'items':
      return !Array.isArray(rule) && (!list || list.every((item) => fastValidate(item, rule, left)));
    case 'required':
      return Array.isArray(rule) && (!object || rule.every((name) => Object.hasOwn(object, String(name))));
    case 'properties':
      return isObject(rule) && (!object || matchesAll(Object.entries(rule), object, left));
    case 'additionalProperties': {
      const known = schema['properties'] ?? {};
      if (!isObject(known)) return false;
      const others = Object.keys(object ?? {}).filter((name) => !Object.hasOwn(known, name));
      return (
        !object ||
        matchesAll(
          others.map((name) => [name, rule]),
          object,
          left,
        )
      );
    }
    default:
      return false;
  }
}

function matchesAll(wanted: readonly (readonly [string, unknown])[], data: Record<string, unknown>, left: { steps: number }): boolean {
  return wanted.every(([name, schema]) => !Object.hasOwn(data, name) || fastValidate(data[name], schema, left));
}

function isOfType(type: unknown, data: unknown): boolean {
  if (type === 'integer') return Number.isInteger(data);
  if (data === null) return type === 'null';
  return type === (Array.isArray(data) ? 'array' : typeof data);
}
