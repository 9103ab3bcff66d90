/**
 * A schema of a service as a small JSON Schema (draft 2020-12) without references: what a model has to read, and no more. The service checks
 * for itself; what is left out here is open.
 */
import { type Allowance, createAllowance, isSpent, spend } from '../base/allowance.js';
import { followReference, type JsonSchema } from '../model/json-schema.js';
import { type SchemaModel, schemaReader, type SchemaReader } from '../model/schema-model.js';
import { isObject } from '../base/objects.js';
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
const VARIANTS = 8;
const DESCRIPTION_CHARS = 160;

/** Only formats that services mean as they are written. */
const FORMATS: readonly unknown[] = ['date', 'date-time', 'email', 'uuid'];
const NUMBERS = [
  ...(['minLength', 'maxLength', 'minItems', 'maxItems', 'multipleOf'] as const),
  ...(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const),
];

/**
 * Follows `$ref`, its own words over those of the target. Undefined if it leads nowhere, out of the document, or in a circle, or if the allowance
 * does not suffice.
 */
export function resolve(node: unknown, document: JsonSchema, left: Allowance): Record<string, unknown> | undefined {
  let found = node;
  let words: Record<string, unknown> = {};
  for (let hop = 0; hop < HOPS; hop += 1) {
    if (!isObject(found) || !spend(left, 1 + Object.keys(words).length)) return undefined;
    const { $ref: reference, ...beside } = found;
    words = { ...beside, ...words };
    if (typeof reference !== 'string') return words;
    found = followReference(reference, document);
  }
  return undefined;
}

/** For one tool: what is told of a schema says too little where the allowance of its reader did not suffice (`isSpent`). */
export function foreignTeller({ left }: SchemaReader): (model: SchemaModel) => JsonSchema {
  const open = new Set<SchemaModel>();
  let nodes = 0;

  function tell(model: SchemaModel): JsonSchema {
    if (isSpent(left)) return {};
    nodes += 1;
    const found = outline(model, left);
    if (open.size >= DEPTH || nodes > NODES || open.has(model)) return withTypes(found, model.nullable);
    open.add(model);
    Object.assign(found, limits(model, left), children(model));
    open.delete(model);
    return withTypes(found, model.nullable);
  }

  function children({ properties, required = [], items, additionalProperties: more, anyOf = [] }: SchemaModel): JsonSchema {
    const found: JsonSchema = {};
    if (properties && spend(left, costOf(Object.keys(properties)) + required.length)) {
      const kept = Object.entries(properties).filter(([name, property]) => name !== '__proto__' && property['readOnly'] !== true);
      found['properties'] = Object.fromEntries(kept.map(([name, property]) => [name, tell(property)]));
      const names = new Set(kept.map(([name]) => name));
      const needed = required.filter((name) => names.has(name));
      if (needed.length > 0) found['required'] = needed;
    }
    if (items) found['items'] = tell(items);
    if (more === false) found['additionalProperties'] = false;
    else if (typeof more === 'object' && Object.keys(more).length > 0) found['additionalProperties'] = tell(more);
    // Which of several a value is, a service decides: descriptions say "one of" of what overlaps.
    if (anyOf.length > VARIANTS) return found;
    const members = anyOf.map(tell);
    // One that takes everything makes the others idle.
    if (members.some((member) => Object.keys(member).every((key) => key === 'description'))) return found;
    return { ...found, ...(members.length > 0 && { anyOf: members }) };
  }

  return tell;
}

/** What is told costs by its length, too: one long name or value may stand in many places. */
const costOf = (texts: readonly unknown[]): number =>
  texts.reduce<number>((sum, text) => sum + 1 + (typeof text === 'string' ? text.length / 100 : 0), 0);

function outline({ type, description, title, enum: values = [] }: SchemaModel, left: Allowance): JsonSchema {
  const words = description ?? title;
  const said = typeof words === 'string' && spend(left, 1 + Math.min(words.length, 2000) / 100) && oneSentence(words, DESCRIPTION_CHARS);
  return {
    ...(type !== undefined && { type }),
    ...(said && { description: said }),
    // Compared as they stand; what is no plain value is not compared.
    ...(values.length > 0 && values.length <= CHOICES && values.every(isScalar) && spend(left, costOf(values)) && { enum: values }),
  };
}

/** JSON Schema writes several types as a list, null among them. */
function withTypes(found: JsonSchema, isNullable = false): JsonSchema {
  const { type, enum: values, anyOf, ...rest } = found as SchemaModel;
  const isPlain = type === undefined && anyOf?.every((member) => Object.keys(member).join() === 'type');
  const kinds = [(isPlain ? anyOf?.map((member) => member.type) : type) ?? []].flat();
  const types = isNullable && kinds.length > 0 ? [...kinds, 'null'] : kinds;
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : [...new Set(types)] }),
    ...rest,
    ...(values && { enum: [...values, ...(isNullable ? [null] : [])] }),
    ...(anyOf && !isPlain && { anyOf: [...anyOf, ...(isNullable ? [{ type: 'null' }] : [])] }),
  };
}

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

function limits(model: SchemaModel, left: Allowance): JsonSchema {
  const { format, pattern, default: standard } = model;
  return {
    ...Object.fromEntries(NUMBERS.flatMap((key) => (typeof model[key] === 'number' ? [[key, model[key]]] : []))),
    ...(FORMATS.includes(format) && { format }),
    ...(typeof pattern === 'string' && pattern.length <= 200 && { pattern }),
    ...(isScalar(standard) && spend(left, costOf([standard])) && { default: standard }),
  };
}

/** Reads one schema that is a document of its own. Where the allowance did not suffice (`isSpent`), it says too little. */
export function foreignSchema(schema: JsonSchema, left = createAllowance(PARTS_OF_TOOL)): JsonSchema {
  const reader = schemaReader(schema, left);
  return foreignTeller(reader)(reader.read(schema));
}
