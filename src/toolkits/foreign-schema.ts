/**
 * A schema of a service as a small JSON Schema (draft 2020-12) without references: what a model has to read, and no more. The service checks
 * for itself; what is left out here is open.
 */
import { type Allowance, createAllowance, isSpent, spend } from '../base/allowance.js';
import { followReference, type JsonSchema } from '../model/json-schema.js';
import { hasType, type SchemaModel, schemaReader, type SchemaReader } from '../model/schema-model.js';
import { isObject, own } from '../base/objects.js';
import { patternLimit, testPattern } from '../base/pattern-tests.js';
import { someSentences } from '../tools/foreign-tools.js';
import { withoutDiscriminator } from './discriminators.js';
import { meantPattern } from './pattern-dialects.js';

/** Levels that are told; what is deeper is said to be an object, a list … and no more. */
const DEPTH = 4;
/** Schemas in one tool, all levels together. */
const NODES = 150;
/** Parts of schemas that may be looked at for one tool. */
export const PARTS_OF_TOOL = 20_000;
/** References in a row. */
const HOPS = 20;
const CHOICES = 100;
export const VARIANTS = 8;
const DESCRIPTION_CHARS = 240;
/** Shorter texts are tried against every pattern that is told. */
const TRIED_CHARS = 50;

/** Only formats that services mean as they are written, each with the shortest text that has it. */
const FORMATS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00Z',
  email: 'a@b.co',
  uuid: '00000000-0000-4000-8000-000000000001',
};
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Types of other languages. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer', short: 'integer', float: 'number', double: 'number' },
  ...{ decimal: 'number', bool: 'boolean', str: 'string', text: 'string', char: 'string', date: 'string', datetime: 'string' },
  ...{ uuid: 'string', list: 'array', map: 'object', dict: 'object' },
};

/** Limits of a schema that are not told, since no value or no browser could meet them. */
export type Relaxed = 'pattern' | 'limit' | 'type';

interface TellerOptions {
  /** Whole numbers of 64 bits are told as such: their texts are taken, and the tool sends them exactly. */
  exact?: boolean;
  /** Told with the names that lead there, `customer.email`. */
  relax?: (why: Relaxed, path: string) => void;
}

/**
 * Follows `$ref`, its own words over those of the target. Undefined if it leads nowhere, out of the document, or in a circle, or if the allowance
 * does not suffice.
 */
export function resolve(node: unknown, document: JsonSchema, left: Allowance): Record<string, unknown> | undefined {
  let found = node;
  let words: Record<string, unknown> | undefined;
  for (let hop = 0; hop < HOPS; hop += 1) {
    if (!isObject(found) || !spend(left, 1 + (words ? Object.keys(words).length : 0))) return undefined;
    const reference = own(found, '$ref');
    // Most are written where they are needed, or are a reference and no more: these are not copied.
    if (typeof reference !== 'string') return words ? { ...found, ...words } : found;
    const { $ref: _, ...beside } = found;
    if (words || Object.keys(beside).length > 0) words = { ...beside, ...words };
    found = followReference(reference, document);
  }
  return undefined;
}

/** Keywords that hold other schemas, or say which there may be. */
const CHILDREN = ['properties', 'items', 'additionalProperties', 'patternProperties', 'anyOf'];

interface Alone {
  told: JsonSchema;
  whys: Relaxed[];
  /** Of an allowance: what is told once is written in many places. */
  cost: number;
}

interface Body {
  told: JsonSchema;
  cost: number;
  parts: [why: Relaxed, path: string][];
}

const exactBodies = new WeakMap<SchemaModel, Body>();
const bare = new WeakMap<SchemaModel, Alone>();
const leaves = new WeakMap<SchemaModel, Alone>();
const exactLeaves = new WeakMap<SchemaModel, Alone>();

/** For one tool: what is told of a schema says too little where the allowance of its reader did not suffice (`isSpent`). */
export function foreignTeller(
  { left }: SchemaReader,
  { exact = false, relax = () => undefined }: TellerOptions = {},
): (model: SchemaModel, name?: string) => JsonSchema {
  const open = new Set<SchemaModel>();
  const path: string[] = [];
  let nodes = 0;
  let listener: ((why: Relaxed) => void) | undefined;
  const relaxed = (why: Relaxed) => (listener ? listener(why) : relax(why, path.join('.')));

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

  function leaf(model: SchemaModel, say: (why: Relaxed) => void): JsonSchema {
    const found = outline(model, left, say);
    Object.assign(found, found['enum'] ? defaultOf(model, left) : limits(model, found['type'], left, say));
    if (exact && found['type'] === 'integer' && !found['enum'] && model['format'] !== 'int32') found['format'] = 'int64';
    return found;
  }

  /** What is told of a model by itself is told once for all tools: in a large document most of them have the same few. */
  function alone(model: SchemaModel, known: WeakMap<SchemaModel, Alone>, make: (say: (why: Relaxed) => void) => JsonSchema): JsonSchema {
    let found = known.get(model);
    if (!found) {
      const whys: Relaxed[] = [];
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
    const found = tell(model);
    path.pop();
    return found;
  }

  function children(model: SchemaModel, { description }: JsonSchema): JsonSchema {
    const { properties, required = [], items, anyOf = [] } = model;
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
    if (items) found['items'] = tell(items);
    const others = otherNames(model, properties !== undefined);
    if (others !== undefined) found['additionalProperties'] = others;
    // Which of several a value is, a service decides: descriptions say "one of" of what overlaps.
    const members = anyOf.slice(0, VARIANTS).map(tell);
    // One that takes everything makes the others idle.
    if (members.length === 0 || members.some((member) => Object.keys(member).every((key) => key === 'description'))) return found;
    if (openClosed(found, members)) relaxed('limit');
    const more = anyOf.slice(VARIANTS);
    if (more.length === 0) return { ...found, anyOf: members };
    const words = `and ${String(more.length)} more kinds, which are not described`;
    return { ...found, description: description ? `${String(description)} (${words})` : words, anyOf: [...members, remaining(more)] };
  }

  /** Undefined where any others may be given. */
  function otherNames(
    { additionalProperties: more, patternProperties = {} }: SchemaModel,
    isNamed: boolean,
  ): JsonSchema | false | undefined {
    const [first, ...rest] = Object.values(patternProperties);
    if (first) return rest.length === 0 && (more === false || (more === undefined && !isNamed)) ? tell(first) : undefined;
    if (typeof more === 'object' && Object.keys(more).length > 0) return tell(more);
    return more === false ? false : undefined;
  }

  /** Members of a union that are not told one by one: by the property that names them, if there is one. */
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

  /** Bodies are the largest part of a document, and many operations have the same. */
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
 * An object that knows no other names than its own, beside a union whose members have more, fits none of them; nor does a member that does not
 * know the names beside it.
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

/** A told text costs by its length, too: one long name or value may be in many places. */
const costOf = (texts: readonly unknown[]): number =>
  texts.reduce<number>((sum, text) => sum + 1 + (typeof text === 'string' ? text.length / 100 : 0), 0);

function outline(
  { type: given, description, title, enum: values = [] }: SchemaModel,
  left: Allowance,
  relaxed: (why: Relaxed) => void,
): JsonSchema {
  const words = description ?? title;
  const said = typeof words === 'string' && spend(left, 1 + Math.min(words.length, 2000) / 100) && someSentences(words, DESCRIPTION_CHARS);
  // Compared as they are; a value that is not plain is not compared.
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

/** JSON Schema writes several types as a list, null among them. */
function withTypes(found: JsonSchema, isNullable = false): JsonSchema {
  if (!isNullable && !found['enum'] && !found['anyOf']) return found;
  const { type, enum: values, anyOf, ...rest } = found as SchemaModel;
  const isPlain =
    type === undefined && anyOf?.every((member) => /^type(?:,format)?$/.test(Object.keys(member).join()) && !isFormatted(member));
  const kinds = [(isPlain ? anyOf?.map((member) => member.type) : type) ?? []].flat();
  const types = isNullable && kinds.length > 0 ? [...kinds, 'null'] : kinds;
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : [...new Set(types)] }),
    ...rest,
    ...(values && { enum: [...values, ...(isNullable ? [null] : [])] }),
    ...(anyOf && !isPlain && { anyOf: [...anyOf, ...(isNullable ? [{ type: 'null' }] : [])] }),
  };
}

/** A format that is told, other than the size of numbers. */
const isFormatted = ({ format }: JsonSchema): boolean => format !== undefined && format !== 'int64';

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

const defaultOf = ({ default: standard }: SchemaModel, left: Allowance): JsonSchema =>
  isScalar(standard) && spend(left, costOf([standard])) ? { default: standard } : {};

/** Limits that some value meets. Values that are listed need none. */
function limits(model: SchemaModel, type: unknown, left: Allowance, relaxed: (why: Relaxed) => void): JsonSchema {
  const found: JsonSchema = { ...range(model, 'Length', relaxed), ...range(model, 'Items', relaxed), ...range(model, 'imum', relaxed) };
  const { multipleOf, format, pattern } = model;
  if (typeof multipleOf === 'number') {
    if (multipleOf > 0) found['multipleOf'] = multipleOf;
    else relaxed('limit');
  }
  if (typeof pattern === 'string' && pattern.length <= 200 && (type === 'string' || type === undefined)) {
    const meant = meantPattern(pattern);
    if (meant !== undefined && patternLimit(meant)! >= TRIED_CHARS) found['pattern'] = meant;
    else relaxed('pattern');
  }
  const sample = typeof format === 'string' ? FORMATS[format] : undefined;
  if (sample !== undefined) {
    const { pattern: told, maxLength } = found;
    const isMet = told === undefined || testPattern(String(told), sample) === true;
    if (isMet && !(typeof maxLength === 'number' && maxLength < sample.length)) found['format'] = format;
    else relaxed('limit');
  }
  return { ...found, ...defaultOf(model, left) };
}

const keysOf = (what: string) => [`min${what}`, `max${what}`, `exclusiveMin${what}`, `exclusiveMax${what}`] as const;
const RANGES = { Length: keysOf('Length'), Items: keysOf('Items'), imum: keysOf('imum') };

function range(model: SchemaModel, what: keyof typeof RANGES, relaxed: (why: Relaxed) => void): JsonSchema {
  const keys = RANGES[what];
  if (keys.every((key) => model[key] === undefined)) return {};
  const [min, max, above, below] = keys.map((key) => (typeof model[key] === 'number' ? model[key] : undefined));
  const least = Math.max(min ?? -Infinity, above ?? -Infinity);
  const most = Math.min(max ?? Infinity, below ?? Infinity);
  const isOpen = what === 'imum' ? least < most || (least === most && above !== least && below !== most) : least <= most && most >= 0;
  if (!isOpen) relaxed('limit');
  return isOpen ? Object.fromEntries(keys.flatMap((key) => (typeof model[key] === 'number' ? [[key, model[key]]] : []))) : {};
}

/** Reads one schema that is a document of its own. Where the allowance did not suffice (`isSpent`), it says too little. */
export function foreignSchema(schema: JsonSchema, left = createAllowance(PARTS_OF_TOOL)): JsonSchema {
  const reader = schemaReader(schema, left, withoutDiscriminator);
  return foreignTeller(reader)(reader.read(schema));
}
