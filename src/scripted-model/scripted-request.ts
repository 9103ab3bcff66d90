/** The request and the reply of the scripted model. */
import type { PlannedCall, PromptTool } from './protocol.js';
import * as z from 'zod/mini';

export type ScriptedMessage = { role: 'user' | 'assistant'; text: string } | ScriptedResult;

/** The result of a native call. */
export interface ScriptedResult {
  role: 'tool';
  name: string;
  text: string;
  /** Set if the API format transmits a status. */
  status?: 'error' | 'denied';
}

export interface ScriptedRequest {
  system: string;
  messages: readonly ScriptedMessage[];
  /** Native tools. If present, calls are native, whatever the prompt describes. */
  tools?: readonly NativeTool[];
}

export interface Reply {
  text: string;
  calls: PlannedCall[];
}

/** Native tools: a request carries them outside its text, as JSON Schema. */
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
function readSchema(value: unknown): PromptTool['parameters'] {
  const { data } = schema.safeParse(value);
  return Object.entries(data?.properties ?? {}).map(([name, { type }]) => ({
    name,
    required: data?.required?.includes(name) ?? false,
    ...(typeof type === 'string' && { type }),
  }));
}
