/** Tools as services declare them, in the part of JSON Schema that all of them read. Validation goes by the whole schema all the same. */
import { followReference } from '../model/json-schema.js';
import { isObject, own } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import { allowanceOfTool, createAllowance, sizeOf, spend, type Allowance } from '../base/allowance.js';
import type { JsonSchema, ToolDescription } from './protocol.js';

/** Deeper than this a schema is open. */
const MAX_DEPTH = 100;
const HINT_CHARS = 200;

/** Keywords that not all services read; in the description the model reads them. */
const HINTS = [
  ...(['format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const),
  ...(['multipleOf', 'minItems', 'maxItems', 'default'] as const),
];

/** `{name, description, parameters}` each; a wire wraps them as its service wants. */
export function nativeTools(tools: readonly ToolDescription[]): JsonSchema[] {
  const allowance = createAllowance();
  return tools.flatMap(({ methods }) =>
    methods.map(({ name, description, parameters = {} }) => ({
      name,
      description,
      parameters: portableSchema(parameters, allowanceOfTool(allowance)),
    })),
  );
}

/**
 * An object at the root, with `properties` and `required`; below it one `type`, `enum` of texts, `items`, `anyOf`, `description`,
 * `additionalProperties: false`. References are written out (a recursive one ends in `{}`), null and what else has no place is left
 * out or told in words.
 */
function portableSchema(root: JsonSchema, left: Allowance): JsonSchema {
  const open = new Set<unknown>();

  function visit(node: unknown): JsonSchema {
    if (!isObject(node) || open.has(node) || open.size >= MAX_DEPTH || !spend(left, 1)) return {};
    open.add(node);
    const found = write(node);
    open.delete(node);
    return found;
  }

  const visitAll = (nodes: unknown): JsonSchema[] => (Array.isArray(nodes) ? nodes.filter((node) => !isNull(node)).map(visit) : []);

  function write(node: JsonSchema): JsonSchema {
    const { $ref, allOf, anyOf, oneOf, type, properties, required, items, prefixItems, additionalProperties } = node;
    if (!spend(left, 0, sizeOf(node['enum']) + sizeOf(node['description']))) return {};
    let found: JsonSchema = {};
    for (const part of [typeof $ref === 'string' ? visit(followReference($ref, root)) : {}, ...visitAll(allOf)]) found = join(found, part);

    const types = [type ?? []].flat().filter((each) => each !== 'null');
    if (types.length === 1) found['type'] = types[0];
    else if (types.length > 1) found = join(found, oneOfThese(types.map((each) => ({ type: each }))));
    found = join(found, oneOfThese(visitAll(anyOf)));
    found = join(found, oneOfThese(visitAll(oneOf)));

    const values = [node['enum'] ?? (node['const'] === undefined ? [] : [node['const']])].flat().filter((value) => value !== null);
    const areTexts = values.length > 0 && values.every((value) => typeof value === 'string');
    if (areTexts) Object.assign(found, { type: 'string', enum: values });
    else if (values.length > 0 && values.every((value) => typeof value === typeof values[0])) found['type'] ??= typeof values[0];

    if (isObject(properties)) {
      const written = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, visit(property)]));
      const demanded = Array.isArray(required) ? required.filter((name) => own(written, String(name)) !== undefined) : [];
      found = join(found, { type: 'object', properties: written, ...(demanded.length > 0 && { required: demanded }) });
    }
    if (additionalProperties === false) found['additionalProperties'] = false;
    if (found['type'] === 'array') found['items'] = isObject(items) ? visit(items) : oneOfThese(visitAll(prefixItems ?? items));
    if (node['format'] === 'date-time') found['format'] = 'date-time';

    const hints = HINTS.filter((key) => isTelling(node[key]) && found[key] === undefined).map((key) => `${key}: ${inWords(node[key])}`);
    if (values.length > 0 && !areTexts) hints.push(`one of: ${values.map(inWords).join(', ')}`);
    const told = [node['description'] ?? found['description'], hints.length > 0 && `(${hints.join('; ')})`];
    const description = told.filter((text) => typeof text === 'string').join(' ');
    return { ...found, ...(description && { description }) };
  }

  const whole = visit(root);
  const { anyOf, properties = {}, ...rest } = whole;
  // Services want one object at the root: of several, what any of them knows and what each of them demands.
  const members = (Array.isArray(anyOf) ? anyOf : []) as JsonSchema[];
  const known = members.flatMap((member) => Object.entries((member['properties'] ?? {}) as Record<string, JsonSchema>));
  const shared = known.map(([name]) => [name, oneOfThese(distinct(known.flatMap(([other, schema]) => (other === name ? [schema] : []))))]);
  const lists = members.map((member) => (member['required'] ?? []) as string[]);
  const demanded = lists[0]?.filter((name) => lists.every((list) => list.includes(name))) ?? [];
  const merged = {
    properties: { ...(Object.fromEntries(shared) as object), ...(properties as object) },
    ...(demanded.length > 0 && { required: demanded }),
  };
  return join({ ...rest, type: 'object' }, merged);
}

function distinct(schemas: JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

/** Both at once, as of `allOf`: what the second says stands, names are those of either. */
function join(one: JsonSchema, other: JsonSchema): JsonSchema {
  const [properties, required] = ['properties', 'required'].map((key) => [one[key], other[key]]) as [object[], string[][]];
  const names = [...new Set(required.flatMap((list) => list ?? []))];
  return {
    ...one,
    ...other,
    ...((properties[0] ?? properties[1]) && { properties: { ...properties[0], ...properties[1] } }),
    ...(names.length > 0 && { required: names }),
  };
}

/** A union of one is no union, and one of texts is a list of texts. */
function oneOfThese(members: JsonSchema[]): JsonSchema {
  if (members.length < 2) return members[0] ?? {};
  const lists = members.map((member) => member['enum']);
  if (lists.every(Array.isArray)) return { type: 'string', enum: [...new Set(lists.flat() as unknown[])] };
  return { anyOf: members };
}

function isNull(node: unknown): boolean {
  return own(node, 'type') === 'null' || own(node, 'const') === null;
}

/** The limits of exact numbers, which zod writes out, tell nothing. */
function isTelling(value: unknown): boolean {
  return value !== undefined && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
}

function inWords(value: unknown): string {
  return cutText(typeof value === 'string' ? value : JSON.stringify(value), HINT_CHARS);
}
