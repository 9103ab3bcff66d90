/**
 * The part of a schema that models and services get: a finite tree of plain data, cut where a schema contains itself. It is made once,
 * breadth first, so that no parameter uses up the allowance of the others. Readers of the tree need no limits of their own.
 */
import { allowanceOfTool, createAllowance, isSpent, nodesFor, sizeOf, spend, type Allowance } from '../base/allowance.js';
import type { JsonSchema } from './json-schema.js';
import { readerOf, type SchemaModel } from './schema-model.js';

/** Maximum depth. Below it, only the type of a schema is kept. */
const MAX_DEPTH = 100;

/** Keywords with text and limits that are kept. */
const TEXTS = ['title', 'description', 'format', 'pattern', 'enum', 'default', 'examples'] as const;
const NUMBERS = [
  ...(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const),
  ...(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const),
];

type PromptSchema = { -readonly [Key in keyof SchemaModel]: SchemaModel[Key] } & { properties?: Record<string, SchemaModel> };

interface Place {
  from: SchemaModel;
  to: PromptSchema;
  depth: number;
  above?: Place;
}

const trees = new WeakMap<JsonSchema, SchemaModel>();

/**
 * Returns the tree of a schema, made once.
 * @param whole allowance shared by all schemas of one request
 */
export function promptSchema(root: JsonSchema, whole = createAllowance()): SchemaModel {
  let tree = trees.get(root);
  if (tree) return tree;
  const reader = readerOf(root);
  const before = reader.left.nodes;
  tree = isSpent(whole) ? {} : grow(reader.read(root), allowanceOfTool(whole, nodesFor(root)));
  spend(whole, before - reader.left.nodes);
  if (!isSpent(whole)) trees.set(root, tree);
  return tree;
}

function grow(root: SchemaModel, left: Allowance): SchemaModel {
  const places: Place[] = [];
  const place = (from: SchemaModel, above?: Place): SchemaModel => {
    const to = withoutChildren(from, left);
    places.push({ from, to, depth: above ? above.depth + 1 : 0, ...(above && { above }) });
    return to;
  };
  const whole = place(root);
  for (const at of places) if (at.depth < MAX_DEPTH && !contains(at.above, at.from)) addChildren(at, left, (child) => place(child, at));
  return whole;
}

function contains(place: Place | undefined, model: SchemaModel): boolean {
  for (let at = place; at; at = at.above) if (at.from === model) return true;
  return false;
}

interface Bare {
  schema: PromptSchema;
  size: number;
}

/** Cached, because most nodes of a tree refer to the same few models. */
const bare = new WeakMap<SchemaModel, Bare>();

function withoutChildren(from: SchemaModel, left: Allowance): PromptSchema {
  let known = bare.get(from);
  if (!known) bare.set(from, (known = strip(from)));
  const { schema, size } = known;
  if (spend(left, 0, size)) return { ...schema };
  return from.type === undefined ? {} : { type: from.type };
}

function strip(from: SchemaModel): Bare {
  const schema: Record<string, unknown> = {};
  let size = 0;
  for (const key of ['type', 'nullable', 'uniqueItems']) if (from[key] !== undefined) schema[key] = from[key];
  for (const key of NUMBERS) if (typeof from[key] === 'number') schema[key] = from[key];
  for (const key of TEXTS)
    if (from[key] !== undefined) {
      schema[key] = from[key];
      size += sizeOf(from[key]);
    }
  return { schema, size };
}

const affordable = (models: readonly SchemaModel[], left: Allowance) => models.filter(() => spend(left, 1));

function addChildren({ from, to }: Place, left: Allowance, place: (child: SchemaModel) => SchemaModel): void {
  if (from.properties) {
    const properties: [string, SchemaModel][] = [];
    for (const [name, child] of Object.entries(from.properties)) {
      if (!spend(left, 1, name.length)) break;
      properties.push([name, place(child)]);
    }
    to.properties = Object.fromEntries(properties);
    const omitted = Object.keys(from.properties).length - properties.length;
    if (omitted > 0) to['omitted'] = omitted;
    const names = new Set(properties.map(([name]) => name));
    if (from.required) to.required = from.required.filter((name) => names.has(name));
  } else if (from.required) to.required = from.required.slice(0, 1000);
  if (from.items && spend(left, 1)) to.items = place(from.items);
  if (from.prefixItems) to.prefixItems = affordable(from.prefixItems, left).map(place);
  const [named, ...others] = Object.entries(from.patternProperties ?? {});
  if (from.propertyNames && spend(left, 1)) to.propertyNames = place(from.propertyNames);
  // A single pattern means that the caller chooses the names, as with `additionalProperties`.
  if (named && others.length === 0 && !from.properties && spend(left, 1, named[0].length)) {
    to.propertyNames ??= { pattern: named[0] };
    to.additionalProperties = place(named[1]);
  } else if (from.additionalProperties === false) to.additionalProperties = false;
  else if (typeof from.additionalProperties === 'object' && spend(left, 1)) to.additionalProperties = place(from.additionalProperties);
  const members = affordable(from.anyOf ?? [], left).map(place);
  if (members.length > 1) to.anyOf = members;
}

/** Returns the first member of a union, merged with the keywords outside the union. */
export function firstOf(model: SchemaModel): SchemaModel {
  const [first] = model.anyOf ?? [];
  if (!first) return model;
  const { anyOf: _, ...rest } = model;
  return firstOf({
    ...{ ...rest, ...first },
    ...((rest.properties ?? first.properties) && { properties: { ...rest.properties, ...first.properties } }),
    ...((rest.required ?? first.required) && { required: [...new Set([...(rest.required ?? []), ...(first.required ?? [])])] }),
  });
}

/** Merges a union of objects into one object: it has the properties of all members and requires what every member requires. */
export function oneObject(model: SchemaModel): SchemaModel {
  const { anyOf, ...rest } = model;
  if (!anyOf) return model;
  const members = anyOf.map(oneObject);
  const known = new Map<string, SchemaModel[]>();
  const demands = new Map<string, number>();
  for (const { properties = {}, required = [] } of members) {
    for (const [name, schema] of Object.entries(properties))
      known
        .set(name, known.get(name) ?? [])
        .get(name)
        ?.push(schema);
    for (const name of new Set(required)) demands.set(name, (demands.get(name) ?? 0) + 1);
  }
  const shared = [...known].map(([name, schemas]) => [name, anyOfThese(schemas)]);
  const demanded = [...demands].flatMap(([name, times]) => (times === members.length ? [name] : []));
  return {
    ...rest,
    properties: { ...(Object.fromEntries(shared) as object), ...rest.properties },
    required: [...new Set([...(rest.required ?? []), ...demanded])],
  };
}

function anyOfThese(schemas: SchemaModel[]): SchemaModel {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only = {}] = distinct;
  if (distinct.length === 1) return only;
  const lists = distinct.map((schema) => schema.enum);
  return lists.every((list) => list !== undefined) ? { ...only, enum: [...new Set(lists.flat())] } : { anyOf: distinct };
}
