/** Expresses in JSON Schema what the documents of services write differently. */
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';

/** Rewrites the keywords of one schema. */
export const expandForeign = (schema: JsonSchema): JsonSchema => withoutDiscriminator(withItemValues(schema));

/** Moves the values of a list's items into their schema. Documents converted from Swagger 2 often list them at the list itself. */
function withItemValues(schema: JsonSchema): JsonSchema {
  const { type, enum: values, items, ...rest } = schema;
  if (type !== 'array' || !Array.isArray(values) || values.length === 0 || values.some(Array.isArray)) return schema;
  return { ...rest, type, items: { allOf: [items ?? {}, { enum: values as unknown[] }] } };
}

/**
 * Expresses the discriminators of OpenAPI in JSON Schema: each member of a union gets its allowed values of the discriminating property.
 */
function withoutDiscriminator(schema: JsonSchema): JsonSchema {
  if (!isObject(schema['discriminator'])) return schema;
  const { discriminator, ...rest } = schema;
  const kinds = discriminator as Record<string, unknown>;
  const { anyOf, oneOf, allOf } = rest;
  if (anyOf === undefined && oneOf === undefined)
    return { ...rest, allOf: [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), ofAnyKind(kinds)] };
  const named = (members: unknown) =>
    Array.isArray(members) && members.length > 1 ? members.map((member) => ofKind(member, kinds)) : members;
  return { ...rest, ...(anyOf !== undefined && { anyOf: named(anyOf) }), ...(oneOf !== undefined && { oneOf: named(oneOf) }) };
}

/** Adds the values of the discriminating property to a member of a union: those of the mapping, else its own name. */
function ofKind(member: unknown, { propertyName, mapping }: Record<string, unknown>): unknown {
  const reference = own(member, '$ref');
  if (typeof propertyName !== 'string' || typeof reference !== 'string') return member;
  const name = nameOf(reference);
  const mapped = isObject(mapping) ? Object.keys(mapping).filter((key) => leadsTo(mapping[key], reference, name)) : [];
  return { allOf: [member, valuesFor(propertyName, mapped.length > 0 ? mapped : [name])] };
}

/** Returns the values for a base schema, which knows its derived schemas only by the mapping. */
function ofAnyKind({ propertyName, mapping }: Record<string, unknown>): JsonSchema {
  const kinds = isObject(mapping) ? Object.keys(mapping) : [];
  return typeof propertyName === 'string' && kinds.length > 0 ? valuesFor(propertyName, kinds) : {};
}

const valuesFor = (name: string, values: string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries([[name, { type: 'string', enum: values }]]),
  required: [name],
});

const nameOf = (reference: string): string =>
  reference
    .slice(reference.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

/** Checks whether a mapping entry means this schema: by its reference or by its name alone. */
const leadsTo = (mapped: unknown, reference: string, name: string): boolean => mapped === reference || mapped === name;
