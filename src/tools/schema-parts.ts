/** Looks inside the model of a schema: what it is combined of, and what it declares for one parameter. */
import type { JsonSchema } from '../model/json-schema.js';
import { schemaModel, type SchemaModel } from '../model/schema-model.js';
import { cutText } from '../base/cut-text.js';
import { isObject, own } from '../base/objects.js';
import { testPattern } from '../base/patterns.js';

/** What may be said of a value: the models, the members of their unions, and what depends on a condition, each once. */
export function partsOf(models: readonly SchemaModel[]): SchemaModel[] {
  const parts = new Set(models);
  // What is added meanwhile is visited, too.
  for (const { anyOf = [], branches = [] } of parts) for (const part of [...anyOf, ...branches]) parts.add(part);
  return [...parts];
}

/** What is declared for the arguments of a tool as a whole. */
export const rootParts = (root: JsonSchema): SchemaModel[] => partsOf([schemaModel(root)]);

/** What the parts declare for a name of an object, or for a place in a list (a number); none where it is unknown. */
export function partsAt(parts: readonly SchemaModel[], key: string | number): SchemaModel[] {
  const declared = parts.map(({ properties = {}, patternProperties = {}, additionalProperties, prefixItems = [], items }) => {
    if (typeof key === 'number') return [prefixItems[key] ?? items];
    const patterns = Object.keys(patternProperties).filter((pattern) => matches(pattern, key));
    const named = [own(properties, key) as SchemaModel | undefined, ...patterns.map((pattern) => patternProperties[pattern])];
    return named.some((one) => one) || typeof additionalProperties !== 'object' ? named : [additionalProperties];
  });
  return partsOf(declared.flat().filter((one) => one !== undefined));
}

/** The values that a schema names one by one, also as a union of constants; none where it takes others. */
export function valuesOf({ type, enum: values, nullable, anyOf = [] }: SchemaModel, seen = new Set<SchemaModel>()): unknown[] {
  const unseen = anyOf.filter((member) => !seen.has(member) && seen.add(member));
  const lists = values ? [values] : type === 'null' ? [[null]] : unseen.map((member) => valuesOf(member, seen));
  const all = lists.every((list) => list.length > 0) ? lists.flat() : [];
  return nullable && all.length > 0 ? [...all, null] : all;
}

/** A keyword that is a text, of the first part that has one. */
export function textOf(parts: readonly SchemaModel[], keyword: string): string | undefined {
  return parts.map((part) => part[keyword]).find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

/**
 * What people call these parameters: `x-label`, else `title`, wherever the schema keeps it; undefined where it says nothing. Two of one
 * label have their names behind it.
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

/** Whether a `pattern` of a schema is in the text; not, where it is no pattern. One too long to be tried is refused later, as it stands. */
export function matches(pattern: unknown, text: string): boolean {
  const found = testPattern(String(pattern), text);
  return found === true || found === 'too-long';
}

const wrappers = ['arguments', 'parameters', 'args', 'input'];

/**
 * The arguments that a model meant to give. Many send every declared parameter, with null for those that they do not give, and some put all of
 * them into one more object.
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

/** A name that the schema does not know, unless it is open to others (`additionalProperties`, `patternProperties`). */
export function unknownParameter(root: JsonSchema, args: object): string | undefined {
  const parts = rootParts(root);
  const open = parts.some(
    ({ additionalProperties: more = false, patternProperties, unevaluatedProperties }) =>
      more !== false || patternProperties || unevaluatedProperties === true,
  );
  return open ? undefined : Object.keys(args).find((name) => !parts.some(({ properties = {} }) => Object.hasOwn(properties, name)));
}
