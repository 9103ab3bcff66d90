/** Tools as a protocol teaches them. */
import type { JsonSchema } from './json-schema.js';

export interface MethodMetadata {
  /** What the model writes: `id_method`, or the tool's own name when it was registered by `registerTool`. */
  name: string;
  displayName?: string;
  description: string;
  /** JSON Schema (draft 2020-12) of the arguments. */
  parameters?: JsonSchema;
  /** Arguments of the worked example; `{today+2}` in its texts is filled in. */
  example?: object;
  /** What a person says, and the arguments of the call that answers it: taught as turns of a conversation. */
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
