/** What a tool's `parameters` say, as JSON Schema: for the prompt, for coercion and for the words of a refusal. */
import type { JsonSchema } from '../json-schema.js';
import type { StandardSchema, ToolDefinition } from './tool.js';

/** Standard Schemas may be functions (arktype), so the mark alone counts. */
export function isStandardSchema(parameters: unknown): parameters is StandardSchema {
  const type = typeof parameters;
  if ((type !== 'object' && type !== 'function') || parameters === null) return false;
  const mark: unknown = (parameters as Record<string, unknown>)['~standard'];
  return typeof mark === 'object' && mark !== null && typeof (mark as Record<string, unknown>)['validate'] === 'function';
}

const described = new WeakMap<ToolDefinition, JsonSchema>();

/**
 * The JSON Schema (draft 2020-12, without `$schema`) of a tool's arguments; undefined for a tool without `parameters`.
 * A copy of our own: later changes to the host's object change nothing.
 * @throws TypeError, naming the remedy, for a schema that cannot be described.
 */
export function parametersOf(tool: ToolDefinition): JsonSchema | undefined {
  if (tool.parameters === undefined) return undefined;
  let schema = described.get(tool);
  if (!schema) {
    schema = describe(tool.name, tool.parameters);
    described.set(tool, schema);
  }
  return schema;
}

function describe(name: string, parameters: StandardSchema | JsonSchema): JsonSchema {
  const remedy = `Give \`parameters\` of tool "${name}" as plain JSON Schema of an object, or as a Standard Schema that can describe itself as JSON Schema`;
  let schema: unknown = parameters;
  if (isStandardSchema(parameters)) {
    const standard = parameters['~standard'];
    if (!('jsonSchema' in standard)) throw new TypeError(`The ${standard.vendor} schema has no JSON Schema. ${remedy}.`);
    try {
      // `input`, since a field with a default is optional there, and the model writes the input.
      schema = standard.jsonSchema.input({ target: 'draft-2020-12' });
    } catch (error) {
      throw new TypeError(`The ${standard.vendor} schema cannot be written as JSON Schema. ${remedy}.`, { cause: error });
    }
  }
  const root = copyOf(schema);
  if (!isObject(root)) throw new TypeError(`The schema is not JSON data. ${remedy}.`);
  delete root['$schema'];
  if (root['type'] !== undefined && root['type'] !== 'object') throw new TypeError(`Arguments are always an object. ${remedy}.`);
  return root;
}

/** By way of JSON text; a copy also because the validator writes marks of its own into a schema. */
export function copyOf(schema: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(schema)) as unknown;
  } catch {
    return undefined;
  }
}

/** The schema itself and all that it is combined of, references followed, each once. */
export function flatten(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const seen = new Set<JsonSchema>();
  const visit = (node: unknown) => {
    if (!isObject(node) || seen.has(node)) return;
    seen.add(node);
    if (typeof node['$ref'] === 'string') visit(resolve(node['$ref'], root));
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) if (Array.isArray(node[keyword])) node[keyword].forEach(visit);
    visit(node['then']);
    visit(node['else']);
  };
  visit(schema);
  return [...seen];
}

/** What is declared for one parameter: several where the root is a union; none where it is unknown. */
export function parameterSchemas(root: JsonSchema, name: string): JsonSchema[] {
  return flatten(root, root).flatMap(({ properties }) => {
    const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(found) ? flatten(found, root) : [];
  });
}

/** Names that the schema does not know, unless it is open to others (`additionalProperties`, `patternProperties`). */
export function unknownParameters(root: JsonSchema, args: object): string[] {
  const parts = flatten(root, root);
  const open = parts.some(
    ({ additionalProperties: more, patternProperties, unevaluatedProperties }) =>
      more === true || isObject(more) || isObject(patternProperties) || unevaluatedProperties === true,
  );
  if (open) return [];
  return Object.keys(args).filter((name) => !parts.some(({ properties }) => isObject(properties) && Object.hasOwn(properties, name)));
}

/** `#/$defs/task` within the same document; anything else is not followed. */
function resolve(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if ((!isObject(node) && !Array.isArray(node)) || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
