/**
 * A schema of OpenAPI 3.0 or 3.1 as a small JSON Schema (draft 2020-12) without references: what a model has to read, and no more. The
 * service checks for itself; what is left out here is open.
 */
import { type Allowance, createAllowance, isSpent, spend } from '../base/allowance.js';
import { followReference, type JsonSchema } from '../model/json-schema.js';
import { isObject, own } from '../base/objects.js';
import { oneSentence } from '../tools/foreign-tools.js';

/** Levels that are told; what is deeper is said to be an object, a list … and no more. */
const DEPTH = 4;
/** Schemas in one tool, all levels together. */
const NODES = 150;
/** Parts of schemas that may be looked at for one tool. */
export const PARTS_OF_TOOL = 20_000;
/** References in a row. */
const HOPS = 20;
const CHOICES = 100;
/** JSON Schema has seven. */
const TYPES = 8;
const VARIANTS = 8;
const DESCRIPTION_CHARS = 160;

/** Only formats that services mean as they are written. */
const FORMATS: readonly unknown[] = ['date', 'date-time', 'email', 'uuid'];
const NUMBERS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'multipleOf'] as const;

/**
 * Follows `$ref`, its own words over those of the target. Undefined if it leads nowhere, out of the document, or in a circle, or if the allowance
 * does not suffice.
 */
export function resolve(node: unknown, document: JsonSchema, left: Allowance): Record<string, unknown> | undefined {
  let found = node;
  let words: Record<string, unknown> = {};
  for (let hop = 0; hop < HOPS; hop += 1) {
    if (!isObject(found) || !spend(left, 1)) return undefined;
    const reference = own(found, '$ref');
    if (typeof reference !== 'string') return Object.keys(words).length > 0 ? joined(found, words, left) : found;
    const { $ref: _, ...beside } = found;
    const more = joined(beside, words, left);
    if (!more) return undefined;
    words = more;
    found = followReference(reference, document);
  }
  return undefined;
}

/** The keys of both, the second's over the first's. */
function joined(one: JsonSchema, other: JsonSchema, left: Allowance): JsonSchema | undefined {
  return spend(left, Object.keys(one).length + Object.keys(other).length) ? { ...one, ...other } : undefined;
}

export interface SchemaReader {
  read(schema: unknown): JsonSchema;
  /** `allOf` put together and references followed, of one level only. */
  whole(schema: unknown): JsonSchema;
}

/** Schemas without their children. Tools of one document share them: most are made of the same schemas. */
export type Outlines = WeakMap<JsonSchema, JsonSchema>;

/** For one tool. What it gives says too little where the allowance did not suffice (`isSpent`). */
export function schemaReader(
  document: JsonSchema,
  left = createAllowance(PARTS_OF_TOOL),
  outlines: Outlines = new WeakMap(),
): SchemaReader {
  const open = new Set<string>();
  /** Schemas whose parts are being put together: they may be made of each other. */
  const joining = new Set<JsonSchema>();
  let nodes = 0;

  function read(schema: unknown, depth = 0): JsonSchema {
    nodes += 1;
    const reference = own(schema, '$ref');
    if (typeof reference !== 'string') return readWhole(schema, depth);
    if (open.has(reference)) return outline(whole(schema));
    open.add(reference);
    try {
      return readWhole(schema, depth);
    } finally {
      open.delete(reference);
    }
  }

  function readWhole(schema: unknown, depth: number): JsonSchema {
    const node = whole(schema);
    const outlined = outline(node);
    if (depth >= DEPTH || nodes > NODES) return outlined;
    const found: JsonSchema = { ...outlined, ...limits(node) };
    const properties = own(node, 'properties');
    if (isObject(properties) && spend(left, Object.keys(properties).length + listOf(own(node, 'required')).length)) {
      const kept = Object.entries(properties).filter(
        ([name, property]) => name !== '__proto__' && own(whole(property), 'readOnly') !== true,
      );
      found['properties'] = Object.fromEntries(kept.map(([name, property]) => [name, read(property, depth + 1)]));
      const names = new Set<unknown>(kept.map(([name]) => name));
      const required = listOf(own(node, 'required')).filter((name) => names.has(name));
      if (required.length > 0) found['required'] = required;
      found['type'] ??= 'object';
    }
    const items = own(node, 'items');
    if (isObject(items)) found['items'] = read(items, depth + 1);
    const more = own(node, 'additionalProperties');
    if (more === false) found['additionalProperties'] = false;
    else if (isObject(more) && Object.keys(more).length > 0) found['additionalProperties'] = read(more, depth + 1);
    return withVariants(found, node, depth);
  }

  /** Which of several a value is, a service decides: descriptions say "one of" of what overlaps. */
  function withVariants(found: JsonSchema, node: JsonSchema, depth: number): JsonSchema {
    const given = own(node, 'oneOf') ?? own(node, 'anyOf');
    if (!Array.isArray(given) || given.length > VARIANTS) return found;
    const isNull = (member: unknown) => own(member, 'type') === 'null';
    const members = given.filter((member) => !isNull(member)).map((member) => read(member, depth + 1));
    const withNull = given.some(isNull);
    const [only] = members;
    if (only && members.length === 1) return nullable({ ...only, ...found }, withNull);
    // One that takes everything makes the others idle.
    if (members.length === 0 || members.some((member) => Object.keys(member).every((key) => key === 'description'))) return found;
    return { ...found, anyOf: [...members, ...(withNull ? [{ type: 'null' }] : [])] };
  }

  function whole(schema: unknown): JsonSchema {
    const node = resolve(schema, document, left) ?? {};
    const parts = own(node, 'allOf');
    if (!Array.isArray(parts) || joining.has(node) || isSpent(left)) return node;
    joining.add(node);
    const { allOf: _, ...rest } = node;
    let merged: JsonSchema = rest;
    for (const part of parts as unknown[]) merged = merge(merged, whole(part), left) ?? merged;
    joining.delete(node);
    return merged;
  }

  function outline(node: JsonSchema): JsonSchema {
    const known = outlines.get(node) ?? newOutline(node);
    outlines.set(node, known);
    return known;
  }

  function newOutline(node: JsonSchema): JsonSchema {
    const found: JsonSchema = {};
    const type = own(node, 'type') ?? [];
    const types = (Array.isArray(type) ? (type as unknown[]).slice(0, TYPES) : [type]).filter((one) => typeof one === 'string');
    if (types.length > 0) found['type'] = types.length === 1 ? types[0] : types;
    const words = own(node, 'description') ?? own(node, 'title');
    const description =
      typeof words === 'string' && spend(left, 1 + Math.min(words.length, 2000) / 100) && oneSentence(words, DESCRIPTION_CHARS);
    if (description) found['description'] = description;
    const values = own(node, 'enum') ?? (Object.hasOwn(node, 'const') ? [node['const']] : undefined);
    // Compared as they stand; what is no plain value is not compared.
    if (Array.isArray(values) && values.length > 0 && values.length <= CHOICES && values.every(isScalar)) found['enum'] = values;
    return nullable(found, own(node, 'nullable') === true);
  }

  return { read: (schema) => read(schema), whole };
}

function merge(one: JsonSchema, other: JsonSchema, left: Allowance): JsonSchema | undefined {
  const merged = joined(other, one, left);
  if (!merged) return undefined;
  const [ours, theirs] = [own(one, 'properties'), own(other, 'properties')];
  if (isObject(ours) && isObject(theirs)) merged['properties'] = joined(theirs, ours, left);
  const lists = [listOf(own(one, 'required')), listOf(own(other, 'required'))].flat();
  if (lists.length > 0 && spend(left, lists.length)) merged['required'] = [...new Set(lists)];
  return merged;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function nullable(schema: JsonSchema, isNullable: boolean): JsonSchema {
  const { type, enum: values } = schema;
  if (!isNullable || type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'))) return schema;
  const more = Array.isArray(values) && !values.includes(null) ? { enum: [...(values as unknown[]), null] } : {};
  return { ...schema, type: [...[type].flat(), 'null'], ...more };
}

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

function limits(node: JsonSchema): JsonSchema {
  const found: JsonSchema = {};
  for (const key of NUMBERS) if (typeof own(node, key) === 'number') found[key] = node[key];
  for (const [bound, exclusive] of [['minimum', 'exclusiveMinimum'] as const, ['maximum', 'exclusiveMaximum'] as const]) {
    const [value, mark] = [own(node, bound), own(node, exclusive)];
    if (typeof mark === 'number') found[exclusive] = mark;
    // 3.0 marks the bound itself.
    if (typeof value === 'number') found[mark === true ? exclusive : bound] = value;
  }
  if (FORMATS.includes(own(node, 'format'))) found['format'] = node['format'];
  const pattern = own(node, 'pattern');
  if (typeof pattern === 'string' && pattern.length <= 200) found['pattern'] = pattern;
  const standard = own(node, 'default');
  if (isScalar(standard)) found['default'] = standard;
  return found;
}
