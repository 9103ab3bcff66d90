/** Tools as a protocol is told about them. */
import type { JsonSchema } from '../json-schema.js';
import { own } from '../objects.js';
import { nameUnder } from './registry.js';
import { parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';

/** Fits `ToolDescription` of the protocols. */
export interface DescribedTool {
  toolId: string;
  toolName: string;
  methods: {
    name: string;
    displayName?: string;
    description: string;
    parameters?: JsonSchema;
    example?: object;
    agentCallable: true;
    risk?: 'query' | 'write' | 'danger';
    protocolConfig?: { vcpCommand?: string };
  }[];
}

export function describeTools(tools: readonly ToolDefinition[], protocolId: string): DescribedTool[] {
  return tools.map((tool) => {
    const { name, label, description, risk, examples } = tool;
    const parameters = parametersOf(tool);
    const vcpCommand = own(tool.aliases, 'vcp') as string | undefined;
    return {
      toolId: name,
      toolName: label ?? name,
      methods: [
        {
          name: nameUnder(tool, protocolId),
          ...(label !== undefined && { displayName: label }),
          description,
          ...(parameters && { parameters }),
          ...(examples?.[0] && { example: examples[0] }),
          agentCallable: true,
          ...(risk && { risk }),
          ...(vcpCommand !== undefined && { protocolConfig: { vcpCommand } }),
        },
      ],
    };
  });
}
