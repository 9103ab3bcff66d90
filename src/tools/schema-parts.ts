/** Reads the model of a schema: the schemas it combines, and those it declares for one parameter. */
import type { JsonSchema } from '../model/json-schema.js';
import { schemaModel, type SchemaModel } from '../model/schema-model.js';
import { cutText } from '../base/cut-text.js';
import { isObject, own } from '../base/objects.js';
import { testPattern } from '../base/patterns.js';

/** Returns all schemas that may apply to a value: the models, the members of their unions, and their conditional branches, each once. */
export function partsOf(models: readonly SchemaModel[]): SchemaModel[] {
  const parts = new Set(models);
  // A `Set` also visits the parts that are added during the loop.
  for (const { anyOf = [], branches = [] } of parts) for (const part of [...anyOf, ...branches]) parts.add(part);
  return [...parts];
}

/** Returns the schemas for the arguments of a tool as a whole. */
export const rootParts = (root: JsonSchema): SchemaModel[] => partsOf([schemaModel(root)]);

/** Returns the schemas that the parts declare for a property name, or for an index of a list (a number); none if it is unknown. */
export function partsAt(parts: readonly SchemaModel[], key: string | number): SchemaModel[] {
  const declared = parts.map(({ properties = {}, patternProperties = {}, additionalProperties, prefixItems = [], items }) => {
    if (typeof key === 'number') return [prefixItems[key] ?? items];
    const patterns = Object.keys(patternProperties).filter((pattern) => matches(pattern, key));
    const named = [own(properties, key) as SchemaModel | undefined, ...patterns.map((pattern) => patternProperties[pattern])];
    return named.some((one) => one) || typeof additionalProperties !== 'object' ? named : [additionalProperties];
  });
  return partsOf(declared.flat().filter((one) => one !== undefined));
}

/** Returns the values that a schema lists, also as a union of constants; none if it accepts others. */
export function valuesOf({ type, enum: values, nullable, anyOf = [] }: SchemaModel, seen = new Set<SchemaModel>()): unknown[] {
  const unseen = anyOf.filter((member) => !seen.has(member) && seen.add(member));
  const lists = values ? [values] : type === 'null' ? [[null]] : unseen.map((member) => valuesOf(member, seen));
  const all = lists.every((list) => list.length > 0) ? lists.flat() : [];
  return nullable && all.length > 0 ? [...all, null] : all;
}

/** Returns a text keyword of the first part that has one. */
export function textOf(parts: readonly SchemaModel[], keyword: string): string | undefined {
  return parts.map((part) => part[keyword]).find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

/**
 * Returns the labels of these parameters: `x-label`, else `title`, wherever the schema declares them; `undefined` if there is none. If two
 * labels are equal, the names are appended.
 */
export function labelsIn(root: JsonSchema, names: readonly string[]): ReadonlyMap<string, string | undefined> {
  const parts = rootParts(root);
  const labels = names.map((name) => {
    const declared = partsAt(parts, name);
    return textOf(declared, 'x-label') ?? textOf(declared, 'title');
  });
  const seen = labels.map((label, at) => (label ?? names[at])?.trim().toLowerCase());
  const isTwin = (at: number) => seen.indexOf(seen[at]) !== seen.lastIndexOf(seen[at]);
  return new Map(names.map((name, at) => [name, labels[at] && isTwin(at) ? `${cutText(labels[at], 100)} (${name})` : labels[at]]));
}

/**
 * Checks whether a text matches a schema's `pattern`; an invalid pattern never matches. A text that is too long to test counts as a match
 * here, and validation refuses it later.
 */
export function matches(pattern: unknown, text: string): boolean {
  const found = testPattern(String(pattern), text);
  return found === true || found === 'too-long';
}

const wrappers = ['arguments', 'parameters', 'args', 'input'];

/**
 * Returns the arguments that a model meant to send. Many models send every declared parameter, with null for those they leave out, and some
 * wrap all of them in another object.
 */
export function givenArguments(args: Record<string, unknown>, root: JsonSchema): Record<string, unknown> {
  const parts = rootParts(root);
  const [name = '', ...more] = Object.keys(args);
  const inner = own(args, name);
  const isWrapper = more.length === 0 && wrappers.includes(name) && isObject(inner) && partsAt(parts, name).length === 0;
  const given = isWrapper && parts.some(({ properties }) => properties) ? inner : args;
  const left = Object.entries(given).filter(([key, value]) => value !== null || !isOptionalAndNoNull(key, parts));
  return left.length === Object.keys(given).length ? given : Object.fromEntries(left);
}

function isOptionalAndNoNull(name: string, parts: readonly SchemaModel[]): boolean {
  if (parts.some(({ required = [] }) => required.includes(name))) return false;
  const declared = partsAt(parts, name);
  const takesNull = ({ type, nullable, enum: values = [] }: SchemaModel) => nullable || type === 'null' || values.includes(null);
  return declared.some(({ type, enum: values }) => type !== undefined || values) && !declared.some(takesNull);
}

/** Returns a name that the schema does not declare; `undefined` if it is open to others (`additionalProperties`, `patternProperties`). */
export function unknownParameter(root: JsonSchema, args: object): string | undefined {
  const parts = rootParts(root);
  const open = parts.some(
    ({ additionalProperties: more = false, patternProperties, unevaluatedProperties }) =>
      more !== false || patternProperties || unevaluatedProperties === true,
  );
  return open ? undefined : Object.keys(args).find((name) => !parts.some(({ properties = {} }) => Object.hasOwn(properties, name)));
}
