/** Tools as they are declared to services, in the subset of JSON Schema that all services read. Validation still uses the whole schema. */
import { cutText } from '../base/cut-text.js';
import { createAllowance } from '../base/allowance.js';
import type { SchemaModel } from '../model/schema-model.js';
import { oneObject, promptSchema } from '../model/prompt-schema.js';
import type { JsonSchema, ToolDescription } from './protocol.js';

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
