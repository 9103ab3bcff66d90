/**
 * A small, uniform model of a JSON Schema from any source. It merges `$ref`, `allOf`, `const`, `nullable`, lists of types and unions of
 * one, and what older drafts and OpenAPI 3.0 write differently, once and within one allowance. All readers but the validator use it.
 */
import { createAllowance, isSpent, nodesFor, spend, type Allowance } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import { followReference, type JsonSchema } from './json-schema.js';

/** A JSON Schema reduced to a few keywords. Other keywords, such as limits and titles, are kept as written. */
export interface SchemaModel {
  /** The only type. Several types become members of `anyOf`. */
  readonly type?: string;
  /** True if null is allowed. `type` and `enum` never list it otherwise. */
  readonly nullable?: true;
  /** The allowed values. A `const` becomes a list of one. */
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaModel>>;
  readonly required?: readonly string[];
  readonly items?: SchemaModel;
  readonly prefixItems?: readonly SchemaModel[];
  readonly additionalProperties?: SchemaModel | boolean;
  /** The schema of the keys. */
  readonly propertyNames?: SchemaModel;
  readonly patternProperties?: Readonly<Record<string, SchemaModel>>;
  /** At least two members. Each applies in addition to the rest of the model. */
  readonly anyOf?: readonly SchemaModel[];
  /** The schemas of `then` and `else`, without their conditions. */
  readonly branches?: readonly SchemaModel[];
  readonly [keyword: string]: unknown;
}

/** The merged keywords of one schema. Its children are schemas as they were written. */
type Level = Record<string, unknown>;

/** Maximum depth of nested references and combinations. */
const HOPS = 100;
/** Maximum number of nodes read of one schema, however often prompts render it. */
const NODES = 50_000;
/** Maximum number of types in a list. JSON Schema has seven. */
const MOST_TYPES = 16;

/** Keywords that are not copied to the members when a list of types is split: they do not depend on the type. */
const WORDS = new Set(['title', 'description', 'default', 'examples', 'enum', 'nullable', 'readOnly', 'x-label']);
const MAPS = ['properties', 'patternProperties'] as const;
const LISTS = ['anyOf', 'prefixItems', 'branches'] as const;
const CHILDREN = ['items', 'additionalProperties', 'propertyNames'] as const;
const WITH_SCHEMAS = [...MAPS, ...CHILDREN];

export interface SchemaReader {
  /** Reads children lazily. A schema that contains itself becomes a model that contains itself. */
  read(schema: unknown): SchemaModel;
  /** The allowance that reading spends. */
  left: Allowance;
}

/**
 * @param root the document that references are resolved in
 * @param expand rewrites keywords that are not part of JSON Schema into those that are
 */
export function schemaReader(root: JsonSchema, left = createAllowance(NODES), expand = (schema: JsonSchema) => schema): SchemaReader {
  const levels = new WeakMap<object, Level>();
  const models = new WeakMap<Level, SchemaModel>();
  /** Schemas that are being merged: they may refer to each other. */
  const open = new Set<object>();
  /** Open schemas that were reached again meanwhile. Levels read until they are done are incomplete and are not cached. */
  const cut = new Set<object>();
  const reader: SchemaReader = { left, read: (schema: unknown) => modelOf(levelOf(schema)) };

  function levelOf(schema: unknown): Level {
    if (!isObject(schema) || open.size >= HOPS) return {};
    if (open.has(schema)) cut.add(schema);
    const known = open.has(schema) ? {} : levels.get(schema);
    if (known) return known;
    if (!spend(reader.left, 1 + costOfKeys(Object.keys(schema).length))) return {};
    open.add(schema);
    const level = combine(schema);
    open.delete(schema);
    cut.delete(schema);
    if (cut.size === 0 && !isSpent(reader.left)) levels.set(schema, level);
    return level;
  }

  function combine(schema: JsonSchema): Level {
    const { $ref, allOf, anyOf, oneOf, ...rest } = expand(schema);
    if (($ref ?? allOf ?? anyOf ?? oneOf) === undefined) return plain(rest);
    const parts = [typeof $ref === 'string' ? followReference($ref, root) : [], listOf(allOf)].flat();
    const union = [listOf(anyOf), listOf(oneOf)].flat();
    const members = union.filter((member) => levelOf(member)['type'] !== 'null');
    const [only] = [...parts, ...members];
    // A schema that only refers to another one is that one. This keeps the identity of a recursive reference.
    if (parts.length + union.length === 1 && only !== undefined && Object.keys(rest).length === 0) return levelOf(only);
    let level = plain(rest);
    for (const part of parts) level = join(level, levelOf(part), reader.left);
    if (members.length < union.length) level = withNull(level);
    if (members.length === 1) level = join(level, levelOf(members[0]), reader.left);
    return members.length > 1 ? join({ anyOf: members }, level, reader.left) : level;
  }

  /** Defines a lazy property. Does not cache a value that was read after the allowance ran out: it is incomplete. */
  function lazily(target: object, key: string, make: () => unknown): void {
    const define = (more: PropertyDescriptor) => Object.defineProperty(target, key, { enumerable: true, configurable: true, ...more });
    define({
      get() {
        const value = make();
        if (!isSpent(reader.left)) define({ value });
        return value;
      },
    });
  }

  function modelOf(level: Level): SchemaModel {
    let model = models.get(level);
    if (model) return model;
    model = agreeing(level);
    models.set(level, model);
    for (const key of MAPS)
      if (isObject(level[key]))
        lazily(model, key, () =>
          Object.fromEntries(Object.entries(level[key] as object).map(([name, child]) => [name, reader.read(child)])),
        );
    for (const key of LISTS) if (model[key]) lazily(model, key, () => (level[key] as unknown[]).map(reader.read));
    for (const key of CHILDREN) if (isObject(level[key])) lazily(model, key, () => reader.read(level[key]));
    if (!level['type'] && !level['enum'] && !level['anyOf']) {
      const isMap = isObject(level['properties']) || isObject(level['additionalProperties']);
      const type = isMap ? 'object' : level['items'] || level['prefixItems'] ? 'array' : undefined;
      if (type) Object.assign(model, { type });
    }
    return model;
  }

  return reader;
}

/** Returns a model whose `enum` has only values of its type. Null needs neither values nor a union. */
function agreeing({ ...level }: Level): SchemaModel {
  const { type, enum: values } = level;
  if (type === 'null') {
    delete level['nullable'];
    delete level['enum'];
    delete level['anyOf'];
  } else if (type && values) {
    const fitting = (values as unknown[]).filter((value) => hasType(value, type as string));
    if (fitting.length > 0) level['enum'] = fitting;
  }
  return level;
}

/** Normalizes the keywords of a schema other than `$ref`, `allOf`, `anyOf` and `oneOf`. */
function plain(schema: JsonSchema): Level {
  const { type, const: only, enum: values, nullable, items, prefixItems, additionalItems, properties, required, ...more } = schema;
  const { then, else: otherwise, branches: _, ...level } = more as Level;
  const types = listOf(type ?? [])
    .slice(0, MOST_TYPES)
    .filter((one) => typeof one === 'string');
  const others = types.length === 1 && types[0] !== 'null' ? types : types.filter((one, at) => one !== 'null' && types.indexOf(one) === at);
  const mayBeNull = nullable === true || (others.length > 0 && types.includes('null'));
  for (const key of WITH_SCHEMAS) if (key in level && !isObject(level[key]) && typeof level[key] !== 'boolean') delete level[key];
  if (isObject(properties)) level['properties'] = properties;
  if (Array.isArray(required)) level['required'] = required.filter((name) => typeof name === 'string');
  // Older drafts list the first items in `items`.
  const [first, rest] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items];
  if (Array.isArray(first)) level['prefixItems'] = first;
  if (isObject(rest)) level['items'] = rest;
  const branches = [then, otherwise].filter(isObject);
  if (branches.length > 0) level['branches'] = branches;
  for (const [bound, exclusive] of [['minimum', 'exclusiveMinimum'] as const, ['maximum', 'exclusiveMaximum'] as const]) {
    // OpenAPI 3.0 has a boolean here, which makes the bound itself exclusive.
    if (typeof level[exclusive] !== 'boolean') continue;
    if (level[exclusive]) level[exclusive] = level[bound];
    else delete level[exclusive];
    if (level[exclusive] !== undefined) delete level[bound];
  }

  const listed = Object.hasOwn(schema, 'const') ? [only] : Array.isArray(values) && values.length > 0 ? (values as unknown[]) : undefined;
  if (listed) {
    const isOfType = (value: unknown) => types.length === 0 || types.some((one) => hasType(value, one as string));
    const fitting = listed.some(isOfType) ? listed.filter(isOfType) : listed;
    const named = fitting.filter((value) => value !== null);
    if (named.length === 0 || (types.length > 0 && others.length === 0)) return { ...level, type: 'null' };
    return {
      ...level,
      enum: named,
      ...(others.length === 1 && { type: others[0] }),
      ...((nullable === true || named.length < fitting.length) && { nullable: true }),
    };
  }
  if (others.length > 1) {
    const limits = Object.entries(level).filter(([keyword]) => !WORDS.has(keyword));
    level['anyOf'] = others.map((one) => ({ ...Object.fromEntries(limits), type: one }));
  } else if (types.length > 0) level['type'] = others[0] ?? 'null';
  return mayBeNull ? withNull(level) : level;
}

/** Returns the cost of copying a level. Beyond 64 keywords, each costs more: copying many keys is slower per key. */
const costOfKeys = (count: number): number => count / 16 + Math.max(0, count - 64) / 2;

const withNull = (level: Level): Level => (level['type'] === 'null' ? level : { ...level, nullable: true });

/** Merges two levels that both apply. If they conflict in a keyword that cannot be merged, the first one wins. */
function join(one: Level, other: Level, left: Allowance): Level {
  const keys = Object.keys(other);
  if (keys.length === 0) return one;
  if (!spend(left, costOfKeys(keys.length))) return one;
  const joined = { ...other, ...one };
  for (const key of MAPS) {
    const [ours, theirs] = [one[key], other[key]];
    if (!isObject(ours) || !isObject(theirs) || ours === theirs || !spend(left, Object.keys(ours).length + Object.keys(theirs).length))
      continue;
    const both = Object.entries(theirs).map(([name, schema]) => [
      name,
      own(ours, name) === undefined ? schema : all(own(ours, name), schema),
    ]);
    joined[key] = { ...ours, ...(Object.fromEntries(both) as object) };
  }
  if (one['items'] && other['items']) joined['items'] = all(one['items'], other['items']);
  for (const key of ['required', 'anyOf', 'branches']) {
    const lists = [one[key] ?? [], other[key] ?? []].flat();
    if (one[key] && other[key] && one[key] !== other[key] && spend(left, lists.length / 4)) joined[key] = [...new Set(lists)];
  }
  if (one['type'] === 'number' && other['type'] === 'integer') joined['type'] = 'integer';
  const [ours, theirs] = [one['enum'], other['enum']] as unknown[][];
  if (ours && theirs && spend(left, (ours.length + theirs.length) / 4)) {
    const shared = new Set(theirs);
    const common = ours.filter((value) => shared.has(value));
    if (common.length > 0) joined['enum'] = common;
  }
  return joined;
}

const all = (one: unknown, other: unknown): unknown =>
  one === other || !isObject(other) ? one : isObject(one) ? { allOf: [one, other] } : other;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value]);

export function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (value === null) return type === 'null';
  return type === (Array.isArray(value) ? 'array' : typeof value);
}

const known = new WeakMap<JsonSchema, SchemaReader>();

/** Returns the model of a tool's arguments. It is made once and may contain itself. */
export function schemaModel(root: JsonSchema): SchemaModel {
  return readerOf(root).read(root);
}

export function readerOf(root: JsonSchema): SchemaReader {
  let reader = known.get(root);
  if (!reader) known.set(root, (reader = schemaReader(root, createAllowance(nodesFor(root, NODES)))));
  return reader;
}
