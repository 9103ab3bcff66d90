/** Native tools: a request carries them outside its text, as JSON Schema. */
import * as z from 'zod/mini';
import type { PromptTool } from './protocol.js';

export interface NativeTool {
  name: string;
  description?: string | undefined;
  /** A JSON Schema with an object at its root. */
  parameters?: object | undefined;
}

const schema = z.object({
  properties: z.optional(z.record(z.string(), z.looseObject({ type: z.optional(z.unknown()) }))),
  required: z.optional(z.array(z.string())),
});

export function readNativeTools(tools: readonly NativeTool[]): PromptTool[] {
  return tools.map(({ name, description = '', parameters }) => ({ name, description, parameters: readSchema(parameters) }));
}

/** Returns the parameters in a JSON Schema; none if it is not the schema of an object. */
export function readSchema(value: unknown): PromptTool['parameters'] {
  const { data } = schema.safeParse(value);
  return Object.entries(data?.properties ?? {}).map(([name, { type }]) => ({
    name,
    required: data?.required?.includes(name) ?? false,
    ...(typeof type === 'string' && { type }),
  }));
}
