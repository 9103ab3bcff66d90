/** What a tool's `parameters` say, as JSON Schema: for the prompt, for coercion and for the words of a refusal. */
import type { JsonSchema } from '../json-schema.js';
import { isObject } from '../objects.js';
import type { StandardSchema, ToolDefinition } from './tool.js';

/** Standard Schemas may be functions (arktype), so the mark alone counts. */
export function isStandardSchema(parameters: unknown): parameters is StandardSchema {
  const mark = (parameters as Partial<StandardSchema> | null | undefined)?.['~standard'];
  return typeof mark?.validate === 'function';
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
  const wrong = (what: string, cause?: unknown) =>
    new TypeError(
      `${what}. Give \`parameters\` of tool "${name}" as plain JSON Schema of an object, or as a Standard Schema that has one.`,
      {
        cause,
      },
    );
  let schema: unknown = parameters;
  if (isStandardSchema(parameters)) {
    const standard = parameters['~standard'];
    if (!('jsonSchema' in standard)) throw wrong(`The ${standard.vendor} schema has no JSON Schema`);
    try {
      // `input`, since a field with a default is optional there, and the model writes the input.
      schema = standard.jsonSchema.input({ target: 'draft-2020-12' });
    } catch (error) {
      throw wrong(`The ${standard.vendor} schema cannot be written as JSON Schema`, error);
    }
  }
  const root = copyOf(schema);
  if (!isObject(root)) throw wrong('The schema is not JSON data');
  delete root['$schema'];
  if (root['type'] !== undefined && root['type'] !== 'object') throw wrong('Arguments are always an object');
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
