/**
 * Converts a schema of a service to a small JSON Schema (draft 2020-12) without references, with only the parts that a model needs. The
 * service validates for itself, so omitted parts are simply not restricted.
 */
import { type Allowance, createAllowance, isSpent, spend } from '../base/allowance.js';
import { followReference, type JsonSchema } from '../model/json-schema.js';
import { hasType, type SchemaModel, schemaReader, type SchemaReader } from '../model/schema-model.js';
import { isObject, own } from '../base/objects.js';
import { patternLimit, testPattern } from '../base/pattern-tests.js';
import { schemaCheck } from '../tools/check-schema.js';
import { someSentences } from '../tools/tool-naming.js';
import { expandForeign } from './foreign-keywords.js';
import { translatePattern } from './pattern-dialects.js';

/** Maximum levels that are described. A deeper schema keeps only its outline, such as its type. */
export const DEPTH = 4;
/** Maximum number of schemas in one tool, all levels together. */
export const NODES = 150;
/** Maximum number of schema parts that are read for one tool. */
export const PARTS_OF_TOOL = 20_000;
/** Maximum number of references in a row. */
const HOPS = 20;
const CHOICES = 100;
export const VARIANTS = 8;
/** Maximum number of items that are described one by one. */
const MOST_TUPLE = 20;
const DESCRIPTION_CHARS = 240;
/** Minimum text length that a described pattern must be able to test. */
const TRIED_CHARS = 50;

/** The formats that services use correctly, each with the shortest valid text. */
const FORMATS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00Z',
  email: 'a@b.co',
  uuid: '00000000-0000-4000-8000-000000000001',
};
/** The formats whose texts all have the same length. */
const FIXED = new Set(['date', 'uuid']);
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Type names of other languages. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer', short: 'integer', float: 'number', double: 'number' },
  ...{ decimal: 'number', bool: 'boolean', str: 'string', text: 'string', char: 'string', date: 'string', datetime: 'string' },
  ...{ uuid: 'string', list: 'array', map: 'object', dict: 'object' },
};

/** Restrictions that are left out of the description, because no value or no browser could satisfy them. */
export type OmittedLimit = 'pattern' | 'limit' | 'type';

interface ConverterOptions {
  /** True to describe 64-bit integers as such: they are accepted as text, and the tool sends them exactly. */
  exact?: boolean;
  /** Recognizes a secret by its name. */
  isSecret?: (name: string, model: SchemaModel) => boolean;
  /** Called for each omitted restriction and each secret, with the path of names to it, `customer.email`. */
  relax?: (why: OmittedLimit | 'secret', path: string) => void;
}

/**
 * Resolves `$ref`; keywords next to it override those of the target. `undefined` if the target does not exist, is outside the document or
 * circular, or if the allowance is used up.
 */
export function resolve(node: unknown, document: JsonSchema, left: Allowance): Record<string, unknown> | undefined {
  let found = node;
  let words: Record<string, unknown> | undefined;
  for (let hop = 0; hop < HOPS; hop += 1) {
    if (!isObject(found) || !spend(left, 1 + (words ? Object.keys(words).length : 0))) return undefined;
    const reference = own(found, '$ref');
    // Most schemas are inline, or only a reference. These need no copy.
    if (typeof reference !== 'string') return words ? { ...found, ...words } : found;
    const { $ref: _, ...siblings } = found;
    if (words || Object.keys(siblings).length > 0) words = { ...siblings, ...words };
    found = followReference(reference, document);
  }
  return undefined;
}

/** Keywords that contain other schemas. */
const CHILDREN = ['properties', 'items', 'prefixItems', 'additionalProperties', 'patternProperties', 'propertyNames', 'anyOf'];

interface ConvertedNode {
  told: JsonSchema;
  whys: OmittedLimit[];
  /** The cost to charge for each reuse, because the shared description is written in many places. */
  cost: number;
}

interface ConvertedBody {
  told: JsonSchema;
  cost: number;
  parts: [why: OmittedLimit | 'secret', path: string][];
}

const exactBodies = new WeakMap<SchemaModel, ConvertedBody>();
const bare = new WeakMap<SchemaModel, ConvertedNode>();
const leaves = new WeakMap<SchemaModel, ConvertedNode>();
const exactLeaves = new WeakMap<SchemaModel, ConvertedNode>();

/** Creates the converter for one tool. Its descriptions are incomplete if the reader's allowance is used up (`isSpent`). */
export function createSchemaConverter(
  { left }: SchemaReader,
  { exact = false, isSecret = () => false, relax = () => undefined }: ConverterOptions = {},
): (model: SchemaModel, name?: string) => JsonSchema {
  const open = new Set<SchemaModel>();
  const path: string[] = [];
  let nodes = 0;
  let listener: ((why: OmittedLimit | 'secret') => void) | undefined;
  const relaxed = (why: OmittedLimit | 'secret') => (listener ? listener(why) : relax(why, path.join('.')));

  function tell(model: SchemaModel): JsonSchema {
    if (isSpent(left)) return {};
    nodes += 1;
    if (open.size >= DEPTH || nodes > NODES || open.has(model)) return alone(model, bare, (why) => outline(model, left, why));
    if (!CHILDREN.some((key) => model[key] !== undefined)) return alone(model, exact ? exactLeaves : leaves, (why) => leaf(model, why));
    open.add(model);
    const found = leaf(model, relaxed);
    Object.assign(found, children(model, found));
    open.delete(model);
    return withTypes(found, model.nullable);
  }

  function leaf(model: SchemaModel, say: (why: OmittedLimit) => void): JsonSchema {
    const found = outline(model, left, say);
    if (!found['enum']) Object.assign(found, limits(model, found['type'], say));
    Object.assign(found, defaultOf(model, found, left));
    if (exact && found['type'] === 'integer' && !found['enum'] && model['format'] !== 'int32') found['format'] = 'int64';
    return found;
  }

  /** Describes a model without children. Cached for all tools, because most in a large document use the same few. */
  function alone(
    model: SchemaModel,
    known: WeakMap<SchemaModel, ConvertedNode>,
    make: (say: (why: OmittedLimit) => void) => JsonSchema,
  ): JsonSchema {
    let found = known.get(model);
    if (!found) {
      const whys: OmittedLimit[] = [];
      const before = left.nodes;
      const told = make((why) => void whys.push(why));
      found = { told: withTypes(told, model.nullable), whys, cost: before - left.nodes };
      if (!isSpent(left)) known.set(model, found);
    } else if (!spend(left, found.cost)) return {};
    found.whys.forEach(relaxed);
    return found.told;
  }

  function tellAt(name: string, model: SchemaModel): JsonSchema {
    path.push(name);
    if (isSecret(name, model)) relaxed('secret');
    const found = tell(model);
    path.pop();
    return found;
  }

  function children(model: SchemaModel, { description }: JsonSchema): JsonSchema {
    const { properties, required = [], items, prefixItems = [], anyOf = [] } = model;
    const found: JsonSchema = {};
    const names = properties && Object.keys(properties);
    if (names && spend(left, costOf(names) + required.length)) {
      const told: Record<string, JsonSchema> = {};
      for (const name of names)
        if (name !== '__proto__' && properties[name]!['readOnly'] !== true) told[name] = tellAt(name, properties[name]!);
      found['properties'] = told;
      const needed = required.filter((name) => Object.hasOwn(told, name));
      if (needed.length > 0) found['required'] = needed;
    }
    // The items after a tuple may be different, so a tuple that is too long leaves all of them open.
    const isTuple = prefixItems.length > 0 && prefixItems.length <= MOST_TUPLE && spend(left, prefixItems.length);
    if (isTuple) found['prefixItems'] = prefixItems.map(tell);
    if (items && (isTuple || prefixItems.length === 0)) found['items'] = tell(items);
    Object.assign(found, otherNames(model, properties !== undefined));
    // Use `anyOf`: documents often say "one of" for schemas that overlap, and the service decides.
    const members = anyOf.slice(0, VARIANTS).map(tell);
    // A member that accepts everything makes the others useless.
    if (members.length === 0 || members.some((member) => Object.keys(member).every((key) => key === 'description'))) return found;
    if (openClosed(found, members)) relaxed('limit');
    requireInMembers(
      required.filter((name) => own(properties, name) === undefined),
      members,
    );
    const more = anyOf.slice(VARIANTS);
    if (more.length === 0) return { ...found, anyOf: members };
    const words = `and ${String(more.length)} more kinds, which are not described`;
    return { ...found, description: description ? `${String(description)} (${words})` : words, anyOf: [...members, remaining(more)] };
  }

  /** Returns the keywords for further names; none if any are allowed. */
  function otherNames({ additionalProperties: more, patternProperties = {}, propertyNames }: SchemaModel, isNamed: boolean): JsonSchema {
    const names = propertyNames && !isNamed ? { propertyNames: tell(propertyNames) } : {};
    const [first, ...rest] = Object.entries(patternProperties);
    if (first) {
      if (rest.length > 0 || !(more === false || (more === undefined && !isNamed))) return names;
      const values = tell(first[1]);
      const { pattern } = tell({ pattern: first[0] });
      if (pattern === undefined || isNamed) return { ...names, additionalProperties: values };
      return more === false
        ? { propertyNames: { pattern }, ...names, additionalProperties: values }
        : { ...names, patternProperties: Object.fromEntries([[pattern, values]]) };
    }
    if (typeof more === 'object' && Object.keys(more).length > 0) return { ...names, additionalProperties: tell(more) };
    return more === false ? { additionalProperties: false } : names;
  }

  /** Summarizes the union members that are not described individually: by their discriminating property, if there is one. */
  function remaining(models: readonly SchemaModel[]): JsonSchema {
    const [first = {}] = models;
    const named = Object.keys(first.properties ?? {}).slice(0, CHOICES);
    const valuesIn = (name: string) => models.map((model) => model.properties?.[name]?.enum);
    const by =
      spend(left, models.length * (1 + named.length)) && named.find((name) => valuesIn(name).every((values) => values?.every(isScalar)));
    if (by) return { type: 'object', properties: Object.fromEntries([[by, { enum: [...new Set(valuesIn(by).flat())] }]]), required: [by] };
    const types = new Set(models.map(({ type }) => type));
    return types.size === 1 && first.type !== undefined && TYPES.includes(first.type) ? { type: first.type } : {};
  }

  /** Describes a request body. Cached, because bodies are the largest part of a document and many operations share them. */
  function tellBody(model: SchemaModel): JsonSchema {
    let body = exact ? exactBodies.get(model) : undefined;
    if (!body) {
      const before = nodes;
      const had = left.nodes;
      body = { told: {}, parts: [], cost: 0 };
      const told = body;
      listener = (why) => void told.parts.push([why, path.join('.')]);
      nodes = 0;
      body.told = tell(model);
      nodes = before;
      listener = undefined;
      body.cost = had - left.nodes;
      if (exact && !isSpent(left)) exactBodies.set(model, body);
    } else if (!spend(left, body.cost)) return {};
    for (const [why, at] of body.parts) relax(why, at);
    return body.told;
  }

  return (model, name) => (name === undefined ? tellBody(model) : tellAt(name, model));
}

/**
 * Removes `additionalProperties: false` where it would contradict a union: a closed object with a union of further names, or a closed
 * member that lacks the names of the object, accepts nothing.
 */
function openClosed(found: JsonSchema, members: JsonSchema[]): boolean {
  const namesOf = ({ properties }: JsonSchema) => Object.keys(properties ?? {});
  const knows = ({ properties }: JsonSchema, name: string) => own(properties, name) !== undefined;
  const closed = members.filter(
    (member) => member['additionalProperties'] === false && namesOf(found).some((name) => !knows(member, name)),
  );
  for (const member of closed) delete member['additionalProperties'];
  const isShut = found['additionalProperties'] === false && members.some((member) => namesOf(member).some((name) => !knows(found, name)));
  if (isShut) delete found['additionalProperties'];
  return isShut || closed.length > 0;
}

/** Requires names in the members of a union that have them, if the object beside the union requires them and does not have them itself. */
function requireInMembers(names: readonly string[], members: JsonSchema[]): void {
  for (const member of members) {
    const known = names.filter((name) => own(member['properties'], name) !== undefined);
    if (known.length > 0) member['required'] = [...new Set([...((member['required'] as string[] | undefined) ?? []), ...known])];
  }
}

/** Returns the cost of texts. Their length counts, because one long name or value may be repeated in many places. */
const costOf = (texts: readonly unknown[]): number =>
  texts.reduce<number>((sum, text) => sum + 1 + (typeof text === 'string' ? text.length / 100 : 0), 0);

function outline(
  { type: given, description, title, enum: values = [] }: SchemaModel,
  left: Allowance,
  relaxed: (why: OmittedLimit) => void,
): JsonSchema {
  const words = description ?? title;
  const said = typeof words === 'string' && spend(left, 1 + Math.min(words.length, 2000) / 100) && someSentences(words, DESCRIPTION_CHARS);
  // Only lists of plain values are described, because only these can be compared.
  const isListed = values.length > 0 && values.length <= CHOICES && values.every(isScalar) && spend(left, costOf(values));
  const listed = isListed ? values : undefined;
  const type = typeof given === 'string' ? typeOf(given) : undefined;
  const isOf = (value: unknown) => type === undefined || value === null || hasType(value, type);
  const fits = !listed || listed.some(isOf);
  if (!fits || (type === undefined && given !== undefined && given !== 'any')) relaxed('type');
  return {
    ...(type !== undefined && fits && { type }),
    ...(said && { description: said }),
    ...(listed && { enum: listed }),
  };
}

function typeOf(given: string): string | undefined {
  const name = given.toLowerCase();
  return TYPES.includes(name) ? name : (own(ALIASES, name) as string | undefined);
}

/** Adds null to the types. JSON Schema writes several types as a list. */
function withTypes(found: JsonSchema, isNullable = false): JsonSchema {
  if (!isNullable && !found['enum'] && !found['anyOf']) return found;
  const { type, enum: values, anyOf, ...rest } = found as SchemaModel;
  const isPlain =
    type === undefined && anyOf?.every((member) => /^type(?:,format)?$/.test(Object.keys(member).join()) && !isFormatted(member));
  // A member that may be null has a list of types itself.
  const kinds = [(isPlain ? anyOf?.map((member) => member.type) : type) ?? []].flat(2);
  const types = isNullable && kinds.length > 0 ? [...kinds, 'null'] : kinds;
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : [...new Set(types)] }),
    ...rest,
    ...(values && { enum: [...values, ...(isNullable ? [null] : [])] }),
    ...(anyOf && !isPlain && { anyOf: [...anyOf, ...(isNullable ? [{ type: 'null' }] : [])] }),
  };
}

/** Checks for a described format, other than the size of numbers. */
const isFormatted = ({ format }: JsonSchema): boolean => format !== undefined && format !== 'int64';

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** A text that a template replaces: `{{appId}}`, `${appId}`, `<app-id>`. */
const PLACEHOLDER = /^(?:\{\{[^{}]*\}\}|\$\{[^{}]*\}|<[\w -]+>)$/;

/** Returns the default, unless it is a placeholder or the description would refuse it: a model copies what it reads. */
function defaultOf({ default: standard, nullable }: SchemaModel, told: JsonSchema, left: Allowance): JsonSchema {
  if (!isScalar(standard) || !spend(left, costOf([standard])) || PLACEHOLDER.test(String(standard))) return {};
  const isShort = typeof standard === 'string' && standard.length < (FORMATS[String(told['format'])] ?? '').length;
  const fits = standard === null ? nullable === true : !isShort && schemaCheck({ ...told })(standard) === undefined;
  return fits ? { default: standard } : {};
}

/** Returns the limits that some value can satisfy. */
function limits(model: SchemaModel, type: unknown, relaxed: (why: OmittedLimit) => void): JsonSchema {
  const found: JsonSchema = { ...range(model, 'Length', relaxed), ...range(model, 'Items', relaxed), ...range(model, 'imum', relaxed) };
  const { multipleOf, format, pattern } = model;
  if (typeof multipleOf === 'number') {
    if (multipleOf > 0) found['multipleOf'] = multipleOf;
    else relaxed('limit');
  }
  if (typeof pattern === 'string' && pattern.length <= 200 && (type === 'string' || type === undefined)) {
    const meant = translatePattern(pattern);
    if (meant !== undefined && patternLimit(meant)! >= TRIED_CHARS) found['pattern'] = meant;
    else relaxed('pattern');
  }
  const sample = typeof format === 'string' ? FORMATS[format] : undefined;
  if (sample !== undefined) {
    const { pattern: told, minLength = 0, maxLength = Infinity } = found;
    const isMet = told === undefined || testPattern(String(told), sample) === true;
    const isTooLong = FIXED.has(String(format)) && Number(minLength) > sample.length;
    if (isMet && !isTooLong && Number(maxLength) >= sample.length) found['format'] = format;
    else relaxed('limit');
  }
  return found;
}

const keysOf = (what: string) => [`min${what}`, `max${what}`, `exclusiveMin${what}`, `exclusiveMax${what}`] as const;
const RANGES = { Length: keysOf('Length'), Items: keysOf('Items'), imum: keysOf('imum') };

function range(model: SchemaModel, what: keyof typeof RANGES, relaxed: (why: OmittedLimit) => void): JsonSchema {
  const keys = RANGES[what];
  if (keys.every((key) => model[key] === undefined)) return {};
  const [min, max, above, below] = keys.map((key) => (typeof model[key] === 'number' ? model[key] : undefined));
  const least = Math.max(min ?? -Infinity, above ?? -Infinity);
  const most = Math.min(max ?? Infinity, below ?? Infinity);
  const isOpen = what === 'imum' ? least < most || (least === most && above !== least && below !== most) : least <= most && most >= 0;
  if (!isOpen) relaxed('limit');
  return isOpen ? Object.fromEntries(keys.flatMap((key) => (typeof model[key] === 'number' ? [[key, model[key]]] : []))) : {};
}

/** Converts one schema that is its own document. The result is incomplete if the allowance is used up (`isSpent`). */
export function foreignSchema(schema: JsonSchema, left = createAllowance(PARTS_OF_TOOL)): JsonSchema {
  const reader = schemaReader(schema, left, expandForeign);
  return createSchemaConverter(reader)(reader.read(schema));
}
