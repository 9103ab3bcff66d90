/** Converts a tool's `parameters` to JSON Schema: for the prompt, for coercion and for error messages. */
import type { JsonSchema } from '../model/json-schema.js';
import { isObject } from '../base/objects.js';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolDefinition } from './tool.js';

/** Reads the `~standard` property. Standard Schemas may be functions (arktype), so only this property counts. */
function markOf(parameters: unknown): Partial<StandardSchemaV1.Props & StandardJSONSchemaV1.Props> | undefined {
  return (parameters as Partial<StandardSchemaV1 & StandardJSONSchemaV1> | null | undefined)?.['~standard'];
}

/** Checks for a Standard Schema, which validates by itself. */
export function isStandardSchema(parameters: unknown): parameters is StandardSchemaV1 {
  return typeof markOf(parameters)?.validate === 'function';
}

/**
 * Adds a JSON Schema of its input to a schema whose library provides none (valibot without `@valibot/to-json-schema`) or cannot (a
 * predicate, a transform). The schema validates; the JSON Schema is sent to the model.
 */
export function withJsonSchema<Args>(
  schema: StandardSchemaV1<unknown, Args>,
  jsonSchema: JsonSchema,
): StandardSchemaV1<unknown, Args> & StandardJSONSchemaV1<unknown, Args> {
  const { version, vendor, validate } = schema['~standard'];
  const write = () => jsonSchema;
  return { '~standard': { version, vendor, validate, jsonSchema: { input: write, output: write } } };
}

const described = new WeakMap<ToolDefinition, JsonSchema>();

/**
 * Returns the JSON Schema (draft 2020-12, without `$schema`) of a tool's arguments; `undefined` for a tool without `parameters`.
 *
 * It is a copy, so later changes to the host's object have no effect.
 *
 * @throws TypeError for a schema that cannot be described, with a hint how to fix it
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

function describe(name: string, parameters: unknown): JsonSchema {
  const wrong = (what: string, cause?: unknown) =>
    new TypeError(
      `${what}. Give \`parameters\` of tool "${name}" as plain JSON Schema of an object, or as a Standard Schema that has one: \`withJsonSchema\` adds it.`,
      { cause },
    );
  let schema = parameters;
  const mark = markOf(parameters);
  if (mark) {
    if (!mark.jsonSchema) throw wrong(`The ${String(mark.vendor)} schema has no JSON Schema`);
    try {
      // Use `input`: a field with a default is optional there, and the model writes the input.
      schema = mark.jsonSchema.input({ target: 'draft-2020-12' });
    } catch (error) {
      throw wrong(`The ${String(mark.vendor)} schema cannot be written as JSON Schema`, error);
    }
  }
  const root = copyOf(schema);
  if (!isObject(root)) throw wrong('The schema is not JSON data');
  delete root['$schema'];
  if (root['type'] !== undefined && root['type'] !== 'object') throw wrong('Arguments are always an object');
  return root;
}

/** Copies by way of JSON text. A copy is needed because the validator writes marks into a schema. */
export function copyOf(schema: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(schema)) as unknown;
  } catch {
    return undefined;
  }
}
