/** The description of tools that a protocol puts into the prompt. */
import type { JsonSchema } from './json-schema.js';

export interface MethodMetadata {
  /** The name that the model writes: `id_method`, or the tool's own name if it was registered by `registerTool`. */
  name: string;
  displayName?: string;
  description: string;
  /** JSON Schema (draft 2020-12) of the arguments. */
  parameters?: JsonSchema;
  /** Arguments of the worked example. Placeholders such as `{today+2}` in its texts are filled in. */
  example?: object;
  /** Examples of a user's message with the arguments of the call that answers it. They become turns of the conversation. */
  said?: { say: string; args: object }[];
  agentCallable?: boolean;
  risk?: 'query' | 'write' | 'danger';
  protocolConfig?: { vcpCommand?: string };
}

export interface ToolDescription {
  toolId: string;
  toolName: string;
  methods: MethodMetadata[];
}
