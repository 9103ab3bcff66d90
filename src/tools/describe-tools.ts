/** Converts tools to the descriptions that protocols use. */
import type { ToolDescription } from '../model/tool-description.js';
import { own } from '../base/objects.js';
import { examplesOf } from './tool-examples.js';
import { nameUnder } from './registry.js';
import { parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';

/** Describes the tools. Methods of one object are grouped, at the position of the first. */
export function describeTools(tools: readonly ToolDefinition[], protocolId: string): ToolDescription[] {
  const described = new Map<unknown, ToolDescription>();
  for (const tool of tools) {
    const { name, label, description, risk, origin } = tool;
    const examples = examplesOf(tool);
    const said = examples.flatMap(({ say, args }) => (say === undefined ? [] : [{ say, args }]));
    const parameters = parametersOf(tool);
    const vcpCommand = own(tool.aliases, 'vcp') as string | undefined;
    const place = origin ? origin.id : tool;
    const group = described.get(place) ?? { toolId: origin?.id ?? name, toolName: origin?.name ?? label ?? name, methods: [] };
    described.set(place, group);
    group.methods.push({
      name: nameUnder(tool, protocolId),
      ...(label !== undefined && { displayName: label }),
      description,
      ...(parameters && { parameters }),
      ...(examples[0] && { example: examples[0].args }),
      ...(said.length > 0 && { said }),
      agentCallable: true,
      ...(risk && { risk }),
      ...(vcpCommand !== undefined && { protocolConfig: { vcpCommand } }),
    });
  }
  return [...described.values()];
}
